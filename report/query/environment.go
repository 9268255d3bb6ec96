package query

import (
	"errors"
	"fmt"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// environment is what expressions see of a model, from the place where the calculation is. It is for one goroutine.
type environment struct {
	m          *Model
	calculated *Metric
	sel        selection
	at         *Resource // nil: the whole system
	along      bool      // the place moves along the system, and not along the call tree
	initial    bool      // properties may be set
}

func (m *Model) environment(q *Metric) *environment { return &environment{m: m, calculated: q} }

// evaluator binds a metric's program to the environment. Who assigns to global variables gets some of its own.
func (e *environment) evaluator(p *cubepl.Program) *cubepl.Evaluator {
	globals := e.m.globals
	for _, v := range p.Assigned() {
		if globals.Has(v) {
			globals = globals.Clone()
			break
		}
	}
	return p.Bind(cubepl.NewContext(e, globals))
}

// Metric returns an operand.
func (e *environment) Metric(name string) (cubepl.Metric, error) {
	q := e.m.byName[name]
	if q == nil {
		return nil, errors.New("the report has no such metric")
	}
	return &operand{environment: e, metric: q}, nil
}

// operand is a metric that an expression refers to. It keeps the vectors in which it found values last.
type operand struct {
	*environment
	metric *Metric
	kept   []vector
}

// vector holds an operand's values along what moves.
type vector struct {
	along   axis
	sel     selection // of byResource
	at      *Resource // of columns
	columns columns
	values  []cube.Value
	row     *cube.Row
}

// axis is what moves.
type axis uint8

const (
	alongPaths axis = iota
	alongRegions
	alongNothing // the whole program, which has one value
	alongSystem
)

// axis is that along which a selection of the program moves.
func (s selection) axis() axis {
	switch {
	case s.path != none:
		return alongPaths
	case s.region != none:
		return alongRegions
	}
	return alongNothing
}

const maxKept = 4

// At returns the operand's value at a place.
func (o *operand) At(p cubepl.Place) (float64, error) {
	s, at, err := o.resolve(p)
	if err != nil {
		return 0, err
	}
	if p.SystemFlavour == cubepl.Exclusive && (at == nil || at.Location == nil) {
		return 0, nil // values lie at locations
	}
	v, err := o.value(s, at, o.along && p.System == cubepl.Here)
	return v.Float64(), err
}

// resolve finds what a place selects.
func (e *environment) resolve(p cubepl.Place) (selection, *Resource, error) {
	s, at := e.sel, e.at
	switch {
	case p.CallPath == cubepl.All:
		s = everything
	case p.CallPath != cubepl.Here:
		i, ok := e.m.ids.path(p.CallPath)
		if !ok {
			return s, at, fmt.Errorf("there is no call path %d", p.CallPath)
		}
		s = selection{i, none, e.sel.inclusive}
	}
	if p.CallFlavour != cubepl.Same {
		s.inclusive = p.CallFlavour == cubepl.Inclusive
	}
	switch {
	case p.System == cubepl.All:
		at = nil
	case p.System != cubepl.Here:
		if at = e.m.ids.resource(p.System); at == nil {
			return s, at, fmt.Errorf("there is no part %d of the system", p.System)
		}
	}
	return s, at, nil
}

func (o *operand) value(s selection, at *Resource, along bool) (cube.Value, error) {
	if o.initial {
		return cube.Value{}, errors.New("metrics have no values before all is initialised")
	}
	key := vector{along: s.axis(), at: at}
	if along {
		key = vector{along: alongSystem, sel: s}
	}
	v, err := o.vector(key)
	switch {
	case err != nil:
		return cube.Value{}, err
	case v.row != nil:
		return v.row.Value(at.Location.Column()), nil
	case along:
		return v.values[at.Index], nil
	}
	i := max(s.path, s.region, 0)
	if s.inclusive {
		return v.columns.inclusive[i], nil
	}
	return v.columns.exclusive[i], nil
}

// vector returns values along what moves.
func (o *operand) vector(key vector) (*vector, error) {
	for i := range o.kept {
		if k := &o.kept[i]; k.along == key.along && k.sel == key.sel && k.at == key.at {
			return k, nil
		}
	}
	var err error
	switch {
	case key.along == alongPaths:
		key.columns, err = o.m.byPath(o.metric, key.at)
	case key.along == alongRegions:
		key.columns, err = o.m.byRegion(o.metric, key.at)
	case key.along == alongNothing:
		key.columns, err = o.m.whole(o.metric, key.at)
	case o.at.Location != nil && o.metric.stores(key.sel):
		var r cube.Row
		r, err = o.metric.Row(o.m.Cube.Paths()[key.sel.path])
		key.row = &r
	default:
		key.values, err = o.m.byResource(o.metric, key.sel)
	}
	if err != nil {
		return nil, err
	}
	if len(o.kept) == maxKept {
		o.kept = append(o.kept[:0], o.kept[1:]...)
	}
	o.kept = append(o.kept, key)
	return &o.kept[len(o.kept)-1], nil
}

// stores says that the metric's values for a selection are a row.
func (q *Metric) stores(s selection) bool {
	if s.path == none || q.formula != nil || q.Err != nil {
		return false
	}
	return q.Kind == cube.Simple || q.Kind == cube.Inclusive == s.inclusive
}
