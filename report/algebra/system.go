package algebra

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"tracerec/report/cube"
)

// Classes and attributes of the reports of goroutines, which have no identity that lasts longer than a run.
const (
	processClass  = "process"          // of the system node that holds groups of goroutines
	creatorAttr   = "creator"          // of a group: number of the call path that started its goroutines
	collapsedAttr = "expert:collapsed" // of a location: it stands for all of its group that not every report has
)

// runAttrs are attributes of groups and goroutines that mean something within one run only.
var runAttrs = []string{"goid", "trace", "group", "count"}

// place is a location group of the union: a process, or a group of goroutines within one.
type place struct {
	key       placeKey
	creator   int32 // call path of the union that started the goroutines, -1 unknown
	group     *cube.LocationGroup
	node      *cube.SystemNode
	order     []locationKey
	locations map[locationKey]*cube.Location
	has       map[locationKey]int // by how many inputs a location is had
	others    *cube.Location      // stands for those that not every input has
}

// placeKey is what makes location groups of several reports the same.
type placeKey struct {
	process    string // of goroutines; "" for a group that is a process itself
	kind, name string
	rank       int
	creator    int32 // call path of the union
	number     int   // where one report has several
}

// locationKey is what makes locations of a group the same.
type locationKey struct {
	kind         string
	rank, number int
	others       bool
}

// systems is a system tree in the making.
type systems struct {
	*union
	places  map[placeKey]*place
	order   []*place
	nodes   map[string]*cube.SystemNode // by name
	list    []*cube.SystemNode
	where   []map[cube.Resource]cube.Resource // by input: what became of it
	keys    []map[*cube.Location]locationKey  // by input
	split   bool                              // processes are on other nodes in one input than in another
	onlyOne *cube.SystemNode                  // for all of them, if split
	having  map[string]int                    // by process of goroutines: inputs that have it
	several map[string]bool                   // names of which a process has several groups of goroutines
	single  bool                              // no input has more than one process of goroutines
}

// uniteSystems makes the union of the system trees.
func (u *union) uniteSystems() {
	s := u.addSystems(false)
	if s.split {
		u.notes.add("processes are on other nodes in one report than in another: they are all shown on one")
		s = u.addSystems(true)
		u.renamed = false
	}
	for _, p := range s.order {
		s.collapse(p)
	}
	s.finish()
	s.uniteTopologies()
}

func (u *union) addSystems(split bool) *systems {
	u.cube.System = nil
	s := &systems{union: u, places: map[placeKey]*place{}, nodes: map[string]*cube.SystemNode{}, having: map[string]int{}, several: map[string]bool{}, single: u.moved}
	for _, in := range u.inputs {
		s.look(in)
	}
	if split {
		s.onlyOne = &cube.SystemNode{Name: "all nodes", Class: "node"}
	}
	for _, in := range u.inputs {
		s.where = append(s.where, map[cube.Resource]cube.Resource{})
		s.keys = append(s.keys, map[*cube.Location]locationKey{})
		s.add(in)
	}
	return s
}

// look finds out what the names of processes and groups of goroutines tell.
func (s *systems) look(in *operand) {
	n := 0
	var visit func(list []*cube.SystemNode)
	visit = func(list []*cube.SystemNode) {
		for _, node := range list {
			if node.Class == processClass {
				n++
				seen := map[string]bool{}
				for _, g := range node.Groups {
					s.several[g.Name] = s.several[g.Name] || seen[g.Name]
					seen[g.Name] = true
				}
			}
			visit(node.Children)
		}
	}
	visit(in.Cube.System)
	s.single = s.single && n <= 1
}

// processNames returns a function that names the processes of an input, one after the other.
func (s *systems) processNames() func(n *cube.SystemNode) string {
	seen := map[string]int{}
	return func(n *cube.SystemNode) string {
		name := processName(n)
		seen[name]++
		return name + "\x00" + strconv.Itoa(seen[name])
	}
}

// add adds the system tree of an input.
func (s *systems) add(in *operand) {
	used := map[*place]bool{}
	names := s.processNames()
	taken := map[*cube.SystemNode]bool{}
	var visit func(list []*cube.SystemNode, above string)
	visit = func(list []*cube.SystemNode, above string) {
		for i, n := range list {
			name := above + "\x00" + n.Class + "\x00" + n.Name
			if above == "" && len(list) == 1 {
				name = "\x00root" // the machine, however it is named
			}
			process := ""
			if n.Class == processClass {
				process = names(n)
				if s.single {
					process = "the program, whatever it is called"
				}
				name = above + "\x00" + process
				s.having[process]++
			}
			var found []*place
			for _, g := range n.Groups {
				found = append(found, s.place(in, process, g, used))
			}
			s.locate(n, i, name, found, taken)
			for k, g := range n.Groups {
				s.addGroup(n, g, found[k])
			}
			visit(n.Children, name)
		}
	}
	visit(in.Cube.System, "")
}

var pid = regexp.MustCompile(` \(pid \d+\)$`)

// processName returns the name of a process without what changes from run to run.
func processName(n *cube.SystemNode) string { return pid.ReplaceAllString(n.Name, "") }

// place finds or makes the place of a location group; its group and node may not be known yet.
func (s *systems) place(in *operand, process string, g *cube.LocationGroup, used map[*place]bool) *place {
	k := placeKey{process: process, kind: g.Type, rank: g.Rank}
	if process != "" {
		k = placeKey{process: process, kind: g.Type, name: g.Name, creator: creatorOf(in, g)}
		if s.moved && !s.several[g.Name] {
			k.creator = -1 // there is no other of this name, from wherever it was started
		}
	}
	for s.places[k] != nil && used[s.places[k]] {
		k.number++
	}
	p := s.places[k]
	if p == nil {
		p = &place{key: k, creator: creatorOf(in, g), locations: map[locationKey]*cube.Location{}, has: map[locationKey]int{}}
		s.places[k] = p
		s.order = append(s.order, p)
	}
	used[p] = true
	return p
}

// locate finds or makes the node of the union for one of an input, which has the given places.
func (s *systems) locate(n *cube.SystemNode, i int, name string, found []*place, taken map[*cube.SystemNode]bool) {
	last := s.where[len(s.where)-1]
	goroutines := n.Class == processClass
	if s.onlyOne != nil && len(found) > 0 && !goroutines {
		s.attach(s.onlyOne, n, last)
		last[n] = s.onlyOne
		return
	}
	var x *cube.SystemNode
	for _, p := range found {
		switch {
		case goroutines || p.node == nil:
		case x == nil:
			x = p.node
		case x != p.node:
			s.split = true
		}
	}
	if x == nil {
		x = s.nodes[name]
	}
	if x != nil && taken[x] {
		if len(found) > 0 {
			s.split = true
		}
		name += "\x00" + strconv.Itoa(i)
		x = s.nodes[name]
	}
	if x == nil {
		x = &cube.SystemNode{Name: n.Name, Class: n.Class, Doc: n.Doc, Attrs: slices.Clone(n.Attrs)}
		if goroutines && len(s.inputs) > 1 {
			x.Name = processName(n)
		}
		s.nodes[name] = x
		s.attach(x, n, last)
	}
	s.renamed = s.renamed || !goroutines && len(found) > 0 && x.Name != n.Name
	taken[x] = true
	last[n] = x
}

// attach puts a node of the union below that of the parent of n.
func (s *systems) attach(x, n *cube.SystemNode, last map[cube.Resource]cube.Resource) {
	if slices.Contains(s.list, x) {
		return
	}
	s.list = append(s.list, x)
	if n.Parent == nil {
		s.cube.System = append(s.cube.System, x)
		return
	}
	parent := last[n.Parent].(*cube.SystemNode)
	parent.Children = append(parent.Children, x)
}

// addGroup adds a location group with its locations.
func (s *systems) addGroup(n *cube.SystemNode, g *cube.LocationGroup, p *place) {
	last := s.where[len(s.where)-1]
	if p.group == nil {
		p.group = &cube.LocationGroup{Name: g.Name, Rank: g.Rank, Type: g.Type, Doc: g.Doc, Attrs: slices.Clone(g.Attrs)}
		p.node = last[n].(*cube.SystemNode)
		p.node.Groups = append(p.node.Groups, p.group)
	}
	last[g] = p.group
	seen := map[locationKey]int{}
	for _, l := range g.Locations {
		k := locationKey{kind: l.Type, rank: l.Rank, others: cube.ValueOf(l.Attrs, collapsedAttr) != ""}
		if k.others {
			k.rank = 0
		}
		k.number = seen[k]
		seen[locationKey{k.kind, k.rank, 0, k.others}]++
		if p.locations[k] == nil {
			p.locations[k] = &cube.Location{Name: l.Name, Rank: l.Rank, Type: l.Type, Doc: l.Doc, Attrs: slices.Clone(l.Attrs)}
			p.order = append(p.order, k)
		}
		p.has[k]++
		s.keys[len(s.keys)-1][l] = k
	}
}

// collapse makes one location of all goroutines of a group that not every input has which has the process.
func (s *systems) collapse(p *place) {
	if p.key.process == "" {
		return
	}
	n, before := 0, 0
	for _, k := range p.order {
		switch {
		case k.others:
			before++
		case p.has[k] < s.having[p.key.process]:
			n++
		}
	}
	if n+before == 0 {
		return
	}
	p.others = &cube.Location{Name: p.group.Name + "[others]", Type: "thread", Attrs: []cube.Attr{{Key: collapsedAttr, Value: "true"}}}
	kept := p.order[:0]
	for _, k := range p.order {
		if k.others || p.has[k] < s.having[p.key.process] {
			p.locations[k] = p.others
			continue
		}
		p.others.Rank = max(p.others.Rank, k.rank+1)
		kept = append(kept, k)
	}
	p.order = kept
	if n > 0 {
		who := "1 goroutine of the group %s is not in every report: it is shown as %s"
		if n > 1 {
			who = fmt.Sprint(n) + " goroutines of the group %s are not in every report: they are put together as %s"
		}
		s.notes.add(who, p.group.Name, p.others.Name)
	}
}

// finish numbers everything and maps the columns of the inputs.
func (s *systems) finish() {
	places := map[*cube.LocationGroup]*place{}
	for _, p := range s.order {
		places[p.group] = p
		s.describe(p)
	}
	nodes, groups := 0, 0
	var visit func(list []*cube.SystemNode)
	visit = func(list []*cube.SystemNode) {
		for _, n := range list {
			n.ID = nodes
			nodes++
			for _, g := range n.Groups {
				g.ID = groups
				groups++
				for _, l := range g.Locations {
					l.ID = len(s.units)
					s.units = append(s.units, 0)
				}
			}
			visit(n.Children)
		}
	}
	visit(s.cube.System)
	of, n := processes(s.cube.System)
	for l, unit := range of {
		s.units[l.ID] = unit
	}
	for i, in := range s.inputs {
		s.mapColumns(in, s.keys[i], s.where[i], places, n)
	}
}

// processes returns the number of the process of each location, and how many there are.
func processes(system []*cube.SystemNode) (of map[*cube.Location]int, n int) {
	of = map[*cube.Location]int{}
	var visit func(list []*cube.SystemNode)
	visit = func(list []*cube.SystemNode) {
		for _, node := range list {
			for i, g := range node.Groups {
				if i > 0 && node.Class == processClass {
					n-- // all groups of goroutines are one process
				}
				for _, l := range g.Locations {
					of[l] = n
				}
				n++
			}
			visit(node.Children)
		}
	}
	visit(system)
	return of, n
}

// describe puts the locations of a place into its group.
func (s *systems) describe(p *place) {
	for _, k := range p.order {
		p.group.Locations = append(p.group.Locations, p.locations[k])
	}
	if p.others != nil {
		p.group.Locations = append(p.group.Locations, p.others)
	}
	if p.key.process == "" {
		return
	}
	setAttr(&p.group.Attrs, creatorAttr, "")
	if p.creator >= 0 {
		setAttr(&p.group.Attrs, creatorAttr, strconv.Itoa(int(p.creator)))
	}
	if len(s.inputs) < 2 {
		return
	}
	for _, key := range runAttrs {
		setAttr(&p.group.Attrs, key, "")
		for _, l := range p.group.Locations {
			setAttr(&l.Attrs, key, "")
		}
	}
}

// mapColumns says where the values of an input's locations go.
func (s *systems) mapColumns(in *operand, keys map[*cube.Location]locationKey, where map[cube.Resource]cube.Resource,
	places map[*cube.LocationGroup]*place, n int) {
	list := in.Cube.Locations()
	of, _ := processes(in.Cube.System)
	in.columns, in.units, in.same = make([]int32, len(list)), slices.Repeat([]int{-1}, n), len(list) == len(s.units)
	for i, l := range list {
		p := places[where[l.Group].(*cube.LocationGroup)]
		x := p.locations[keys[l]]
		where[l] = x
		in.columns[i] = int32(x.ID)
		in.units[s.units[x.ID]] = of[l]
		in.same = in.same && x.ID == i
	}
}

// uniteTopologies keeps the topologies, of several with one name the first.
func (s *systems) uniteTopologies() {
	named := map[string]bool{}
	for i, in := range s.inputs {
		for k, t := range in.Cube.Topologies {
			name := t.Name
			if name == "" {
				name = "\x00" + strconv.Itoa(k)
			}
			if named[name] {
				continue
			}
			named[name] = true
			x := &cube.Topology{Name: t.Name, Dims: slices.Clone(t.Dims)}
			for _, c := range t.Coords {
				l, ok := s.where[i][c.Of].(*cube.Location)
				if ok && cube.ValueOf(l.Attrs, collapsedAttr) != "" {
					continue
				}
				if of := s.where[i][c.Of]; of != nil {
					x.Coords = append(x.Coords, cube.Coord{Of: of, At: slices.Clone(c.At)})
				}
			}
			s.cube.Topologies = append(s.cube.Topologies, x)
		}
	}
}

// creatorOf returns the call path of the union that started the goroutines of a group, -1 if unknown.
func creatorOf(in *operand, g *cube.LocationGroup) int32 {
	id, err := strconv.Atoi(cube.ValueOf(g.Attrs, creatorAttr))
	if err != nil {
		return -1
	}
	if in.byID == nil {
		in.byID = map[int]int32{}
		for _, p := range in.Cube.Paths() {
			in.byID[p.ID] = in.paths[p.Index()]
		}
	}
	if to, ok := in.byID[id]; ok {
		return to
	}
	return -1
}

// setAttr changes, adds or, with "", removes an attribute.
func setAttr(list *[]cube.Attr, key, value string) {
	i := slices.IndexFunc(*list, func(a cube.Attr) bool { return a.Key == key })
	switch {
	case value == "" && i >= 0:
		*list = slices.Delete(*list, i, i+1)
	case value == "":
	case i >= 0:
		(*list)[i].Value = value
	default:
		*list = append(*list, cube.Attr{Key: key, Value: value})
	}
}
