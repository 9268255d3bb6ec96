package report

import (
	"fmt"
	"maps"
	"slices"

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
	all, by, most := e.Total(m), map[uint32]int64{}, map[uint32]Cell{}
	rate := float64(all) / float64(e.Header.Wall) * 1e9
	if rate < manyLocks || all < manyLocks {
		return ""
	}
	for _, c := range e.Cells(m) {
		r := e.Paths[c.Path].Region
		by[r] += c.Value
		if c.Value > most[r].Value {
			most[r] = c
		}
	}
	largest := uint32(0)
	for _, r := range slices.Sorted(maps.Keys(by)) {
		if by[r] > by[largest] {
			largest = r
		}
	}
	path := most[largest].Path
	r := e.leaf(path)
	names := e.pathOf(path)
	at := Step{CallPath: names[max(0, len(names)-2):], File: r.File, Line: r.Line}
	return fmt.Sprintf("Locks are taken %s times a second, %s of that in %s. Even where nobody waits for them, that takes time, and several times as much when it is recorded.",
		glue(fmt.Sprintf("%.1f million", rate/1e6)), glue(percent(by[largest], all)), at.where())
}
