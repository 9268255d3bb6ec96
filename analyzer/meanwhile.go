package analyzer

import (
	"cmp"
	"slices"

	"tracerec/report"
)

// explained is how many findings are told what happened meanwhile.
const explained = report.Explained

// followPath looks at the events on the critical path again. It charges their time to call paths, and says of
// the first findings what the path did on the causers while others waited for them: their critical time, by call path.
func (b *builder) followPath() {
	b.outside = map[cellKey]int64{}
	times, tallies := b.s.retrace(b.path, follower{of: b.explanations(), group: b.places.group, bounds: b.bounds}, func(c *scanCell) {
		b.charge(b.s.metrics.criticalPath, c.path, b.places.reported[c.loc], c.time)
	}, func(path, loc uint32, d int64) { b.outside[cellKey{path: path, loc: b.places.reported[loc]}] += d })
	b.counts(tallies)
	b.operations()
	for _, u := range b.path.unrecorded {
		b.charge(b.s.metrics.criticalPath, u.path, b.places.reported[u.loc], u.time)
	}
	for k, t := range times {
		f := &b.out.Findings[k.part]
		f.Meanwhile = append(f.Meanwhile, report.PathTime{Path: b.rank[k.path], Time: t})
	}
	for i := range b.out.Findings {
		slices.SortFunc(b.out.Findings[i].Meanwhile, func(x, y report.PathTime) int {
			return cmp.Or(-cmp.Compare(x.Time, y.Time), cmp.Compare(x.Path, y.Path))
		})
	}
}

// explanations returns, for each of the first findings, the parts of the critical path that make up its critical time.
func (b *builder) explanations() (parts []causerTimes) {
	for _, c := range b.collected[:min(explained, len(b.collected))] {
		parts = append(parts, c.critical)
	}
	return parts
}
