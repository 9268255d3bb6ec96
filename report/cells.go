package report

import (
	"cmp"

	"tracerec/metric"
	"tracerec/report/cube"
)

// parents returns for each metric the place of its parent, -1 for roots.
func parents(metrics []metric.Metric) []int {
	list := make([]int, len(metrics))
	byName := map[string]int{}
	for i := range metrics {
		list[i] = -1
		if p, ok := byName[metrics[i].Parent]; ok && metrics[i].Parent != "" {
			list[i] = p
		}
		byName[metrics[i].Name] = i
	}
	return list
}

// setRows stores cells, which ascend, as rows of a metric.
func (n *numbers) setRows(m *cube.Metric, locations int, cells []Cell) error {
	var columns []int32
	var values []cube.Value
	for len(cells) > 0 {
		path := cells[0].Path
		columns, values = columns[:0], values[:0]
		for ; len(cells) > 0 && cells[0].Path == path; cells = cells[1:] {
			if cells[0].Value != 0 {
				columns = append(columns, int32(cells[0].Location))
				values = append(values, cube.Int(cells[0].Value))
			}
		}
		if len(columns) == 0 {
			continue
		}
		r, err := cube.MakeSparseRow(m.DType, locations, columns, values)
		if err != nil {
			return err
		}
		if err := m.Set(n.paths[path], r); err != nil {
			return err
		}
	}
	return nil
}

func cellOrder(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Location, b.Location))
}

// addCells returns a + sign·b without zeros. Both ascend; neither is changed, but one may be returned.
func addCells(a, b []Cell, sign int64) []Cell {
	if len(b) == 0 || sign == 0 {
		return a
	}
	sum := make([]Cell, 0, max(len(a), len(b)))
	add := func(c Cell) {
		if c.Value != 0 {
			sum = append(sum, c)
		}
	}
	for len(a) > 0 && len(b) > 0 {
		switch order := cellOrder(a[0], b[0]); {
		case order < 0:
			add(a[0])
			a = a[1:]
		case order > 0:
			add(Cell{b[0].Path, b[0].Location, sign * b[0].Value})
			b = b[1:]
		default:
			add(Cell{a[0].Path, a[0].Location, a[0].Value + sign*b[0].Value})
			a, b = a[1:], b[1:]
		}
	}
	sum = append(sum, a...)
	for _, c := range b {
		add(Cell{c.Path, c.Location, sign * c.Value})
	}
	return sum
}
