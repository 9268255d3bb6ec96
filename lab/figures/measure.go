package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
)

// config says how long to measure.
type config struct {
	slice      time.Duration
	longest    int // period, in t·n
	threads    int
	iterations int // of the paper's loops, as a power of two
}

// factors are the lengths of the periods in t·n.
var factors = []float64{0.25, 0.5, 1, 2, 5, 10, 20, 50, 100}

// ownTime is the part of t that a thread must have run before its event is exchanged. With it slices last about t of the
// thread's own time, as with the paper's virtual timer, whatever else runs on the machine.
const ownTime = 0.5

const estimators = int(mpx.Trapezoid) + 1

// sample is one value of one period.
type sample struct {
	factor float64
	cell   int
	truth  int64
	values [estimators]mpx.Value
}

// series is what was measured of one workload on some threads with some counters.
type series struct {
	load           string
	threads, slots int
	samples        []sample
	stats          mpx.Stats
}

// result is all that was measured.
type result struct {
	config    config
	processor string
	load      string  // of the machine by others and by this
	hit       float64 // cycles of a counted hit
	hitTime   time.Duration
	correct   bool // counts without multiplexing are the program's own
	rotation  rotation
	series    []series
	loops     []loopSample
	noLoops   error // why the paper's loops cannot be measured
}

// measure does all measurements.
func measure(from substrate.Slotter, c config) (*result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.threads + 2)) // so that the rotator never waits for a thread that is measured
	r := &result{config: c}
	spins := spinsPerTick()
	if err := locked(func(thread int) error { return r.prepare(from, thread, spins) }); err != nil {
		return nil, err
	}
	for _, on := range []struct{ threads, slots, longest int }{{1, 1, c.longest}, {c.threads, 1, c.longest}, {1, 4, c.longest / 5}} {
		for _, load := range workloads {
			s, err := r.multiplex(from, load, spins, on.threads, on.slots, on.longest)
			if err != nil {
				return nil, err
			}
			r.series = append(r.series, s)
		}
	}
	err := locked(func(thread int) error {
		r.loops, r.noLoops = paperLoops(from, thread, paperEvents(), c)
		return nil
	})
	r.load = loadAverage()
	return r, err
}

// locked runs f on a thread of its own.
func locked(f func(thread int) error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		done <- f(gettid())
	}()
	return <-done
}

// prepare measures what counting costs, and whether it is correct.
func (r *result) prepare(from substrate.Slotter, thread, spins int) (err error) {
	r.processor = processor()
	hits := func(n int) {
		for i := range n {
			spin(spins / 20)
			store(&memory[0][0], uint64(i))
		}
	}
	if r.hit, err = mpx.Calibrate(from, thread, watch(&memory[0][0]), watch(&quiet[0]), hits); err != nil {
		return err
	}
	if r.rotation, err = rotationCost(from, thread); err != nil {
		return err
	}
	r.hitTime = time.Duration(r.hit / r.rotation.frequency * 1e9)
	r.correct, err = countsAreCorrect(from, thread, spins)
	return err
}

// countsAreCorrect reports whether the counts of as many cells as there are registers are what the program counts itself.
func countsAreCorrect(from substrate.Slotter, thread, spins int) (bool, error) {
	m := mpx.New(from, thread, mpx.Options{})
	s, err := m.NewSet(watches(0)[:4]...)
	if err != nil {
		return false, err
	}
	if err := s.Start(); err != nil {
		return false, err
	}
	w := writer{load: workloads[0], spins: spins}
	for range 2000 {
		w.step()
	}
	v := make([]mpx.Value, 4)
	if err := errors.Join(s.Stop(), s.Read(v)); err != nil {
		return false, err
	}
	for k := range v {
		if !v[k].Whole || v[k].Count != w.truth[k] {
			return false, nil
		}
	}
	return true, nil
}

// multiplex runs a workload on some threads at once.
func (r *result) multiplex(from substrate.Slotter, load workload, spins, threads, slots, longest int) (series, error) {
	out := series{load: load.name, threads: threads, slots: slots}
	type one struct {
		samples []sample
		stats   mpx.Stats
		err     error
	}
	done := make(chan one)
	for t := range threads {
		go func() {
			var o one
			o.err = locked(func(thread int) (err error) {
				w := &writer{thread: t, load: load, spins: spins, random: newRandom(t)}
				m := mpx.New(from, thread, mpx.Options{Slice: r.config.slice, Slots: slots, Seed: uint64(t),
					MinCycles: uint64(ownTime * r.config.slice.Seconds() * r.rotation.frequency),
					HitCost:   func(string) float64 { return r.hit }})
				o.samples, err = periods(m, w, r.config.slice, longest)
				o.stats = m.Stats()
				return err
			})
			done <- o
		}()
	}
	var errs []error
	for range threads {
		o := <-done
		errs = append(errs, o.err)
		out.samples = append(out.samples, o.samples...)
		out.stats.Rotations += o.stats.Rotations
		out.stats.Switches += o.stats.Switches
		out.stats.Time += o.stats.Time
	}
	slices.SortStableFunc(out.samples, func(a, b sample) int { return int(4*a.factor) - int(4*b.factor) })
	if err := errors.Join(errs...); err != nil {
		return out, fmt.Errorf("%s writes on %d threads: %w", load.name, threads, err)
	}
	return out, nil
}

// period is a set that is started anew whenever its time is over.
type period struct {
	factor float64
	set    *mpx.Set
	due    time.Duration // of the thread's time
	truth  [cells]int64  // at its start
}

// periods lets the writer write for the longest period, in time of its thread, and measures periods of all lengths meanwhile: sets that are
// nested in each other and overlap.
func periods(m *mpx.Multiplexer, w *writer, slice time.Duration, longest int) (out []sample, err error) {
	var all []*period
	for _, f := range factors {
		if f > float64(longest) {
			break
		}
		s, err := m.NewSet(watches(w.thread)...)
		if err != nil {
			return nil, err
		}
		all = append(all, &period{factor: f, set: s})
	}
	unit := slice * cells
	start := func(p *period) error {
		p.truth, p.due = w.truth, threadTime()+time.Duration(p.factor*float64(unit))
		return p.set.Start()
	}
	for _, p := range all {
		if err := start(p); err != nil {
			return nil, err
		}
	}
	end := all[len(all)-1].due
	for now := threadTime(); now < end; now = threadTime() {
		w.step()
		for _, p := range all {
			if now < p.due {
				continue
			}
			if out, err = p.finish(out, w); err != nil {
				return nil, err
			}
			if err = start(p); err != nil {
				return nil, err
			}
		}
	}
	for i, p := range all {
		if i == len(all)-1 {
			if out, err = p.finish(out, w); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.set.Stop(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// finish stops the set and takes its values.
func (p *period) finish(out []sample, w *writer) ([]sample, error) {
	if err := p.set.Stop(); err != nil {
		return out, err
	}
	var values [estimators][cells]mpx.Value
	for e := range values {
		if err := p.set.Estimate(mpx.Estimator(e), values[e][:]); err != nil {
			return out, err
		}
	}
	for k := range cells {
		s := sample{factor: p.factor, cell: k, truth: w.truth[k] - p.truth[k]}
		for e := range values {
			s.values[e] = values[e][k]
		}
		out = append(out, s)
	}
	return out, nil
}
