package gotrace

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	rt "runtime/trace"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/trace"

	"tracerec/internal/clock"
)

// stretch is a time between two readings of the clock, by one goroutine.
type stretch struct {
	g        uint64
	from, to int64
	left     bool // the goroutine certainly left its thread in between
}

// current returns the id of the calling goroutine.
func current() (id uint64) {
	var b [64]byte
	fmt.Sscanf(string(b[:runtime.Stack(b[:], false)]), "goroutine %d ", &id)
	return id
}

func mono() int64 { return int64(clock.Now(clock.Monotonic)) }

// measure makes stretches of work, and of sleep, on several goroutines.
func measure() (all []stretch) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			random, g := rand.New(rand.NewPCG(seed, 1)), current()
			for range 200 {
				s := stretch{g: g, from: mono(), left: random.IntN(4) == 0}
				if s.left {
					time.Sleep(10 * time.Microsecond)
				}
				for s.to = mono(); s.to < s.from+20_000; {
					s.to = mono()
				}
				mu.Lock()
				all = append(all, s)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return all
}

// What is called undisturbed was so; and most of what was is found.
func TestSchedule(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, rt.Start(&file))
	all := measure()
	rt.Stop()
	s, err := ReadSchedule(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)

	worked, found := 0, 0
	for _, x := range all {
		certain := s.Undisturbed(x.g, x.from, x.to)
		require.False(t, x.left && certain, "%+v", x)
		if !x.left {
			worked++
			if certain {
				found++
			}
		}
	}
	require.Greater(t, found, worked/2, "of %d", worked)
	require.False(t, s.Undisturbed(1<<40, all[0].from, all[0].to), "no such goroutine")
	require.False(t, s.Undisturbed(all[0].g, s.End+1, s.End+2), "after the trace")
	require.False(t, s.Undisturbed(all[0].g, s.Begin-2, s.Begin-1), "before it")
	runtime.KeepAlive(s)

	for n := 0; n < file.Len(); n += 1 + file.Len()/199 {
		cut, err := ReadSchedule(bytes.NewReader(file.Bytes()[:n]))
		require.ErrorContains(t, err, "execution trace: ", "%d of %d bytes", n, file.Len())
		if cut != nil {
			require.LessOrEqual(t, cut.End, s.End)
		}
	}
	_, err = ReadSchedule(bytes.NewReader([]byte("something else that is no trace")))
	require.ErrorContains(t, err, "execution trace: ")
	_, err = ReadSchedule(io.LimitReader(bytes.NewReader(nil), 0))
	require.Error(t, err)
}

// Numbers by hand: on a thread from 10 to 50 and from 60 to 90 µs.
func TestUndisturbed(t *testing.T) {
	s := &Schedule{runs: map[trace.GoID][]run{7: {{10_000, 50_000}, {60_000, 90_000}}}}
	for _, c := range []struct {
		from, to int64
		want     bool
	}{
		{15_000, 40_000, true},
		{15_000, 47_999, true},
		{15_000, 48_000, false}, // it may have left before
		{15_000, 55_000, false},
		{15_000, 65_000, false},
		{11_000, 40_000, false}, // the begin of the first run may be that of the trace
		{49_000, 49_500, false},
		{51_000, 52_000, false}, // it may belong to the run before
		{58_500, 80_000, true},  // stamps lie apart a little
		{57_000, 80_000, false},
		{62_000, 80_000, true},
		{80_000, 95_000, false},
		{80_000, 70_000, false},
	} {
		require.Equal(t, c.want, s.Undisturbed(7, c.from, c.to), "%+v", c)
	}
}

// A plain search says the same as the fast one.
func TestUndisturbedPlainly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var runs []run
		for at := int64(0); len(runs) < 6; {
			begin := at + random.Int64N(9000)
			at = begin + random.Int64N(9000)
			runs = append(runs, run{begin, at})
		}
		s := &Schedule{runs: map[trace.GoID][]run{1: runs}}
		from := random.Int64N(50_000)
		to := from + random.Int64N(9000)
		touched := func(t int64) bool { // a coming or going so close that the order is not known
			return slices.ContainsFunc(runs, func(r run) bool { return r.end >= from-Skew && r.end <= t+Skew })
		}
		want := !touched(to) && slices.ContainsFunc(runs, func(r run) bool { return r.begin <= from+Skew && r.end > to+Skew })
		if runs[0].begin+Skew >= from && runs[0].end > to {
			want = false // nothing is known of before
		}
		require.Equal(t, want, s.Undisturbed(1, from, to), "%v %d %d", runs, from, to)
	}
}

func FuzzReadSchedule(f *testing.F) {
	var file bytes.Buffer
	require.NoError(f, rt.Start(&file))
	runtime.Gosched()
	rt.Stop()
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSchedule(bytes.NewReader(text))
		require.True(t, s != nil || err != nil)
	})
}
