package requests

import (
	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/trace/wire"
)

// turn is a wait for another goroutine of one that somebody waits for, who goes on then. That one may be in a loop, and wait again at the same place before.
type turn struct {
	*wait
	path  int32
	until int64
	above *cause // why the walk was at the goroutine that waits
}

// final is the last wait of a goroutine at a place before a time, as far as it is behind another one.
type final struct {
	loc               uint32
	path              int32
	after, until, end int64
	timer             string // the metric of a wait for a timer, "" of another one
}

// unknown adds time in which it is not known who was waited for. Whoever waits in a select for what may come from anybody, such as the next value of a batch, and
// goes on when a timer says so, had others wait for that timer all the time: each value that came before let it only wait again.
func (w *walker) unknown(c *cause, d int64) {
	if t := c.last; d > 0 && t.above != nil && t.kind == wire.SelectBegin {
		if x := w.final(t); x.end > t.end && x.timer != "" {
			w.emit(t.above, x.timer, t.path, d)
			return
		}
	}
	w.emit(c, metric.UnrecordedWait, -1, d)
}

// final returns the last wait at the place of one. The next question is mostly about the same.
func (w *walker) final(t *turn) *final {
	x := &w.finally
	if x.loc == t.loc && x.path == t.path && x.until == t.until && x.after <= t.end {
		return x
	}
	*x = final{loc: t.loc, path: t.path, after: t.end, until: t.until}
	all := w.r.at(&w.r.lives[t.loc], t.end)
	for a, _, more := all.next(); more && a.from < t.until; a, _, more = all.next() {
		if a.path != t.path || !a.blocked {
			continue
		}
		for _, last := range w.during(t.loc, a.began, t.kind) {
			if last.end > t.until {
				break
			}
			x.end, x.timer = last.end, ""
			if name := w.metrics[last.metric].Name; last.causer == analyzer.NoCauser && (name == metric.TimerWait || name == metric.ExternalWait) {
				x.timer = name
			}
		}
	}
	return x
}
