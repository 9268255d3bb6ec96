package report

import (
	"fmt"
	"slices"

	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// WithRatios returns a cube that has ratios, too, whose operands are its metrics by number, and hidden metrics that they are computed of: of operands
// whose name CubePL cannot say, or with a part that could not be attributed exactly, which does not count. made says what each of the new metrics
// is made of.
func WithRatios(c *cube.Cube, ratios []Ratio) (with *cube.Cube, made map[*cube.Metric][]*cube.Metric, err error) {
	m, err := query.New(c)
	if err != nil {
		return nil, nil, err
	}
	r := &ratioMaker{model: m, byID: map[int]*query.Metric{}, used: map[string]bool{}, names: map[Operand]string{}, made: map[*cube.Metric][]*cube.Metric{}}
	r.next = 2*len(Ordinary(c)) + 1
	for _, x := range c.AllMetrics() {
		r.byID[x.ID], r.used[x.Name], r.next = m.Of(x), true, max(r.next, x.ID+1)
	}
	for i := range ratios {
		r.hide(&ratios[i])
	}
	hidden := len(r.list)
	for i := range ratios {
		if err := r.add(&ratios[i]); err != nil {
			return nil, nil, err
		}
	}
	if with, err = c.WithMetrics(splice(c.Metrics, r.list, behind)); err != nil {
		return nil, nil, err
	}
	for i, x := range r.list[:hidden] {
		if err := r.fill(x, r.operands[i]); err != nil {
			return nil, nil, err
		}
	}
	return with, r.made, nil
}

// ratioMaker makes the metrics of ratios.
type ratioMaker struct {
	model    *query.Model
	byID     map[int]*query.Metric
	used     map[string]bool
	next     int
	list     []*cube.Metric // hidden ones first
	operands []Operand      // of the hidden ones
	names    map[Operand]string
	made     map[*cube.Metric][]*cube.Metric
}

// free makes a name that is not taken.
func (r *ratioMaker) free(name string) string {
	for base, n := name, 2; r.used[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	r.used[name] = true
	return name
}

// parts lists what a ratio is evaluated of: its operands, and what is not certain of those of which that does not count.
func (r *ratioMaker) parts(x *Ratio) (list []Operand) {
	for _, o := range x.Operands {
		list = append(list, Operand{Metric: o.Metric, All: o.All})
		for _, margin := range r.byID[o.Metric].Margins() {
			if !o.All {
				list = append(list, Operand{Metric: margin.ID})
			}
		}
	}
	return list
}

// hide adds the hidden metrics that a ratio needs, each once.
func (r *ratioMaker) hide(x *Ratio) {
	for _, o := range r.parts(x) {
		q := r.byID[o.Metric]
		if _, seen := r.names[o]; seen {
			continue
		}
		if r.names[o] = q.Name; CubeName(q.Name) == q.Name && storedAs(q, o.All) {
			continue
		}
		h := &cube.Metric{ID: r.next, Name: r.free("operand_" + CubeName(q.Name)), Title: q.Title, DType: q.DType, Unit: q.Unit, Kind: cube.Exclusive, Ghost: true,
			Doc: "What ratios are computed of: " + CubeName(q.Name) + ".", Attrs: []cube.Attr{{Key: HierarchyAttr, Value: x.Hierarchy}}}
		r.next++
		r.names[o], r.made[h] = h.Name, []*cube.Metric{q.Metric}
		r.list, r.operands = append(r.list, h), append(r.operands, o)
	}
}

// storedAs says that the rows of a metric, which have all that is below it, are what an operand means.
func storedAs(q *query.Metric, all bool) bool {
	return !slices.ContainsFunc(q.Margins(), func(margin *query.Metric) bool { return (margin.Parent == q) != all })
}

// add adds the metric of a ratio.
func (r *ratioMaker) add(x *Ratio) error {
	var of []*cube.Metric
	m, err := RatioMetric(x, func(name string) (names [3]string) {
		k := slices.IndexFunc(x.Operands, func(o Operand) bool { return o.Name == name })
		if k < 0 {
			return [3]string{spec.Time}
		}
		o := x.Operands[k]
		q := r.byID[o.Metric]
		of = append(of, q.Metric)
		if names[0] = r.names[Operand{Metric: o.Metric, All: o.All}]; o.All {
			return names
		}
		for _, margin := range q.Margins() {
			side := 1
			if attrs(margin.Attrs)[UncertainAttr] == UncertainLess {
				side = 2
			}
			names[side] = r.names[Operand{Metric: margin.ID}]
		}
		return names
	})
	if err != nil {
		return err
	}
	m.Name, m.ID = r.free(m.Name), r.next
	r.next++
	r.list, r.made[m] = append(r.list, m), of
	return nil
}

// fill sets the rows of a hidden metric.
func (r *ratioMaker) fill(h *cube.Metric, o Operand) error {
	q := r.byID[o.Metric]
	sums := newColumns(len(r.model.Cube.Locations()))
	for _, p := range r.model.Cube.Paths() {
		err := sums.addOperand(r.model, q, o.All, p)
		if err == nil {
			err = sums.set(h, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columns adds up values by location, of which most are zero.
type columns struct {
	values []cube.Value
	used   []int32 // places in values that are set
}

func newColumns(locations int) *columns { return &columns{values: make([]cube.Value, locations)} }

// addOperand adds the values of a metric at a call path, without or with what is not certain, as the whole process counted it.
func (c *columns) addOperand(m *query.Model, q *query.Metric, all bool, p *cube.CallPath) error {
	err := c.addStored(m, q, p, false)
	for _, child := range q.Children {
		if child.Margin() && !q.Margin() && err == nil {
			err = c.addStored(m, child, p, true)
		}
	}
	for _, margin := range q.Margins() {
		if all && err == nil {
			err = c.addStored(m, margin, p, false)
		}
	}
	return err
}

// addStored adds the stored values of a metric at a call path, or takes them away.
func (c *columns) addStored(m *query.Model, q *query.Metric, p *cube.CallPath, minus bool) error {
	values, err := m.ByLocation(query.What{Metric: q, Stored: true}, p, false)
	if err != nil {
		return err
	}
	for column, v := range values {
		c.add(column, v, minus)
	}
	return nil
}

func (c *columns) add(column int, v cube.Value, minus bool) {
	if v.Zero() {
		return
	}
	x := &c.values[column]
	if *x == (cube.Value{}) {
		c.used = append(c.used, int32(column))
		*x = cube.Int(0)
	}
	if minus {
		*x = x.Sub(v)
	} else {
		*x = x.Add(v)
	}
}

// set stores the sums as the row of a metric, and forgets them.
func (c *columns) set(m *cube.Metric, p *cube.CallPath) error {
	slices.Sort(c.used)
	columns, values := c.used[:0], make([]cube.Value, 0, len(c.used))
	for _, column := range c.used {
		v := c.values[column]
		if c.values[column] = (cube.Value{}); !v.Zero() {
			columns, values = append(columns, column), append(values, v)
		}
	}
	c.used = c.used[:0]
	if len(columns) == 0 {
		return nil
	}
	r, err := cube.MakeSparseRow(m.DType, len(c.values), columns, values)
	if err != nil {
		return err
	}
	return m.Set(p, r)
}
