package otf2

import (
	"fmt"
	"math"

	"tracerec/trace"
)

// grid is a topology that is being made.
type grid struct {
	trace.Topology
	ranks []uint64 // the locations of the ranks that coordinates are of
	left  int      // places that are left out
}

// topologies makes the topologies: coordinates are those of ranks in a communicator, whose members are locations. What is not defined, or makes no sense, is left out, and said.
func (s *source) topologies() {
	locations := map[uint64]trace.LocationID{}
	for i, l := range s.of {
		locations[l.ID] = trace.LocationID(i)
	}
	var order []*grid
	grids := map[uint64]*grid{}
	for i := range s.a.records {
		if r := &s.a.records[i]; r.Spec.Self == CartTopologies && s.a.Find(CartTopologies, r.Values[0]) == r {
			g := &grid{ranks: s.locationsOf(s.a.Find(Comms, r.Get("communicator")))}
			g.Name, g.Dims = s.a.Text(r.Get("name")), s.dims(r)
			grids[r.Values[0]] = g
			order = append(order, g)
		}
	}
	for i := range s.a.records {
		if r := &s.a.records[i]; r.Spec.Name == "CartCoordinate" && grids[r.Get("cartTopology")] != nil {
			grids[r.Get("cartTopology")].place(r, locations)
		}
	}
	for _, g := range order {
		s.Definitions.Topologies = append(s.Definitions.Topologies, g.Topology)
		if g.left > 0 {
			s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("%d places in topology %q are left out: of ranks without events, or outside", g.left, g.Name))
		}
	}
}

// dims returns the dimensions of a topology; one that is not defined has size 0.
func (s *source) dims(r *Record) (dims []trace.Dim) {
	for _, number := range r.Values[len(r.Spec.Head):] {
		var d trace.Dim
		if x := s.a.Find(CartDimensions, number); x != nil {
			d = trace.Dim{Name: s.a.Text(x.Get("name")), Size: int(min(x.Get("size"), math.MaxInt32)), Periodic: x.Get("cartPeriodicity") != 0}
		}
		dims = append(dims, d)
	}
	return dims
}

// place adds a place, if it lies within the dimensions, and is that of a location with events.
func (g *grid) place(r *Record, locations map[uint64]trace.LocationID) {
	g.left++
	at, rank := r.Values[len(r.Spec.Head):], r.Get("rank")
	if len(at) != len(g.Dims) || len(at) == 0 || rank >= uint64(len(g.ranks)) {
		return
	}
	location, recorded := locations[g.ranks[rank]]
	p := trace.Place{Location: location}
	for i, x := range at {
		if x >= uint64(g.Dims[i].Size) {
			return
		}
		p.At = append(p.At, int(x))
	}
	if recorded {
		g.Places = append(g.Places, p)
		g.left--
	}
}

// locationsOf returns the locations of the ranks of a communicator, none if each process is alone in it, or if it is one between two groups.
func (s *source) locationsOf(comm *Record) []uint64 {
	if comm == nil || comm.Spec.Name == "InterComm" {
		return nil
	}
	g := s.a.Find(Groups, comm.Get("group"))
	if g == nil || g.Get("groupType") == commSelf {
		return nil
	}
	ranked := s.ranked(g.Get("paradigm"))
	list := make([]uint64, len(members(g)))
	for i, member := range members(g) {
		list[i] = locationOf(g, member, ranked)
	}
	return list
}
