// Package tracetest makes archives for tests and benchmarks.
package tracetest

import (
	"math/rand/v2"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

const (
	workers   = 16
	frequency = 3000000000 // ticks per second of the synthetic clock
	us        = frequency / 1000000
	pieceSize = 4096 // words of a raw chunk
)

// Numbers of the definitions.
const (
	regionMain = 1 + iota
	regionGo
	regionWorker
	regionStep
	regionSweep
	regionSend
	regionRecv
	regionHandOver
	regionTake
	regionLock
	regionBarrier
	regionWait
	regionFlux // the first of fluxes leaf regions
	fluxes     = 8
)

const (
	objectGroup = 1 + iota
	objectLock
	objectBarrier
	objectHalo                        // first of workers buffered channels, each from one worker to the next
	objectPair = objectHalo + workers // first of workers/2 unbuffered channels between neighbours
)

// Synthetic adds a process of 16 workers and a main goroutine with at least the given number of events to
// w: a simulation of a stencil code with nested regions, messages over buffered and unbuffered channels,
// a contended lock and a barrier in each step. It is consistent as if it had been measured: messages are
// received after they were sent, the lock is handed over in the order of arrival, and who waits is blocked.
// The same seed gives the same archive. Memory does not depend on the number of events.
func Synthetic(w *trace.Writer, events int, seed uint64) error {
	g, err := newGenerator(w, "./synthetic", seed)
	if err != nil {
		return err
	}
	g.main = g.newStream(1)
	g.main.put(20*us, wire.Enter, regionMain)
	g.main.put(us, wire.Add, 0, wire.ObjectWord(objectGroup, workers))
	for i := range g.workers {
		g.main.put(us, wire.Create, regionGo, uint64(i+2))
		g.workers[i] = g.newStream(uint64(i + 2))
		g.workers[i].now = g.main.now + g.random(5*us)
		g.workers[i].put(0, wire.Begin, regionWorker, 1)
	}
	g.main.put(us, wire.JoinBegin, regionWait, objectGroup)
	g.main.put(200, wire.Blocked, 0)
	for generation := uint32(0); g.events < events; generation++ {
		g.step(generation)
	}
	g.finish()
	return g.close()
}

// newGenerator returns one for a process with all definitions.
func newGenerator(w *trace.Writer, program string, seed uint64) (*generator, error) {
	p, err := w.AddProcess(trace.ProcessInfo{PID: 100, Args: []string{program}, Clock: "tsc", Frequency: frequency,
		Start: trace.Stamp{Ticks: 1 << 40}})
	if err != nil {
		return nil, err
	}
	g := &generator{p: p, rng: rand.New(rand.NewPCG(seed, 0))}
	return g, g.define()
}

// close ends the process soon after its main goroutine.
func (g *generator) close() error {
	if g.err == nil {
		g.err = g.p.Exited(0, stampAt(g.main.now+10*us))
	}
	return g.err
}

// stampAt is a clock stamp; the synthetic clocks agree exactly.
func stampAt(ticks uint64) trace.Stamp {
	ns := int64(ticks-1<<40) / 3
	return trace.Stamp{Ticks: ticks, Mono: ns, Wall: ns}
}

type generator struct {
	p       *trace.ProcessWriter
	rng     *rand.Rand
	main    *stream
	workers [workers]*stream
	events  int
	started uint64 // goroutines, by Shapes
	ended   uint64 // when the last of them did
	free    uint64 // since when the lock is free
	stamped uint64
	err     error
}

func (g *generator) define() error {
	for i, name := range []string{"main", "create", "worker", "step", "sweep", "send", "recv", "send", "recv", "lock", "barrier", "wait"} {
		d := wire.Def{Type: wire.DefRegion, ID: uint32(i + 1), Name: name, Func: "main." + name, File: "synthetic.go", Line: uint32(10 * (i + 1))}
		if err := g.p.Define(d); err != nil {
			return err
		}
	}
	for i := range uint32(fluxes) {
		d := wire.Def{Type: wire.DefRegion, ID: regionFlux + i, Name: "flux" + string(rune('A'+i)), Func: "main.flux", File: "flux.go", Line: 100 + i}
		if err := g.p.Define(d); err != nil {
			return err
		}
	}
	objects := []wire.Def{{Object: wire.WaitGroup}, {Object: wire.Mutex}, {Object: wire.Barrier, Size: workers}}
	for range workers {
		objects = append(objects, wire.Def{Object: wire.Channel, Size: 1})
	}
	for range workers / 2 {
		objects = append(objects, wire.Def{Object: wire.Channel})
	}
	for i, d := range objects {
		d.Type, d.ID = wire.DefObject, uint32(i+1)
		if err := g.p.Define(d); err != nil {
			return err
		}
	}
	return nil
}

// random returns a duration between half of mean and, rarely, many times mean.
func (g *generator) random(mean uint64) uint64 {
	return mean/2 + uint64(g.rng.ExpFloat64()*float64(mean)/2)
}

// step is one time step of all workers.
func (g *generator) step(generation uint32) {
	for i, s := range g.workers {
		s.put(g.random(us/4), wire.Enter, regionStep)
		s.put(g.random(us/8), wire.Enter, regionSweep)
		for range 2 + g.rng.IntN(4) {
			s.put(g.random(us/8), wire.Enter, regionFlux+uint32((i/4+g.rng.IntN(2))%fluxes))
			s.put(g.random(2*us), wire.Exit, 0)
		}
		s.put(g.random(us/8), wire.Exit, 0)
	}
	g.halos()
	g.pairs()
	g.handOver(g.workers[:])
	g.barrier(generation)
	for _, s := range g.workers {
		s.put(g.random(us/8), wire.Exit, 0)
	}
	if now := g.workers[0].now; now-g.stamped > frequency/10 && g.err == nil {
		g.err = g.p.Clock(stampAt(now))
		g.stamped = now
	}
}

// halos sends from each worker to the next over a channel that is empty at the beginning of each step.
func (g *generator) halos() {
	var sent [workers]uint64
	for i, s := range g.workers {
		s.put(g.random(us/8), wire.SendBegin, regionSend, uint64(objectHalo+i))
		sent[i] = s.now
		s.put(g.random(us/16), wire.Leave, 0)
	}
	for i, s := range g.workers {
		from := (i + workers - 1) % workers
		s.put(g.random(us/8), wire.RecvBegin, regionRecv, uint64(objectHalo+from))
		s.wait(sent[from], g.random(us))
	}
}

// pairs hands values over between neighbours without a buffer: who comes first waits.
func (g *generator) pairs() {
	for i := 0; i < workers; i += 2 {
		a, b := g.workers[i], g.workers[i+1]
		a.put(g.random(us/4), wire.SendBegin, regionHandOver, uint64(objectPair+i/2))
		b.put(g.random(us/4), wire.RecvBegin, regionTake, uint64(objectPair+i/2))
		sb, rb := a.now, b.now
		a.wait(rb, g.random(us))
		b.wait(sb, g.random(us))
	}
}

// handOver lets goroutines through a critical section in the order in which they come.
func (g *generator) handOver(all []*stream) {
	order := slices.Clone(all)
	for _, s := range order {
		s.put(g.random(us/8), wire.LockBegin, regionLock, objectLock)
	}
	slices.SortStableFunc(order, func(a, b *stream) int { return int(int64(a.now - b.now)) })
	for _, s := range order {
		s.wait(g.free, g.random(us/2))
		s.put(g.random(us/4), wire.Release, 0, objectLock)
		g.free = s.now
	}
}

// barrier lets all go when the last has come.
func (g *generator) barrier(generation uint32) {
	last := uint64(0)
	for _, s := range g.workers {
		s.put(g.random(us/8), wire.BarrierBegin, regionBarrier, wire.ObjectWord(objectBarrier, generation))
		last = max(last, s.now)
	}
	for _, s := range g.workers {
		s.wait(last, g.random(us/2))
	}
}

// finish ends the workers and the main goroutine.
func (g *generator) finish() {
	last := uint64(0)
	for _, s := range g.workers {
		s.put(g.random(us), wire.Done, 0, wire.ObjectWord(objectGroup, 1))
		last = max(last, s.now)
		s.put(us, wire.End, 0)
		s.flush()
	}
	m := g.main
	m.put(last+us-m.now, wire.Leave, 0)
	m.put(us, wire.Exit, 0)
	m.put(us, wire.End, 0)
	m.flush()
}

// stream is a location being written.
type stream struct {
	g      *generator
	number uint64
	seq    uint64
	base   uint64 // ticks at which words begin
	last   uint64 // of the last event
	now    uint64
	words  []uint64
}

func (g *generator) newStream(number uint64) *stream {
	return &stream{g: g, number: number, base: 1 << 40, last: 1 << 40, now: 1 << 40}
}

// put adds an event that happens delta ticks after the one before.
func (s *stream) put(delta uint64, kind wire.Kind, id uint32, words ...uint64) {
	s.now += delta
	if s.now-s.last > wire.MaxDelta {
		s.words = append(s.words, wire.Head(wire.Time, 0, 0), s.now)
		s.last = s.now
	}
	s.words = append(append(s.words, wire.Head(kind, id, s.now-s.last)), words...)
	s.last = s.now
	s.g.events++
	if len(s.words) >= pieceSize {
		s.flush()
	}
}

// wait ends the operation in progress: at once if what it needs has happened at time ready, else blocked
// until wakeup ticks after it.
func (s *stream) wait(ready, wakeup uint64) {
	const try = us / 10
	if ready <= s.now+try {
		s.put(try+us/20, wire.Leave, 0)
		return
	}
	s.put(try, wire.Blocked, 0)
	s.put(ready+wakeup-s.now, wire.Leave, 0)
}

func (s *stream) flush() {
	if s.g.err == nil {
		s.g.err = s.g.p.Chunk(trace.RawChunk{Location: s.number, GoID: s.number + 17, Seq: s.seq, Base: s.base, Words: s.words})
	}
	s.seq++
	s.base, s.words = s.last, s.words[:0]
}
