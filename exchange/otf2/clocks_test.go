package otf2

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
)

// wrong writes an archive again with wrong clocks: what they show, by process and true time. If measured, it is recorded at the begin and at the end how wrong they are, as Score-P does.
func wrong(t *testing.T, a *Archive, shows func(process int, t uint64) uint64, measured bool) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, Anchor{})
	require.NoError(t, err)
	for i := range a.Records() {
		w.Define(&a.Records()[i])
	}
	r := a.NewReader()
	defer r.Close()
	for p, l := range a.Locations {
		if measured {
			local, err := w.Local(l.ID)
			require.NoError(t, err)
			for _, at := range []uint64{a.Clock.Offset, a.Clock.Offset + a.Clock.Length} {
				local.Define(&Record{Spec: specNamed(Local, "ClockOffset"), Values: []uint64{shows(p, at), at - shows(p, at), 0}})
			}
			require.NoError(t, local.Close())
		}
		to, err := w.Events(l.ID)
		require.NoError(t, err)
		chunks, _ := a.Chunks(l)
		for _, c := range chunks {
			for require.NoError(t, r.Open(c)); r.Next(); {
				e := r.Event
				e.Time = shows(p, e.Time)
				to.Write(&e)
			}
		}
		require.NoError(t, to.Close())
	}
	require.NoError(t, w.Close())
	b, err := Open(name)
	require.NoError(t, err)
	require.Empty(t, b.Problems())
	return b
}

// times are the times of the events of each location, and of the messages and collective operations those when they are given and taken.
func times(t *testing.T, a *Archive) (all [][]uint64, early int) {
	type queue struct {
		from, to int
		tag      uint64
	}
	sent, received, given, taken := map[queue][]uint64{}, map[queue][]uint64{}, map[int]uint64{}, map[int]uint64{}
	all = make([][]uint64, len(a.Locations))
	use := func(l *Location, e *Event) {
		all[l.ID] = append(all[l.ID], e.Time)
		switch me := int(l.ID); e.Spec.ID {
		case idMpiIsend:
			q := queue{me, int(e.Values[0]), e.Values[2]}
			sent[q] = append(sent[q], e.Time)
		case idMpiIrecv:
			q := queue{int(e.Values[0]), me, e.Values[2]}
			received[q] = append(received[q], e.Time)
		case idMpiCollectiveBegin:
			n := len(sent[queue{-1, me, 0}])
			sent[queue{-1, me, 0}] = append(sent[queue{-1, me, 0}], e.Time)
			given[n] = max(given[n], e.Time)
		case idMpiCollectiveEnd:
			n := len(received[queue{-1, me, 0}])
			received[queue{-1, me, 0}] = append(received[queue{-1, me, 0}], e.Time)
			if first, is := taken[n]; !is || e.Time < first {
				taken[n] = e.Time
			}
		}
	}
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, _ := a.Chunks(l)
		for _, c := range chunks {
			for require.NoError(t, r.Open(c)); r.Next(); {
				use(l, &r.Event)
			}
		}
	}
	for q := range sent {
		for i, at := range sent[q] {
			if q.from >= 0 && received[q][i] < at {
				early++
			}
		}
	}
	for n, at := range given {
		if taken[n] < at {
			early++
		}
	}
	return all, early
}

// waits returns how long processes wait in an archive, by metric, and what is said of it.
func waits(t *testing.T, a *Archive) (waits map[string]float64, notes string) {
	x := a.Trace()
	e, err := analyzer.Analyze(x, analyzer.Options{Patterns: patterns.All(), Memory: 1 << 30})
	require.NoError(t, err)
	waits = map[string]float64{}
	for _, m := range []string{"mpi_latesender", "mpi_wait_nxn"} {
		for _, c := range e.Cells(e.MetricIndex(m)) {
			waits[m] += float64(c.Value)
		}
	}
	return waits, strings.Join(e.Warnings, "\n")
}

// TestClocks: clocks that are ahead, behind, fast and slow are corrected, so that no message arrives before it is sent; durations stay what they are.
func TestClocks(t *testing.T) {
	right := newStencil(t, filepath.Join(t.TempDir(), "traces.otf2"), 4, 40_000)
	_, early := times(t, right)
	require.Zero(t, early)
	want, notes := waits(t, right)
	require.NotContains(t, notes, "clocks")
	shows := func(process int, t uint64) uint64 {
		skew, drift := [...]int64{0, 40_000, -60_000, 5_000}[process], [...]int64{0, 20, 5, -30}[process] // ticks; parts in a million
		return uint64(int64(t) + 1_000_000 + skew + int64(t)*drift/1_000_000)
	}
	skewed := wrong(t, right, shows, false)
	before, early := times(t, skewed)
	require.Positive(t, early)
	x := skewed.Trace()
	require.Len(t, x.Header().Notes, 1)
	require.Contains(t, x.Header().Notes[0], "none does now")
	t.Log(x.Header().Notes[0])

	s, all := skewed.survey()
	r := s.correct(all)
	fixed := skewed.withClocks(r)
	after, left := times(t, fixed)
	require.Zero(t, left)
	require.Equal(t, early > 0, r.Before > 0)
	stretched := 0
	for l := range before {
		for i := 1; i < len(before[l]); i++ {
			was, is := int64(before[l][i]-before[l][i-1]), int64(after[l][i]-after[l][i-1])
			require.GreaterOrEqual(t, is, was-was/takesBack-2, "location %d, event %d", l, i)
			if is > was+was/stretches+2 {
				stretched++
			}
		}
	}
	t.Logf("%d messages and operations were early; %d of %d intervals are stretched by more than 1 %%, where what is given in between allows no more", early, stretched, len(before)*len(before[0]))
	require.Less(t, stretched, len(before)*len(before[0])/10)
	got, _ := waits(t, skewed)
	t.Logf("waits as they were %v, of wrong clocks corrected without measurements %v", want, got)

	measured, notes := waits(t, wrong(t, right, shows, true))
	t.Logf("with measurements %v %s", measured, notes)
	for m, v := range want {
		require.InEpsilon(t, v, measured[m], 0.01, m)
	}
	skewed.CorrectWithin(perContact)
	skewed.Trace()
	lacks := skewed.Lacks()
	require.Positive(t, lacks)
	skewed.CorrectWithin(lacks - perContact)
	skewed.Trace()
	require.Equal(t, lacks, skewed.Lacks())
	skewed.CorrectWithin(lacks)
	_, notes = waits(t, skewed)
	require.Contains(t, notes, "clocks")
	require.Zero(t, skewed.Lacks())
	skewed.KeepClocks()
	_, notes = waits(t, skewed)
	require.NotContains(t, notes, "clocks")
}

// TestClocksByHand: the second process receives at 900 what the first one sends at 1000, and has sent something at 100 that the third one receives at 130.
func TestClocksByHand(t *testing.T) {
	gives := func(t int64, object uint64) contact { return contact{time: t, object: object, acts: true} }
	takes := func(t int64, object uint64) contact { return contact{time: t, object: object, acts: true, takes: true} }
	c := &clocks{unclear: map[uint64]bool{}, blocked: map[uint32][]int{}, contacts: [][]contact{{gives(1000, 1)}, {gives(100, 3), takes(900, 1), gives(200_900, 5)}, {takes(130, 3), takes(300_000, 5)}}}
	c.number()
	taken, before := c.backwards()
	require.Equal(t, []int{3, 1}, []int{taken, before})
	c.forward()
	for p := range c.contacts {
		c.amortize(p)
	}
	_, after := c.backwards()
	require.Zero(t, after)
	require.Empty(t, knotsOf(c.contacts[0]))
	require.Empty(t, knotsOf(c.contacts[2]))
	// It jumps by 100; two of that are lost in 200,000. Before, 92 would be left, but the third process allows 30 only.
	b := bent{knots: knotsOf(c.contacts[1])}
	require.Equal(t, []knot{{-2900, 0}, {100, 30}, {900, 100}, {200_900, 98}}, b.knots)
	for at, want := range map[int64]int64{-5000: 0, -2900: 0, -1400: 15, 100: 30, 500: 65, 900: 100, 100_900: 99, 1e9: 98} {
		require.Equal(t, want, b.shift(at), at)
	}
}

// TestClocksUnclear: where messages are missing, or several threads of a process receive them, it is not known which one belongs to which, and they move no clock.
func TestClocksUnclear(t *testing.T) {
	for name, unclear := range map[string]map[uint64]bool{"one is missing": {}, "several threads": {1: true}} {
		c := &clocks{unclear: unclear, blocked: map[uint32][]int{}, contacts: [][]contact{
			{{time: 1000, object: 1, acts: true}}, {{time: 900, object: 1, acts: true, takes: true}, {time: 1100, object: 1, acts: true, takes: true}},
		}}
		if len(unclear) > 0 {
			c.contacts[0] = append(c.contacts[0], contact{time: 1050, object: 1, acts: true})
		}
		c.number()
		taken, before := c.backwards()
		require.Equal(t, []int{0, 0}, []int{taken, before}, name)
	}
}

// TestClocksInCircles: processes that seem to wait for each other in a circle, as damage has it, are gone through nevertheless.
func TestClocksInCircles(t *testing.T) {
	c := &clocks{unclear: map[uint64]bool{}, blocked: map[uint32][]int{}, contacts: [][]contact{
		{{time: 10, object: 1, acts: true, takes: true}, {time: 20, object: 3, acts: true}}, {{time: 15, object: 3, acts: true, takes: true}, {time: 30, object: 1, acts: true}},
	}}
	c.number()
	c.forward()
	require.Equal(t, []int{2, 2}, c.next)
}
