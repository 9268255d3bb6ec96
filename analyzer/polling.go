package analyzer

import (
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// mostBetween is how long a goroutine may run between two tries for both to be polling, ns: the more, the more it may work there, of which nothing is recorded.
const mostBetween = 100

// failedTry is the operation that a location did last, if that was a try that failed, and nothing is recorded behind it.
type failedTry struct {
	is       bool
	path     uint32
	own, gap int64 // how long it took, and how long the location ran since
	tries    int64 // 0 if it stands for several, which are known as polling
}

// failed takes note of an operation that has ended with its own event: a lock, or a select, that gave up at once. A select may stand for
// several tries in a row, which its recorder has counted.
func (w *scanner) failed(l *location, v *levels.Level[level], e *trace.Event) {
	m := w.s.metrics
	if m.polling == unnamed || wire.Outcome(e.ID) != wire.Failed || v.Kind != wire.LockBegin && v.Kind != wire.SelectBegin || v.Of.blocked != NotBlocked {
		return
	}
	l.failed = failedTry{is: true, path: v.Of.path, own: v.Of.own - v.Of.ready, tries: 1}
	if v.Kind == wire.SelectBegin && v.Of.mode > 1 {
		w.polled(v.Of.path, l.failed.own, int64(v.Of.mode))
		l.failed.own, l.failed.tries = 0, 0
	}
}

// tries takes note of the begin of an operation. If it tries again what has just failed, the time since the begin of that is polling.
func (w *scanner) tries(f failedTry, path uint32) {
	if f.is && path == f.path && w.s.ticks.Duration(f.gap) <= mostBetween {
		w.polled(path, f.own+f.gap, f.tries)
	}
}

// polled takes note of so many tries that are polling, and of the time that they took with what is between them.
func (w *scanner) polled(path uint32, d, tries int64) {
	w.state(w.s.metrics.polling, path, d)
	if tries > 0 {
		w.state(w.s.metrics.failedTries, path, tries)
	}
}
