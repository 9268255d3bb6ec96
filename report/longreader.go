package report

import (
	"slices"

	"tracerec/metric"
)

// behindReader says whether a finding is part of what one long reader of an RWMutex does: a writer waits for it, and other readers wait for that writer. A recording tells of a
// lock in one finding; an execution trace, which names no locks, in one for each place where somebody waits.
func (e *Experiment) behindReader(f *Finding) bool {
	readers, writers := linesOf(e, f, metric.ReaderWait), linesOf(e, f, metric.WriterWait)
	switch {
	case len(readers) > 0 && len(writers) > 0:
		if !f.pending(writers, f.awaited()-sum(writers)) { // the readers waited for the writers' work
			return false
		}
	case len(writers) > 0:
		for i := range e.Findings {
			if x := &e.Findings[i]; x.pending(writers, x.awaited()) {
				readers = append(readers, linesOf(e, x, metric.ReaderWait)...)
			}
		}
	case len(readers) > 0:
		for i := range e.Findings {
			if w := linesOf(e, &e.Findings[i], metric.WriterWait); f.pending(w, f.awaited()) {
				writers = append(writers, w...)
			}
		}
	}
	return len(readers) > 0 && len(writers) > 0 && 2*sum(readers) >= sum(writers) && e.oneLong(readers, writers)
}

// linesOf returns where a finding's waiting of one metric was.
func linesOf(e *Experiment, f *Finding, name string) (list []Line) {
	for _, l := range f.AllLines() {
		if e.Metrics[l.Metric].Name == name {
			list = append(list, l)
		}
	}
	return list
}

func sum(lines []Line) (ns int64) {
	for _, l := range lines {
		ns += l.Severity
	}
	return ns
}

// pending says whether those who were waited for waited themselves as these writers do, for more than half of a time.
func (f *Finding) pending(writers []Line, of int64) bool {
	var waited int64
	for _, o := range f.Onward {
		if slices.ContainsFunc(writers, func(l Line) bool { return l.Path == o.Path }) {
			waited += o.Time
		}
	}
	return waited > 0 && 2*waited > of
}

// oneLong says whether writers wait for readers in one function, three quarters of the time or more, and no more than a quarter of the readers' waits are there. If all readers had the
// lock for as long, a writer would wait for those of other functions as often as these come.
func (e *Experiment) oneLong(readers, writers []Line) bool {
	by, all := map[string]int64{}, int64(0)
	for _, l := range writers {
		for _, c := range l.Causers {
			all += c.Severity
			if c.Path >= 0 {
				by[e.leaf(uint32(c.Path)).Func] += c.Severity
			}
		}
	}
	for long, ns := range by {
		if long == "" || 4*ns < 3*all {
			continue
		}
		own, waits := uint64(0), uint64(0)
		for _, l := range readers {
			waits += l.Instances
			if f := e.leaf(l.Path).Func; f == long || f == "" {
				own += l.Instances
			}
		}
		return 4*own <= waits
	}
	return false
}
