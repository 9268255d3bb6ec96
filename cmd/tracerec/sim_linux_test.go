package main

import (
	"bytes"
	"debug/elf"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/addressreplay"
	"tracerec/internal/readable"
	"tracerec/internal/testkit"
	"tracerec/recorder/simulated/sweep"
	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
)

// guest returns the file of the guest. It is absolute, and tests may change the working directory then.
func guest(t *testing.T) string {
	t.Helper()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	return testkit.Build(t, testkit.RISCV, "./testdata/programs/guest")
}

// simulate runs the command line in a directory of its own.
func simulate(t *testing.T, args ...string) result {
	t.Helper()
	t.Chdir(t.TempDir())
	return inside(append([]string{"sim", "-o", ""}, args...)...)
}

// machineCode is a program of these instructions, which has nothing else.
func machineCode(t *testing.T, instructions ...uint32) string {
	b := make([]byte, 0x1000)
	copy(b, "\x7fELF\x02\x01\x01")
	put := func(at, size int, v uint64) {
		for i := range size {
			b[at+i] = byte(v >> (8 * i))
		}
	}
	put(16, 2, uint64(elf.ET_EXEC))
	put(18, 2, uint64(elf.EM_RISCV))
	put(20, 4, 1)
	put(24, 8, 0x10000) // entry
	put(32, 8, 64)      // program headers
	put(52, 2, 64)
	put(54, 2, 56)
	put(56, 2, 1)
	put(64, 4, uint64(elf.PT_LOAD))
	put(68, 4, uint64(elf.PF_R|elf.PF_X))
	put(72, 8, 0x1000)
	put(80, 8, 0x10000)
	put(96, 8, uint64(4*len(instructions)))
	put(104, 8, uint64(4*len(instructions)))
	for _, i := range instructions {
		b = append(b, byte(i), byte(i>>8), byte(i>>16), byte(i>>24))
	}
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, b, 0o755))
	return file
}

// Instructions of small programs.
const (
	jumpToItself = 0x0000006f
	noOperation  = 0x00000013
	exitNumber   = 0x05d00893 // li a7, 93
	environment  = 0x00000073 // ecall
	illegal      = 0x00000000
)

// What a program says and how it ends is what tracerec says and how it ends.
func TestSimStreams(t *testing.T) {
	program := guest(t)
	r := simulate(t, program, "env", "dir", "exit", "-x", "--help")
	require.Equal(t, 7, r.status)
	dir, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, "[HOME=/tmp PATH=/program TMPDIR=/tmp]\n"+dir+" <nil>\n", r.stdout)
	require.Regexp(t, `(?s)^leaving\ntracerec: [\d,]+ instructions in [\d.]+ [µm]s of virtual time, machine server with 2 processors; simulated in .* `+
		`million instructions per second\n\ncounts of .*guest\n\n +([\d,]+)  PAPI_TOT_INS +instructions completed\n`, r.stderr)

	r = simulate(t, "-q", program, "kill")
	require.Equal(t, result{128 + 9, "", "tracerec: " + program + ": ended by signal 9, killed\n"}, r)

	t.Setenv("FROM_HOST", "yes")
	r = simulate(t, "-q", "--env", "FROM_HOST", "--env", "PATH=/x=y", "--machine", "none", program, "env")
	require.Equal(t, result{0, "[FROM_HOST=yes HOME=/tmp PATH=/x=y TMPDIR=/tmp]\n", ""}, r)

	cmd := tracerec("sim", "-q", "-o", "", program, "stdin")
	cmd.Stdin = strings.NewReader("given")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "\"given\" <nil>\n", string(out))
}

// The guest reaches its working directory to read, what it was given, and nothing else.
func TestSimMounts(t *testing.T) {
	host, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(host, "in"), []byte("content"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(host, "link")))
	program := guest(t)
	t.Chdir(host)
	r := inside("sim", "-q", "-o", "", program, "read=in", "read="+host+"/in", "write=out", "write=/tmp/scratch", "read=/tmp/scratch",
		"read=/etc/passwd", "read=link", "read=../"+filepath.Base(outside)+"/secret", "read="+outside+"/secret")
	require.Equal(t, 0, r.status, r.stderr)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	require.Equal(t, []string{`"content" <nil>`, `"content" <nil>`, "open out: read-only file system", "<nil>", `"written" <nil>`}, lines[:5])
	for _, line := range lines[5:] {
		require.Regexp(t, `^"" open `, line)
	}
	require.NoFileExists(t, filepath.Join(host, "out"))

	given := t.TempDir()
	r = inside("sim", "-q", "-o", "", "--mount", ".=.:rw", "--mount", "/other="+given+":rw", "--mount", "there="+outside, program,
		"write=out", "write=/other/file", "read=there/secret", "write=there/secret")
	require.Equal(t, result{0, "<nil>\n<nil>\n\"secret\" <nil>\nopen there/secret: read-only file system\n", ""}, r)
	require.FileExists(t, filepath.Join(host, "out"))
	require.FileExists(t, filepath.Join(given, "file"))
}

// Packages and files are built; what does not build is said by the go command.
func TestSimBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	program := guest(t)
	r := inside("sim", "-q", "-o", "", "testdata/programs/guest", "read=testdata/programs/guest/nothing")
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stdout, "no such file")
	r = inside("sim", "-q", "-o", "", "./testdata/programs/guest/main.go", "exit")
	require.Equal(t, result{7, "", "leaving\n"}, r)

	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	write("wrong/main.go", "package main\n\nfunc main() { undefined() }\n")
	write("library/library.go", "package library\n")
	write("one/main.go", "package main\n\nfunc main() {}\n")
	write("text", "no program\n")
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	write("cut", string(content[:len(content)/2]))
	broken := bytes.Clone(content)
	copy(broken[32:], "\xff\xff\xff\xff\xff\xff\xff\x7f") // where the program headers are
	write("broken", string(broken))
	broken = bytes.Clone(content)
	broken[16] = 3 // a shared object
	write("dynamic", string(broken))
	t.Chdir(dir)
	for _, c := range []struct {
		what, stderr string
		status       int
	}{
		{"./wrong", `(?s)^# example/wrong\nwrong/main.go:3:15: undefined: undefined\n$`, 2},
		{"./library", `^go: no main packages to build\n$`, 2},
		{"./...", `undefined: undefined`, 2},
		{"no/such/package", `^package no/such/package is not in std`, 2},
		{"./nothing", `^tracerec: ./nothing: no such file or directory\n$`, 127},
		{"/nothing.bin", `^tracerec: /nothing.bin: no such file or directory\n$`, 127},
		{"./missing.go", `no required module|no such file|not found`, 2},
		{".", `^no Go files in `, 2},
		{"text", `^tracerec: text: not an ELF file\n$`, 126},
		{"cut", `^tracerec: cut: not an ELF file: .*\n$`, 126},
		{"broken", `^tracerec: broken: not an ELF file: .*\n$`, 126},
		{"dynamic", `^tracerec: dynamic: ET_DYN: only statically linked programs at fixed addresses can run\n$`, 126},
		{"/proc/self/exe", `^tracerec: /proc/self/exe: a program for .*, not for RV64\n$`, 126},
		{"", `^tracerec: : no such file`, 127},
	} {
		r := inside("sim", "--", c.what)
		require.Equal(t, c.status, r.status, c.what)
		require.Regexp(t, c.stderr, r.stderr, c.what)
		require.Empty(t, r.stdout)
	}
	require.NoDirExists(t, "trace.dir", "nothing was recorded")
}

// Whatever a program does that ends the run, it is one clear line.
func TestSimEnds(t *testing.T) {
	testkit.NeedSimulator(t)
	loop := machineCode(t, jumpToItself)
	ill := machineCode(t, noOperation, illegal)
	quiet := func(args ...string) result { return simulate(t, append([]string{"-q"}, args...)...) }

	require.Equal(t, result{128 + 4, "", "tracerec: " + ill + ": ended by signal 4, illegal instruction\n"}, quiet(ill))
	require.Equal(t, result{124, "", "tracerec: " + loop + ": ended by --max-instructions after 100,000 instructions\n"},
		quiet("--max-instructions", "100000", loop))
	require.Equal(t, result{124, "", "tracerec: " + loop + ": ended by --timeout after 20ms\n"}, quiet("--timeout", "20ms", loop))
	nothing := machineCode(t, 0x27000893|9<<20, environment) // li a7, 9+…
	r := quiet("--strict", nothing)
	require.Equal(t, 125, r.status)
	require.Regexp(t, `^tracerec: .*/code: the simulator cannot continue: at 0x10004: system call \d+ is not supported\n$`, r.stderr)
	for _, how := range []string{"--machine=none", "--uncounted"} { // it goes on, to what is no code
		r = quiet(how, nothing)
		require.Equal(t, 128+4, r.status)
		require.Regexp(t, `^tracerec: .*/code: system call \d+ is not supported; it failed with ENOSYS 1 time, first at 0x10004\ntracerec: .*/code: ended by signal 4, illegal instruction\n$`, r.stderr)
	}
	fine := machineCode(t, exitNumber, environment)
	require.Equal(t, result{0, "", ""}, quiet(fine))
}

// A signal to tracerec ends the run, which is recorded so far.
func TestSimInterrupted(t *testing.T) {
	testkit.NeedSimulator(t)
	// write(1, sp, 1), and a loop
	loop := machineCode(t, 0x00100513, 0x00010593, 0x00100613, 0x04000893, environment, jumpToItself)
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("sim", "-o", archive, loop)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, cmd.Wait())
	require.Equal(t, 128+15, cmd.ProcessState.ExitCode(), stderr.String())
	require.Regexp(t, `tracerec: .*/code: ended by signal 15, terminated\n$`, stderr.String())
	clean(t, archive)
}

// A program whose output nobody reads ends as it would natively, and its recording is complete.
func TestSimPipe(t *testing.T) {
	program, archive := guest(t), filepath.Join(t.TempDir(), "a")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd := tracerec("sim", "-o", archive, program, "env", "exit")
	cmd.Stdout = w
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.Error(t, cmd.Run())
	require.NoError(t, w.Close())
	require.Equal(t, 128+13, cmd.ProcessState.ExitCode(), stderr.String())
	require.Contains(t, stderr.String(), "ended by signal 13, broken pipe\n")
	clean(t, archive)
}

// A run stops at functions and addresses, and shows the state of the machine.
func TestSimBreak(t *testing.T) {
	program := guest(t)
	code := machineCode(t, noOperation, noOperation, jumpToItself)
	r := simulate(t, "--dump", "--break", "0x10008:3", code)
	require.Equal(t, 0, r.status, r.stderr)
	require.Regexp(t, `(?s)^instructions 4\ncpu 0: \d+ ns.*    pc  0000000000010008\n.*tracerec: 4 instructions .*\ntracerec: ended at 0x10008:3\n`, r.stderr)

	state := filepath.Join(t.TempDir(), "state")
	r = simulate(t, "-q", "--dump="+state, "--break", "main.touch:2", program, "work", "exit")
	require.Equal(t, result{0, "", ""}, r)
	content, err := os.ReadFile(state)
	require.NoError(t, err)
	require.Contains(t, string(content), "process 1000: /program/guest")
	r = simulate(t, "-q", "--break", "main.touch:3", program, "work", "exit")
	require.Equal(t, result{7, "", "leaving\ntracerec: the run did not reach main.touch:3\n"}, r)
	r = simulate(t, "-q", "--dump", "--max-instructions", "3", code)
	require.Equal(t, 124, r.status)
	require.Regexp(t, `(?s)^instructions 3\n.*ended by --max-instructions after 3 instructions\n$`, r.stderr)
}

// A recording is the same, whatever the host is like, and its functions and goroutines are those of the program.
func TestSimRecords(t *testing.T) {
	program := guest(t)
	var all []string
	for i := range 2 {
		t.Setenv("GOMAXPROCS", strconv.Itoa(i+1))
		t.Chdir(t.TempDir())
		r := inside("sim", program, "work")
		require.Zero(t, r.status, r.stderr)
		require.Regexp(t, `\ntracerec: trace.dir: \d+ events of \d+ functions in \d+ locations of 1 process, .*; see expert analyze trace.dir\n$`, r.stderr)
		clean(t, "trace.dir")
		require.Equal(t, 2, countKind(t, "trace.dir", "enter")["main.touch"])
		files, err := filepath.Glob("trace.dir/segment-*")
		require.NoError(t, err)
		require.Len(t, files, 1)
		content, err := os.ReadFile(files[0])
		require.NoError(t, err)
		all = append(all, string(content))
	}
	require.True(t, all[0] == all[1], "byte for byte")
	r := inside("sim", "--filter", "main.*,-main.touch,nothing.*", "-c", "PAPI_TOT_INS", program, "work")
	require.Zero(t, r.status, r.stderr)
	require.Regexp(t, `tracerec: the older trace\.dir is now trace\.dir\.(19991231|20000101)-`, r.stderr, "by the local clock")
	require.Contains(t, r.stderr, "tracerec: --filter nothing.* matches no function\n")
	calls := countKind(t, "trace.dir", "enter")
	require.NotContains(t, calls, "main.touch")
	require.Contains(t, calls, "main.main")
}

// With a PMU, perf events are counted inside.
func TestSimPMU(t *testing.T) {
	program := guest(t)
	r := inside("sim", "-q", "-o", "", program, "perf")
	require.Equal(t, result{0, "function not implemented\n", ""}, r)
	r = inside("sim", "-q", "-o", "", "--pmu", "one", program, "perf")
	require.Zero(t, r.status, r.stderr)
	n, err := strconv.Atoi(strings.TrimSpace(r.stdout))
	require.NoError(t, err, r.stdout)
	require.Greater(t, n, 200_000)
	require.Less(t, n%100_000, 1000, "so many in each round, and few before and after them")
}

// An instrumented program records its own regions.
func TestSimInstrumented(t *testing.T) {
	testkit.NeedSimulator(t)
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	archive := filepath.Join(t.TempDir(), "a")
	r := inside("sim", "-o", archive, "-c", "PAPI_TOT_INS", "testdata/programs/subject", "regions", "25")
	require.Zero(t, r.status, r.stderr)
	require.NotContains(t, r.stderr, "functions")
	clean(t, archive)
	require.Equal(t, map[string]int{"work": 100}, countKind(t, archive, "enter"))
	source, err := filepath.Abs("testdata/programs/subject/main.go")
	require.NoError(t, err)
	require.Equal(t, source, regionFiles(t, archive)["work"])
}

// An address trace holds all instructions and accesses, and a second model of the caches misses as often as the first did.
func TestSimTrace(t *testing.T) {
	program := guest(t)
	t.Chdir(t.TempDir())
	r := inside("sim", "-o", "", "--cpus", "1", "--machine", "bgl", "-c", "PAPI_TOT_INS,PAPI_L1_DCM,PAPI_L1_ICM,PAPI_L2_DCM,PAPI_TLB_DM", "--trace", "a.trz", program, "work")
	require.Zero(t, r.status, r.stderr)
	counts := countsOf(t, r.stderr)
	f, err := os.Open("a.trz")
	require.NoError(t, err)
	defer f.Close()
	reader, err := addresstrace.NewReader(f)
	require.NoError(t, err)
	m, err := cache.Named("bgl")
	require.NoError(t, err)
	misses, err := addressreplay.Replay(reader, m)
	require.NoError(t, err)
	require.Positive(t, counts["PAPI_L1_DCM"])
	require.Equal(t, counts["PAPI_L1_DCM"], misses.LoadL1+misses.StoreL1)
	require.Equal(t, counts["PAPI_L1_ICM"], misses.FetchL1)
	require.Equal(t, counts["PAPI_L2_DCM"], misses.LoadL2+misses.StoreL2)
	require.Equal(t, counts["PAPI_TLB_DM"], misses.DataTLB)

	r = inside("sim", "-q", "-o", "", "--trace", "a.din", "--max-instructions", "1000", program)
	require.Equal(t, 124, r.status, r.stderr)
	content, err := os.ReadFile("a.din")
	require.NoError(t, err)
	require.Equal(t, 1000, strings.Count("\n"+string(content), "\n2 "), "instructions")
}

// A sweep counts for each machine what a run on that machine counts, and for the same instructions.
func TestSimSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a program on machine after machine")
	}
	program := guest(t)
	t.Chdir(t.TempDir())
	args := []string{"sim", "--machine", "bgl", "-c", "PAPI_L1_DCM,PAPI_TOT_CYC,PAPI_TOT_INS", "--only", "sync.*.Go.func1"}
	r := inside(append(args, "--format", "json", "--sweep", "l1d.size=4k,16k,64k", "--sweep", "cycles.memory=50,500", "--set", "l1d.ways=0", program, "work")...)
	require.Zero(t, r.status, r.stderr)
	require.Empty(t, r.stderr)
	var v sweep.Table
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &v))
	require.Len(t, v.Runs, 6)
	require.Equal(t, map[string]string{"l1d.size": "4k", "cycles.memory": "500"}, v.Runs[1].Parameters)
	for i, run := range v.Runs {
		require.Positive(t, run.Counts["PAPI_TOT_INS"])
		require.Less(t, run.Counts["PAPI_TOT_INS"], v.Instructions)
		require.Equal(t, v.Runs[0].Counts["PAPI_TOT_INS"], run.Counts["PAPI_TOT_INS"])
		if i >= 2 { // a larger cache that is fully associative, with LRU, never misses more
			require.Less(t, run.Counts["PAPI_L1_DCM"], v.Runs[i-2].Counts["PAPI_L1_DCM"])
		}
		if i%2 == 1 {
			require.Equal(t, v.Runs[i-1].Counts["PAPI_L1_DCM"], run.Counts["PAPI_L1_DCM"])
			require.Greater(t, run.Counts["PAPI_TOT_CYC"], v.Runs[i-1].Counts["PAPI_TOT_CYC"])
		}
	}
	last := v.Runs[5]
	r = inside(append(args, "-o", "", "--untimed", "--set", "l1d.size=64k", "--set", "cycles.memory=500", "--set", "l1d.ways=0", program, "work")...)
	require.Zero(t, r.status, r.stderr)
	for name, value := range last.Counts {
		require.Regexp(t, ` `+regexp.QuoteMeta(readable.Grouped(int64(value), 0))+`  `+name+` `, r.stderr)
	}

	r = inside("sim", "--format", "csv", "-c", "PAPI_TOT_INS", "--sweep", "predictor.counters=512,1k", program, "exit")
	require.Equal(t, 7, r.status)
	require.Equal(t, "leaving\n", r.stderr)
	rows, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"predictor.counters", "PAPI_TOT_INS"}, rows[0])
	require.Equal(t, rows[1][1], rows[2][1])

	r = inside("sim", "--sweep", "l1d.ways=4,8", program, "work")
	require.Zero(t, r.status, r.stderr)
	require.Regexp(t, `^l1d.ways  PAPI_TOT_CYC  PAPI_L1_DCM  PAPI_L2_DCM  PAPI_L3_DCM  PAPI_BR_MSP\n       4 .*\n       8 .*\n\n[\d,]+ instructions in each of 2 runs of .*\nStalls take no virtual time in these runs, as with --untimed.\n$`, r.stdout)

	cmd := tracerec("sim", "--format", "csv", "--sweep", "l1d.ways=4,8", program, "stdin")
	cmd.Stdin = strings.NewReader(strings.Repeat("input ", 30_000))
	out, err := cmd.Output()
	require.NoError(t, err, "all runs read the same")
	require.Equal(t, 3, lines(string(out)))
}

// What cannot be is refused in one line, before anything runs.
func TestSimRefuses(t *testing.T) {
	testkit.NeedSimulator(t)
	code := machineCode(t, exitNumber, environment)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("bad.json", []byte("{\n"), 0o644))
	require.NoError(t, os.WriteFile("odd.json", []byte(`{"l1d": {"size": 3}}`), 0o644))
	require.NoError(t, os.WriteFile("new.json", []byte(`{"l4": {}}`), 0o644))
	require.NoError(t, os.WriteFile("word.json", []byte("{\n\"l1d\": {\n\"size\": \"huge\"}}\n"), 0o644))
	require.NoError(t, os.WriteFile("comma.json", []byte("{\n\"l1d\" {}}\n"), 0o644))
	for _, c := range []struct{ flags, want string }{
		{"--machine none-such", `unknown machine "none-such": there are bgl and server; or give none, or a description in a FILE.json`},
		{"--machine missing.json", "machine: open missing.json: no such file"},
		{"--machine bad.json", "machine bad.json: line 1: the description ends too early"},
		{"--machine odd.json", "machine odd.json: l1d: 3 bytes do not make sets"},
		{"--machine new.json", `machine new.json: line 1: unknown name "l4"; the names are title, l1i, `},
		{"--machine .", `machine ".": there are`},
		{"--machine ./", `machine ./: read ./: is a directory`},
		{"--machine bgl --set l3.size=1M", "l3.size: this machine has no l3"},
		{"--pmu many", "or give a description in a FILE.json"},
		{"--pmu missing.json", "PMU: open missing.json: no such file"},
		{"--pmu bad.json", "PMU bad.json: line 1: the description ends too early"},
		{"--set l1d.size", "--set l1d.size: not PARAMETER=VALUE"},
		{"--set l1d.sise=1", "l1d.sise: not a parameter; the parameters are l1d.size, l1d.line"},
		{"--set l1d.size=3k", "l1d: 6 sets, must be a power of two"},
		{"--sweep l1d.size", "--sweep l1d.size: not PARAMETER=VALUE"},
		{"--sweep l1d.size=", `--sweep l1d.size=: machine parameter: l1d.size: "" is not a number`},
		{"--sweep l1d.size=16k,3k", "--sweep: l1d.size=3k: l1d: 6 sets"},
		{"--sweep l1d.size=32k,16k --sweep l1d.size=8k", "--sweep l1d.size=8k: l1d.size is given twice"},
		{"--set l2.size=1T", "l2: size: 1099511627776 bytes, must be at most 4294967296"},
		{"--set l1d.ways=100000", "l1d: ways: 100000, must be at most 65536"},
		{"--set cycles.issue=0", "cycles: issue is 0"},
		{"-c PAPI_TOT_CYC:x", "-c PAPI_TOT_CYC:x: the suffix must be :u or :k"},
		{"-c PAPI_TOT_INS:k", "-c PAPI_TOT_INS:k: only cycles of the kernel are modelled"},
		{"--filter [", `filter "[": no function can have this name`},
		{"-q --output= --only nothing", "--only nothing: nothing was counted for it; there are counts for kernel, native"},
		{"-o bad.json", "-o bad.json: bad.json: exists and is not a trace directory"},
		{"-o /", "-o /: /: exists and is not a trace directory"},
		{"-o /proc/x.dir", "-o /proc/x.dir: mkdir /proc/x.dir: "},
		{"--env =x", "--env =x: not NAME=VALUE or NAME"},
		{"--env=", "--env : not NAME=VALUE or NAME"},
		{"--max-memory much", "--max-memory much: not a size such as 512MiB or 2GiB"},
		{"--timeout 0", "--timeout 0s: must be positive"},
		{"--machine word.json", `machine word.json: line 3: l1d.size: "huge" is not a number such as 8, 32k or 4M`},
		{"--machine comma.json", "machine comma.json: line 2: l1d: not JSON: invalid character"},
		{"--sweep l5.size=1k", "l5.size: not a parameter; the parameters are l1i"},
		{"--sweep l1d.ways=8 --machine none", "--machine none has no parameters"},
		{"--sweep l1d.ways=8 --mount .=.:rw", "runs of a sweep would change each other's files"},
		{"--sweep l1d.ways=8 -o x", "--output does not go with --sweep"},
		{"--sweep l1d.ways=8 --only main.nothing", "--only main.nothing: nothing was counted for it; there are counts for kernel, native"},
		{"-c PAPI_L3_DCM --machine bgl", "-c PAPI_L3_DCM: no such event on machine bgl"},
		{"-c cycles", "-c cycles: no such event on machine server; see tracerec sim --machine server --list"},
		{"-c PAPI_L1_DCM --machine none", "no such event on machine none"},
		{"--cpus 0", "--cpus 0: must be from 1 to 256"},
		{"--mount x", "--mount x: not GUEST=HOST"},
		{"--mount /x=nothing", "--mount /x=nothing: stat nothing: no such file"},
		{"--mount /x=bad.json", "bad.json is not a directory"},
		{"--break nothing", "break at nothing: the program has no"},
		{"--break 0x20000", "break at 0x20000: no code at 0x20000"},
		{"--break 0x10000:0", `break at 0x10000:0: "0" is not a number of times`},
		{"--dump=/nothing/state", "--dump: open /nothing/state"},
		{"--trace a.txt", "--trace a.txt: the name must end in .din"},
		{"--trace /nothing/a.din", "--trace: open /nothing/a.din"},
		{"--timeout -1s", "--timeout -1s: must be positive"},
		{"--max-instructions 0", "--max-instructions 0: must be at least 1"},
		{"--format csv", "--format needs --sweep or --list"},
		{"--format xml --list", `unknown format "xml"`},
		{"--list", "--list takes no program"},
		{"--only main.main", "--only needs -o '' or --sweep"},
		{"--live", "unknown flag: --live"},
		{"--set l2.size=16k", "--set l2.size=16k: l2: 16384 bytes, must be at least the 32768 of l1"},
		{"--uncounted", "--uncounted records nothing: give -o '', too"},
		{"--uncounted --output= -c PAPI_TOT_INS", "--counters does not go with --uncounted"},
		{"--sweep l1d.ways=8 --uncounted", "--uncounted does not go with --sweep"},
		{"--print-machine bgl", "--print-machine takes no program: unexpected"},
	} {
		r := inside(append(append([]string{"sim"}, strings.Fields(c.flags)...), code)...)
		require.Equal(t, 2, r.status, c.flags)
		require.Contains(t, r.stderr, c.want, c.flags)
		require.True(t, strings.HasPrefix(r.stderr, "tracerec: "), r.stderr)
		require.Equal(t, 1, lines(r.stderr), c.flags)
		require.Empty(t, r.stdout)
	}
	require.NoDirExists(t, "trace.dir")
	r := inside("--sim", "-o", "", code)
	require.Equal(t, result{2, "", "tracerec: --sim is a command: tracerec sim [flags] PACKAGE|BINARY\n"}, r)
	require.Equal(t, r, inside("-q", "--sim=true", code))
	require.Equal(t, "tracerec: --print-machine: unknown machine \"x\": there are bgl and server\n", inside("sim", "--print-machine", "x").stderr)
	require.Equal(t, 2, inside("sim").status)
}

// The listing names machines, parameters that can be set, and events that can be counted.
func TestSimList(t *testing.T) {
	r := inside("sim", "--list", "--machine", "bgl")
	require.Zero(t, r.status, r.stderr)
	for _, want := range []string{"\n  server    ", "l1d.size=32K", "\n  PAPI_L1_DCM       L1 data misses\n", "SIM_L1D_CONFLICT"} {
		require.Contains(t, r.stdout, want)
	}
	require.NotContains(t, r.stdout, "PAPI_L3_DCM")
	for line := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, len(line), 80+1)
	}
	r = inside("sim", "--list", "--format", "json", "--machine", "none")
	require.Zero(t, r.status, r.stderr)
	var v struct {
		Machines, Parameters, Events []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &v))
	require.Empty(t, v.Parameters)
	require.NotEmpty(t, v.Machines)
	require.Equal(t, "BGL_INST", v.Events[0].Name)
}
