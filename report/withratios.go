package report

import (
	"fmt"
	"slices"

	"tracerec/metric"
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
		if r.names[o] = q.Name; cubeName(q.Name) == q.Name && storedAs(q, o.All) {
			continue
		}
		h := &cube.Metric{ID: r.next, Name: r.free("operand_" + cubeName(q.Name)), Title: q.Title, DType: q.DType, Unit: q.Unit, Kind: cube.Exclusive, Ghost: true,
			Doc: "What ratios are computed of: " + cubeName(q.Name) + ".", Attrs: []cube.Attr{{Key: query.HierarchyAttr, Value: x.Hierarchy}}}
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
	m, err := ratioMetric(x, func(name string) (names [3]string) {
		k := slices.IndexFunc(x.Operands, func(o Operand) bool { return o.Name == name })
		if k < 0 {
			return [3]string{metric.Time}
		}
		o := x.Operands[k]
		q := r.byID[o.Metric]
		of = append(of, q.Metric)
		if names[0] = r.names[Operand{Metric: o.Metric, All: o.All}]; o.All {
			return names
		}
		for _, margin := range q.Margins() {
			side := 1
			if query.KindOf(margin.Metric) == metric.Less {
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

// fill sets the rows of a hidden metric: those of a metric without or with what is not certain, as the whole process counted it.
func (r *ratioMaker) fill(h *cube.Metric, o Operand) error {
	q := r.byID[o.Metric]
	add := []*query.Metric{q}
	if o.All {
		add = append(add, q.Margins()...)
	}
	sums := cube.NewAdder(len(r.model.Cube.Locations()))
	for _, p := range r.model.Cube.Paths() {
		each := func(q *query.Metric, add func(int, cube.Value)) error {
			values, err := r.model.ByLocation(query.What{Metric: q, Stored: true}, p, false)
			if err != nil {
				return err
			}
			for column, v := range values {
				add(column, v)
			}
			return nil
		}
		for _, x := range add {
			if err := each(x, sums.Add); err != nil {
				return err
			}
		}
		for _, child := range q.Children {
			if child.Margin() && !q.Margin() {
				if err := each(child, sums.Sub); err != nil {
					return err
				}
			}
		}
		row, err := sums.Row(h.DType, 1)
		if err == nil && !row.Zero() {
			err = h.Set(p, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
