// Package regions makes functions of the user's packages regions: text is inserted into their files, on the line where a function begins, so
// all lines keep their numbers. A function of many returns gets a single one, see returns.go. The files themselves are not changed: the new text goes into an overlay.
//
// A function that the compiler would inline is left alone, as well as one that calls nothing and has no loop: recording it would cost more than
// it tells, unless something outside the program is waited for in it.
package regions

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"tracerec/autoinst/overlay"
	"tracerec/internal/regionfilter"
)

// Options say which functions become regions.
type Options struct {
	Rules  []regionfilter.Rule // the last that matches a function decides, whatever the compiler does with it; patterns are of either name
	Filter regionfilter.Filter
	Deps   []string // patterns of import paths: packages of dependencies that are instrumented, too
	Say    bool     // the user wants to know the summary
}

// Write writes a table of summaries.
func Write(w io.Writer, of []Summary) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "functions\tregions\tinlined\ttrivial\texcluded\tother\t  package")
	line := func(s Summary, name string) {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", s.Functions, s.Regions, s.Inlined, s.Trivial, s.Excluded, s.Other, name)
	}
	for _, s := range of {
		line(s, s.Package)
	}
	line(Total(of), "in all")
	t.Flush()
}

// Build is what the go command is about to build, and how.
type Build struct {
	Go       func(args ...string) *exec.Cmd // makes a go command
	Dir      string                         // absolute, in which it works
	Chdir    []string                       // flags that bring it there
	Flags    []string                       // others that go build and go list have in common
	Packages []string
	Tests    bool   // the tests of these packages
	Overlay  string // file of the overlay as it is without regions
	Cache    string // of modules, where no file can be replaced
}

// Summary is what became of the functions of a package.
type Summary struct {
	Package   string
	Functions int // with a body: declared ones, and literals
	Regions   int
	Inlined   int // left alone because the compiler inlines them, and nothing outside is waited for in them
	Trivial   int // because they call nothing and have no loop
	Excluded  int // because the user says so
	Other     int // because a directive of the compiler, or their place, forbids it; or a package embeds their file

	small map[string]bool // those that are inlined and not trivial: do they have loops?
}

// Instrument adds the instrumented files of a build to its overlay, which must have all else in it. Packages that do not build are left to the go
// command, which says what is wrong with them.
func Instrument(o *overlay.Overlay, b Build, opts Options) ([]Summary, error) {
	all, err := b.list()
	if err != nil {
		return nil, err
	}
	var of []*pkg
	for _, p := range all {
		if p.Goroot {
			if err := instrumentStandard(o, p.ImportPath); err != nil {
				return nil, err
			}
		} else if p.chosen(opts.Deps) && !within(p.Dir, b.Cache) {
			of = append(of, p)
		}
	}
	inlined, broken, err := b.verdicts(of)
	if err != nil {
		return nil, err
	}
	of = slices.DeleteFunc(of, func(p *pkg) bool { return broken[p.path()] || broken[strings.TrimSuffix(p.path(), "_test")] })
	c := chooser{Options: opts, inlined: inlined, embedded: embedded(all), values: map[symbol]bool{}}
	var packages []*edited
	byPath := map[string]*edited{}
	seen := map[string]bool{}
	for _, p := range of {
		path := p.path()
		e := byPath[path]
		if e == nil {
			e = &edited{Summary: Summary{Package: path}}
			byPath[path], packages = e, append(packages, e)
		}
		for _, name := range p.files() {
			if !seen[name] {
				seen[name] = true
				e.find(o, p, name)
			}
		}
	}
	findWaits(packages)
	for _, e := range packages {
		maps.Copy(c.values, e.values)
	}
	var summaries []Summary
	for _, e := range packages {
		c.instrument(e)
		e.addTo(o)
		if e.Functions > 0 {
			summaries = append(summaries, e.Summary)
		}
	}
	slices.SortFunc(summaries, func(a, b Summary) int { return cmp.Compare(a.Package, b.Package) })
	return summaries, nil
}

func (s *Summary) add(t Summary) {
	s.Functions += t.Functions
	s.Regions += t.Regions
	s.Inlined += t.Inlined
	s.Trivial += t.Trivial
	s.Excluded += t.Excluded
	s.Other += t.Other
}

// Total adds up summaries.
func Total(of []Summary) (t Summary) {
	for _, s := range of {
		t.add(s)
	}
	return t
}

// chooser chooses functions.
type chooser struct {
	Options
	inlined  map[place]bool
	embedded map[string]bool // files whose text the program has: nothing may be inserted
	values   map[symbol]bool // of functions of all packages, see valuesIn
}

// place is where a function is declared, as the compiler says it. The column is that of a literal, else 0.
type place struct {
	file         string
	line, column int
}

// columns is the first of the columns that the compiler does not tell. Literals that begin there or behind are at one place.
const columns = 255

func placeOf(p token.Position) place {
	return place{filepath.Clean(p.Filename), p.Line, min(p.Column, columns)}
}

// verdict is what is decided for a function.
type verdict uint8

const (
	region verdict = iota
	isInlined
	isTrivial
	isExcluded
	isOther
)

// verdict decides for a function.
func (c *chooser) verdict(f *function, file string) verdict {
	said := f.comment
	if said == noComment {
		for _, r := range c.Rules {
			if regionfilter.Match(r.Pattern, f.name) || regionfilter.Match(r.Pattern, f.full) {
				said = asRegion
				if r.Exclude {
					said = noRegion
				}
			}
		}
	}
	switch {
	case f.forbidden, c.embedded[file]:
		return isOther
	case said == noRegion:
		return isExcluded
	case said == asRegion:
		return region
	case c.Filter.Excludes(f.name, f.full, file):
		return isExcluded
	case f.always, f.handles != noHandler, f.intercepts.info != "":
		return region
	case c.inlined[f.at] && !f.waits && !f.given:
		return isInlined
	case f.trivial:
		return isTrivial
	}
	return region
}

// count adds a verdict to a summary.
func (s *Summary) count(v verdict) {
	s.Functions++
	switch v {
	case region:
		s.Regions++
	case isInlined:
		s.Inlined++
	case isTrivial:
		s.Trivial++
	case isExcluded:
		s.Excluded++
	default:
		s.Other++
	}
}
