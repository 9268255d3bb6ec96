package campaign

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/counters"
	"tracerec/counters/sample"
	"tracerec/internal/readable"
	"tracerec/metric/plan"
	"tracerec/metric/spec"
)

// sets are what a campaign measures.
type sets struct {
	list    []spec.Set
	missing []string // events that are left out, and why: "cycles: not supported here"
	why     string   // why there are so many, of planned ones
	natives func(event string) []string
}

// chooseSets says what is measured: what is given with -c, the sets of the specifications, or a plan. available tells why an
// event cannot be counted.
func chooseSets(specs []*spec.Spec, lists []string, planned bool, machine spec.Machine, available func(string) error) (*sets, error) {
	s := sets{natives: nativesOf}
	var given []spec.Set
	for _, text := range lists {
		set, err := spec.SetOf(text, specs)
		if err != nil {
			return nil, fmt.Errorf("-c %w", err)
		}
		given = append(given, set)
	}
	if given == nil && !planned {
		for _, x := range specs {
			given = append(given, x.Sets...)
		}
	}
	have := s.only(available)
	for _, set := range given {
		if set.Events = have(set.Events); len(set.Events) > 0 {
			s.list = append(s.list, set)
		}
	}
	if given == nil {
		if err := s.plan(specs, machine, have); err != nil {
			return nil, err
		}
	}
	s.name()
	if len(s.list) == 0 {
		return &s, fmt.Errorf("no counter is available here: %s", strings.Join(s.missing[:min(len(s.missing), 3)], "; "))
	}
	return &s, nil
}

// only returns a function that keeps the events that are available, and asks for each only once.
func (s *sets) only(available func(string) error) func([]string) []string {
	known := map[string]error{}
	return func(names []string) (list []string) {
		for _, n := range names {
			err, asked := known[n]
			if !asked {
				err = available(n)
				known[n] = err
				if err != nil {
					s.missing = append(s.missing, unavailable(n, err))
				}
			}
			if err == nil {
				list = append(list, n)
			}
		}
		return list
	}
}

// unavailable says why an event cannot be counted, with its name first.
func unavailable(event string, err error) string {
	text := err.Error()
	for _, prefix := range []string{event + ": ", event + " "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return event + ": " + text
}

// summary says what is missing: the first reasons, each once with the first names. The record of a campaign has all.
func (s *sets) summary() string {
	var by readable.Groups[string]
	for _, m := range s.missing {
		name, why, _ := strings.Cut(m, ": ")
		by.Add(why, name)
	}
	const most = 3
	var texts []string
	for _, why := range by.Order[:min(len(by.Order), most)] {
		texts = append(texts, readable.List(by.Names[why], most)+": "+why)
	}
	more := 0
	for _, why := range by.Order[len(texts):] {
		more += len(by.Names[why])
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("and %d for other reasons", more))
	}
	return strings.Join(texts, "; ")
}

// plan makes the fewest sets that measure what the specifications need of the available events. A preset is in a set that has all
// events that it is made of.
func (s *sets) plan(specs []*spec.Spec, machine spec.Machine, have func([]string) []string) error {
	p := plan.Problem{Machine: machine, Most: sample.MaxEvents}
	var wanted []string
	for _, x := range specs {
		for _, e := range needed(x, have(x.Events())) {
			if slices.Contains(wanted, e) {
				continue
			}
			wanted = append(wanted, e)
			p.Events = append(p.Events, s.natives(e)...)
			p.Together = append(p.Together, s.natives(e))
		}
		for _, inputs := range x.Together() {
			var all []string
			for _, e := range inputs {
				all = append(all, s.natives(e)...)
			}
			p.Together = append(p.Together, all)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	r, err := plan.Plan(p)
	if err != nil {
		return err
	}
	if _, err := plan.Check(p, r.Sets); err != nil {
		return fmt.Errorf("the plan is wrong: %w", err)
	}
	for _, set := range r.Sets {
		var names []string
		for _, e := range wanted {
			if !slices.ContainsFunc(s.natives(e), func(n string) bool { return !slices.Contains(set, n) }) {
				names = append(names, e)
			}
		}
		if len(names) > 0 {
			s.list = append(s.list, spec.Set{Events: names})
		}
	}
	s.why = r.Proof.How
	return nil
}

// nativesOf lists the events that a preset is made of; of any other event, itself.
func nativesOf(event string) []string {
	if p, err := counters.DescribePreset(event); err == nil && len(p.Natives) > 0 {
		return p.Natives
	}
	return []string{event}
}

// needed lists the events of which hierarchies or ratios are made; the others are alternatives to these.
func needed(s *spec.Spec, available []string) (list []string) {
	r := s.Resolve(available)
	uses := map[string]bool{}
	for _, n := range r.Nodes {
		for _, t := range n.Form {
			uses[available[t.Event]] = true
		}
	}
	for _, q := range r.Ratios {
		for _, n := range q.Expression.Names() {
			uses[n] = true
		}
	}
	for _, e := range available {
		if uses[e] {
			list = append(list, e)
		}
	}
	return list
}

// name gives all sets different names that files can have.
func (s *sets) name() {
	used := map[string]bool{}
	for i := range s.list {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
				return r
			}
			return '_'
		}, s.list[i].Name)
		if name == "" {
			name = fmt.Sprintf("set%d", i+1)
		}
		for base, n := name, 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		s.list[i].Name = name
	}
}
