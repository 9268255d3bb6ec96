package cube

import (
	"cmp"
	"fmt"
	"slices"
)

func (c *Cube) completeMetrics() error {
	c.metrics = nil
	ids := unique("metric")
	var visit func(parent *Metric, list []*Metric) error
	visit = func(parent *Metric, list []*Metric) error {
		for _, m := range list {
			if err := ids.add(m.ID); err != nil {
				return err
			}
			m.Parent, m.cube = parent, c
			c.metrics = append(c.metrics, m)
			if err := visit(m, m.Children); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(nil, c.Metrics)
}

func (c *Cube) completePaths() error {
	regions, ids := unique("region"), unique("call path")
	for _, r := range c.Regions {
		if err := regions.add(r.ID); err != nil {
			return err
		}
	}
	c.paths, c.orders = nil, nil
	var visit func(parent *CallPath, list []*CallPath) error
	visit = func(parent *CallPath, list []*CallPath) error {
		for _, p := range list {
			if err := ids.add(p.ID); err != nil {
				return err
			}
			if p.Region == nil || !regions.seen[p.Region.ID] {
				return fmt.Errorf("call path %d: unknown region", p.ID)
			}
			p.Parent, p.index = parent, len(c.paths)
			c.paths = append(c.paths, p)
			if err := visit(p, p.Children); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(nil, c.Roots); err != nil {
		return err
	}
	c.orders = map[Kind]*order{
		Exclusive: preorder(c.paths),
		Inclusive: wideOrder(c.Roots, len(c.paths)),
		Simple:    idOrder(c.paths),
	}
	return nil
}

func (c *Cube) completeSystem() error {
	c.locations = nil
	nodes, groups, locations := unique("system tree node"), unique("location group"), unique("location")
	var visit func(parent *SystemNode, list []*SystemNode) error
	visit = func(parent *SystemNode, list []*SystemNode) error {
		for _, n := range list {
			n.Parent = parent
			if err := nodes.add(n.ID); err != nil {
				return err
			}
			for _, g := range n.Groups {
				g.Node = n
				if err := groups.add(g.ID); err != nil {
					return err
				}
				for _, l := range g.Locations {
					l.Group = g
					if err := locations.add(l.ID); err != nil {
						return err
					}
					c.locations = append(c.locations, l)
				}
			}
			if err := visit(n, n.Children); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(nil, c.System); err != nil {
		return err
	}
	slices.SortFunc(c.locations, func(a, b *Location) int { return cmp.Compare(a.ID, b.ID) })
	for i, l := range c.locations {
		l.column = i
	}
	return nil
}

func (c *Cube) completeTopologies() error {
	for i, t := range c.Topologies {
		for _, p := range t.Coords {
			if len(p.At) != len(t.Dims) {
				return fmt.Errorf("topology %d: a place has %d coordinates, there are %d dimensions", i, len(p.At), len(t.Dims))
			}
		}
	}
	return nil
}

// order numbers the call paths as the index of a metric does.
type order struct {
	path     []int32 // by position: index in Paths
	position []int32 // by index in Paths
}

func newOrder(path []int32) *order {
	o := &order{path, make([]int32, len(path))}
	for position, index := range path {
		o.position[index] = int32(position)
	}
	return o
}

func preorder(paths []*CallPath) *order {
	list := make([]int32, len(paths))
	for i := range list {
		list[i] = int32(i)
	}
	return newOrder(list)
}

// wideOrder puts all children of a node beside each other, then the children of the first of them with all that is
// below, and so on: a row's children are read at one stroke.
func wideOrder(roots []*CallPath, n int) *order {
	list := make([]int32, 0, n)
	var below func(p *CallPath)
	below = func(p *CallPath) {
		for _, child := range p.Children {
			list = append(list, int32(child.index))
		}
		for _, child := range p.Children {
			below(child)
		}
	}
	for _, r := range roots {
		list = append(list, int32(r.index))
		below(r)
	}
	return newOrder(list)
}

func idOrder(paths []*CallPath) *order {
	o := preorder(paths)
	slices.SortFunc(o.path, func(a, b int32) int { return cmp.Compare(paths[a].ID, paths[b].ID) })
	return newOrder(o.path)
}
