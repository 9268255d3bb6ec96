package analyzer

import (
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
)

// inNanoseconds turns all times of the report from ticks of the source into ns. Each is rounded once: sums were made of ticks.
func (b *builder) inNanoseconds() {
	t := b.s.ticks
	if t == trace.Nanoseconds {
		return
	}
	all := timeScale(t)
	for k, v := range b.cells {
		if b.s.metrics.isTime(k.metric) {
			b.cells[k] = t.Duration(v)
		}
	}
	for k, v := range b.critical {
		b.critical[k] = t.Duration(v)
	}
	e := b.out
	all.durations(e.OnPath)
	for i := range e.Stats {
		if !e.Stats[i].Sampled {
			all.stats(&e.Stats[i])
		}
	}
	for i := range e.Findings {
		all.finding(&e.Findings[i])
	}
	for i := range e.NeverEnded {
		all.times(&e.NeverEnded[i].Since)
	}
	for i := range e.Operations {
		o := &e.Operations[i]
		all.each(&o.Execution, &o.Runnable, &o.Waiting, &o.External, &o.Yielded, &o.NotRecorded)
	}
	all.header(&e.Header)
	all.split(&e.Split, e.Header.Focus)
}

// isTime says whether the values of a metric are time as the clock of the trace has it.
func (m *metrics) isTime(i uint16) bool {
	return (int(i) < len(m.patterns) || i >= m.firstCause) && m.list[i].Unit == metric.Nanoseconds
}

type timeScale trace.Ticks

func (s timeScale) each(durations ...*int64) {
	for _, d := range durations {
		*d = trace.Ticks(s).Duration(*d)
	}
}

func (s timeScale) durations(list []int64) {
	for i := range list {
		s.each(&list[i])
	}
}

func (s timeScale) times(list ...*int64) {
	for _, t := range list {
		*t = trace.Ticks(s).Time(*t)
	}
}

func (s timeScale) stats(x *report.Stats) {
	s.each(&x.Sum, &x.Min, &x.Max, &x.Mean, &x.Q25, &x.Median, &x.Q75)
	for i := range x.Worst {
		w := &x.Worst[i]
		s.times(&w.Begin, &w.End)
		s.each(&w.Waited)
	}
}

func (s timeScale) finding(f *report.Finding) {
	s.line(&f.Line)
	for i := range f.Lines {
		s.line(&f.Lines[i])
	}
	for i := range f.Meanwhile {
		s.each(&f.Meanwhile[i].Time)
	}
	for i := range f.Onward {
		s.each(&f.Onward[i].Time)
	}
	s.each(&f.Awaited, &f.HeadOfLine, &f.Convoy)
}

func (s timeScale) line(l *report.Line) {
	s.each(&l.Severity, &l.Touched, &l.Critical)
	for i := range l.Causers {
		s.each(&l.Causers[i].Severity)
	}
}

func (s timeScale) header(h *report.Header) {
	s.times(&h.Begin)
	s.each(&h.Wall, &h.Span, &h.Focus, &h.Time)
	if l := h.Load; l != nil {
		s.each(&l.Running, &l.Busy, &l.Lacking)
	}
}

// op returns an operation as who asks for waits and messages is told of it.
func (s timeScale) op(o Op) *Op {
	s.times(&o.Begin, &o.End)
	if o.Blocked != NotBlocked {
		s.times(&o.Blocked)
	}
	return &o
}

// point returns a synch point likewise.
func (s timeScale) point(p SynchPoint) SynchPoint {
	s.times(&p.Begin, &p.Release, &p.From)
	return p
}

// split rounds the parts of the critical path so that they add up to its length.
func (s timeScale) split(x *report.Split, focus int64) {
	s.each(&x.Execution, &x.Runnable, &x.Waiting, &x.Sleep, &x.External, &x.NotRecorded)
	largest, sum := &x.Execution, int64(0)
	for _, p := range []*int64{&x.Execution, &x.Runnable, &x.Waiting, &x.Sleep, &x.External, &x.NotRecorded} {
		if sum += *p; *p > *largest {
			largest = p
		}
	}
	*largest += focus - sum
}
