package limit

import (
	"slices"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// worst finds the call path with the largest part of what was measured, or with the largest growth beside a baseline.
func (at *measured) worst(base *measured) (*Spot, error) {
	if !at.metric.Additive {
		return nil, nil
	}
	before, err := base.byName()
	if err != nil {
		return nil, err
	}
	_, values, err := at.model.ByPath(query.What{Metric: at.metric}, nil)
	if err != nil {
		return nil, err
	}
	var best *cube.CallPath
	most := 0.0
	below(at.paths, func(p *cube.CallPath) {
		if grown := values[p.Index()].Float64() - before[fullName(p)]; grown > most {
			best, most = p, grown
		}
	})
	if best == nil {
		return nil, nil
	}
	s := &Spot{Path: names(best), Value: values[best.Index()].Float64()}
	if base != nil {
		s.Growth = most
	}
	s.File, s.Line = source(best)
	s.Location, err = at.where(best)
	return s, err
}

// byName returns what was measured for each call path without those below, by full name: lines and numbers change from one
// version of a program to the next.
func (at *measured) byName() (map[string]float64, error) {
	if at == nil {
		return nil, nil
	}
	_, values, err := at.model.ByPath(query.What{Metric: at.metric}, nil)
	if err != nil {
		return nil, err
	}
	byName := map[string]float64{}
	below(at.paths, func(p *cube.CallPath) { byName[fullName(p)] += values[p.Index()].Float64() })
	return byName, nil
}

// where names the location with the largest part of a call path's value.
func (at *measured) where(p *cube.CallPath) (location string, err error) {
	values, err := at.model.ByResource(query.What{Metric: at.metric}, p, false)
	if err != nil {
		return "", err
	}
	most := 0.0
	for i, r := range at.model.Resources {
		if v := values[i].Float64(); r.Location != nil && v > most {
			if location, most = r.Name, v; r.Class != "goroutine" && r.Parent != nil {
				location = r.Parent.Name + ", " + location // threads are called the same in all processes
			}
		}
	}
	return location, nil
}

// below calls each for call paths and all below them.
func below(paths []*cube.CallPath, each func(*cube.CallPath)) {
	for _, p := range paths {
		each(p)
		below(p.Children, each)
	}
}

// names returns the names of the regions of a call path, the outermost first.
func names(p *cube.CallPath) (list []string) {
	for ; p != nil; p = p.Parent {
		list = append(list, p.Region.Name)
	}
	slices.Reverse(list)
	return list
}

func fullName(p *cube.CallPath) string { return strings.Join(names(p), "\x00") }

// source returns the line of a call path: of the call, else of the region, else of the nearest caller that has one.
func source(p *cube.CallPath) (file string, line int) {
	for ; p != nil; p = p.Parent {
		if p.Module != "" && p.Line > 0 {
			return p.Module, p.Line
		}
		if p.Region.Module != "" && p.Region.Begin > 0 {
			return p.Region.Module, p.Region.Begin
		}
	}
	return "", 0
}
