package spec

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// builder makes a specification of the statements of one or more texts.
type builder struct {
	*Spec
	r      *reader
	strict bool                     // an override must have something to override
	first  map[[2]string]*statement // by keyword and name
	depths map[string]int
}

func build(r *reader, strict bool) *Spec {
	s := &Spec{entries: map[string]*entry{}, units: map[string]string{}, texts: map[string]string{}, restful: map[string]bool{}}
	b := &builder{s, r, strict, map[[2]string]*statement{}, map[string]int{}}
	statements := b.effective()
	for _, x := range statements {
		b.apply(x)
	}
	b.likes(statements)
	b.name(statements)
	for _, name := range b.order {
		b.check(name)
	}
	if len(r.problems) == 0 {
		b.trees()
	}
	return s
}

// effective are the statements that hold: of several of one kind for a name, the last, which has to say that it overrides.
func (b *builder) effective() []*statement {
	var all []*statement
	for i := range b.r.statements {
		s := &b.r.statements[i]
		if !overridable[s.keyword] {
			all = append(all, s)
			continue
		}
		key := [2]string{s.keyword, s.name.name}
		old := b.first[key]
		switch {
		case old == nil && s.override && b.strict:
			b.r.problem(s.name.at, "there is no %s of %s to override", s.keyword, s.name.name)
		case old != nil && s.override:
			*old = *s
		case old != nil && !(old.spec != s.spec && old.same(s)):
			b.r.problem(s.name.at, "%s of %s is already at %s:%d:%d; override replaces it", s.keyword, s.name.name,
				old.name.at.file, old.name.at.line, old.name.at.column)
		case old == nil:
			b.first[key] = s
			all = append(all, s)
		}
	}
	return all
}

// same tells whether two statements say the same.
func (s *statement) same(o *statement) bool {
	sameName := func(a, b part) bool { return a.name == b.name }
	sameExpr := func(a, b *Expr) bool { return a.String() == b.String() }
	return s.text == o.text && maps.Equal(s.options, o.options) && slices.EqualFunc(s.names, o.names, sameName) && slices.EqualFunc(s.alts, o.alts, sameExpr)
}

// mention returns the entry of a name, which is made if it is new.
func (b *builder) mention(p part) *entry {
	e := b.entries[p.name]
	if e == nil {
		e = &entry{at: p.at, flags: map[string]position{}}
		b.entries[p.name] = e
		b.order = append(b.order, p.name)
	}
	return e
}

func (b *builder) define(s *statement) *entry {
	e := b.mention(s.name)
	if !e.defined() {
		e.spec, e.at = s.spec, s.name.at
	}
	for _, flag := range []string{"rest", "absent"} { // of an earlier file: overridden
		if at, said := e.flags[flag]; said && at.file != s.name.at.file {
			delete(e.flags, flag)
		}
	}
	for _, p := range s.names {
		b.mention(p)
	}
	return e
}

func (b *builder) apply(s *statement) {
	switch s.keyword {
	case "title":
		b.Title = s.text
	case "compose":
		b.define(s).compose = s.names
	case "measure":
		b.define(s).measure = s.names
		b.flag("event", s.names)
	case "compute":
		b.define(s).compute = s.forms
		for _, f := range s.forms {
			for _, o := range f.operands {
				p := part{o.name, f.at}
				b.mention(p)
				b.flag("event", []part{p})
			}
		}
	case "ratio":
		b.ratios = append(b.ratios, ratioOf(s))
	case "set":
		b.addSet(s)
	case "machine":
		b.addMachine(s)
	case "cpu":
		b.addProcessor(s)
	case "root", "rest", "absent":
		if s.keyword == "rest" {
			b.restful[s.spec] = true
		}
		for _, p := range s.names {
			b.mention(p)
		}
		b.flag(s.keyword, s.names)
	case "unit":
		b.units[s.name.name] = s.text
	case "describe":
		b.texts[s.name.name] = s.text
	}
}

// likes takes over descriptions, units and ratios of shipped specifications, where this one has none of its own.
func (b *builder) likes(statements []*statement) {
	seen := map[string]bool{}
	for _, s := range statements {
		for _, p := range s.names {
			if s.keyword != "like" || seen[p.name] {
				continue
			}
			seen[p.name] = true
			other, err := Open(p.name)
			if err != nil {
				b.r.problem(p.at, "%v", err)
				continue
			}
			b.inherit(other)
		}
	}
}

func (b *builder) inherit(other *Spec) {
	own := map[string]bool{}
	for i := range b.ratios {
		own[b.ratios[i].Name] = true
	}
	for _, q := range other.ratios {
		if !own[q.Name] {
			b.ratios = append(b.ratios, q)
		}
	}
	for _, name := range b.order {
		b.texts[name] = cmp.Or(b.texts[name], other.texts[name])
		b.units[name] = cmp.Or(b.units[name], other.units[name])
	}
}

// name checks that what is described, or has a unit, is there, and hands the descriptions of sets and ratios to them.
func (b *builder) name(statements []*statement) {
	named := map[string]bool{}
	for i := range b.Sets {
		named[b.Sets[i].Name] = true
		b.Sets[i].Description = b.texts[b.Sets[i].Name]
	}
	for i := range b.ratios {
		named[b.ratios[i].Name] = true
		b.ratios[i].Description = cmp.Or(b.texts[b.ratios[i].Name], b.ratios[i].Description)
	}
	for _, s := range statements {
		n := s.name.name
		if metric := b.entries[n] != nil; s.keyword == "unit" && !metric || s.keyword == "describe" && !metric && !named[n] {
			b.r.problem(s.name.at, "nothing else says what %s is", n)
		}
	}
}

// flag notes something about names that were mentioned: "event" that they are measured if anything is.
func (b *builder) flag(what string, names []part) {
	for _, p := range names {
		b.mention(p).flags[what] = p.at
	}
}

func (e *entry) defined() bool { return e.compose != nil || e.measure != nil || e.compute != nil }

func (e *entry) is(flag string) bool {
	_, ok := e.flags[flag]
	return ok
}

// own tells whether a statement of a file is not of a specification that is shipped: those have metrics for far more than was measured,
// but who writes one wants all of it.
func own(file string) bool { return !slices.Contains(Shipped(), file) }

func ratioOf(s *statement) ratio {
	numeric := func(name string, otherwise float64) float64 {
		if v, err := finite(s.options[name]); err == nil {
			return v
		}
		return otherwise
	}
	return ratio{Ratio{Name: s.name.name, Unit: s.options["unit"], Low: numeric("low", 0), High: numeric("high", 0), Least: numeric("least", 1)}, s.alts, own(s.spec)}
}

func (b *builder) addSet(s *statement) {
	set := Set{Name: s.name.name}
	for _, p := range s.names {
		if slices.Contains(set.Events, p.name) {
			b.r.problem(p.at, "%s is in the set %s twice", p.name, set.Name)
		}
		set.Events = append(set.Events, p.name)
		b.mention(p)
	}
	b.flag("event", s.names)
	b.Sets = append(b.Sets, set)
}

func (b *builder) addMachine(s *statement) {
	m := &b.Machine
	var names []string
	for _, p := range s.names {
		names = append(names, p.name)
	}
	switch s.name.name {
	case "counters":
		m.Counters, _ = strconv.Atoi(names[0])
		return
	case "fits":
		counter, _ := strconv.Atoi(s.text)
		if m.Fits == nil {
			m.Fits = map[string]uint64{}
		}
		for _, n := range names {
			m.Fits[n] |= 1 << counter
		}
	case "group":
		m.Groups = append(m.Groups, names)
	case "alone":
		m.Alone = append(m.Alone, names...)
	}
	b.flag("event", s.names)
}

// check reports what is wrong with the statements about a name, apart from where it stands in hierarchies.
func (b *builder) check(name string) {
	e := b.entries[name]
	if at, rest := e.flags["rest"]; rest && e.defined() {
		b.r.problem(at, "%s is said to be measured by nothing, but there is a statement for it", name)
	}
	if at, root := e.flags["root"]; root && !e.defined() {
		b.r.problem(at, "no statement makes %s", name)
	}
	for i, p := range e.compose {
		if slices.ContainsFunc(e.compose[:i], func(o part) bool { return o.name == p.name }) {
			b.r.problem(p.at, "%s is in %s twice", p.name, name)
		}
	}
	b.depth(name, nil)
}

// depth is the length of the longest way from a name down to an event. A name on a way to itself is a problem. On the way back, it finds
// the parts in hierarchies.
func (b *builder) depth(name string, above []string) int {
	if d, ok := b.depths[name]; ok {
		return d
	}
	if i := slices.Index(above, name); i >= 0 {
		circle := append(slices.Clone(above[i:]), name)
		if len(circle) > 8 {
			circle = append(circle[:7], "…", name)
		}
		b.r.problem(b.entries[name].at, "%s is made of itself: %s", name, strings.Join(circle, ", "))
		b.depths[name] = 0
		return 0
	}
	deepest := 0
	for n := range b.entries[name].uses() {
		deepest = max(deepest, 1+b.depth(n, append(above, name)))
	}
	b.depths[name] = deepest
	e := b.entries[name]
	e.parts = e.compose
	for i := 0; e.parts == nil && i < len(e.measure); i++ {
		e.parts = b.children(e.measure[i].name)
	}
	if deepest == maxNesting+1 {
		b.r.problem(b.entries[name].at, "%s is made in more than %d steps", name, maxNesting)
	}
	return deepest
}

// uses yields the names that statements for this one refer to.
func (e *entry) uses() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, parts := range [][]part{e.compose, e.measure} {
			for _, p := range parts {
				if !yield(p.name) {
					return
				}
			}
		}
		for _, c := range e.compute {
			for _, o := range c.operands {
				if !yield(o.name) {
					return
				}
			}
		}
	}
}

// children are the parts of a name in a hierarchy: those it is composed of, or those of what it is measured by.
func (s *Spec) children(name string) []part { return s.entries[name].parts }

// Roots lists the roots of the hierarchies: names declared to be, and those that are part of no other.
func (s *Spec) Roots() []string {
	below := map[string]bool{}
	for _, name := range s.order {
		for _, p := range s.children(name) {
			below[p.name] = true
		}
		if e := s.entries[name]; e.compose == nil && s.children(name) != nil {
			for _, m := range e.measure {
				below[m.name] = true
			}
		}
	}
	var roots []string
	for _, name := range s.order {
		if e := s.entries[name]; e.defined() && !e.is("absent") && (!below[name] || e.is("root")) {
			roots = append(roots, name)
		}
	}
	return roots
}

// maxTree limits the metrics of all hierarchies together.
const maxTree = 1 << 14

// trees checks that no name has two parents in a hierarchy, and that the hierarchies are not too large.
func (b *builder) trees() {
	count := 0
	for _, root := range b.Roots() {
		parent := map[string]string{}
		var walk func(name string)
		walk = func(name string) {
			for _, p := range b.children(name) {
				if count++; count > maxTree {
					return
				}
				if other, seen := parent[p.name]; seen && !b.entries[p.name].is("absent") {
					b.r.problem(p.at, "%s is in %s and in %s of the hierarchy %s", p.name, other, name, root)
					continue
				}
				parent[p.name] = name
				walk(p.name)
			}
		}
		walk(root)
	}
	if count > maxTree {
		b.r.problem(position{b.r.file, 1, 1}, "the hierarchies have more than %d metrics", maxTree)
	}
}
