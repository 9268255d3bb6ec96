package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxForms limits the terms of all forms of a resolved specification together.
const maxForms = 1 << 20

// resolver applies a specification to measured events.
type resolver struct {
	*Spec
	events  map[string]int
	values  map[string]*value
	needs   map[string][]string // by the names of needs that were asked for
	budget  int                 // terms that may still be made
	dropped []string
	result  *Resolved
	names   map[string]bool // of nodes
}

// value is what is known of a name. Without terms it is unknown.
type value struct {
	kind    Kind
	form    []Term
	missing []string
}

func (v *value) known() bool    { return v.form != nil }
func (v *value) complete() bool { return v.form != nil && len(v.missing) == 0 }

// Resolve applies the specification to the events that were measured. An event that was only counted in user mode,
// "cycles:u", stands for "cycles" if that is not among them.
func (s *Spec) Resolve(events []string) *Resolved {
	r := &resolver{Spec: s, events: map[string]int{}, values: map[string]*value{}, needs: map[string][]string{},
		budget: maxForms, result: &Resolved{Events: events}, names: map[string]bool{}}
	for i, e := range events {
		if _, again := r.events[e]; !again {
			r.events[e] = i
		}
	}
	for i, e := range events {
		if bare, user := strings.CutSuffix(e, ":u"); user {
			if _, measured := r.events[bare]; !measured {
				r.events[bare] = i
			}
		}
	}
	for _, root := range s.Roots() {
		r.build(root, root, -1)
	}
	r.ratios()
	r.unlisted()
	r.drops()
	return r.result
}

// value determines what is known of a name: what measures it, else what computes it, else the sum of its parts.
func (r *resolver) value(name string) *value {
	if v := r.values[name]; v != nil {
		return v
	}
	v := r.find(name)
	if r.budget -= len(v.form) + len(v.missing); r.budget < 0 {
		v = &value{}
	}
	r.values[name] = v
	return v
}

func (r *resolver) find(name string) *value {
	e := r.entries[name]
	if e != nil && e.is("absent") {
		return &value{}
	}
	if e != nil {
		for _, m := range e.measure {
			if i, ok := r.events[m.name]; ok {
				return measured(i)
			}
		}
	}
	if i, ok := r.events[name]; ok {
		return measured(i)
	}
	if e == nil {
		return &value{}
	}
	for _, m := range e.measure {
		if v := r.value(m.name); v.complete() {
			return v
		}
	}
	for _, c := range e.compute {
		if v := r.compute(c); v != nil {
			return v
		}
	}
	return r.compose(r.children(name))
}

func measured(event int) *value { return &value{kind: Measured, form: []Term{{event, 1}}} }

// compute is the value of a computation, nil if an operand is missing or incomplete.
func (r *resolver) compute(c computation) *value {
	sum := form{}
	for _, o := range c.operands {
		v := r.value(o.name)
		if !v.complete() || !sum.add(v.form, o.times) {
			return nil
		}
	}
	for _, times := range sum {
		if times > maxTimes || times < -maxTimes {
			return nil
		}
	}
	return &value{kind: Computed, form: sum.terms()}
}

// compose is the sum of the parts that are known. What the others need is missing.
func (r *resolver) compose(parts []part) *value {
	v := &value{kind: Composed}
	sum := form{}
	for _, p := range parts {
		child := r.value(p.name)
		if child.known() && sum.add(child.form, 1) {
			v.form = []Term{}
			v.missing = append(v.missing, child.missing...)
		} else if !r.absent(p.name) {
			v.missing = append(v.missing, r.need(p.name)...)
		}
	}
	if v.form == nil {
		return &value{}
	}
	v.form, v.missing = sum.terms(), unique(v.missing)
	return v
}

// absent tells whether a name is said to be nothing that this processor has.
func (r *resolver) absent(name string) bool {
	return r.entries[name] != nil && r.entries[name].is("absent")
}

// need lists the events that would make an unknown name known.
func (r *resolver) need(name string) []string {
	if n, ok := r.needs[name]; ok {
		return n
	}
	e := r.entries[name]
	var names []string
	switch {
	case e == nil || !e.defined():
		names = []string{name}
	case e.measure != nil:
		names = r.need(e.measure[0].name)
	case e.compute != nil:
		for _, o := range e.compute[0].operands {
			if !r.value(o.name).complete() {
				names = append(names, r.need(o.name)...)
			}
		}
	default:
		for _, p := range e.compose {
			if !r.value(p.name).complete() && !r.absent(p.name) {
				names = append(names, r.need(p.name)...)
			}
		}
	}
	if names = unique(names); len(names) == 0 {
		names = []string{name} // it cannot be computed, whatever is measured
	}
	if r.budget -= len(names); r.budget < 0 {
		names = []string{name}
	}
	r.needs[name] = names
	return names
}

func unique(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	})
}

// build adds the node of a name and those of its parts.
func (r *resolver) build(root, name string, parent int) {
	v := r.value(name)
	if !v.known() || !r.add(root, name, parent, v) {
		return
	}
	self := len(r.result.Nodes) - 1
	parts := r.children(name)
	rest := r.remainder(v, parts)
	for _, p := range parts {
		if rest != nil && !r.value(p.name).known() && !r.absent(p.name) {
			r.add(root, p.name, self, rest)
			continue
		}
		r.build(root, p.name, self)
	}
}

// remainder is what is left of a complete value when all of its parts but one are complete and nothing measures that one. Of a
// composition, that can only be nothing.
func (r *resolver) remainder(v *value, parts []part) *value {
	if !v.complete() {
		return nil
	}
	sum := form{}
	sum.add(v.form, 1)
	known, missing := 0, 0
	for _, p := range parts {
		switch child := r.value(p.name); {
		case child.complete() && sum.add(child.form, -1):
			known++
		case r.absent(p.name):
		case r.measurable(p.name):
			return nil
		default:
			missing++
		}
	}
	if known == 0 || missing != 1 {
		return nil
	}
	return &value{kind: Remainder, form: sum.terms()}
}

// measurable tells whether something would give a name its value: a statement, or an event that the specification knows.
// Where a file says with rest which names nothing measures, all others in it are events.
func (r *resolver) measurable(name string) bool {
	e := r.entries[name]
	return e.defined() || !e.is("rest") && (e.is("event") || r.restful[e.at.file])
}

func (r *resolver) add(root, name string, parent int, v *value) bool {
	if r.budget -= 1 + len(v.form); r.budget < 0 {
		r.dropped = append(r.dropped, name+": the hierarchies are too large")
		return false
	}
	n := Node{Name: name, Label: name, Parent: parent, Kind: v.kind, Form: v.form, Missing: v.missing, Unit: "events"}
	if r.names[name] {
		n.Name = name + "@" + root
	}
	r.names[n.Name] = true
	if parent >= 0 {
		n.Spec, n.Unit = r.result.Nodes[parent].Spec, r.result.Nodes[parent].Unit
	}
	if e := r.entries[name]; e != nil {
		n.Description = r.texts[name]
		n.Unit = cmp.Or(r.units[name], n.Unit)
		n.Spec = cmp.Or(base(e.spec), n.Spec)
	}
	r.result.Nodes = append(r.result.Nodes, n)
	return true
}

// ratios adds the ratios whose operands are known and complete. Those that have incomplete ones are noted.
func (r *resolver) ratios() {
	for _, q := range r.Spec.ratios {
		i := slices.IndexFunc(q.alternatives, func(e *Expr) bool { return !slices.ContainsFunc(e.Names(), r.missing) })
		if i >= 0 {
			q.Expression = q.alternatives[i]
			r.result.Ratios = append(r.result.Ratios, q.Ratio)
			continue
		}
		names := q.alternatives[0].Names()
		unknown := func(n string) bool { return !r.value(n).known() }
		switch j := slices.IndexFunc(names, r.missing); {
		case !slices.ContainsFunc(names, unknown):
			r.dropped = append(r.dropped, q.Name+": "+names[j]+" is incomplete")
		case q.own:
			r.dropped = append(r.dropped, q.Name+": "+r.whyNone(names[slices.IndexFunc(names, unknown)]))
		}
	}
}

// whyNone says why a name has no value.
func (r *resolver) whyNone(name string) string {
	e := r.entries[name]
	switch {
	case e != nil && e.is("absent"):
		return name + " is said to be absent"
	case e == nil && slices.ContainsFunc(r.Spec.ratios, func(q ratio) bool { return q.Name == name }):
		return name + " is a ratio, and a ratio is made of counters and metrics only"
	case e == nil || !e.defined():
		return name + " was not measured"
	}
	needs := r.need(name)
	const most = 4
	text := strings.Join(needs[:min(len(needs), most)], ", ")
	if len(needs) > most {
		text += fmt.Sprintf(" and %d more", len(needs)-most)
	}
	if text == name {
		return name + " has no value"
	}
	return name + " needs " + text
}

// missing tells whether a name is neither a measured event nor a metric whose value is complete.
func (r *resolver) missing(name string) bool {
	_, event := r.events[name]
	return !event && !(r.names[name] && r.value(name).complete())
}

// unlisted finds the events that are in no node.
func (r *resolver) unlisted() {
	used := map[int]bool{}
	for i := range r.result.Nodes {
		for _, t := range r.result.Nodes[i].Form {
			used[t.Event] = true
		}
	}
	for i, e := range r.result.Events {
		if !used[i] {
			r.result.Unlisted = append(r.result.Unlisted, e)
		}
	}
}

// drops notes the computations that have some of their operands, but not all, where nothing else gives a complete value, and in a
// specification that is not shipped the roots that have none, and the parts that were not measured.
func (r *resolver) drops() {
	note := func(format string, values ...any) {
		r.result.Dropped = append(r.result.Dropped, fmt.Sprintf(format, values...))
	}
	all := map[string]bool{} // roots that are noted if nothing of them was measured
	for _, name := range r.Roots() {
		e := r.entries[name]
		if all[name] = own(e.spec); all[name] && e.compute == nil && !r.value(name).known() {
			note("%s: %s", name, notMeasured(r.need(name)))
		}
	}
	for _, name := range r.order {
		e := r.entries[name]
		if missing := r.unmeasuredParts(e); len(missing) > 0 && own(e.spec) && !(all[name] && !r.value(name).known()) {
			note("%s: %s", name, notMeasured(missing))
		}
		if e.compute == nil || e.is("absent") {
			continue
		}
		if r.value(name).complete() {
			continue
		}
		var missing []string
		for _, o := range e.compute[0].operands {
			if !r.value(o.name).complete() {
				missing = append(missing, o.name)
			}
		}
		if len(missing) == 0 {
			note("%s: a counter would be multiplied by more than %d", name, maxTimes)
		} else if all[name] || len(missing) < len(e.compute[0].operands) {
			note("%s: %s", name, notMeasured(missing))
		}
	}
	r.result.Dropped = append(r.result.Dropped, r.dropped...)
}

// unmeasuredParts lists the parts that nothing says how to measure, and that were not: names misspelt, unless rest declares them.
func (r *resolver) unmeasuredParts(e *entry) (names []string) {
	for _, p := range e.compose {
		part := r.entries[p.name]
		if !r.value(p.name).known() && !part.defined() && !part.is("rest") && !part.is("absent") {
			names = append(names, p.name)
		}
	}
	return names
}

// notMeasured says so of one name or several.
func notMeasured(names []string) string {
	const most = 8
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more were not measured", strings.Join(names[:most], ", "), n-most)
	} else if n > 1 {
		return fmt.Sprintf("%s and %s were not measured", strings.Join(names[:n-1], ", "), names[n-1])
	}
	return names[0] + " was not measured"
}

// form is a linear form in the making: coefficients by event.
type form map[int]int64

// add adds a multiple of terms and tells whether the coefficients are small enough.
func (f form) add(terms []Term, times int64) bool {
	for _, t := range terms {
		if t.Times > maxTimes || t.Times < -maxTimes {
			return false
		}
		f[t.Event] += t.Times * times
	}
	return true
}

// terms are the terms in the order of the events; those that cancel out are left out.
func (f form) terms() []Term {
	terms := make([]Term, 0, len(f))
	for e, n := range f {
		if n != 0 {
			terms = append(terms, Term{e, n})
		}
	}
	slices.SortFunc(terms, func(a, b Term) int { return a.Event - b.Event })
	return terms
}

// Value evaluates the form on values of the events, in the order given to Resolve.
func (n *Node) Value(events []int64) int64 {
	var v int64
	for _, t := range n.Form {
		v += t.Times * events[t.Event]
	}
	return v
}

// Events lists the events that the specification knows, in the order of their first mention: operands of measure
// and compute, members of sets, and parts of compositions that no statement makes. The last may be names of what nothing measures,
// unless it is said with rest.
func (s *Spec) Events() []string {
	var names []string
	for _, n := range s.order {
		if e := s.entries[n]; !e.defined() && !e.is("rest") && !e.is("absent") {
			names = append(names, n)
		}
	}
	return names
}

// Together lists the events that each computation needs: they are best measured in the same run. For operands that are metrics, these
// are the events of their first alternatives.
func (s *Spec) Together() [][]string {
	var all [][]string
	for _, n := range s.order {
		for _, c := range s.entries[n].compute {
			var names []string
			seen := map[string]bool{}
			for _, o := range c.operands {
				names = s.leaves(names, seen, o.name)
			}
			if len(names) > 1 {
				all = append(all, names)
			}
		}
	}
	return all
}

// leaves adds the events that a name is made of to a list, each once.
func (s *Spec) leaves(names []string, seen map[string]bool, name string) []string {
	e := s.entries[name]
	if seen[name] || e.is("rest") || e.is("absent") {
		return names
	}
	seen[name] = true
	var made []part
	switch {
	case e.measure != nil:
		made = e.measure[:1]
	case e.compute != nil:
		for _, o := range e.compute[0].operands {
			made = append(made, part{name: o.name})
		}
	case e.compose != nil:
		made = e.compose
	default:
		return append(names, name)
	}
	for _, p := range made {
		names = s.leaves(names, seen, p.name)
	}
	return names
}
