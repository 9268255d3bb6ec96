//go:build linux

package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
)

// compileC builds the C program of the family.
func compileC(t testing.TB) []byte {
	compiler, err := exec.LookPath("riscv64-linux-gnu-gcc")
	if err != nil {
		t.Skip("there is no C compiler for RISC-V: ", err)
	}
	file := filepath.Join(t.TempDir(), "child")
	out, err := exec.Command(compiler, "-static", "-O2", "-o", file, "testdata/programs/family/child.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	program, err := os.ReadFile(file)
	require.NoError(t, err)
	return program
}

// Goroutines of all programs are told apart, every process counts for itself, and nothing is lost.
func TestFamily(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "child"), compileC(t), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "other"), compile(t, "other"), 0o755))
	family := compile(t, "family")
	for seed := range uint64(2) {
		c, executed, printed := run(t, family, linux.Options{Args: []string{"child", "other", "other", "child"}, Seed: seed,
			Mounts: []linux.Mount{{Guest: "/bin", Host: bin}}}, Options{})
		for what, times := range map[string]int{"parent 10000 <nil>\n": 1, "other 3000 <nil>\n": 3, "forked 11\n": 2, "C 300\n": 2} {
			require.Equal(t, times, strings.Count(printed, what), "%q in %s", what, printed)
		}
		total := c.Totals()
		require.Equal(t, executed, total[count.Instructions])
		domains := c.Domains()
		require.LessOrEqual(t, domains[count.Unattributed][count.Instructions]*10_000, executed, "at most 0.01 %%")
		require.NotZero(t, domains[count.Native][count.Instructions])

		var sum count.Values
		known := map[string]map[uint64]int{} // by function: how many goroutines took so many roots
		native := map[uint64]int{}
		images := map[int]int{}
		for _, a := range c.Accounts() {
			sum.Add(&a.Values)
			roots := a.Values[count.FPRoots]
			switch {
			case a.Domain == count.Native:
				native[roots]++
			case roots > 0:
				require.Equal(t, count.Goroutine, a.Domain)
				if known[a.Start] == nil {
					known[a.Start] = map[uint64]int{}
				}
				known[a.Start][roots]++
				images[a.Image]++
			}
		}
		require.Equal(t, total, sum)
		require.Equal(t, map[string]map[uint64]int{
			"main.alpha": {1000: 1, 2000: 1, 3000: 1, 4000: 1},
			"main.beta":  {500: 3, 1000: 3, 1500: 3},
		}, known)
		require.Equal(t, map[uint64]int{11: 2, 1300: 2}, native)
		require.Equal(t, map[int]int{0: 4, 1: 9}, images, "before and after an execve")
	}
}
