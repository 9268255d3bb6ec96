package report

import (
	"cmp"
	"slices"

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

// cubeValues sets the rows of all metrics.
func (e *Experiment) cubeValues(c *cube.Cube) error {
	byID := make([]*cube.Metric, 2*len(e.Metrics)+1)
	for _, m := range c.AllMetrics() {
		if m.ID < len(byID) {
			byID[m.ID] = m
		}
	}
	all := make([][]Cell, len(e.Metrics))
	copy(all, e.Severity)
	up := parents(e.Metrics)
	for i := len(all) - 1; i >= 0; i-- { // children come after their parents
		if p := up[i]; p >= 0 {
			all[p] = addCells(all[p], all[i], 1)
		}
		if err := setRows(c, byID[i], all[i]); err != nil {
			return err
		}
		all[i] = nil
	}
	var critical []Cell
	for i, cells := range e.Critical {
		if err := setRows(c, byID[len(e.Metrics)+1+i], cells); err != nil {
			return err
		}
		critical = addCells(critical, cells, 1)
	}
	if err := setRows(c, byID[len(e.Metrics)], critical); err != nil {
		return err
	}
	return e.cubeOperands(c)
}

// setRows stores cells, which ascend, as rows of a metric; their paths are numbers of call paths, their locations columns.
func setRows(c *cube.Cube, m *cube.Metric, cells []Cell) error {
	if len(cells) == 0 {
		return nil
	}
	byID := make([]*cube.CallPath, len(c.Paths()))
	for _, p := range c.Paths() {
		byID[p.ID] = p
	}
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
		r, err := cube.MakeSparseRow(m.DType, len(c.Locations()), columns, values)
		if err != nil {
			return err
		}
		if err := m.Set(byID[path], r); err != nil {
			return err
		}
	}
	return nil
}

// rowCells returns all values of a metric that are not zero.
func rowCells(m *cube.Metric) ([]Cell, error) {
	cells := []Cell{}
	for _, p := range m.Stored() {
		r, err := m.Read(p)
		if err != nil {
			return nil, err
		}
		for column, v := range r.All() {
			if !v.Zero() {
				cells = append(cells, Cell{uint32(p.ID), uint32(column), v.Int64()})
			}
		}
	}
	if !slices.IsSortedFunc(cells, cellOrder) {
		slices.SortFunc(cells, cellOrder)
	}
	return cells, nil
}

func cellOrder(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Location, b.Location))
}

// AddCells returns a + times·b without zeros. Both ascend; neither is changed, but one may be returned.
func AddCells(a, b []Cell, times int64) []Cell { return addCells(a, b, times) }

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
