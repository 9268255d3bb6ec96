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
}

// newLoads returns an empty load for each process that tells states, nil for others; nil if none does.
func (w *scanner) newLoads() (loads []*load) {
	for i := range w.s.defs.Processes {
		if p := &w.s.defs.Processes[i]; p.States {
			if loads == nil {
				loads = make([]*load, len(w.s.defs.Processes))
			}
			loads[i] = &load{start: p.Start, shift: bits.Len64(uint64(p.End-p.Start) / loadParts),
				running: make([]int64, loadParts), ready: make([]int64, loadParts)}
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
	case l.does == wire.Assist:
		x.add(x.running, from, to)
	case l.does == wire.None:
		if top := l.open.Top(); top == nil || top.Of.blocked == NotBlocked && top.Kind != wire.SleepBegin {
			x.add(x.running, from, to)
		}
	}
}

// add adds the time [from, to) to the parts of a list. What lies outside of the process's time belongs to its first or last part.
func (x *load) add(list []int64, from, to int64) {
	for from < to {
		i := min(max(0, from-x.start)>>x.shift, loadParts-1)
		until := to
		if end := x.start + (i+1)<<x.shift; i < loadParts-1 && end > from {
			until = min(to, end)
		}
		list[i] += until - from
		from = until
	}
}

// busyShare is the share of its processors that a process uses at least when they are busy.
const busyShare = 0.8

// load adds up when the processors of the root process were busy, nil if that is not known.
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
		}
	}
	out := &report.Load{}
	end := b.lives.end[p] - all.start
	for i := range int64(loadParts) {
		length := min(end-i<<all.shift, 1<<all.shift)
		out.Running += all.running[i]
		if length > 0 && float64(all.running[i]) >= busyShare*float64(processors*length) {
			out.Busy += length
			out.Lacking += all.ready[i]
		}
	}
	return out
}
