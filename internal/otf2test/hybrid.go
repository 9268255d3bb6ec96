// Package otf2test makes OTF2 archives for tests and benchmarks.
package otf2test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tracerec/exchange/otf2"
)

// Hybrid is a program of MPI and OpenMP: each process computes with a team of threads, exchanges what is at its borders with both neighbours in a ring, and agrees
// with all now and then. Events are as Score-P records them, and none is before it can be.
type Hybrid struct {
	Processes int
	Threads   int // of each process
	Events    int // at least, of all of them
	Seed      uint64
}

// The regions: those of MPI stand behind those that compute, those of OpenMP are three for each construct.
const (
	inMain = iota
	inCell
	inInit
	inIrecv
	inIsend
	inWaitall
	inAllreduce
	inFinalize
	inConstruct
)

var names = []string{"main", "cell", "MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize"}

// constructs are the parallel loops, each with the number of functions that a thread calls in it on average.
var constructs = []struct {
	line  string
	calls int
}{{"pack.f:204", 0}, {"x_solve.f:43", 6}, {"y_solve.f:43", 6}, {"z_solve.f:43", 6}, {"add.f:22", 0}}

// As OTF2 numbers them.
const (
	openMP, mpi, userCode   = 3, 4, 1
	commLocations           = 4
	commGroup               = 5
	commSelf                = 6
	allreduce               = 11
	undefined               = 1<<32 - 1
	world                   = 0 // the communicator; those of teams are behind it
	loop, implicit, perTeam = 1, 2, 3
)

// Write writes an archive of the program. What it takes does not depend on the number of events.
func (h Hybrid) Write(name string) error {
	w, err := otf2.Create(name, otf2.Anchor{})
	if err != nil {
		return err
	}
	p := &program{Hybrid: h, kinds: map[string]*otf2.Spec{}}
	for _, s := range otf2.Specs(otf2.Events) {
		p.kinds[s.Name] = s
	}
	for i := range h.Processes {
		r := &process{program: p, rank: i, r: rand.New(rand.NewPCG(h.Seed, uint64(i)))}
		for k := range h.Threads {
			to, err := w.Events(location(i, k))
			if err != nil {
				return err
			}
			r.threads = append(r.threads, &thread{process: r, to: to, at: 1000})
		}
		p.all = append(p.all, r)
	}
	p.run()
	return errors.Join(p.define(w), w.Close())
}

// location is the number of a thread, as Score-P gives them.
func location(rank, thread int) uint64 { return uint64(rank) | uint64(thread)<<32 }

type program struct {
	Hybrid
	kinds map[string]*otf2.Spec
	all   []*process
}

type process struct {
	*program
	rank    int
	r       *rand.Rand
	threads []*thread // the first one is the master
}

type thread struct {
	*process
	to    *otf2.EventWriter
	at    uint64
	event otf2.Event
}

// run writes the events.
func (p *program) run() {
	p.together(func(s *thread) { s.put("Enter", inMain) }, inInit, func(*thread, uint64) {})
	for round := uint64(0); p.events() < p.Events; round++ {
		sent := make([]uint64, len(p.all))
		for i, r := range p.all {
			for c := range constructs {
				r.team(uint64(c))
			}
			sent[i] = r.sends(round)
		}
		for i, r := range p.all {
			r.waits(round, max(sent[r.next()], sent[r.before()], sent[i]))
		}
		if round%10 == 0 {
			p.together(func(*thread) {}, inAllreduce, func(s *thread, last uint64) {
				s.put("MpiCollectiveBegin")
				s.at = last + 100 + s.r.Uint64N(100)
				s.put("MpiCollectiveEnd", allreduce, world, undefined, 8, 8)
			})
		}
	}
	p.together(func(*thread) {}, inFinalize, func(*thread, uint64) {})
	for _, r := range p.all {
		r.threads[0].put("Leave", inMain)
	}
}

// together lets all processes meet in a region, from which none returns before the last one came.
func (p *program) together(before func(*thread), region uint64, did func(s *thread, last uint64)) {
	last := uint64(0)
	for _, r := range p.all {
		before(r.threads[0])
		last = max(last, r.threads[0].at)
	}
	for _, r := range p.all {
		s := r.threads[0]
		s.put("Enter", region)
		did(s, last)
		s.at = max(s.at, last+100)
		s.put("Leave", region)
	}
}

func (p *program) events() (n int) {
	for _, r := range p.all {
		for _, s := range r.threads {
			n += int(s.to.Events())
		}
	}
	return n
}

func (r *process) next() int   { return (r.rank + 1) % r.Processes }
func (r *process) before() int { return (r.rank + r.Processes - 1) % r.Processes }

// team lets a team of all threads execute a loop, at whose end they wait for each other.
func (r *process) team(construct uint64) {
	master, first, last := r.threads[0], inConstruct+perTeam*construct, uint64(0)
	master.put("ThreadFork", openMP, uint64(r.Threads))
	for _, s := range r.threads {
		s.at = master.at + 100 + r.r.Uint64N(400)
		s.put("ThreadTeamBegin", uint64(1+r.rank))
		s.put("Enter", first)
		s.put("Enter", first+loop)
		s.at += r.r.Uint64N(2000)
		for range r.r.IntN(2*constructs[construct].calls + 1) {
			s.put("Enter", inCell)
			s.at += r.r.Uint64N(1000)
			s.put("Leave", inCell)
		}
		s.put("Enter", first+implicit)
		last = max(last, s.at)
	}
	for _, s := range r.threads {
		s.at = last + r.r.Uint64N(100)
		s.put("Leave", first+implicit)
		s.put("Leave", first+loop)
		s.put("Leave", first)
		s.put("ThreadTeamEnd", uint64(1+r.rank))
		master.at = max(master.at, s.at)
	}
	master.put("ThreadJoin", openMP)
}

// sends asks for messages of both neighbours, and sends them some. It returns when.
func (r *process) sends(round uint64) uint64 {
	s := r.threads[0]
	for i := range uint64(2) {
		s.in(inIrecv, func() { s.put("MpiIrecvRequest", 4*round+i) })
	}
	s.in(inIsend, func() { s.put("MpiIsend", uint64(r.next()), world, 0, 8192, 4*round+2) })
	s.in(inIsend, func() { s.put("MpiIsend", uint64(r.before()), world, 1, 8192, 4*round+3) })
	return s.at
}

// waits waits for all messages, which are there by a time.
func (r *process) waits(round, until uint64) {
	s := r.threads[0]
	s.in(inWaitall, func() {
		s.put("MpiIsendComplete", 4*round+2)
		s.put("MpiIsendComplete", 4*round+3)
		s.at = max(s.at, until+500)
		s.put("MpiIrecv", uint64(r.before()), world, 0, 8192, 4*round)
		s.put("MpiIrecv", uint64(r.next()), world, 1, 8192, 4*round+1)
	})
}

func (s *thread) in(region uint64, did func()) {
	s.put("Enter", region)
	did()
	s.put("Leave", region)
}

// put writes an event, after which 20 ns pass.
func (s *thread) put(kind string, values ...uint64) {
	s.event.Spec, s.event.Values, s.event.Time = s.kinds[kind], append(s.event.Values[:0], values...), s.at
	s.to.Write(&s.event)
	s.at += 20
}

// define closes the events, and writes the definitions, which say how many there are.
func (p *program) define(w *otf2.Writer) (err error) {
	kinds, strings := map[string]*otf2.Spec{}, uint64(0)
	for _, s := range otf2.Specs(otf2.Global) {
		kinds[s.Name] = s
	}
	define := func(kind string, values ...uint64) {
		w.Define(&otf2.Record{Spec: kinds[kind], Values: values})
	}
	text := func(s string) uint64 {
		w.Define(&otf2.Record{Spec: kinds["String"], Values: []uint64{strings}, Texts: []string{s}})
		strings++
		return strings - 1
	}
	last := uint64(0)
	for _, r := range p.all {
		for _, s := range r.threads {
			err, last = errors.Join(err, s.to.Close()), max(last, s.at)
		}
	}
	define("ClockProperties", 1e9, 0, last, 1<<64-1)
	none := text("")
	define("Paradigm", openMP, text("OpenMP"), 3)
	define("Paradigm", mpi, text("MPI"), 1)
	define("SystemTreeNode", 0, text("node"), text("node"), undefined)
	files := map[uint64]uint64{userCode: text("solver.f"), mpi: text("MPI")} // SCOUT knows MPI by that
	files[openMP] = files[userCode]
	region := func(number uint64, name string, role, paradigm uint64) {
		n := text(name)
		define("Region", number, n, none, 0, files[paradigm], 0, 0, n, role, paradigm, 0)
	}
	const function, pointToPoint, collective = 1, 28, 25
	roles := [inConstruct]uint64{inIrecv: pointToPoint, inIsend: pointToPoint, inWaitall: pointToPoint, inAllreduce: collective}
	for i, name := range names {
		region(uint64(i), name, max(roles[i], function), []uint64{userCode, mpi}[min(i/inInit, 1)])
	}
	const roleParallel, roleLoop, roleImplicitBarrier = 5, 3, 16
	for i, c := range constructs {
		first := uint64(inConstruct + perTeam*i)
		region(first, "!$omp parallel @"+c.line, roleParallel, openMP)
		region(first+loop, "!$omp do @"+c.line, roleLoop, openMP)
		region(first+implicit, "!$omp implicit barrier @"+c.line, roleImplicitBarrier, openMP)
	}
	p.places(define, text, none)
	return err
}

// places defines processes, threads, and who belongs together.
func (p *program) places(define func(kind string, values ...uint64), text func(string) uint64, none uint64) {
	names := []uint64{text("Master thread")}
	for k := 1; k < p.Threads; k++ {
		names = append(names, text(fmt.Sprint("OMP thread ", k)))
	}
	var masters, ranks, threads []uint64
	for i, r := range p.all {
		define("LocationGroup", uint64(i), text(fmt.Sprint("MPI Rank ", i)), 1, 0, undefined)
		masters, ranks = append(masters, location(i, 0)), append(ranks, uint64(i))
		for k, s := range r.threads {
			define("Location", location(i, k), names[k], 1, s.to.Events(), uint64(i))
			threads = append(threads, location(i, k))
		}
	}
	groups := uint64(0)
	group := func(kind, paradigm uint64, members []uint64) uint64 {
		define("Group", slices.Concat([]uint64{groups, none, 0, uint64(len(members))}, members, []uint64{kind, paradigm, 0})...)
		groups++
		return groups - 1
	}
	group(commLocations, mpi, masters)
	define("Comm", world, text("MPI_COMM_WORLD"), group(commGroup, mpi, ranks), undefined, 0)
	group(commLocations, openMP, threads)
	for i := range p.all {
		var team []uint64
		for k := range p.Threads {
			team = append(team, uint64(i*p.Threads+k))
		}
		define("Comm", uint64(1+i), none, group(commGroup, openMP, team), undefined, 0)
	}
}
