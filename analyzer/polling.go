package analyzer

import (
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// mostBetween is how long a goroutine may run between two tries for both to be polling, ns: in less time nothing is done that is worth a word.
const mostBetween = 1000

// failedTry is the operation that a location did last, if that was a try that failed, and nothing is recorded behind it.
type failedTry struct {
	is       bool
	path     uint32
	own, gap int64 // how long it took, and how long the location ran since
}

// failed takes note of an operation that has ended with its own event: a lock, or a select, that gave up at once. A select may stand for
// several tries in a row, which its recorder has counted.
func (w *scanner) failed(l *location, v *levels.Level[level], e *trace.Event) {
	m := w.s.metrics
	if m.polling == unnamed || wire.Outcome(e.ID) != wire.Failed || v.Kind != wire.LockBegin && v.Kind != wire.SelectBegin || v.Of.blocked != NotBlocked {
		return
	}
	tries, own := int64(1), v.Of.own-v.Of.ready
	if v.Kind == wire.SelectBegin && v.Of.mode > 1 {
		tries = int64(v.Of.mode)
		w.state(m.polling, v.Of.path, own)
		own = 0
	}
	w.state(m.failedTries, v.Of.path, tries)
	l.failed = failedTry{is: true, path: v.Of.path, own: own}
}

// tries takes note of the begin of an operation. If it tries again what has just failed, the time since the begin of that is polling.
func (w *scanner) tries(f failedTry, path uint32) {
	if f.is && path == f.path && w.s.ticks.Duration(f.gap) <= mostBetween {
		w.state(w.s.metrics.polling, path, f.own+f.gap)
	}
}
