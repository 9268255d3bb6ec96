package web

import (
	"math"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// places translates numbers of call paths and locations, as the parts of a report name them, to those of the page.
type places struct {
	paths     map[int]int // number in the file: index
	locations map[int]int // number in the file: resource
	ranks     map[int]int // of processes: resource
	regions   map[*cube.Region]int
}

func newPlaces(m *query.Model) places {
	p := places{map[int]int{}, map[int]int{}, map[int]int{}, map[*cube.Region]int{}}
	for i, path := range m.Cube.Paths() {
		p.paths[path.ID] = i
	}
	for i, r := range m.Cube.Regions {
		p.regions[r] = i
	}
	for _, r := range m.Resources {
		if r.Location != nil {
			p.locations[r.Location.ID] = r.Index
		}
		if g, ok := r.Of.(*cube.LocationGroup); ok {
			if _, taken := p.ranks[g.Rank]; !taken {
				p.ranks[g.Rank] = oneLocation(r)
			}
		}
	}
	return p
}

// oneLocation returns the only location of a process, or the process.
func oneLocation(r *query.Resource) int {
	if len(r.Children) == 1 {
		return r.Children[0].Index
	}
	return r.Index
}

// path returns the index of the call path with a number, -1 if there is none.
func (p *places) path(id int) int { return find(p.paths, id) }

// location returns the resource of the location with a number, -1 if there is none.
func (p *places) location(id int) int { return find(p.locations, id) }

// rank returns the resource of the process of a rank, -1 if there is none.
func (p *places) rank(rank int) int { return find(p.ranks, rank) }

func find(m map[int]int, key int) int {
	if i, ok := m[key]; ok {
		return i
	}
	return -1
}

// nothing is the value of what cannot be evaluated, or of which nothing is certain.
var nothing = cube.Float(math.NaN())
