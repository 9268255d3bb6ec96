package cube

import (
	"strconv"
	"strings"
)

// severity reads the values of a file of version 3, where they are text within the XML. They are exclusive along the call
// tree; rows that are lacking are zero.
func (p *parser) severity(e element) error {
	metrics := map[int]*Metric{}
	for _, m := range p.cube.metrics {
		metrics[m.ID] = m
	}
	paths := map[int]*CallPath{}
	for _, path := range p.cube.paths {
		paths[path.ID] = path
	}
	err := p.children(e, func(e element) error {
		if e.name != "matrix" {
			return p.unknown(e)
		}
		id, err := p.id(e, "metricId")
		if err != nil {
			return err
		}
		m := metrics[id]
		if m == nil {
			return p.errorf(e.offset, "values of metric %d, which is not defined", id)
		}
		if m.Kind.Derived() || !m.DType.Numeric() {
			return p.errorf(e.offset, "values of metric %s, which has type %q", m.Name, string(m.DType))
		}
		err = p.children(e, func(e element) error { return p.row(e, m, paths) })
		return err
	})
	return err
}

func (p *parser) row(e element, m *Metric, paths map[int]*CallPath) error {
	if e.name != "row" {
		return p.unknown(e)
	}
	id, err := p.id(e, "cnodeId")
	if err != nil {
		return err
	}
	path := paths[id]
	if path == nil {
		return p.errorf(e.offset, "values of call path %d, which is not defined", id)
	}
	var list string
	if err := p.text(e, &list); err != nil {
		return err
	}
	n := len(p.cube.locations)
	values := make([]Value, 0, min(n, len(list)/2+1))
	for f := range strings.FieldsSeq(list) {
		v, err := parseValue(m.DType.layout(), f)
		if err != nil {
			return p.errorf(e.offset, "value %q of metric %s, which has type %s", f, m.Name, m.DType)
		}
		values = append(values, v)
	}
	if len(values) > n {
		return p.errorf(e.offset, "%d values of metric %s and call path %d, there are %d locations", len(values), m.Name, id, n)
	}
	if len(values) < n {
		p.problem(e, "%d values of metric %s and call path %d for %d locations: the others are zero", len(values), m.Name, id, n)
		values = append(values, make([]Value, n-len(values))...)
	}
	r, err := MakeRow(m.DType, values)
	if err != nil {
		return p.errorf(e.offset, "%v", err)
	}
	return m.Set(path, r)
}

// parseValue reads a number that must fit the type.
func parseValue(l *layout, s string) (Value, error) {
	switch l.class {
	case signed:
		v, err := strconv.ParseInt(s, 10, 8*l.size)
		return Int(v), err
	case unsigned:
		v, err := strconv.ParseUint(s, 10, 8*l.size)
		return Uint(v), err
	}
	v, err := strconv.ParseFloat(s, 64)
	return Float(v), err
}
