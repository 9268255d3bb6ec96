//go:build linux

package simulated

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/linux"
)

// suites are tests of what instrumented programs and recorders consist of, those that are not long.
var suites = []struct{ pkg, run, skip string }{
	{"instrument", "Panics|Bubble|Cleanups|Channel|Close|Counters|Select|Mutex|Locks|WaitGroup|Goexit|Cond|TestOnce|Barrier|Sleep|Regions|" +
		"TestEnds|DynamicNames|Sessions$|Themselves|NoAllocations|LongGaps|DefinitionsUsedUp|IDsUsedUp", "ReusedAddress|AddressesAre"},
	{"instrument", "EnvironmentErrors|StressAsChild/GOMAXPROCS", "^$"},
	{"internal/shm", ".", "Contention"},
	{"counters/sample", ".", "^$"},
	{"trace", "TestProcesses|Undefined|NestingIsChecked|TestEnd|Special|EmptyPieces", "^$"},
}

// buildTests builds a package's tests for RISC-V.
func buildTests(t *testing.T, pkg string) string {
	t.Helper()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	return testkit.BuildTests(t, testkit.RISCV, "-ldflags=-w", "tracerec/"+pkg) // linked in a third of the time
}

// Programs are recorded on linux/riscv64 as elsewhere: on the simulator, and where there is an emulator on that as well.
func TestPlatform(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for _, s := range suites {
		t.Run(s.pkg, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && s.pkg == "instrument" {
				t.Skip("runs for a thousand million instructions")
			}
			file := buildTests(t, s.pkg)
			flags := []string{"-test.short", "-test.run", s.run, "-test.skip", s.skip}
			var printed bytes.Buffer
			program, err := os.ReadFile(file)
			require.NoError(t, err)
			k, err := linux.New(program, linux.Options{Args: append([]string{"/bin/" + filepath.Base(file)}, flags...), Env: []string{"TMPDIR=/tmp"}, Dir: "/src/" + s.pkg, CPUs: 2,
				Mounts: []linux.Mount{{Guest: "/bin", Host: filepath.Dir(file)}, {Guest: "/tmp", Host: t.TempDir(), Write: true}, {Guest: "/src", Host: root}},
				Stdout: &printed, Stderr: &printed, MaxInstructions: 20e9})
			require.NoError(t, err)
			defer k.Close()
			status, err := k.Run()
			require.NoError(t, err, printed.String())
			require.Zero(t, status, printed.String())
			require.Contains(t, printed.String(), "PASS")
			t.Logf("%d instructions", k.Instructions())

			emulator, err := exec.LookPath("qemu-riscv64")
			if err != nil {
				return
			}
			flags[len(flags)-1] += "|KilledProcess|EnvironmentErrors|AsChild" // which execute themselves
			cmd := exec.Command(emulator, append([]string{file}, flags...)...)
			cmd.Dir = filepath.Join(root, s.pkg)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
