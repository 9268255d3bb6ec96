package report

import (
	"fmt"

	"tracerec/metric"
)

// manyLocks is how many locks a second are so many that they are told, whether or not anybody waits for them: a hundredth of a processor's time or more goes into that.
const manyLocks = 1_000_000

// locks says how often locks are taken, and where most often, if that is very often: it takes time, and in a recording several times as much.
func (e *Experiment) locks() string {
	m := e.MetricIndex(metric.Acquisitions)
	if m < 0 || e.Header.Wall <= 0 {
		return ""
	}
	all := e.Total(m)
	rate := float64(all) / float64(e.Header.Wall) * 1e9
	if rate < manyLocks || all < manyLocks {
		return ""
	}
	by, most := e.byRegion(metric.Acquisitions, func(*Region) bool { return true })
	largest := largestOf(by)
	path := most[largest].Path
	r := e.leaf(path)
	names := e.pathOf(path)
	at := Step{CallPath: names[max(0, len(names)-2):], File: r.File, Line: r.Line}
	return fmt.Sprintf("Locks are taken %s times a second, %s of that in %s. Even where nobody waits for them, that takes time, and several times as much when it is recorded.",
		glue(fmt.Sprintf("%.1f million", rate/1e6)), glue(percent(by[largest], all)), at.where())
}
