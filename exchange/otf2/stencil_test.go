package otf2

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The regions of a stencil.
const (
	inMain = iota
	inWork
	inIrecv
	inIsend
	inWaitall
	inAllreduce
)

// stencil writes an archive of processes in a ring that work, exchange messages with both neighbours, and now and then something with all.
type stencil struct {
	r    *rand.Rand
	rank int
	at   uint64
	to   *EventWriter
}

func (s *stencil) event(id uint8, values ...uint64) {
	s.to.Write(&Event{Record: Record{Spec: SpecOf(Events, id), Values: values}, Time: s.at})
	s.at += 20
}

func (s *stencil) region(region uint64, did func()) {
	s.event(idEnter, region)
	did()
	s.event(idLeave, region)
}

// sends lets a process work, ask for messages of its neighbours, and send them some. It returns when.
func (s *stencil) sends(n int, round uint64) uint64 {
	for range 10 {
		s.region(inWork, func() { s.at += s.r.Uint64N(2000) })
	}
	next, before := uint64((s.rank+1)%n), uint64((s.rank+n-1)%n)
	for i := range uint64(2) {
		s.region(inIrecv, func() { s.event(idMpiIrecvRequest, 4*round+i) })
	}
	s.region(inIsend, func() { s.event(idMpiIsend, next, 0, 0, 8192, 4*round+2) })
	s.region(inIsend, func() { s.event(idMpiIsend, before, 0, 1, 8192, 4*round+3) })
	return s.at
}

// waits lets a process wait for all of its messages, which are there by a time.
func (s *stencil) waits(n int, round, until uint64) {
	next, before := uint64((s.rank+1)%n), uint64((s.rank+n-1)%n)
	s.region(inWaitall, func() {
		s.event(idMpiIsendComplete, 4*round+2)
		s.event(idMpiIsendComplete, 4*round+3)
		s.at = max(s.at, until+500)
		s.event(idMpiIrecv, before, 0, 0, 8192, 4*round)
		s.event(idMpiIrecv, next, 0, 1, 8192, 4*round+1)
	})
}

// newStencil writes such an archive, with about so many events.
func newStencil(t testing.TB, name string, n, events int) *Archive {
	w, err := Create(name, Anchor{})
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	for i, text := range []string{"main", "work", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"} {
		define("String", []string{text}, uint64(i))
		define("Region", nil, uint64(i), uint64(i), uint64(i), 0, none, 0, 0, uint64(i), 1, []uint64{1, mpi}[min(i/2, 1)], 0)
	}
	all := make([]*stencil, n)
	locations, ranks := []uint64{0, 0, 0, uint64(n)}, []uint64{1, 0, 0, uint64(n)}
	for i := range all {
		define("LocationGroup", nil, uint64(i), 0, 1, 0, none)
		define("Location", nil, uint64(i), 0, 1, uint64(events), uint64(i))
		to, err := w.Events(uint64(i))
		require.NoError(t, err)
		all[i] = &stencil{r: rand.New(rand.NewPCG(1, uint64(i))), rank: i, at: 1000, to: to}
		locations, ranks = append(locations, uint64(i)), append(ranks, uint64(i))
	}
	define("Group", nil, append(locations, commLocations, mpi, 0)...)
	define("Group", nil, append(ranks, 5, mpi, 0)...)
	define("Comm", nil, 0, 0, 1, none, 0)
	for _, s := range all {
		s.event(idEnter, inMain)
	}
	sent := make([]uint64, n)
	for round := uint64(0); all[0].to.Events()*uint64(n) < uint64(events); round++ {
		for i, s := range all {
			sent[i] = s.sends(n, round)
		}
		last := uint64(0)
		for i, s := range all {
			s.waits(n, round, max(sent[(i+1)%n], sent[(i+n-1)%n]))
			last = max(last, s.at)
		}
		if round%10 == 0 {
			for _, s := range all {
				s.region(inAllreduce, func() {
					s.event(idMpiCollectiveBegin)
					s.at = last + 100 + s.r.Uint64N(100)
					s.event(idMpiCollectiveEnd, 11, 0, none, 8, 8)
				})
			}
		}
	}
	last := uint64(0)
	for _, s := range all {
		s.event(idLeave, inMain)
		require.NoError(t, s.to.Close())
		last = max(last, s.at)
	}
	define("ClockProperties", nil, 1e9, 0, last, none)
	require.NoError(t, w.Close())
	a, err := Open(name)
	require.NoError(t, err)
	return a
}
