package report

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// someWaits returns waits with times of very different lengths between them.
func someWaits(r *rand.Rand, n int) (list []WaitEnd) {
	t, causer := int64(0), uint32(0)
	for range n {
		t += int64(r.Uint64N(1 << r.UintN(42)))
		if r.IntN(3) == 0 {
			causer = uint32(r.UintN(1 << r.UintN(20)))
		}
		list = append(list, WaitEnd{t, causer})
	}
	return list
}

func TestWaitIndex(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x WaitIndex
		want, last := map[uint32][]WaitEnd{}, uint32(0)
		for l := uint32(r.UintN(3)); l < 20; l += 1 + uint32(r.UintN(4)) {
			want[l] = someWaits(r, 1+r.IntN(3*BlockWaits))
			x = x.Append(l, last, want[l])
			last = l
		}
		got, err := x.Locations(20)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for l, list := range want {
			reader := got[l]
			_, found := reader.Last(list[0].Release - 1)
			require.False(t, found)
			for range 50 {
				i := r.IntN(len(list))
				for i+1 < len(list) && list[i+1].Release == list[i].Release {
					i++ // any of these
				}
				at := list[i].Release
				if i+1 < len(list) {
					at += r.Int64N(list[i+1].Release - at)
				}
				w, found := reader.Last(at)
				require.True(t, found)
				require.Equal(t, list[i], w, "%d: location %d at %d", seed, l, at)
			}
		}
	}
}

// Whatever is in an index, what is found of it is bounded, and not later than asked for.
func FuzzWaitIndex(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 0))
	f.Add([]byte(WaitIndex(nil).Append(3, 0, someWaits(r, 700))), int64(1<<40))
	f.Add([]byte(WaitIndex(nil).Append(0, 0, someWaits(r, 2)).Append(4, 0, someWaits(r, 1))), int64(1000))
	f.Fuzz(func(t *testing.T, x []byte, at int64) {
		locations, err := WaitIndex(x).Locations(5)
		if err != nil {
			require.ErrorIs(t, err, errWaits)
			return
		}
		for l, reader := range locations {
			require.Less(t, l, uint32(5))
			if w, found := reader.Last(at); found {
				require.LessOrEqual(t, w.Release, at)
			}
			require.LessOrEqual(t, len(reader.list), BlockWaits)
			require.True(t, slices.IsSortedFunc(reader.list, func(a, b WaitEnd) int { return cmp.Compare(a.Release, b.Release) }))
		}
	})
}

// A report holds the index, also where it fills the last block of the archive.
func TestWaitsOfReport(t *testing.T) {
	for size := 100; size < 1300; size++ {
		e := hydro()
		r := rand.New(rand.NewPCG(uint64(size), 0))
		var x WaitIndex
		for last := uint32(0); len(x) < size; last++ {
			x = x.Append(last, max(last, 1)-1, someWaits(r, 1+r.IntN(30)))
		}
		if size > 120 && len(x)%512 != 0 {
			continue
		}
		e.Waits = x.Member()
		got, err := Read(rewritten(t, e, ""))
		require.NoError(t, err)
		want, err := x.Locations(1000)
		require.NoError(t, err)
		index, err := ReadWaits(got)
		require.NoError(t, err)
		read, err := index.Locations(1000)
		require.NoError(t, err)
		require.Equal(t, want, read)
	}
}

// A goroutine that waits every 100 µs, for one of a hundred others.
func TestWaitIndexIsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	var list []WaitEnd
	now := int64(0)
	for range 100_000 {
		now += int64(r.ExpFloat64() * 100_000)
		list = append(list, WaitEnd{now, uint32(r.UintN(100))})
	}
	x := WaitIndex(nil).Append(0, 0, list)
	require.Less(t, float64(len(x))/float64(len(list)), 3.4)
}
