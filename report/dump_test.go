package report

import "fmt"

// severities spells out all severities that are not zero, in order.
func severities(e *Experiment) (list []string) {
	for m, cells := range allCells(e) {
		for _, c := range cells {
			if c.Value != 0 {
				r := e.leaf(c.Path)
				list = append(list, fmt.Sprint(e.Metrics[m].Name, e.CallPath(c.Path), r.File, r.Line, e.Locations[c.Location].Name, c.Value))
			}
		}
	}
	return list
}
