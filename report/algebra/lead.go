package algebra

import (
	"fmt"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// Lead says in a sentence or two whether B is better than A, and whether that is more than noise.
func (x *Changes) Lead() []string { return x.lead(x.A, x.B, false) }

// lead is Lead, with other names of the sides. Runs that repeat exactly have no noise. How long its requests take says something of a service; how long it was left to run does not.
func (x *Changes) lead(nameA, nameB string, repeatable bool) (lead []string) {
	if text := x.requestsLead(nameA, nameB); text != "" {
		lead = append(lead, text)
		if x.Serve {
			return lead
		}
	}
	c, ok := x.mainTime()
	if !ok {
		return append(lead, "Neither report says how long the program ran.")
	}
	lead = append(lead, c.sentence(nameA, nameB))
	_, known := c.Beyond()
	if !known && repeatable {
		return append(lead, "Both ran on the simulator, where every run repeats exactly: nothing of that is noise.")
	}
	if !known {
		return append(lead, "Whether that is more than noise cannot be known from single runs: record each several times and give the means.")
	}
	if len(x.Calls) > 0 && x.Calls[0].rank() == 0 {
		largest := x.Calls[0]
		of := "The largest change that is more than noise"
		if beyond, _ := c.Beyond(); !beyond && c.A != c.B {
			of = "Within the run, the largest change that is more than noise"
		}
		lead = append(lead, fmt.Sprintf("%s: %s, %s in %s.", of, signed(largest), largest.title, where(largest.Path)))
	}
	return lead
}

// sentence says whether B is faster than A.
func (c Change) sentence(nameA, nameB string) string {
	times := fmt.Sprintf("%s instead of %s", value(c.B, c), value(c.A, c))
	beyond, known := c.Beyond()
	if known && beyond {
		times += ", which is more than noise (±" + value(c.Noise, c) + ")"
	}
	factor := c.A / c.B
	percent := strings.TrimLeft(relative(c), "+−")
	switch {
	case c.A == c.B:
		return fmt.Sprintf("%s takes exactly as long as %s: %s.", nameB, nameA, value(c.A, c))
	case known && !beyond:
		return fmt.Sprintf("No difference in run time that is more than noise: %s takes %s, %s %s; the runs' own noise is ±%s.",
			nameB, value(c.B, c), nameA, value(c.A, c), value(c.Noise, c))
	case factor >= 2:
		return fmt.Sprintf("%s is %s times as fast as %s: %s.", nameB, readable.Count(factor), nameA, times)
	case factor > 1:
		return fmt.Sprintf("%s takes %s less time than %s: %s.", nameB, percent, nameA, times)
	case factor > 0.5:
		return fmt.Sprintf("%s takes %s more time than %s: %s.", nameB, percent, nameA, times)
	}
	return fmt.Sprintf("%s takes %s times as long as %s: %s.", nameB, readable.Count(1/factor), nameA, times)
}

// mainTime returns the change of the time that counts: from start to end if it is known, else that of the critical path, else of
// all locations together.
func (x *Changes) mainTime() (Change, bool) {
	if c, ok := x.wall(); ok {
		return c, true
	}
	for _, name := range []string{metric.CriticalPath, metric.Time} {
		for _, c := range x.Totals {
			if c.Metric.Name == name && c.A > 0 && c.B > 0 {
				return c, true
			}
		}
	}
	return Change{}, false
}

// wall returns the change of the time from start to end, if it is known.
func (x *Changes) wall() (Change, bool) {
	if len(x.WallA) == 0 || len(x.WallB) == 0 {
		return Change{}, false
	}
	a, b := bandOf(x.WallA), bandOf(x.WallB)
	return Change{A: a.Mean, B: b.Mean, Noise: Noise(a, b)}, true
}
