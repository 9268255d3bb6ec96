package report

import (
	"fmt"
	"strings"

	"tracerec/internal/readable"
)

// counted says in one sentence what was counted: "12,340–12,400 page-faults, up to 3 major-faults". Counters that counted nothing, and
// those of which nothing is known, are left out; it is "" if all are.
func (p *page) counted(list []Count) string {
	const most = 4
	var parts []string
	for i := range list {
		c := &list[i]
		m := &p.e.Metrics[c.Metric]
		low, high := quantity(c.AtLeast, m.Unit), ""
		if c.AtMost != nil {
			high = quantity(*c.AtMost, m.Unit)
		}
		switch {
		case c.AtMost != nil && *c.AtMost == 0, c.AtMost == nil && c.AtLeast == 0:
			continue
		case c.AtMost == nil:
			low = "at least " + low
		case c.AtLeast == 0:
			low = "up to " + high
		case low != high:
			low = readable.Between(low, high)
		}
		parts = append(parts, glue(low+" "+clean(m.Title)))
	}
	if n := len(parts) - most; n > 1 {
		parts = append(parts[:most], fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}

// countedMeanwhile tells what the causers of a finding counted.
func (p *page) countedMeanwhile(f *Finding) {
	if text := p.counted(f.Counted); text != "" {
		p.para(6, "", "counted meanwhile: "+text)
	}
}

// jsonCounts names the counters.
func (e *Experiment) jsonCounts(list []Count) (out []jsonCount) {
	for _, c := range list {
		out = append(out, jsonCount{e.Metrics[c.Metric].Name, c.AtLeast, c.AtMost})
	}
	return out
}
