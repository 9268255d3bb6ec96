package web

import (
	"math"

	"tracerec/report/algebra"
)

// difference is what changed at a call path between the two sides of a report that is the difference B − A.
type difference struct {
	Metric string `json:"metric"`
	Path   int    `json:"path"`
	A      float  `json:"a"`
	B      float  `json:"b"`
	Delta  float  `json:"delta"`        // B − A, as the trees show it
	Noise  float  `json:"noise"`        // half width of the band in which it is noise, null if unknown
	Beyond bool   `json:"beyond"`       // it is more than noise
	In     ranges `json:"in,omitempty"` // what A, B and Delta lie in, if not all is certain
}

// mostDifferences is how many changes are listed.
const mostDifferences = 100

// differences tells what changed, the largest first.
func (a *api) differences(f *findings) {
	x, err := algebra.ChangesOf(a.model.Cube)
	if err != nil {
		f.Warnings = append(f.Warnings, "The changes cannot be listed: "+err.Error())
		return
	}
	f.Lead = append(f.Lead, x.Lead()...)
	f.Warnings = append(f.Warnings, x.Unknown...)
	calls := x.Calls[:min(len(x.Calls), mostDifferences)]
	for _, c := range append(calls[:len(calls):len(calls)], x.Others[:min(len(x.Others), mostDifferences)]...) {
		beyond, known := c.Beyond()
		d := difference{Metric: c.Metric.Name, Path: -1, A: float(c.A), B: float(c.B), Delta: float(c.Delta()), Noise: float(c.Noise), Beyond: beyond && known}
		if c.Path != nil {
			d.Path = c.Path.Index()
		}
		if !known {
			d.Noise = float(math.NaN())
		}
		if c.In != nil {
			delta := c.Between()
			d.In = ranges{&c.In[0], &c.In[1], &delta}
			for i, v := range []*float{&d.A, &d.B} {
				if *v == 0 && !c.In[i].Certain() {
					*v, d.Delta = float(math.NaN()), float(math.NaN())
				}
			}
		}
		f.Differences = append(f.Differences, d)
	}
}
