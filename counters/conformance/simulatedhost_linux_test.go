package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/pmu"
)

// TestSimulatedPMU runs the suite on the simulator, built for its processor: the recorder's own code there, on a PMU that has
// the counters and the limits of its description.
func TestSimulatedPMU(t *testing.T) {
	if raceDetector {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the suite cannot be built for the simulator: ", err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(bin, "suite"), ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	printed := simulate(t, bin, cmp.Or(os.Getenv("CONFORMANCE_RUN"), "TestPMU"))
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
	for _, b := range Behaviours() {
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

// simulate runs tests of the suite and returns what they print.
func simulate(t *testing.T, bin, tests string) []byte {
	program, err := os.ReadFile(filepath.Join(bin, "suite"))
	require.NoError(t, err)
	unit, err := pmu.Named("four")
	require.NoError(t, err)
	unit.Rotation = int64(simulatedTurn)
	c, err := count.New(nil, count.Options{Program: program, CPUs: 2})
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{
		Args: []string{"/bin/suite", "-test.v", "-test.run=" + tests}, Env: []string{inside + "=1", "GOGC=off"},
		Mounts: []linux.Mount{{Guest: "/bin", Host: bin}}, Stdout: &printed, Stderr: &printed,
		CPUs: 2, Seed: 1, MaxInstructions: 5e9, Observer: c, PMU: unit,
	})
	require.NoError(t, err)
	defer k.Close()
	_, err = k.Run()
	t.Logf("%d million instructions", k.Instructions()/1e6)
	require.NoError(t, err, "%s", &printed)
	return printed.Bytes()
}
