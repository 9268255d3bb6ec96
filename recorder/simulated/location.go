//go:build linux

package simulated

import "tracerec/trace/wire"

// location is a goroutine, or a thread of a program that is not Go's, on its way to the archive.
type location struct {
	p          *process
	number     uint64
	id         uint64
	start      uint64 // address of the function with which it begins; 0 unknown
	countsOnly bool   // it has counts only
	begun      bool
	ended      bool
	early      bool // it is the main goroutine and has not come to the program yet

	creator uint64 // number of the location that made it; 0 for none
	counted []uint64
	frames  []frame // functions that are recorded, outermost first
	doing   operation
	uses    []uint64 // addresses of the channels, or of the WaitGroup, of the operation
	low     uint64   // of the stack
	high    uint64
	jumped  bool   // it may be elsewhere than by call and return: frames have to be looked at
	why     uint64 // it is about to wait for this reason
	off     bool   // it is off the processor: the innermost level says why,
	ready   bool   // though it could run

	last   int64 // time of the last event
	base   uint64
	pieces uint64
	words  []uint64
}

// frame is a call of a recorded function. Its depth is that of the stack when it was called: how far the stack pointer is below
// the stack's upper end, which stays the same when the runtime moves the stack.
type frame struct {
	*function
	back  uint64 // where it returns to
	depth uint64
	site  uint64 // the last call in it
	since int64
}

// where is the first word of all readings: all of a location are of one interval, so their differences are its own.
const where = 1

// full is how many words a location collects before they are written.
const full = 1 << 13

// event appends an event.
func (l *location) event(t int64, k wire.Kind, id uint32, words ...uint64) {
	t = max(t, l.last)
	if len(l.words) == 0 {
		l.base, l.last = uint64(t), t
	}
	delta := uint64(t - l.last)
	if delta > wire.MaxDelta {
		l.words = append(l.words, wire.Head(wire.Time, 0, 0), uint64(t))
		delta = 0
	}
	l.words = append(append(l.words, wire.Head(k, id, delta)), words...)
	l.last = t
}

// reading appends the location's counts up to now.
func (l *location) reading(t int64) {
	r := l.p.r
	l.event(t, wire.Counters, uint32(1+len(l.counted)), where)
	if r.now != l {
		l.words = append(l.words, l.counted...)
		return
	}
	for i, v := range r.readings.totals(r.counts.Now()) {
		l.words = append(l.words, l.counted[i]+v-r.since[i])
	}
}

// written hands over what was collected, if it is much.
func (l *location) written() {
	if len(l.words) >= full {
		l.p.write(l)
	}
}

// begin appends the first events of a location that is about to execute its first instruction.
func (r *recording) begin(l *location, t int64) {
	l.begun = true
	f := l.p.image.at(l.start)
	l.early = f != nil && f.name == mainStart
	l.reading(t)
	l.event(t, wire.Begin, l.p.startOf(l.start), l.creator)
	for i := range l.frames { // that it has from the one it was forked from
		f := &l.frames[i]
		f.since = t
		l.event(t, wire.Enter, l.p.regionOf(f.function))
	}
}

// enter begins a call of a recorded function.
func (l *location) enter(f *function, back, depth uint64, t int64) {
	l.leave(l.above(depth), t)
	if f.frequent {
		f.skipped++
		return
	}
	if f.visits++; f.isFrequent(l.p.r.o) {
		f.frequent = true
	}
	l.reading(t)
	l.event(t, wire.Enter, l.p.regionOf(f))
	l.frames = append(l.frames, frame{function: f, back: back, depth: depth, since: t})
	l.written()
}

// above returns how many frames are innermost that cannot be open any more when the stack is only so deep.
func (l *location) above(depth uint64) (n int) {
	for n < len(l.frames) && l.frames[len(l.frames)-1-n].depth >= depth {
		n++
	}
	return n
}

// leave ends the n innermost calls.
func (l *location) leave(n int, t int64) {
	if n == 0 {
		return
	}
	l.reading(t)
	l.event(t, wire.Exit, uint32(n-1))
	rest := len(l.frames) - n
	for _, f := range l.frames[rest:] {
		f.time += t - f.since
	}
	l.frames = l.frames[:rest]
	l.written()
}

// suspend says that the location is off the processor from now on: it does an operation of that kind, or could run if kind is [wire.Enter].
func (l *location) suspend(k wire.Kind, why string, t int64) {
	if l.off || !l.begun {
		return
	}
	l.off, l.ready, l.why = true, k == wire.Enter, 0
	if l.early && len(l.frames) == 0 && k != wire.Enter {
		k = wire.SleepBegin // the runtime waits for itself
	}
	within := l.within()
	if within {
		if o := &l.doing; o.does == selects && !o.open {
			l.reading(o.since) // what the analysis charges to operations is what was done in selects
		}
		l.began()
	}
	switch {
	case l.ready:
		l.reading(t)
		l.event(t, k, l.p.region(place{name: why}))
		return
	case within: // that is what it waits in
		t = l.meets(t)
	case wire.WordsOf(k, 0) == 0:
		l.event(t, k, l.site(why))
	default:
		l.event(t, k, l.site(why), 0)
	}
	l.reading(t)
	l.event(t, wire.Blocked, 0)
}

// resume ends what suspend began. Nothing was counted meanwhile.
func (r *recording) resume(l *location, t int64) {
	l.off = false
	switch {
	case l.ready:
		l.event(t, wire.Exit, 0)
	case !l.doing.open:
		l.event(t, wire.Leave, uint32(wire.OK))
	}
	l.written()
}

// waited adds a wait in a system call that has ended. In an operation, that was for a lock of the runtime: it does not say that the
// operation could not be done at once.
func (r *recording) waited(l *location, from, to int64) {
	if l.off || l.within() {
		return
	}
	l.suspend(wire.RecvBegin, "system call", from)
	r.resume(l, to)
}

// end ends a location.
func (l *location) end(t int64) {
	if !l.begun || l.ended {
		return
	}
	if l.off {
		l.p.r.resume(l, t)
	}
	l.reading(t)
	l.event(t, wire.End, 0)
	l.ended = true
	l.p.write(l)
	l.words = nil
	l.p.end = max(l.p.end, l.last)
	delete(l.p.open, l.number)
}

// stop writes a location that goes on until its process ends.
func (l *location) stop(t int64) {
	if !l.begun || l.ended {
		return
	}
	if !l.off { // else nothing was counted since
		l.reading(t)
	}
	l.p.write(l)
	l.p.end = max(l.p.end, l.last)
}

// once writes a location that only has counts.
func (l *location) once(region uint32) {
	zero := make([]uint64, len(l.counted))
	t := l.last
	l.event(t, wire.Counters, uint32(1+len(zero)), append([]uint64{where}, zero...)...)
	l.event(t, wire.Begin, region, 0)
	l.reading(t)
	l.event(t, wire.End, 0)
	l.p.write(l)
}
