package algebra

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// CutOptions say what Cut keeps. Call paths are named as findPaths takes them.
type CutOptions struct {
	Root  string   // the call path that becomes the root; all that have the name, if several do; "" keeps the roots
	Prune []string // call paths that become part of their callers
}

// Cut takes a part of the call tree: what is below a call path, less some subtrees, whose values are added to the callers' own. So
// values that include the calls stay as they are.
func Cut(in Input, o CutOptions) (*Result, error) {
	keep, err := keptPaths(in.Cube, o)
	if err != nil {
		return nil, err
	}
	u := &union{cube: &cube.Cube{}, inputs: []*operand{{Input: in}}}
	c := &cutter{union: u, of: u.inputs[0]}
	c.paths(keep)
	u.uniteSystems()
	u.cube.Metrics = c.metrics(in.Cube.Metrics)
	if err := u.finish(c.jobs); err != nil {
		return nil, err
	}
	for _, key := range []string{query.DifferenceAttr, "trace"} {
		setAttr(&u.cube.Attrs, key, cube.ValueOf(in.Cube.Attrs, key))
	}
	runs, err := runsOf(in.Cube)
	if err == nil && runs != nil {
		err = c.cutRuns(runs, o)
	}
	return &Result{u.cube, u.notes}, err
}

// keptPaths returns for each call path the one that it becomes part of, itself if it stays; −1 if it goes.
func keptPaths(c *cube.Cube, o CutOptions) ([]int, error) {
	paths := c.Paths()
	roots, pruned := make([]bool, len(paths)), make([]bool, len(paths))
	if o.Root == "" {
		for _, p := range c.Roots {
			roots[p.Index()] = true
		}
	} else {
		list, err := findPaths(c, o.Root)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			roots[p.Index()] = true
		}
	}
	for _, name := range o.Prune {
		list, err := findPaths(c, name)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			pruned[p.Index()] = true
		}
	}
	keep := make([]int, len(paths))
	for i, p := range paths {
		above := -1
		if p.Parent != nil {
			above = keep[p.Parent.Index()]
		}
		switch {
		case above < 0 && !roots[i]:
			keep[i] = -1
		case above < 0 && pruned[i]:
			return nil, fmt.Errorf("call path %s cannot be pruned: it is a root, so there is no caller to take its values", pathName(p))
		case above >= 0 && (pruned[i] || above != p.Parent.Index()):
			keep[i] = above
		default:
			keep[i] = i
		}
	}
	return keep, nil
}

// findPaths returns the call paths of a name: names of regions separated by slashes, of which the first may be left out: solve is
// every call of solve, main/solve only those from main. With a slash in front the name is complete.
func findPaths(c *cube.Cube, name string) ([]*cube.CallPath, error) {
	var list []*cube.CallPath
	for _, p := range c.Paths() {
		full := "/" + pathName(p)
		if strings.HasPrefix(name, "/") && full == name || !strings.HasPrefix(name, "/") && strings.HasSuffix(full, "/"+name) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no call path %q%s", name, alike(c, name))
	}
	return list, nil
}

// alike names regions that somebody may have meant by the last part of a call path's name.
func alike(c *cube.Cube, name string) string {
	last := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	var near []string
	for _, r := range c.Regions {
		region := strings.ToLower(r.Name)
		if last == "" || len(near) == 5 || slices.Contains(near, r.Name) {
			continue
		}
		if strings.Contains(region, last) || len(region) > 2 && strings.Contains(last, region) || oneOff(region, last) {
			near = append(near, r.Name)
		}
	}
	if len(near) == 0 {
		return "; expert calltree shows which there are"
	}
	return "; it has " + strings.Join(near, ", ")
}

// oneOff says that two names differ in a single stretch of at most two bytes.
func oneOff(a, b string) bool {
	begin := 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return begin+end > 0 && max(len(a), len(b))-begin-end <= 2
}

// cutter makes a report of a part of the call tree.
type cutter struct {
	*union
	of     *operand
	pruned bool
	jobs   []func() error
}

// paths makes the call tree.
func (c *cutter) paths(keep []int) {
	list := c.of.Cube.Paths()
	c.of.paths = slices.Repeat([]int32{-1}, len(list))
	made := make([]*cube.CallPath, len(list))
	regions := map[*cube.Region]*cube.Region{}
	n := int32(0)
	for i, p := range list {
		if at := keep[i]; at != i {
			if at >= 0 {
				c.pruned = true
				c.of.paths[i] = c.of.paths[at]
			}
			continue
		}
		r := regions[p.Region]
		if r == nil {
			x := *p.Region
			r = &x
			r.ID = len(c.cube.Regions)
			regions[p.Region] = r
			c.cube.Regions = append(c.cube.Regions, r)
		}
		made[i] = &cube.CallPath{ID: int(n), Region: r, Module: p.Module, Line: p.Line, Params: p.Params, Attrs: p.Attrs}
		c.of.paths[i] = n
		n++
		if p.Parent != nil && made[p.Parent.Index()] != nil {
			parent := made[p.Parent.Index()]
			parent.Children = append(parent.Children, made[i])
		} else {
			c.cube.Roots = append(c.cube.Roots, made[i])
		}
	}
}

// metrics makes the metrics, with all that is known of them.
func (c *cutter) metrics(list []*cube.Metric) []*cube.Metric {
	var made []*cube.Metric
	for _, m := range list {
		below := c.metrics(m.Children)
		x := clone(m)
		for _, key := range []string{runsAttr, sumAttr, squaresAttr} {
			setAttr(&x.Attrs, key, cube.ValueOf(m.Attrs, key))
		}
		switch {
		case m.Kind.Derived():
		case !m.DType.Numeric() && len(m.Stored()) > 0 && c.pruned:
			c.notes.add("metric %s is left out: values of type %s cannot be added", m.Name, m.DType)
			made = append(made, below...)
			continue
		case c.pruned && c.squares(m):
			c.notes.add("spread of single values is not known any more, as some are sums of several; that of call paths is")
			made = append(made, below...)
			continue
		case m.DType.Numeric():
			c.jobs = append(c.jobs, func() error {
				return c.fill(x, &term{in: c.of, metric: m, n: 1, into: func(sum, v cube.Value, _ int) cube.Value { return aggregate(m, sum, v) }})
			})
		default:
			c.jobs = append(c.jobs, func() error { return c.copy(x, m) })
		}
		if c.pruned {
			setAttr(&x.Attrs, squaresAttr, "")
		}
		x.Children = below
		made = append(made, x)
	}
	return made
}

// squares says that a metric holds sums of squares.
func (c *cutter) squares(m *cube.Metric) bool {
	return slices.ContainsFunc(c.of.Cube.AllMetrics(), func(x *cube.Metric) bool { return cube.ValueOf(x.Attrs, squaresAttr) == m.Name })
}

// copy copies values that are no numbers.
func (c *cutter) copy(to, from *cube.Metric) error {
	for _, p := range from.Stored() {
		i := c.of.paths[p.Index()]
		if i < 0 {
			continue
		}
		r, err := from.Read(p)
		if err != nil {
			return err
		}
		var data []byte // of all locations
		for column, at := range c.of.columns {
			raw := r.Raw(column)
			if raw == nil {
				continue
			}
			if data == nil {
				data = make([]byte, len(c.units)*len(raw))
			}
			copy(data[int(at)*len(raw):], raw)
		}
		if data == nil {
			continue
		}
		x, err := cube.MakeRawRow(to.DType, len(c.units), data)
		if err != nil {
			return err
		}
		if err := to.Set(c.cube.Paths()[i], x); err != nil {
			return err
		}
	}
	return nil
}

// cutRuns cuts the report of the runs as well.
func (c *cutter) cutRuns(runs *cube.Cube, o CutOptions) error {
	r, err := Cut(Input{Name: runsMember, Cube: runs}, o)
	if err != nil {
		return err
	}
	return c.keep(r.Cube)
}
