package query

import (
	"errors"
	"slices"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
)

// naive answers the same questions by going over all cells, again for every question. It keeps nothing, knows no shortcut for
// any sort of expression, and adds up floating-point numbers throughout.
type naive struct {
	c       *cube.Cube
	globals *cubepl.Globals
	hidden  map[string]bool
	parsed  map[*cube.Metric]*cubepl.Program
	at      spot
}

// spot is a place of calculation: call paths with or without those below them, and columns.
type spot struct {
	tops      []*cube.CallPath
	inclusive bool
	columns   []int
	region    *cube.Region // if the call paths are those of a region
}

func newNaive(c *cube.Cube) (*naive, error) {
	n := &naive{c: c, globals: cubepl.NewGlobals(), hidden: map[string]bool{}, parsed: map[*cube.Metric]*cubepl.Program{}}
	for _, m := range c.AllMetrics() {
		for _, x := range m.Expressions {
			if x.Element != "cubeplinit" {
				continue
			}
			p, err := cubepl.Parse(x.Text)
			if err != nil {
				return nil, err
			}
			if err := p.Bind(cubepl.NewContext(n, n.globals)).Run(); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// self is a metric without its visible children of the same unit.
func (n *naive) self(m *cube.Metric, s spot, additive func(*cube.Metric) bool) (float64, error) {
	x, err := n.value(m, s)
	for _, child := range m.Children {
		if err != nil || n.hidden[child.Name] || child.Ghost || child.Val == "VOID" || child.Unit != m.Unit || !additive(m) || !additive(child) {
			continue
		}
		var less float64
		less, err = n.value(child, s)
		x -= less
	}
	return x, err
}

func (n *naive) value(m *cube.Metric, s spot) (float64, error) {
	switch m.Kind {
	case cube.PostDerived:
		return n.evaluate(m, s)
	case cube.PreDerivedExclusive, cube.PreDerivedInclusive:
		return n.preDerived(m, s)
	}
	var sum cube.Value
	for _, p := range s.tops {
		values, err := m.Values(p, s.inclusive)
		if err != nil {
			return 0, err
		}
		for _, i := range s.columns {
			sum = m.Aggregate(sum, values[i])
		}
	}
	return sum.Float64(), nil
}

func (n *naive) preDerived(m *cube.Metric, s spot) (float64, error) {
	sum, first := 0.0, true
	combine := func(x float64, err error) error {
		switch {
		case err != nil:
			return err
		case first:
			sum, first = x, false
		case slices.ContainsFunc(m.Expressions, func(x cube.Expression) bool { return x.Element == "cubeplaggr" }):
			sum = max(sum, x) // which all aggregations of the tests are
		default:
			sum += x
		}
		return nil
	}
	inclusive := m.Kind == cube.PreDerivedInclusive
	var visit func(p *cube.CallPath, sign float64, below bool) error
	visit = func(p *cube.CallPath, sign float64, below bool) error {
		for _, i := range s.columns {
			x, err := n.evaluate(m, spot{[]*cube.CallPath{p}, inclusive, []int{i}, nil})
			if err := combine(sign*x, err); err != nil {
				return err
			}
		}
		for _, child := range p.Children {
			if below {
				if err := visit(child, sign, true); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, p := range s.tops {
		if err := visit(p, 1, s.inclusive && !inclusive); err != nil {
			return 0, err
		}
		for _, child := range p.Children {
			if inclusive && !s.inclusive {
				if err := visit(child, -1, false); err != nil {
					return 0, err
				}
			}
		}
	}
	return sum, nil
}

func (n *naive) evaluate(m *cube.Metric, s spot) (float64, error) {
	before := n.at
	defer func() { n.at = before }()
	n.at = s
	p := n.parsed[m]
	for _, x := range m.Expressions {
		if p == nil && x.Element == "cubepl" {
			var err error
			if p, err = cubepl.Parse(x.Text); err != nil {
				return 0, err
			}
			n.parsed[m] = p
		}
	}
	return p.Bind(cubepl.NewContext(n, n.globals)).Eval()
}

// As an Env of expressions. Call paths, regions and locations of the tests' cubes are numbered in order from 0.

func (n *naive) Metric(name string) (cubepl.Metric, error) {
	if m := n.c.Metric(name); m != nil {
		return naiveMetric{n, m}, nil
	}
	return nil, errors.New("no such metric")
}

type naiveMetric struct {
	*naive
	m *cube.Metric
}

func (x naiveMetric) At(p cubepl.Place) (float64, error) {
	s := x.at
	if p.CallPath == cubepl.All {
		s.tops, s.inclusive, s.region = x.c.Roots, true, nil
	} else if p.CallPath != cubepl.Here {
		s.tops, s.region = []*cube.CallPath{x.c.Paths()[p.CallPath]}, nil
	}
	if p.CallFlavour != cubepl.Same {
		s.inclusive = p.CallFlavour == cubepl.Inclusive
		if all, top := of(x.c, s.region); s.region != nil && s.inclusive {
			s.tops = top
		} else if s.region != nil {
			s.tops = all
		}
	}
	if p.System == cubepl.All {
		s.columns = allColumns(x.c)
	}
	return x.value(x.m, s)
}

func allColumns(c *cube.Cube) (list []int) {
	for i := range c.Locations() {
		list = append(list, i)
	}
	return list
}

type naiveArray struct {
	n  int
	at func(int) cubepl.Value
}

func (a naiveArray) Len() int              { return a.n }
func (a naiveArray) At(i int) cubepl.Value { return a.at(i) }

func (n *naive) Array(name string) cubepl.Array {
	number := func(x int) cubepl.Value { return cubepl.Number(float64(x)) }
	switch name {
	case "cube::#callpaths":
		return naiveArray{1, func(int) cubepl.Value { return number(len(n.c.Paths())) }}
	case "cube::#locations":
		return naiveArray{1, func(int) cubepl.Value { return number(len(n.c.Locations())) }}
	case "cube::callpath::calleeid":
		return naiveArray{len(n.c.Paths()), func(i int) cubepl.Value { return number(n.c.Paths()[i].Region.ID) }}
	case "cube::region::name":
		return naiveArray{len(n.c.Regions), func(i int) cubepl.Value { return cubepl.Text(n.c.Regions[i].Name) }}
	case "cube::region::paradigm":
		return naiveArray{len(n.c.Regions), func(i int) cubepl.Value { return cubepl.Text(n.c.Regions[i].Paradigm) }}
	case "cube::region::role":
		return naiveArray{len(n.c.Regions), func(i int) cubepl.Value { return cubepl.Text(n.c.Regions[i].Role) }}
	case "cube::region::mod":
		return naiveArray{len(n.c.Regions), func(i int) cubepl.Value { return cubepl.Text(n.c.Regions[i].Module) }}
	case "calculation::callpath::id":
		return naiveArray{1, func(int) cubepl.Value { return number(n.at.tops[0].ID) }}
	case "calculation::sysres::id":
		return naiveArray{1, func(int) cubepl.Value { return number(n.at.columns[0]) }}
	}
	return nil
}

func (n *naive) Property(string, string) (string, error) { return "", errors.New("has none") }

func (n *naive) SetProperty(metric, name, value string) error {
	if name == "value" {
		n.hidden[metric] = value == "VOID"
	}
	return nil
}
