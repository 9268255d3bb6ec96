//go:build linux

package simulated

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/metric"
	"tracerec/report"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

// buildFor builds a package for RISC-V.
func buildFor(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	return testkit.Build(t, testkit.RISCV, append(flags, pkg)...)
}

// content returns all files of a directory, one behind the other.
func content(t testing.TB, dir string) (all []byte) {
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		all = append(append(all, f.Name()...), b...)
	}
	return all
}

func TestInstrumentedIsKnown(t *testing.T) {
	for file, want := range map[string]bool{
		buildFor(t, "./testdata/programs/known"):                     true,
		buildFor(t, "./testdata/programs/known", "-ldflags=-s -w"):   true,
		buildFor(t, "./testdata/programs/paths"):                     false,
		buildFor(t, "tracerec/cmd/expert", "-ldflags=-s -w", "-p=1"): false,
	} {
		program, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, Instrumented(program), file)
	}
	require.False(t, Instrumented([]byte("\x00tracerec/instrument.Attach\x00")))
}

// A program and those that it starts, one of which becomes another: the archive has four, and is the same every time.
func TestInstrumentedFamily(t *testing.T) {
	file := buildFor(t, "./testdata/programs/family")
	var first []byte
	for i := range 3 {
		runtime.GOMAXPROCS(1 + i)
		var printed bytes.Buffer
		o := Options{Program: file, Args: []string{"/bin/family"}, Mounts: []linux.Mount{{Guest: "/bin", Host: filepath.Dir(file)}},
			CPUs: 2, Stdout: &printed, Stderr: &printed, Output: filepath.Join(t.TempDir(), "trace.dir"), MaxInstructions: 1e9}
		r, err := RunInstrumented(o)
		require.NoError(t, err)
		require.Equal(t, "child: 6\nparent: exit status 3\n", printed.String())
		require.Len(t, r.Archive.Messages, 1)
		require.Contains(t, r.Archive.Messages[0], "nothing lost")
		a := checked(t, o.Output)
		processes := a.Definitions().Processes
		require.Len(t, processes, 4)
		require.Equal(t, 4, r.Archive.Processes)
		for n, role := range []string{"", "child", "becoming", "became"} {
			require.Equal(t, strings.Fields("/bin/family "+role), processes[n].Args)
			require.Empty(t, processes[n].Warnings)
		}
		require.Zero(t, processes[0].Exit)
		require.Equal(t, processes[2].PID, processes[3].PID)
		if first == nil {
			first = content(t, o.Output)
		}
		require.Equal(t, first, content(t, o.Output))
		e := analyze(t, o.Output)
		for region, ns := range map[string]int64{"before": 2e6, "after": 2e6, "late": 2e6} {
			require.InDelta(t, ns, timeIn(e, region), 10_000, region)
		}
		require.Greater(t, timeIn(e, "read"), int64(1e6), "it waits for the parent")
	}
	runtime.GOMAXPROCS(runtime.NumCPU())
}

// timeIn returns how long goroutines were in a region.
func timeIn(e *report.Experiment, region string) (ns int64) {
	parts := map[string]bool{metric.Time: true}
	for i, m := range e.Metrics { // parents come first
		if parts[m.Name] = parts[m.Name] || parts[m.Parent]; parts[m.Name] {
			for _, c := range e.Cells(i) {
				if e.Regions[e.Paths[c.Path].Region].Name == region {
					ns += c.Value
				}
			}
		}
	}
	return ns
}

// Every region has exactly the work that it does, although its goroutine changes threads.
func TestInstrumentedCounts(t *testing.T) {
	file := buildFor(t, "./testdata/programs/known")
	work := []int{0, 1, 1000, 12345, 70000}
	o := Options{Program: file, Args: []string{"known"}, CPUs: 2, Classify: true, MaxInstructions: 1e9}
	for _, n := range work {
		o.Args = append(o.Args, strconv.Itoa(n))
	}
	plenty := len(work) + 3 // processors: no goroutine is without one, whatever the runtime has going
	for _, m := range []struct {
		*cache.Machine
		cpus int
	}{{nil, 2}, {nil, plenty}, {machine(t, "server"), 2}} {
		o.Machine, o.CPUs, o.Output = m.Machine, m.cpus, filepath.Join(t.TempDir(), "trace.dir")
		r, err := RunInstrumented(o)
		require.NoError(t, err)
		require.Greater(t, len(r.Archive.Events), 16)
		e := analyze(t, o.Output)
		instructions, additions := counted(t, e, "PAPI_TOT_INS"), counted(t, e, "PAPI_FAD_INS")
		for _, n := range work {
			require.EqualValues(t, n, additions[strconv.Itoa(n)])
		}
		require.Positive(t, instructions["0"])
		require.Less(t, instructions["0"], int64(100), "what recording does is not counted")
		if m.cpus == plenty { // and with caches, who comes first misses
			require.Less(t, timeIn(e, "0"), int64(300), "and takes no time")
		}
	}
}

// counted returns what was counted of an event, which must be certain, by region.
func counted(t *testing.T, e *report.Experiment, event string) map[string]int64 {
	got := map[string]int64{}
	for i, m := range e.Metrics {
		require.False(t, m.Margin() && len(e.Cells(i)) > 0, m.Name)
		if m.Kind != metric.Counter || m.Title != event {
			continue
		}
		for _, c := range e.Cells(i) {
			got[e.Regions[e.Paths[c.Path].Region].Name] += c.Value
		}
	}
	return got
}

// The analysis finds every wait that was planted, as long as it was, in virtual time. With tracerec inside it is the same.
func TestPlantedInside(t *testing.T) {
	t.Parallel()
	programs := []string{buildFor(t, "tracerec/examples/planted")}
	if !testing.Short() {
		programs = append(programs, buildFor(t, "tracerec/cmd/tracerec"))
	}
	bin := t.TempDir()
	for _, file := range programs {
		require.NoError(t, copyFile(filepath.Join(bin, filepath.Base(file)), file))
	}
	for _, inside := range []bool{false, true} {
		if inside && testing.Short() {
			continue // as it is recorded on Linux
		}
		// Who is to wait, or to be waited for, may begin late, by some 0.2 ms: the first of them makes the runtime start threads, and tracerec inside takes
		// processors as well.
		const length = "8ms"
		var first []byte
		for range 2 {
			out := t.TempDir()
			dir := filepath.Join(out, "trace.dir")
			var printed, said bytes.Buffer
			o := Options{Program: filepath.Join(bin, "planted"), Args: []string{"/bin/planted", "waits", "-length", length},
				Env: []string{"GODEBUG=asyncpreemptoff=1"}, CPUs: 4, Stdout: &printed, Stderr: &said, Output: dir, Events: []string{"PAPI_TOT_INS"},
				Mounts: []linux.Mount{{Guest: "/bin", Host: bin}}, MaxInstructions: 1e9}
			run := RunInstrumented
			if inside {
				run, o.Output, o.Program = Run, "", filepath.Join(bin, "tracerec")
				o.Args = append([]string{"/bin/tracerec", "-o", "/out/trace.dir"}, o.Args...)
				o.Mounts = append(o.Mounts, linux.Mount{Guest: "/out", Host: out, Write: true})
			}
			r, err := run(o)
			require.NoError(t, err)
			require.Zero(t, r.Status, said.String())
			if first == nil {
				first = content(t, dir)
				foundPlanted(t, analyze(t, dir), printed.Bytes())
			}
			require.Equal(t, first, content(t, dir))
		}
	}
}

// foundPlanted compares what the program says of its waits with what was found.
func foundPlanted(t *testing.T, e *report.Experiment, truth []byte) {
	t.Helper()
	var plants []struct {
		Name, Metric, Region string
		Length               int64 `json:"planted_ns"`
	}
	require.NoError(t, json.Unmarshal(truth, &plants))
	require.Len(t, plants, 18)
	require.Empty(t, e.Warnings)
	for _, p := range plants {
		found := int64(0)
		for i, m := range e.Metrics {
			if m.Name != p.Metric {
				continue
			}
			for _, c := range e.Cells(i) {
				switch {
				case p.Region == "": // all goroutines have some
					found = max(found, c.Value)
				case within(e, c.Path, p.Region):
					found += c.Value
				}
			}
		}
		require.InDelta(t, p.Length, found, float64(p.Length)/20, "%s", p.Name)
	}
}

// within tells whether a call path leads through a region.
func within(e *report.Experiment, path uint32, region string) bool {
	for at := int32(path); at >= 0; at = e.Paths[at].Parent {
		if e.Regions[e.Paths[at].Region].Name == region {
			return true
		}
	}
	return false
}

// What ends a run early leaves an archive that can be read.
func TestInstrumentedRunIsCut(t *testing.T) {
	file := buildFor(t, "./testdata/programs/family")
	o := Options{Program: file, Args: []string{"/bin/family"}, Mounts: []linux.Mount{{Guest: "/bin", Host: filepath.Dir(file)}},
		Output: filepath.Join(t.TempDir(), "trace.dir"), MaxInstructions: 2_000_000}
	r, err := RunInstrumented(o)
	require.ErrorIs(t, err, linux.ErrLimit)
	require.EqualValues(t, 2_000_000, r.Instructions)
	a := checked(t, o.Output)
	require.NotEmpty(t, a.Definitions().Processes)
	require.Equal(t, -1, a.Definitions().Processes[0].Exit)

	o.Output = filepath.Join(t.TempDir(), "trace.dir")
	o.Events = []string{"NONSENSE"}
	_, err = RunInstrumented(o)
	require.ErrorContains(t, err, "NONSENSE")
	require.NoDirExists(t, o.Output)
	o.Events, o.Program = nil, filepath.Join(t.TempDir(), "absent")
	_, err = RunInstrumented(o)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(o.Program, []byte("no program"), 0o644))
	_, err = RunInstrumented(o)
	require.Error(t, err)
	require.NoDirExists(t, o.Output)
}
