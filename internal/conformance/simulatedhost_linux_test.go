package conformance

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/pmu"
)

// TestSimulatedPMU runs the suite on the simulator, built for its processor: the recorder's own code there, on a PMU that has
// the counters and the limits of its description.
func TestSimulatedPMU(t *testing.T) {
	unit := named(t, "four")
	unit.Rotation = int64(simulatedTurn)
	printed := simulate(t, "TestPMU", unit, nil).printed
	results := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(printed))
	for lines.Scan() {
		if result, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "--- "), ": TestPMU/"); ok {
			name, _, _ := strings.Cut(rest, " ")
			results[strings.ReplaceAll(name, "_", " ")] = result
		}
	}
	harness := SimulatedPMU()
	run := 0
	for _, b := range behaviours() {
		want := "PASS"
		if harness.lacks(&b) != "" {
			want = "SKIP"
		} else {
			run++
		}
		require.Equal(t, want, results[b.Name], "%s\n%s", b.Name, printed)
	}
	t.Logf("%d behaviours run, %d skipped", run, len(results)-run)
}

func named(t *testing.T, name string) *pmu.PMU {
	unit, err := pmu.Named(name)
	require.NoError(t, err)
	return unit
}

// suiteInside returns the tests of this package, built for the simulator.
func suiteInside(t *testing.T) []byte {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	if testing.Short() {
		t.Skip("it builds this package's tests for another processor")
	}
	content, err := os.ReadFile(testkit.BuildTests(t, testkit.RISCV, "."))
	require.NoError(t, err)
	return content
}

// noted is what a run told by the call-through, and what the simulator counted of the calling thread between the marks.
type noted struct {
	counters *count.Counters
	marks    []count.Values
	values   []int64
	printed  []byte
}

// Call implements [linux.Services].
func (n *noted) Call(t linux.Turn, a [6]uint64) int64 {
	switch a[0] {
	case markNow:
		v, _ := n.counters.Of(t.Process, count.OfThread, uint64(t.Thread))
		n.marks = append(n.marks, v)
	case tellValue:
		n.values = append(n.values, int64(a[1]))
	}
	return 0
}

// between returns what an event counted between the i-th pair of marks.
func (n *noted) between(t *testing.T, i int, event string) int64 {
	v := n.marks[2*i+1].Since(n.marks[2*i])
	all, err := n.counters.Value(&v, event)
	require.NoError(t, err)
	return int64(all)
}

// simulate runs a test of the suite on a machine with a PMU.
func simulate(t *testing.T, test string, unit *pmu.PMU, m *cache.Machine) *noted {
	program := suiteInside(t)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "suite"), program, 0o755))
	c, err := count.New(m, count.Options{Program: program, CPUs: 2, Stalls: m != nil})
	require.NoError(t, err)
	n := &noted{counters: c}
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{
		Args: []string{"/bin/suite", "-test.v", "-test.run=^" + test + "$"}, Env: []string{inside + "=1", "GOGC=off"},
		Mounts: []linux.Mount{{Guest: "/bin", Host: bin}}, Stdout: &printed, Stderr: &printed,
		CPUs: 2, Seed: 1, MaxInstructions: 5e9, Observer: c, Services: n, PMU: unit,
	})
	require.NoError(t, err)
	defer k.Close()
	status, err := k.Run()
	require.NoError(t, err, "%s", &printed)
	t.Logf("%d million instructions", k.Instructions()/1e6)
	n.printed = printed.Bytes()
	if test != "TestPMU" {
		require.Zero(t, status, "%s", &printed)
	}
	return n
}

func server(t *testing.T) *cache.Machine {
	m, err := cache.Named("server")
	require.NoError(t, err)
	return m
}

// What is counted inside is what the simulator counts, but for the instructions between a reading and a mark: as many
// every time.
func TestSimulatedExact(t *testing.T) {
	n := simulate(t, "TestPMUExact", named(t, "server"), server(t))
	require.Len(t, n.marks, 8)
	for i, e := range exactEvents {
		var beside []int64
		for round := 2; round <= 3; round++ { // of one work and of three
			truth := n.between(t, round, simulatorsName(e))
			counted := n.values[round*len(exactEvents)+i]
			t.Logf("%-24s counted %8d, of which are between the marks %8d", e, counted, truth)
			beside = append(beside, counted-truth)
		}
		switch e {
		case "cpu/PAPI_FMA_INS/", "cpu/PAPI_FP_OPS/":
			require.Equal(t, []int64{0, 0}, beside, e)
		case "L1-dcache-load-misses":
			require.True(t, beside[0] >= 0 && beside[0] < 50 && beside[1] >= 0 && beside[1] < 50, "%v", beside)
		default:
			require.Equal(t, beside[0], beside[1], e)
			require.Less(t, beside[0], int64(1000))
		}
	}
}

// simulatorsName returns the simulator's name for an event.
func simulatorsName(event string) string {
	if name, ok := strings.CutPrefix(event, "cpu/"); ok || strings.HasPrefix(event, "PAPI_") {
		return strings.TrimSuffix(name, "/")
	}
	return map[string]string{"cycles": "PAPI_TOT_CYC", "instructions": "PAPI_TOT_INS", "branches": "PAPI_BR_INS", "L1-dcache-load-misses": "PAPI_L1_LDM"}[event]
}

// Events that take turns, arranged by the kernel or by package mpx, are estimated near the truth of the same run.
func TestSimulatedTurns(t *testing.T) {
	four, one := named(t, "four"), named(t, "one")
	four.Rotation, four.Paranoid, one.Paranoid = 50_000, 2, 2
	for _, c := range []struct {
		test   string
		unit   *pmu.PMU
		events []string
		within float64
	}{{"TestPMUTurns", four, mixedEvents, 0.01}, {"TestPMUSlots", one, mixedEvents[:4], 0.05}} {
		n := simulate(t, c.test, c.unit, server(t))
		for i, e := range c.events {
			truth, counted := n.between(t, 0, simulatorsName(e)), n.values[i]
			if e == "cycles" { // those of the kernel are not permitted
				truth -= n.between(t, 0, "SIM_KERNEL_CYC")
			}
			t.Logf("%s: %-24s estimated %9d, truth %9d: %+.2f %%", c.test, e, counted, truth, 100*(float64(counted)/float64(truth)-1))
			require.InEpsilon(t, truth, counted, c.within, e)
		}
	}
}

// All overflows are found, of every event, at the instructions by which they come: the simulator fails if one is not.
func TestSimulatedOverflows(t *testing.T) {
	unit := named(t, "server")
	unit.Paranoid = 2
	simulate(t, "TestPMUOverflows", unit, server(t))
}

// Errors inside are those of Linux, explained by package perf.
func TestSimulatedErrors(t *testing.T) {
	one := named(t, "one")
	one.Paranoid = 2
	simulate(t, "TestPMUErrors", one, server(t))
}

// Stopped sets keep events of the processor, and counters are whose they are.
func TestSimulatedKept(t *testing.T) {
	simulate(t, "TestPMUKept", named(t, "one"), nil)
}

// Signals, and counting for a whole process.
func TestSimulatedOthers(t *testing.T) {
	four := named(t, "four")
	simulate(t, "(TestPMUSignals|TestPMUProcess)", four, nil)
}

// Cycles of the kernel are those of its model.
func TestSimulatedModes(t *testing.T) {
	unit := named(t, "server")
	unit.Paranoid = 1
	n := simulate(t, "TestPMUModes", unit, server(t))
	require.Equal(t, n.values, simulate(t, "TestPMUModes", unit, server(t)).values, "the same every time")
	const cost = 300 // of a call, on this machine
	require.Zero(t, n.values[2]%cost)
	require.InDelta(t, 100*cost, n.values[2], 10*cost)
}
