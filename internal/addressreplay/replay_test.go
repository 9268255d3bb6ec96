//go:build linux

package addressreplay

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
)

var all = flag.Bool("all", false, "also replay rose: two minutes")

func open(t testing.TB, trace []byte) *addresstrace.Reader {
	r, err := addresstrace.NewReader(bytes.NewReader(trace))
	require.NoError(t, err)
	return r
}

// traced runs a program and returns its trace and what was counted.
func traced(t testing.TB, program []byte, m *cache.Machine, cpus int, args ...string) ([]byte, count.Values, uint64) {
	c, err := count.New(m, count.Options{Program: program, CPUs: cpus})
	require.NoError(t, err)
	var trace bytes.Buffer
	w, err := addresstrace.NewWriter(&trace, addresstrace.Binary)
	require.NoError(t, err)
	k, err := linux.New(program, linux.Options{Args: append([]string{"program"}, args...), Stdout: io.Discard, Stderr: io.Discard, CPUs: cpus,
		Observer: linux.Tee(c, addresstrace.NewTracer(w, true))})
	require.NoError(t, err)
	_, err = k.Run()
	require.NoError(t, err)
	require.NoError(t, k.Close())
	require.NoError(t, w.Close())
	return trace.Bytes(), c.Totals(), w.Records()
}

// A second cache model makes of the exported trace exactly the misses of the run, and so does the theory of stacks.
func TestReplay(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	for _, p := range []struct {
		name, arg string
		cpus      int
	}{{"work", "3", 2}, {"rose", "0", 1}} {
		if p.name == "rose" && !*all {
			continue
		}
		program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "../../simulator/count/testdata/programs/"+p.name))
		require.NoError(t, err)
		for _, machine := range cache.Machines() {
			m, err := cache.Named(machine)
			require.NoError(t, err)
			trace, v, records := traced(t, program, m, p.cpus, p.arg)
			t.Logf("%s on %s: %d instructions, %d records, %d bytes", p.name, machine, v[count.Instructions], records, len(trace))
			got, err := Replay(open(t, trace), m)
			require.NoError(t, err)
			want := Misses{Fetches: got.Fetches, FetchL1: v[count.FetchMisses], FetchL2: v[count.FetchMissesL2], FetchTLB: v[count.FetchTLBMisses],
				Loads: v[count.LoadHits] + v[count.LoadMisses], LoadL1: v[count.LoadMisses], LoadL2: v[count.LoadMissesL2],
				Stores: v[count.StoreHits] + v[count.StoreMisses], StoreL1: v[count.StoreMisses], StoreL2: v[count.StoreMissesL2],
				DataTLB: v[count.DataTLBMisses], WriteBacks: v[count.WriteBacks], WriteBacks2: v[count.WriteBacksL2],
				FetchL3: v[count.FetchMissesL3], LoadL3: v[count.LoadMissesL3], StoreL3: v[count.StoreMissesL3], WriteBacks3: v[count.WriteBacksL3]}
			if m.TLB2 != nil {
				want.TLB2 = v[count.TLB2Misses]
			}
			require.Equal(t, want, got)
			require.NotZero(t, got.LoadL2)
			require.NotZero(t, got.FetchL1)

			if m.L1D.Replacement == cache.LRU {
				half := m.L1D
				half.Size, half.Ways = half.Size/2, half.Ways/2
				misses, err := Stacks(open(t, trace), Data, m.L1D, m.DTLB, half)
				require.NoError(t, err)
				require.Equal(t, []uint64{got.LoadL1 + got.StoreL1, got.DataTLB}, misses[:2])
				smaller := *m
				smaller.L1D = half
				other, err := Replay(open(t, trace), &smaller)
				require.NoError(t, err)
				require.Equal(t, other.LoadL1+other.StoreL1, misses[2])
				require.Greater(t, misses[2], misses[0])
				misses, err = Stacks(open(t, trace), Instructions, m.L1I, m.ITLB)
				require.NoError(t, err)
				require.Equal(t, []uint64{got.FetchL1, got.FetchTLB}, misses)
			}
		}
	}
}
