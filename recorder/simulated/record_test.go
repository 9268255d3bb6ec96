//go:build linux

package simulated

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/testkit"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// compile builds a program of testdata for RISC-V.
func compile(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return buildFor(t, "./testdata/programs/"+name, flags...)
}

func machine(t testing.TB, name string) *cache.Machine {
	m, err := cache.Named(name)
	require.NoError(t, err)
	return m
}

// record runs a program and records it.
func record(t testing.TB, o Options) (*Result, string, error) {
	t.Helper()
	var printed bytes.Buffer
	o.Stdout, o.Stderr = &printed, &printed
	if o.Output == "" {
		o.Output = filepath.Join(t.TempDir(), "trace.dir")
	}
	if o.Args == nil {
		o.Args = []string{"program"}
	}
	r, err := Run(o)
	if r != nil && r.Archive != nil {
		checked(t, r.Archive.Dir)
	}
	return r, printed.String(), err
}

// checked opens an archive that must be complete and without problems.
func checked(t testing.TB, dir string) *trace.Archive {
	t.Helper()
	a, err := trace.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	require.True(t, a.Header().Complete)
	require.Empty(t, a.Check())
	return a
}

func analyze(t testing.TB, dir string) *report.Experiment {
	t.Helper()
	e, err := analyzer.Analyze(checked(t, dir), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	return e
}

// sums returns the sum of each counter over all call paths and locations.
func sums(e *report.Experiment) map[string]uint64 {
	all := map[string]uint64{}
	for i, m := range e.Metrics {
		if m.Kind == metric.Counter {
			for _, c := range e.Cells(i) {
				all[m.Title] += uint64(c.Value)
			}
		}
	}
	return all
}

// What the report says of all call paths and locations together is what the run counted, to the last event, and all of it is certain.
func TestSums(t *testing.T) {
	t.Parallel()
	program := compile(t, "paths")
	for cpus, name := range []string{"", "bgl", "server"} {
		o := Options{Program: program, CPUs: cpus, Classify: true, Seed: uint64(cpus)}
		if name != "" {
			o.Machine = machine(t, name)
		}
		r, _, err := record(t, o)
		require.NoError(t, err)
		require.Zero(t, r.Status)
		e := analyze(t, r.Archive.Dir)
		all, total := sums(e), r.Counters.Totals()
		require.NotEmpty(t, r.Archive.Events)
		for _, event := range r.Archive.Events {
			want, err := r.Counters.Value(&total, event)
			require.NoError(t, err)
			require.Equal(t, want, all[event], event)
			require.NotContains(t, all, event+"_uncertain")
		}
		require.Equal(t, r.Instructions, all["PAPI_TOT_INS"])
		require.Equal(t, r.Time.Milliseconds(), e.Header.Wall/1e6)
	}
}

// called returns what the goroutines of the program entered (+) and left (-), of the functions that are named, by the goroutine's number.
func called(t *testing.T, a *trace.Archive, named func(string) bool) map[uint64][]string {
	defs := a.Definitions()
	lines, stacks := map[uint64][]string{}, map[trace.LocationID][]string{}
	d := a.NewDecoder()
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, new(trace.Buffer))
		require.NoError(t, err)
		for _, b := range batches {
			id := defs.Locations[b.Location].GoID
			stack := stacks[b.Location]
			pop := func(n int) {
				for ; n > 0; n-- {
					if name := stack[len(stack)-1]; named(name) {
						lines[id] = append(lines[id], "-"+name)
					}
					stack = stack[:len(stack)-1]
				}
			}
			for _, e := range b.Events {
				switch does := e.Kind.Does(); {
				case e.Kind == wire.End:
					pop(len(stack))
				case e.Kind == wire.Exit:
					pop(int(e.ID) + 1)
				case does == wire.Leaves:
					pop(1)
				case does == wire.Opens:
					name := defs.Regions[e.ID].Name
					if named(name) {
						lines[id] = append(lines[id], "+"+name)
					}
					stack = append(stack, name)
				}
			}
			stacks[b.Location] = stack
		}
	}
	return lines
}

// brief joins lines, of which those that are the same and follow each other become one.
func brief(lines []string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(lines); i += n {
		for n = 1; i+n < len(lines) && lines[i+n] == lines[i]; n++ {
		}
		fmt.Fprintf(&b, "%s×%d ", lines[i], n)
	}
	return b.String()
}

// The program knows what it called and what returned. So does the archive, through panics, faults, Goexit, coroutines, wrappers, and stacks that
// grow.
func TestCalls(t *testing.T) {
	t.Parallel()
	program := compile(t, "paths")
	for seed := range uint64(3) {
		r, printed, err := record(t, Options{Program: program, CPUs: 2, Seed: seed, Events: []string{"PAPI_TOT_INS"}, Filter: []string{"-*.note"}, Frequent: -1})
		require.NoError(t, err)
		want, functions := map[string]int{}, map[string]bool{} // what goroutines did, and how many did that
		lines := bufio.NewScanner(strings.NewReader(printed))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			_, what, _ := strings.Cut(lines.Text(), " ")
			want[brief(strings.Fields(what))]++
			for _, f := range strings.Fields(what) {
				functions[f[1:]] = true
			}
		}
		require.Len(t, functions, 15)
		got := map[string]int{}
		for _, l := range called(t, checked(t, r.Archive.Dir), func(f string) bool { return functions[f] }) {
			got[brief(l)]++
		}
		require.Equal(t, want, got)
	}
}

// files returns the bytes of an archive.
func files(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	var all strings.Builder
	for _, n := range names {
		b, err := os.ReadFile(n)
		require.NoError(t, err)
		fmt.Fprintf(&all, "%s %d\n%s", filepath.Base(n), len(b), b)
	}
	return all.String()
}

// The same run makes the same archive, byte for byte, whatever differs outside.
func TestSameArchive(t *testing.T) {
	program := compile(t, "paths")
	var first string
	for i := range 3 {
		old := runtime.GOMAXPROCS(1 + i%2)
		t.Chdir(t.TempDir())
		t.Setenv("SOMETHING", fmt.Sprint(i))
		if i == 2 { // another time, and another name of the same program
			moved := filepath.Join(t.TempDir(), "other")
			require.NoError(t, copyFile(moved, program))
			program = moved
			require.NoError(t, os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)))
		}
		r, _, err := record(t, Options{Program: program, CPUs: 2, Machine: machine(t, "bgl"), Output: filepath.Join(t.TempDir(), fmt.Sprint("trace", i))})
		runtime.GOMAXPROCS(old)
		require.NoError(t, err)
		if all := files(t, r.Archive.Dir); i == 0 {
			first = all
		} else {
			require.True(t, all == first, "run %d", i)
		}
	}
	require.NotContains(t, first, filepath.Dir(program))
}

// Every process is one of the archive, with its command line and its own counts.
func TestProcesses(t *testing.T) {
	program := compile(t, "children")
	mounts := []linux.Mount{{Guest: "/bin", Host: filepath.Dir(program)}}
	r, printed, err := record(t, Options{Program: program, Args: []string{"/bin/children"}, Mounts: mounts, CPUs: 2, Machine: machine(t, "bgl"), Events: []string{"PAPI_FSQ_INS", "PAPI_TOT_INS"}})
	require.NoError(t, err)
	require.Equal(t, "true\n2000 true\nexit status 1\n3000 true\nexit status 2\n", printed)
	defs := checked(t, r.Archive.Dir).Definitions()
	require.Len(t, defs.Processes, 3)
	for i, args := range [][]string{{"/bin/children"}, {"/proc/self/exe", "2000"}, {"/proc/self/exe", "3000"}} {
		require.Equal(t, args, defs.Processes[i].Args)
		require.Equal(t, i, defs.Processes[i].Exit)
	}
	e := analyze(t, r.Archive.Dir)
	roots := map[string]int64{}
	for i, m := range e.Metrics {
		if m.Title == "PAPI_FSQ_INS" {
			for _, c := range e.Cells(i) {
				roots[fmt.Sprint(e.Locations[c.Location].Process, " ", e.Regions[e.Paths[c.Path].Region].Name)] += c.Value
			}
		}
	}
	require.Equal(t, map[string]int64{"0 main.roots": 100, "1 main.roots": 2000, "2 main.roots": 3000}, roots)
	require.Equal(t, r.Instructions, sums(e)["PAPI_TOT_INS"])
}

// However a run ends, the archive is complete up to there, and says how.
func TestEnds(t *testing.T) {
	t.Parallel()
	program := compile(t, "ends")
	for _, c := range []struct {
		how    string
		limit  uint64
		status int
		fails  string // what the error is
	}{
		{"spin", 2_000_000, -1, "instruction limit"},
		{"unknown", 0, -1, "4000"},
		{"killed", 0, 137, ""},
		{"illegal", 0, 2, ""},
	} {
		r, _, err := record(t, Options{Program: program, Args: []string{"ends", c.how}, Strict: true, MaxInstructions: c.limit, Machine: machine(t, "bgl"), Events: []string{"PAPI_TOT_CYC"}})
		p := checked(t, r.Archive.Dir).Definitions().Processes[0]
		if c.fails == "" {
			require.NoError(t, err, c.how)
			require.Empty(t, p.Warnings)
		} else {
			require.ErrorContains(t, err, c.fails)
			require.Equal(t, map[string]uint64{"the run ended before the program (" + err.Error() + "); instructions until then": r.Instructions}, p.Warnings)
		}
		require.Equal(t, c.status, p.Exit)
		total := r.Counters.Totals()
		want, err := r.Counters.Value(&total, "PAPI_TOT_CYC")
		require.NoError(t, err)
		require.Equal(t, want, sums(analyze(t, r.Archive.Dir))["PAPI_TOT_CYC"])
		require.InDelta(t, float64(r.Time), float64(p.End), 2e6)
	}
}

// What a program asked for in vain is a warning of its archive.
func TestUnsupported(t *testing.T) {
	r, _, err := record(t, Options{Program: compile(t, "ends"), Args: []string{"ends", "unknown"}})
	require.NoError(t, err)
	require.Zero(t, r.Status)
	require.Len(t, r.Unsupported, 1)
	require.Equal(t, map[string]uint64{"system call 4000 is not supported and failed with ENOSYS": 1}, checked(t, r.Archive.Dir).Definitions().Processes[0].Warnings)
}

// Small functions that are called often are counted in their callers, and that is said; nothing is lost.
func TestFrequent(t *testing.T) {
	program := compile(t, "ends")
	for _, limit := range []int{100, -1} {
		r, _, err := record(t, Options{Program: program, Args: []string{"ends", "often"}, Frequent: limit, Events: []string{"PAPI_TOT_INS"}})
		require.NoError(t, err)
		p := checked(t, r.Archive.Dir).Definitions().Processes[0]
		e := analyze(t, r.Archive.Dir)
		require.Equal(t, r.Instructions, sums(e)["PAPI_TOT_INS"])
		if limit < 0 {
			require.Empty(t, r.Archive.Frequent)
			require.Empty(t, p.Warnings)
			continue
		}
		require.Equal(t, []Frequent{{"main.small", 101, 899}}, r.Archive.Frequent)
		require.Equal(t, map[string]uint64{"calls of main.small, short and frequent, counted in their callers": 899}, p.Warnings)
	}
}

// An archive of that name is moved aside; what cannot be recorded is an error before anything is.
func TestOptions(t *testing.T) {
	t.Parallel()
	program := compile(t, "ends")
	dir := filepath.Join(t.TempDir(), "trace.dir")
	o := Options{Program: program, Args: []string{"ends", "often"}, Output: dir, Events: []string{"PAPI_LD_INS", "PAPI_SR_INS:u"}}
	for i := range 2 {
		r, _, err := record(t, o)
		require.NoError(t, err)
		require.Equal(t, i > 0, r.Archive.Aside != "")
		require.Equal(t, o.Events, checked(t, dir).Definitions().Processes[0].Counters)
	}
	before := files(t, dir)
	for want, change := range map[string]func(o *Options){
		"PAPI_L1_DCM: no such event on this machine":      func(o *Options) { o.Events = []string{"PAPI_L1_DCM"} },
		"event PAPI_TOT_INS:x: the suffix must be":        func(o *Options) { o.Events = []string{"PAPI_TOT_INS:x"} },
		"event PAPI_TOT_INS:k: only cycles of the kernel": func(o *Options) { o.Events = []string{"PAPI_TOT_INS:k"} },
		"event PAPI_TOT_INS is named twice":               func(o *Options) { o.Events = []string{"PAPI_TOT_INS", "PAPI_TOT_INS"} },
		`filter "-": a pattern is a function's name`:      func(o *Options) { o.Filter = []string{"-"} },
		`filter "[": no function can have this name`:      func(o *Options) { o.Filter = []string{"["} },
		"not an ELF file":                                func(o *Options) { o.Program = "record_test.go" },
		"is not a trace directory":                       func(o *Options) { o.Output = "." },
		"no such file or directory":                      func(o *Options) { o.Program = "missing" },
		"break at main.nothing: the program has no such": func(o *Options) { o.Break = []string{"main.nothing"} },
	} {
		bad := o
		change(&bad)
		_, _, err := record(t, bad)
		require.ErrorContains(t, err, want)
		require.Equal(t, before, files(t, dir), want)
	}
}

// Of patterns that fit, the last one decides.
func TestFilter(t *testing.T) {
	for _, c := range []struct {
		patterns string
		name     string
		own      bool
		want     bool
	}{
		{"", "main.f", true, true},
		{"", "fmt.Println", false, false},
		{"-main.f", "main.f", true, false},
		{"-main.f", "main.ff", true, true},
		{"main.f", "main.g", true, false},
		{"fmt.*", "fmt.(*pp).printArg", false, true},
		{"fmt.*,-*.print*", "fmt.(*pp).printArg", false, false},
		{"*,-a*b*c", "axbyc", false, false},
		{"*,-a*b*c", "axbyd", false, true},
		{"*,-a*bb*b", "abb", false, true},
		{"*,-*.f,main.*", "main.f", false, true},
		{"main.g[...]", "main.g[...]", false, true},
		{"main.g[*", "main.g[...]", false, true},
	} {
		var patterns []string
		if c.patterns != "" {
			patterns = strings.Split(c.patterns, ",")
		}
		f, err := newFilter(patterns)
		require.NoError(t, err)
		require.Equal(t, c.want, f.records(c.name, c.own), "%s of %s", c.name, c.patterns)
	}
	f, err := newFilter([]string{"main.*", "-main.g", "other.*"})
	require.NoError(t, err)
	f.records("main.f", false)
	require.Equal(t, []string{"-main.g", "other.*"}, f.idle())
}

// at returns the sum of a metric over call paths on which all these regions lie, in that order.
func at(t *testing.T, e *report.Experiment, metric string, regions ...string) (sum int64) {
	t.Helper()
	for i, m := range e.Metrics {
		if m.Name != metric {
			continue
		}
		for _, c := range e.Cells(i) {
			rest := regions
			for p := int32(c.Path); p >= 0 && len(rest) > 0; p = e.Paths[p].Parent {
				if e.Regions[e.Paths[p].Region].Name == rest[len(rest)-1] {
					rest = rest[:len(rest)-1]
				}
			}
			if len(rest) == 0 {
				sum += c.Value
			}
		}
		return sum
	}
	require.Fail(t, "no metric", metric)
	return 0
}

// Goroutines of an unmodified program wait, and the analysis says for what: as long as the other one works.
func TestWaits(t *testing.T) {
	t.Parallel()
	program := compile(t, "waits")
	for cpus := 2; cpus <= 4; cpus += 2 {
		r, printed, err := record(t, Options{Program: program, CPUs: cpus, Machine: machine(t, "server"), Events: []string{"PAPI_TOT_INS"}})
		require.NoError(t, err)
		require.Equal(t, "false\n", printed)
		e := analyze(t, r.Archive.Dir)
		require.Empty(t, e.NeverEnded)
		for _, c := range []struct {
			metric  string
			who     []string
			forWhom string
		}{
			{"late_sender", []string{"main.waitsForSender", "recv"}, "main.lateSender"},
			{"late_receiver", []string{"main.waitsForReceiver", "send"}, "main.lateReceiver"},
			{"full_buffer", []string{"main.fills", "send"}, "main.emptiesLate"},
			{"late_close", []string{"main.waitsForClose", "recv"}, "main.closesLate"},
			{"late_sender", []string{"main.chooses", "select"}, "main.choosesLate"},
			{"external_wait", []string{"main.wantsLock", "sync.Mutex.Lock"}, "main.holds"},
		} {
			works := at(t, e, "execution", c.forWhom, "main.work")
			require.Greater(t, works, int64(100_000))
			require.InEpsilon(t, works, at(t, e, c.metric, c.who...), 0.25, "%s: %v", c.metric, c.who)
		}
		for _, region := range e.Regions {
			if region.Name == "sync.Mutex.Lock" { // of which the begin is inlined
				require.Equal(t, "main.wantsLock main.go", region.Func+" "+filepath.Base(region.File))
			}
		}
		require.Greater(t, at(t, e, "join_wait", "main.joins", "wait"), int64(100_000))
		require.InEpsilon(t, 3e6, at(t, e, "sleep", "main.sleeps", "sleep"), 0.2)
		require.Equal(t, r.Instructions, sums(e)["PAPI_TOT_INS"])
	}
}

// Whatever functions are recorded, those of the runtime among them, the archive is valid, nothing is lost, and what is waited for is the same.
func TestFilters(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("records three programs four times")
	}
	for _, name := range []string{"paths", "waits", "messages"} {
		program := compile(t, name)
		var waits []int64
		for _, filter := range []string{"main.*", "*", "runtime.*", "runtime.gopark"} {
			r, _, err := record(t, Options{Program: program, CPUs: 2, Seed: 1, Events: []string{"PAPI_TOT_INS"}, Filter: []string{filter}})
			require.NoError(t, err)
			e := analyze(t, r.Archive.Dir)
			require.Equal(t, r.Instructions, sums(e)["PAPI_TOT_INS"])
			for i, metric := range []string{"late_sender", "late_receiver", "full_buffer", "late_close", "join_wait"} {
				if filter == "main.*" {
					waits = append(waits, at(t, e, metric))
				} else {
					require.InDelta(t, waits[i], at(t, e, metric), 0.1*float64(waits[i])+20_000, "%s: %s", filter, metric)
				}
			}
		}
	}
}

// Clocks of processors differ, but no message is received before it is sent, none that was found waiting is overlooked, and no WaitGroup
// lets anybody go too early. One in a thousand would be a warning; there are 900 messages.
func TestMessages(t *testing.T) {
	t.Parallel()
	program := compile(t, "messages")
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		r, printed, err := record(t, Options{Program: program, CPUs: 2 + int(seed%2), Seed: seed, Machine: machine(t, "server"), Events: []string{"PAPI_TOT_INS"}})
		require.NoError(t, err)
		require.Equal(t, "700\n", printed)
		e := analyze(t, r.Archive.Dir)
		require.Equal(t, int64(900), at(t, e, "messages"))
		require.Empty(t, e.Warnings)
	}
}

// Without debugging information, goroutines are not told apart, and the archive says so.
func TestStripped(t *testing.T) {
	program := compile(t, "ends", "-ldflags=-w")
	r, _, err := record(t, Options{Program: program, Args: []string{"ends", "often"}, Events: []string{"PAPI_TOT_INS"}})
	require.NoError(t, err)
	e := analyze(t, r.Archive.Dir)
	require.Equal(t, int64(r.Instructions), at(t, e, "PAPI_TOT_INS", "(program)"))
	require.Equal(t, map[string]uint64{"goroutines are not told apart: the program has no debugging information": 1}, checked(t, r.Archive.Dir).Definitions().Processes[0].Warnings)
}

// Programs that are not Go's have their threads, and a child that goes on where its parent is.
func TestNative(t *testing.T) {
	compiler, err := exec.LookPath("riscv64-linux-gnu-gcc")
	if err != nil || testkit.Race {
		t.Skip("no C compiler for RISC-V here, or the race detector, which makes the simulator many times slower")
	}
	program := filepath.Join(t.TempDir(), "native")
	out, err := exec.Command(compiler, "-static", "-g", "-O1", "-o", program, "testdata/programs/native/native.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	r, printed, err := record(t, Options{Program: program, CPUs: 2, Events: []string{"PAPI_FDV_INS", "PAPI_TOT_INS"}})
	require.NoError(t, err)
	require.Equal(t, "3\n", printed)
	e := analyze(t, r.Archive.Dir)
	require.Equal(t, r.Instructions, sums(e)["PAPI_TOT_INS"])
	require.Equal(t, 2, e.Header.Processes)
	for path, divides := range map[string]int64{"main work": 3000, "main family work": 2000, "thread work": 3000, "jumps work": 0} {
		require.Equal(t, divides, at(t, e, "PAPI_FDV_INS", strings.Fields(path)...), path)
	}
	require.NotZero(t, at(t, e, "PAPI_TOT_INS", "main", "sorts", "compare"))
	require.NotZero(t, at(t, e, "PAPI_TOT_INS", "main", "jumps", "jumps", "jumps", "jumps", "jumps"))
	require.Zero(t, at(t, e, "PAPI_TOT_INS", "jumps", "sorts"), "the long jump ended them")
	require.Equal(t, int64(50*51/2), at(t, e, "visits", "main", "steps"), "also if they are called again at once")
	for _, r := range e.Regions {
		if r.Name == "sorts" {
			require.Equal(t, "native.c", filepath.Base(r.File))
			require.NotZero(t, r.Line)
		}
	}
}
