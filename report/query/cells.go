package query

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// selection is what is selected of the program: a call path, a region, or everything.
type selection struct {
	path, region int32 // index, none
	inclusive    bool
}

const none = -1

// everything is the whole program.
var everything = selection{none, none, true}

// cells are the values of a metric by call path and location, as they are stored or computed, and how they are combined.
type cells struct {
	metric *Metric
	kind   cube.Kind // Exclusive, Inclusive or Simple
	plain  bool      // values are combined with + and −, so that zeros do not matter
	plus   func(v, w cube.Value) cube.Value
	minus  func(v, w cube.Value) cube.Value
	over   func(v, w cube.Value) cube.Value            // plus, over the system
	has    func(path int32) bool                       // whether there is a row
	row    func(path int32, at *Resource) (row, error) // for concurrent use; nothing but a part of the system is needed, or all
	err    *error                                      // of a combination
}

// row holds values by location.
type row interface {
	Len() int
	Value(column int) cube.Value
	All() iter.Seq2[int, cube.Value]
}

// computed is a row that is not stored.
type computed []cube.Value

func (r computed) Len() int                        { return len(r) }
func (r computed) Value(column int) cube.Value     { return r[column] }
func (r computed) All() iter.Seq2[int, cube.Value] { return slices.All(r) }

// problem returns why values could not be combined.
func (c *cells) problem() error {
	if c.err == nil {
		return nil
	}
	return *c.err
}

// cells returns the cells of a metric that is not post-derived.
func (m *Model) cells(q *Metric) *cells {
	c := &cells{metric: q, kind: q.Kind, plain: !extreme(q.DType), plus: q.Aggregate, over: q.Aggregate, minus: cube.Value.Sub}
	if q.formula == nil {
		stored := make([]bool, len(m.paths.parent))
		for _, p := range q.Stored() {
			stored[p.Index()] = true
		}
		c.has = func(path int32) bool { return stored[path] }
		c.row = func(path int32, _ *Resource) (row, error) { return q.Row(m.Cube.Paths()[path]) }
		return c
	}
	c.kind = cube.Exclusive
	if q.Kind == cube.PreDerivedInclusive {
		c.kind = cube.Inclusive
	}
	m.combine(c)
	if q.formula.linear {
		c.has = func(path int32) bool {
			factors, err := m.factors(q, path)
			return err != nil || slices.ContainsFunc(factors, func(x float64) bool { return x != 0 })
		}
		c.row = func(path int32, _ *Resource) (row, error) { return m.linearRow(q, path) }
		return c
	}
	var pool sync.Pool
	c.has = func(int32) bool { return true }
	c.row = func(path int32, at *Resource) (row, error) {
		e, ok := pool.Get().(*rowEvaluator)
		if !ok {
			e = m.rowEvaluator(q)
		}
		defer pool.Put(e)
		return e.row(path, at)
	}
	return c
}

// combine sets the metric's own ways of combining values.
func (m *Model) combine(c *cells) {
	f := c.metric.formula
	if f.plus == nil && f.minus == nil && f.over == nil {
		return
	}
	c.plain, c.err = false, new(error)
	bind := func(p *cubepl.Program, otherwise func(v, w cube.Value) cube.Value) func(v, w cube.Value) cube.Value {
		if p == nil {
			return otherwise
		}
		evaluator := m.environment(c.metric).evaluator(p)
		return func(v, w cube.Value) cube.Value {
			if v == (cube.Value{}) {
				return w // the first
			}
			x, err := evaluator.Aggregate(v.Float64(), w.Float64())
			if err != nil && *c.err == nil {
				*c.err = fmt.Errorf("%s: aggregation: %w", c.metric.Name, err)
			}
			return c.metric.result(x)
		}
	}
	c.plus, c.minus = bind(f.plus, c.plus), bind(f.minus, c.minus)
	c.over = bind(f.over, c.plus)
}

// result makes a computed number a value. Integers are what a metric of integers has, if it is one.
func (q *Metric) result(x float64) cube.Value {
	if q.integer && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return cube.Int(int64(x))
	}
	return cube.Float(x)
}

// linearRow computes the row of a linear metric from those of its operands.
func (m *Model) linearRow(q *Metric, path int32) (row, error) {
	factors, err := m.factors(q, path)
	if err != nil {
		return nil, err
	}
	values := make(computed, len(m.Cube.Locations()))
	for k, c := range factors {
		if c == 0 {
			continue
		}
		operand, s, err := m.operand(q, k, path)
		if err != nil {
			return nil, err
		}
		of, err := m.columnsOf(operand, s)
		if err != nil {
			return nil, err
		}
		for i, v := range of.All() {
			values[i] = addScaled(values[i], v, c)
		}
	}
	return values, nil
}

// operand returns an operand of a linear pre-derived metric, and what is selected of it at a call path.
func (m *Model) operand(q *Metric, k int, path int32) (*Metric, selection, error) {
	r := q.formula.refs[k]
	operand := m.byName[r.Metric]
	if operand == nil {
		return nil, selection{}, fmt.Errorf("%s: the report has no metric %s", q.Name, r.Metric)
	}
	t := term{flavour: r.CallFlavour}
	return operand, selection{path, none, t.selects(q.Kind == cube.PreDerivedInclusive)}, nil
}

// columnsOf returns a metric's values by location.
func (m *Model) columnsOf(q *Metric, s selection) (row, error) {
	if q.stores(s) {
		return q.Row(m.Cube.Paths()[s.path])
	}
	values, err := m.byResource(q, s)
	if err != nil {
		return nil, err
	}
	r := make(computed, len(m.leaves))
	for i, leaf := range m.leaves {
		r[i] = values[leaf.Index]
	}
	return r, nil
}

// rowEvaluator computes rows cell by cell.
type rowEvaluator struct {
	*environment
	evaluator *cubepl.Evaluator
}

func (m *Model) rowEvaluator(q *Metric) *rowEvaluator {
	e := &rowEvaluator{environment: m.environment(q)}
	e.along = true
	e.evaluator = e.environment.evaluator(q.formula.program)
	return e
}

func (e *rowEvaluator) row(path int32, at *Resource) (row, error) {
	e.sel = selection{path, none, e.calculated.Kind == cube.PreDerivedInclusive}
	values := make(computed, len(e.m.leaves))
	columns := e.m.columns
	if at != nil {
		columns = at.columns
	}
	for _, i := range columns {
		e.at = e.m.leaves[i]
		x, err := e.evaluator.Eval()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.calculated.Name, err)
		}
		values[i] = e.calculated.result(x)
	}
	return values, nil
}
