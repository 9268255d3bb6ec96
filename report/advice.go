package report

import "tracerec/metric"

// Advice returns what to do about a finding, "" if it is not worth it.
func (e *Experiment) Advice(f *Finding) string {
	switch {
	case e.negligible(f) && !e.mayMatter(f):
		return ""
	case f.Advice != "" && (f.Busy.Workers == 0 || e.busyProblem(f) == PoolTooSmall):
		return f.Advice
	}
	if known := e.Problem(f); known != nil {
		return known.Advice
	}
	if advice := e.knownAdvice(f); advice != "" {
		return advice
	}
	if e.even(f) {
		if e.lopsided(f) {
			return unevenWork
		}
		return doneTogether
	}
	kind := e.kind(f)
	if d, ok := e.mainly(f); ok {
		other := metric.Network // end of a connection, whose metric says what to do about waiting for it
		if d.group >= 0 {
			other = metric.LatePeer
		}
		if i := e.MetricIndex(other); i >= 0 && e.waitIn(d) == metric.Network {
			return e.Metrics[i].Advice
		}
		if kind.Name == metric.JoinWait && e.waitIn(d) == metric.Sleep {
			return lastSlept
		}
		if d.group >= 0 && kind.Name == metric.JoinWait {
			return lastWaited
		}
	}
	return kind.Advice
}

// lastWaited is the advice for a join of goroutines the last of which waited for others.
const lastWaited = "The last one was itself waiting for most of that time: look at what it waited for, not at how work is shared."

// lastSlept is the advice for a join of goroutines the last of which slept.
const lastSlept = "The last one was asleep for most of that time: a smaller share of the work does not help. If it sleeps until something is ready, have it told instead, by a channel or a condition; " +
	"if the time is meant, start it earlier."

// doneTogether is the advice for a join of goroutines that were done at about the same time.
const doneTogether = "Those that were waited for were hardly done earlier on average: to share their work differently gains little. Look at what they did: they may wait for " +
	"something in common. If there was only one, it is as good as a call: start several at once, if they do not need each other's results, and join them all behind that."

// unevenWork is the advice for such a join if one of them worked longer than the others.
const unevenWork = "Those that were waited for were done at about the same time, but did not work equally long. If the work of the one that had most can be shared, give the others a part of it: " +
	"smaller pieces from a common queue."

// lopsided says whether one of those that a join waited for worked longer than the others did on average, by a tenth of it or more.
func (e *Experiment) lopsided(f *Finding) bool {
	for _, c := range f.Causers {
		for _, longer := range e.longer(c.Group) {
			if 10*longer >= f.Severity {
				return true
			}
		}
	}
	return false
}
