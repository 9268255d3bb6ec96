package report

import (
	"strconv"
	"strings"

	"tracerec/report/cube"
)

// The JSON form of topologies.
type (
	jsonTopology struct { // a grid on which locations lie
		Name   string      `json:"name"`
		Dims   []jsonDim   `json:"dims"`
		Places []jsonPoint `json:"places"`
	}
	jsonDim struct {
		Name     string `json:"name"`
		Size     int    `json:"size"`
		Periodic bool   `json:"periodic"`
	}
	jsonPoint struct {
		Location string `json:"location"`
		At       []int  `json:"at"` // by dimension
	}
)

// Dim is one dimension of a grid on which locations lie.
type Dim = cube.Dim

// Place is where a location lies on a grid.
type Place struct {
	Location uint32
	At       []int // by dimension
}

// LayOut adds a grid on which some locations lie to the cube.
func (e *Experiment) LayOut(name string, dims []Dim, places []Place) {
	t := &cube.Topology{Name: name, Dims: dims}
	for _, p := range places {
		t.Coords = append(t.Coords, cube.Coord{Of: e.Cube.Locations()[p.Location], At: p.At})
	}
	e.Cube.Topologies = append(e.Cube.Topologies, t)
}

// Topologies returns the grids on which the locations lie.
func (e *Experiment) Topologies() []*cube.Topology {
	if e.Cube == nil {
		return nil
	}
	return e.Cube.Topologies
}

func (e *Experiment) jsonTopologies() (list []jsonTopology) {
	for _, t := range e.Topologies() {
		x := jsonTopology{Name: t.Name, Dims: []jsonDim{}, Places: []jsonPoint{}}
		for _, d := range t.Dims {
			x.Dims = append(x.Dims, jsonDim(d))
		}
		for _, c := range t.Coords {
			if l, is := c.Of.(*cube.Location); is {
				x.Places = append(x.Places, jsonPoint{l.Name, c.At})
			}
		}
		list = append(list, x)
	}
	return list
}

// topologies says on which grids the locations lie.
func (p *page) topologies() {
	for _, t := range p.e.Topologies() {
		var dims []string
		for _, d := range t.Dims {
			dims = append(dims, glue(strings.TrimSpace(p.brief(clean(d.Name))+" "+strconv.Itoa(d.Size))))
		}
		text := "on the grid"
		if t.Name != "" {
			text += " " + glue(elide(clean(t.Name), nameWidth))
		}
		p.styledPara(dim, 0, "", text+": "+strings.Join(dims, " × "))
	}
}
