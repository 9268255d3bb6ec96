package analyzer

import (
	"math/bits"

	"tracerec/report"
	"tracerec/trace/wire"
)

// loadParts is into how many parts of equal length, at most, the time of a process is divided to see when its processors were busy.
const loadParts = 1024

// load is how many goroutines of a process ran, and were ready to run, by part of its time: their time in the part, ns.
type load struct {
	start          int64
	shift          int // the parts are 1<<shift ns long
	running, ready []int64
	vague          []bool // a location did both in turns, there and in neighbouring parts: when, it does not tell
}

// newLoads returns an empty load for each process that tells states, nil for others; nil if none does.
func (w *scanner) newLoads() (loads []*load) {
	for i := range w.s.defs.Processes {
		if p := &w.s.defs.Processes[i]; p.States {
			if loads == nil {
				loads = make([]*load, len(w.s.defs.Processes))
			}
			loads[i] = &load{start: p.Start, shift: bits.Len64(uint64(p.End-p.Start) / loadParts),
				running: make([]int64, loadParts), ready: make([]int64, loadParts), vague: make([]bool, loadParts)}
		}
	}
	return loads
}

// loaded notes what a location did in [from, to), in which it was in the same state and levels. One that has given up its processor is not short of it.
func (w *scanner) loaded(l *location, from, to int64) {
	x := w.loads[w.s.defs.Locations[w.loc].Process]
	switch {
	case x == nil || from >= to:
	case l.does == wire.Ready || l.does == wire.Stopped:
		x.add(x.ready, from, to)
		if l.several && l.ran.from < from && l.ran.to == from {
			x.blur(l.ran.from, to)
		}
	case l.does == wire.Assist:
		x.add(x.running, from, to)
	case l.does == wire.None:
		if top := l.open.Top(); top == nil || top.Of.blocked == NotBlocked && top.Kind != wire.SleepBegin {
			x.add(x.running, from, to)
			l.ran = interval{from, to}
		}
	}
}

// add adds the time [from, to) to the parts of a list. What lies outside of the process's time belongs to its first or last part.
func (x *load) add(list []int64, from, to int64) {
	for from < to {
		i := x.part(from)
		until := to
		if end := x.start + (i+1)<<x.shift; i < loadParts-1 && end > from {
			until = min(to, end)
		}
		list[i] += until - from
		from = until
	}
}

// blur notes that it is not known what a location did when in [from, to).
func (x *load) blur(from, to int64) {
	for i := x.part(from); i <= x.part(to-1); i++ {
		x.vague[i] = true
	}
}

// part is where a time belongs to.
func (x *load) part(t int64) int64 { return min(max(0, t-x.start)>>x.shift, loadParts-1) }

// busyShare is the share of its processors that a process uses at least when they are busy.
const busyShare = 0.8

// load adds up when the processors of the root process were busy, nil if that is not known. Of neighbouring parts that are vague it is known together.
func (b *builder) load() *report.Load {
	p, processors := b.lives.pathProcess, int64(b.out.Header.Processors)
	if b.s.workers[0].loads == nil || b.s.workers[0].loads[p] == nil || processors == 0 {
		return nil
	}
	all := *b.s.workers[0].loads[p]
	for _, w := range b.s.workers[1:] {
		for i := range loadParts {
			all.running[i] += w.loads[p].running[i]
			all.ready[i] += w.loads[p].ready[i]
			all.vague[i] = all.vague[i] || w.loads[p].vague[i]
		}
	}
	out := &report.Load{}
	end := b.lives.end[p] - all.start
	length, running, ready := int64(0), int64(0), int64(0) // of parts of which it is known together
	for i := range int64(loadParts) {
		length += max(0, min(end-i<<all.shift, 1<<all.shift))
		running += all.running[i]
		ready += all.ready[i]
		if i+1 < loadParts && all.vague[i] && all.vague[i+1] {
			continue
		}
		out.Running += min(running, processors*length) // who helps the garbage collector may wait for it there
		if length > 0 && float64(running) >= busyShare*float64(processors*length) {
			out.Busy += length
			out.Lacking += ready
		}
		length, running, ready = 0, 0, 0
	}
	return out
}
