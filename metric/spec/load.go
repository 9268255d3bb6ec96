package spec

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed shipped/*.spec
var shipped embed.FS

// Shipped lists the names of the specifications that come with this package, sorted.
func Shipped() []string {
	files, _ := shipped.ReadDir("shipped")
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".spec")
	}
	return names
}

// Text is the text of a shipped specification.
func Text(name string) ([]byte, error) {
	if !slices.Contains(Shipped(), name) {
		return nil, fmt.Errorf("specification %s: not among those that are shipped: %s", name, strings.Join(Shipped(), ", "))
	}
	return shipped.ReadFile("shipped/" + name + ".spec")
}

// opened holds what Open has read, by name: a func() (*Spec, error).
var opened sync.Map

// Open returns a shipped specification by its name. Each is read once: a Spec never changes.
func Open(name string) (*Spec, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	read, ok := opened.Load(name)
	if !ok {
		read, _ = opened.LoadOrStore(name, sync.OnceValues(func() (*Spec, error) { return Parse(name, text) }))
	}
	return read.(func() (*Spec, error))()
}

// Choose returns what somebody wants who names specifications, read by Load as one, or without names what is shipped for a processor.
func Choose(cpu CPU, names ...string) (list []*Spec, err error) {
	if len(names) > 0 {
		s, err := Load(names...)
		return []*Spec{s}, err
	}
	for _, name := range For(cpu) {
		s, err := Open(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Load reads several specifications as one: shipped ones by name, others by the path of their file. Statements of later ones may
// override those of earlier ones; where there are several, each override has to have something to override. The error is [Problems],
// or that of a file that cannot be read.
func Load(names ...string) (*Spec, error) {
	r := &reader{}
	for _, name := range names {
		text, err := Text(name)
		if err != nil {
			if text, err = readFile(name); err != nil && !strings.ContainsAny(name, `./\`) {
				err = fmt.Errorf("specification %s: no such file, and not among those that are shipped: %s", name, strings.Join(Shipped(), ", "))
			}
			if err != nil {
				return nil, err
			}
		}
		r.file = name
		r.read(string(text))
	}
	return r.result(strings.Join(names, "+"), len(names) > 1)
}

// readFile reads a file, but little more than a specification may have: what it names may be a device or a pipe without end.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxText+1))
}

// processor is what a specification is for.
type processor struct {
	arch, vendor, name string // name: part of the processor's name
	family, model      []span
}

type span struct{ low, high int }

// cpuOptions are the attributes of processors.
var cpuOptions = map[string]bool{"arch": false, "vendor": false, "family": false, "model": false, "name": false}

func (b *builder) addProcessor(s *statement) {
	p := processor{arch: s.options["arch"], vendor: s.options["vendor"], name: s.options["name"]}
	var err error
	if p.family, err = spans(s.options["family"]); err == nil {
		p.model, err = spans(s.options["model"])
	}
	if err != nil {
		b.r.problem(s.name.at, "%v", err)
	}
	b.processors = append(b.processors, p)
}

// spans reads "1,3-5,0x10".
func spans(text string) (all []span, err error) {
	if text == "" {
		return nil, nil
	}
	for _, t := range strings.Split(text, ",") {
		low, high, ok := strings.Cut(t, "-")
		if !ok {
			high = low
		}
		l, err1 := strconv.ParseInt(low, 0, 32)
		h, err2 := strconv.ParseInt(high, 0, 32)
		if err1 != nil || err2 != nil || l > h {
			return nil, fmt.Errorf("%s is no number or range of numbers", t)
		}
		all = append(all, span{int(l), int(h)})
	}
	return all, nil
}

// fit tells how special a specification is to a processor: 0 if it is not for it, else the number of attributes that say so.
func (p *processor) fit(c CPU) int {
	n := 0
	for _, x := range []struct{ stated, matches bool }{
		{p.arch != "", p.arch == c.Arch},
		{p.vendor != "", p.vendor == c.Vendor},
		{p.name != "", strings.Contains(strings.ToLower(c.Name), strings.ToLower(p.name))},
		{p.family != nil, within(p.family, c.Family)},
		{p.model != nil, within(p.model, c.Model)},
	} {
		if x.stated && !x.matches {
			return 0
		}
		if x.stated {
			n++
		}
	}
	return n
}

func within(spans []span, n int) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.low <= n && n <= s.high })
}

// general are the shipped specifications for any processor, in the order in which they are tried.
var general = []string{"linux", "papi", "go"}

// For returns the names of the shipped specifications for a processor that go together, and with the events if some are given: those
// that show most of the events come first, then those most special to the processor. No two have a metric of the same name, and "go"
// is always among them.
func For(c CPU, events ...string) []string {
	type candidate struct {
		name       string
		spec       *Spec
		shown, fit int
	}
	var all []candidate
	for _, name := range Shipped() {
		s, err := Open(name)
		if err != nil {
			continue // an addition to another
		}
		fit := -slices.Index(general, name) - 1 // negative for the general ones, 0 for others
		for i := range s.processors {
			fit = max(fit, s.processors[i].fit(c))
		}
		if fit > 0 || slices.Contains(general, name) {
			all = append(all, candidate{name, s, len(events) - len(s.Resolve(events).Unlisted), fit})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(b.shown-a.shown, b.fit-a.fit) })
	var names []string
	taken := map[string]bool{}
	for _, x := range all {
		if x.name != "go" && (len(events) > 0 && x.shown == 0 || x.spec.defines(taken)) {
			continue
		}
		names = append(names, x.name)
		for n, e := range x.spec.entries {
			taken[n] = taken[n] || e.defined()
		}
	}
	return names
}

// defines tells whether the specification has a statement for one of the names.
func (s *Spec) defines(names map[string]bool) bool {
	for n, e := range s.entries {
		if e.defined() && names[n] {
			return true
		}
	}
	return false
}

// base is the name of a specification without the folder and ending of its file.
func base(file string) string { return strings.TrimSuffix(filepath.Base(file), ".spec") }
