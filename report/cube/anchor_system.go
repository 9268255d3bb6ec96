package cube

import (
	"strconv"
	"strings"
)

// place is a part of the system as coordinates name it: the kind of number and the number.
type place struct {
	attr string
	id   int
}

// systemParser reads a <system>. Up to version 4.0 it has machines, nodes, processes and threads, which become parts of
// the tree that later versions have; machines and nodes are numbered anew, since both begin with 0.
type systemParser struct {
	*parser
	nodes  int
	places map[place]Resource
}

func (p *parser) system(e element) error {
	s := &systemParser{parser: p, places: map[place]Resource{}}
	p.cube.SystemTitle = e.attr("title")
	err := p.children(e, func(e element) error {
		switch e.name {
		case "systemtreenode":
			return s.node(e, &p.cube.System, "", "stnId")
		case "machine":
			return s.node(e, &p.cube.System, "machine", "machId")
		case "topologies":
			err := p.children(e, s.topology)
			return err
		}
		return p.unknown(e)
	})
	return err
}

func (s *systemParser) node(e element, list *[]*SystemNode, class, attr string) error {
	id, err := s.id(e, "Id")
	if err != nil {
		return err
	}
	n := &SystemNode{ID: id, Class: class}
	if class != "" {
		n.ID = s.nodes
		s.nodes++
	}
	s.places[place{attr, id}] = n
	*list = append(*list, n)
	err = s.children(e, func(e element) error {
		switch e.name {
		case "name":
			return s.text(e, &n.Name)
		case "class":
			return s.text(e, &n.Class)
		case "descr":
			return s.text(e, &n.Doc)
		case "attr":
			return s.keyed(e, &n.Attrs)
		case "systemtreenode":
			return s.node(e, &n.Children, "", "stnId")
		case "node":
			return s.node(e, &n.Children, "node", "nodeId")
		case "locationgroup":
			return s.group(e, n, "", "lgId")
		case "process":
			return s.group(e, n, "process", "procId")
		}
		return s.unknown(e)
	})
	return err
}

func (s *systemParser) group(e element, n *SystemNode, kind, attr string) error {
	g := &LocationGroup{Type: kind}
	var err error
	if g.ID, err = s.id(e, "Id"); err != nil {
		return err
	}
	s.places[place{attr, g.ID}] = g
	n.Groups = append(n.Groups, g)
	err = s.children(e, func(e element) error {
		switch e.name {
		case "name":
			return s.text(e, &g.Name)
		case "rank":
			return s.number(e, &g.Rank)
		case "type":
			return s.text(e, &g.Type)
		case "descr":
			return s.text(e, &g.Doc)
		case "attr":
			return s.keyed(e, &g.Attrs)
		case "location":
			return s.location(e, g, "", "locId")
		case "thread":
			return s.location(e, g, "thread", "thrdId")
		}
		return s.unknown(e)
	})
	return err
}

func (s *systemParser) location(e element, g *LocationGroup, kind, attr string) error {
	l := &Location{Type: kind}
	var err error
	if l.ID, err = s.id(e, "Id"); err != nil {
		return err
	}
	s.places[place{attr, l.ID}] = l
	g.Locations = append(g.Locations, l)
	err = s.children(e, func(e element) error {
		switch e.name {
		case "name":
			return s.text(e, &l.Name)
		case "rank":
			return s.number(e, &l.Rank)
		case "type":
			return s.text(e, &l.Type)
		case "descr":
			return s.text(e, &l.Doc)
		case "attr":
			return s.keyed(e, &l.Attrs)
		}
		return s.unknown(e)
	})
	return err
}

func (s *systemParser) topology(e element) error {
	if e.name != "cart" {
		return s.unknown(e)
	}
	t := &Topology{Name: e.attr("name")}
	s.cube.Topologies = append(s.cube.Topologies, t)
	err := s.children(e, func(e element) error {
		switch e.name {
		case "dim":
			size, err := s.id(e, "size")
			if err != nil {
				return err
			}
			t.Dims = append(t.Dims, Dim{e.attr("name"), size, e.attr("periodic") == "true"})
			return s.skip(e)
		case "coord":
			return s.coord(e, t)
		}
		return s.unknown(e)
	})
	return err
}

func (s *systemParser) coord(e element, t *Topology) error {
	var c Coord
	for _, a := range e.attrs {
		id, err := s.id(e, a.Name.Local)
		if err != nil {
			return err
		}
		if c.Of = s.places[place{a.Name.Local, id}]; c.Of == nil {
			return s.errorf(e.offset, "coordinates of %s=%q, which is not defined", a.Name.Local, a.Value)
		}
	}
	if c.Of == nil {
		return s.errorf(e.offset, "coordinates of nothing")
	}
	var list string
	if err := s.text(e, &list); err != nil {
		return err
	}
	for _, f := range strings.Fields(list) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return s.errorf(e.offset, "coordinate %q is not a number", f)
		}
		c.At = append(c.At, n)
	}
	t.Coords = append(t.Coords, c)
	return nil
}
