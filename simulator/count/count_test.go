//go:build linux

package count

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

// compile builds a program of testdata for RISC-V.
func compile(t testing.TB, name string) []byte {
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "./testdata/programs/"+name))
	require.NoError(t, err)
	return program
}

// observe runs a program and returns what was counted, and how many instructions the run says there were.
func observe(t testing.TB, program []byte, machine string, classify bool, cpus int, seed uint64, args ...string) (*Counters, uint64, string) {
	var m *cache.Machine
	if machine != "" {
		var err error
		m, err = cache.Named(machine)
		require.NoError(t, err)
	}
	c, err := New(m, Options{Program: program, CPUs: cpus, Classify: classify})
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{Args: append([]string{"program"}, args...), Stdout: &printed, Stderr: &printed, CPUs: cpus, Seed: seed, Observer: c})
	require.NoError(t, err)
	_, err = k.Run()
	require.NoError(t, err)
	require.NoError(t, k.Close())
	return c, k.Instructions(), printed.String()
}

// Of a program with known work, every goroutine gets exactly its own.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "work")
	for _, seed := range []uint64{1, 2} {
		c, executed, out := observe(t, program, "bgl", true, 2, seed)
		require.Equal(t, "true 10\n", out)
		total := c.Totals()
		require.Equal(t, executed, total[Instructions], "all are counted, those undone by the fault not")

		var sum Values
		roots := map[uint64]int{}
		for _, a := range c.Goroutines() {
			sum.Add(&a.Values)
			if a.Start == "main.main.func1" {
				roots[a.Values[FPRoots]]++
				require.NotZero(t, a.Goroutine)
			}
		}
		require.Equal(t, total, sum)
		require.Len(t, roots, 10)
		for i := range uint64(10) {
			require.Equal(t, 1, roots[1000*(i+1)], "goroutine %d of %v", i, roots)
		}

		domains := c.Domains()
		sum = Values{}
		for i := range domains {
			sum.Add(&domains[i])
		}
		require.Equal(t, total, sum)
		for d := range domains {
			if Domain(d) >= Goroutine && Domain(d) <= Signal {
				require.NotZero(t, domains[d][Instructions], Domain(d))
			}
			t.Log(Domain(d), domains[d][Instructions])
		}
		require.Equal(t, total[SystemCalls]*300, domains[Kernel][KernelCycles])
		require.LessOrEqual(t, domains[Unattributed][Instructions]*10_000, total[Instructions], "at most 0.01 %%")
	}
}

// What must hold of the counters of any run.
func TestSums(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "work")
	for _, machine := range []string{"bgl", "server"} {
		c, executed, _ := observe(t, program, machine, true, 2, 3)
		v := c.Totals()
		require.Equal(t, v[FXLoads]+v[FXStores]+v[FPLoads]+v[FPStores], v[LoadHits]+v[LoadMisses]+v[StoreHits]+v[StoreMisses])
		require.Equal(t, v[FXLoads]+v[FPLoads], v[LoadHits]+v[LoadMisses])
		require.Equal(t, v[ColdL1]+v[CapacityL1]+v[ConflictL1], v[LoadMisses]+v[StoreMisses])
		require.Equal(t, v[ColdL2]+v[CapacityL2]+v[ConflictL2], v[LoadMissesL2]+v[StoreMissesL2])
		require.LessOrEqual(t, v[Taken], v[Branches])
		require.Less(t, v[Mispredicted]*4, v[Branches], "prediction is of use")
		require.Less(t, v[TargetsMissed], v[Returns]+v[Indirect])
		require.NotZero(t, v[LoadsToX0])
		require.NotZero(t, v[Atomics]+v[Reserved])
		for _, e := range c.Events() {
			n, err := c.Value(&v, e.Name)
			require.NoError(t, err)
			require.Less(t, n, executed*20, e.Name)
		}
		ins, err := c.Value(&v, "PAPI_TOT_INS")
		require.NoError(t, err)
		require.Equal(t, executed, ins)
	}
}

// The same run is counted the same; without a machine, instructions are too, and the rest is not there.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulates programs again and again")
	}
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "work")
	first, _, _ := observe(t, program, "server", false, 2, 1)
	second, _, _ := observe(t, program, "server", false, 2, 1)
	require.Equal(t, first.Accounts(), second.Accounts())

	bare, _, _ := observe(t, program, "", false, 2, 1)
	v, w := bare.Totals(), first.Totals()
	for i := Instructions; i <= SystemCalls; i++ {
		if has(nil, false, i) {
			require.Equal(t, w[i], v[i], "counter %d", i)
		}
	}
	_, err := bare.Value(&v, "PAPI_L1_DCM")
	require.ErrorIs(t, err, ErrUnknown)
	_, err = bare.Value(&v, "PAPI_TOT_CYC")
	require.ErrorIs(t, err, ErrUnknown)
	_, err = first.Value(&v, "SIM_L1D_COLD")
	require.ErrorIs(t, err, ErrUnknown, "misses are not told apart")
}

// Of the two programs, one misses all the time.
func BenchmarkCount(b *testing.B) {
	for _, name := range []string{"work", "rose"} {
		program := compile(b, name)
		benchmark(b, name, program)
	}
}

// processorTime is what this process used of the processor: others may use it as well.
func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano())
}

func benchmark(b *testing.B, name string, program []byte) {
	for _, machine := range []string{"", "bgl", "server"} {
		b.Run(name+"/machine="+machine, func(b *testing.B) {
			var executed uint64
			begin := processorTime(b)
			for b.Loop() {
				_, n, _ := observe(b, program, machine, false, 1, 1, "1")
				executed += n
			}
			b.ReportMetric(float64(executed)/1e6/(processorTime(b)-begin).Seconds(), "MIPS")
		})
	}
}
