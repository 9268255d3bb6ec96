package analyzer

import (
	"errors"
	"fmt"
	"regexp"

	"tracerec/metric"
)

// Pattern describes one performance property: a metric, and for wait states the kind of synch points at which operations wait so. A pattern without
// is a metric that the analyzer computes itself (time, visits, critical path …). A Pattern is constant and holds no state.
type Pattern struct {
	metric.Metric

	// BusyAdvice is what to do where everybody who could have ended the waiting was busy, instead of Advice; "" if that makes no difference.
	BusyAdvice string
	ForRoom    bool // waits for room in a buffer, which may be a semaphore

	Paradigm string // exists only where regions have a class whose name begins so, or locations are Goroutines or Processes
	States   bool   // exists only where a source tells the states of goroutines

	Roots *Roots // what causes these waits, nil if that is not looked for
	Cause bool   // it tells such causes: of goroutines it exists only if these were looked for, see [Options]

	Point PointKind // the time waited at synch points of this kind is the metric; NoPoint for none
}

// The paradigms of patterns that exist only where locations are goroutines, or threads of processes.
const (
	Goroutines = "go"
	Processes  = "processes"
)

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Validate checks that the patterns form a proper list: identifiers as names, no name twice, parents before
// their children and of the same unit, all texts present (advice: for wait states), and every kind of synch points at most once,
// for each wait state one. All faults are reported, joined.
func Validate(list []*Pattern) error {
	var errs []error
	seen, points := map[string]*Pattern{}, map[PointKind]bool{NoPoint: false}
	for i, p := range list {
		if p == nil {
			errs = append(errs, fmt.Errorf("pattern %d is nil", i))
			continue
		}
		for _, f := range p.faults(seen) {
			errs = append(errs, fmt.Errorf("pattern %q: %s", p.Name, f))
		}
		if points[p.Point] {
			errs = append(errs, fmt.Errorf("pattern %q: the synch points are taken", p.Name))
		}
		seen[p.Name], points[p.Point] = p, p.Point != NoPoint
	}
	return errors.Join(errs...)
}

// faults lists what is wrong with p, given the patterns before it.
func (p *Pattern) faults(seen map[string]*Pattern) (f []string) {
	bad := func(wrong bool, what string) {
		if wrong {
			f = append(f, what)
		}
	}
	bad(!identifier.MatchString(p.Name), "the name is not an identifier")
	bad(seen[p.Name] != nil, "the name is taken")
	bad(p.Title == "", "no title")
	bad(p.Description == "", "no description")
	bad(p.Formula == "", "no formula")
	bad(p.Kind == metric.WaitState && p.Advice == "", "a wait state without advice")
	bad(p.Kind == metric.WaitState && p.Unit != metric.Nanoseconds, "a wait state that is no time")
	if p.Parent != "" {
		parent := seen[p.Parent]
		bad(parent == nil, "the parent does not come before it")
		bad(parent != nil && parent.Unit != p.Unit, "the parent has another unit")
	}
	bad(p.Kind == metric.WaitState && p.Point == NoPoint, "a wait state without synch points")
	bad(p.Point >= pointKinds, "there are no such synch points")
	return f
}
