package report

import (
	"cmp"
	"slices"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Ordinary returns the metrics of a cube, ascending by number, but those of the critical path, hidden ones and ratios.
func Ordinary(c *cube.Cube) (list []*cube.Metric) {
	for _, m := range c.AllMetrics() {
		if a := attrs(m.Attrs); !m.Ghost && a[query.RatioAttr] == "" && !onPath(m) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(x, y *cube.Metric) int { return cmp.Compare(x.ID, y.ID) })
	return list
}

// onPath says that a metric is the part of waiting that is on the critical path.
func onPath(m *cube.Metric) bool {
	return m.Name == metric.OnPath || m.Parent != nil && m.Parent.Name == metric.OnPath
}

// Number numbers trees of metrics as Fill does: ordinary ones as they are listed, then those of the critical path, each as far behind as that which it is a
// part of, then all others.
func Number(roots, ordinary []*cube.Metric) {
	n, parts, done := len(ordinary), map[string]int{}, map[*cube.Metric]bool{}
	for i, m := range ordinary {
		m.ID, parts[m.Name+metric.OnPathSuffix], done[m] = i, n+1+i, true
	}
	next := 2*n + 1
	var number func(list []*cube.Metric, path bool)
	number = func(list []*cube.Metric, path bool) {
		for _, m := range list {
			part, known := parts[m.Name]
			switch {
			case done[m]:
			case m.Name == metric.OnPath:
				m.ID = n
			case path && known:
				m.ID = part
			default:
				m.ID = next
				next++
			}
			number(m.Children, m.Name == metric.OnPath)
		}
	}
	number(roots, false)
}

// splice puts trees before the first that is to stand behind them; all such come last.
func splice(roots, more []*cube.Metric, behind func(*cube.Metric) bool) (list []*cube.Metric) {
	var last []*cube.Metric
	for _, m := range roots {
		if behind(m) {
			last = append(last, m)
		} else {
			list = append(list, m)
		}
	}
	return slices.Concat(list, more, last)
}

// BeforeCounters puts trees that are made of counters before these.
func BeforeCounters(roots, made []*cube.Metric) []*cube.Metric {
	return splice(roots, made, func(m *cube.Metric) bool { return behind(m) || onPath(m) })
}

// behind says that a tree of metrics stands behind what was made of counters.
func behind(root *cube.Metric) bool {
	return root.Ghost || query.KindOf(root) == metric.Counter
}
