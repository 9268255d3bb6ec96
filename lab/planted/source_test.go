package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
)

// plant is a scenario as its source tells it.
type plant struct {
	name, metric, object string
	waits, causes, works []place
	own                  []unit // what can be left out that belongs to the planted wait
}

// unit is a use of package instrument in the source that can be put out of use alone.
type unit struct {
	place
	offset int
	keep   bool  // it belongs to a planted wait
	with   place // what goes the same way: itself, or one for all conditions of a file, whose types must agree
}

const markers = "planted:"

// readPlants reads the scenarios from the source of this package, sorted by name.
func readPlants(t *testing.T) (plants []*plant) {
	wanted := regexp.MustCompile(*only)
	files := sources(t)
	functions := map[string]*plant{}
	names := map[string]string{} // of functions, by scenario
	for _, s := range files {
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if f.Name.Name == "init" {
				s.registered(f, names)
			}
			if f.Doc != nil {
				if p := s.directives(f); p.metric != "" {
					functions[f.Name.Name] = p
				}
			}
		}
	}
	for name, function := range names {
		p := functions[function]
		require.NotNil(t, p, "nothing is said to be planted in %s", function)
		p.name = name
		plants = append(plants, p)
	}
	slices.SortFunc(plants, func(a, b *plant) int { return strings.Compare(a.name, b.name) })
	require.Len(t, plants, len(scenarios))
	return slices.DeleteFunc(plants, func(p *plant) bool { return !wanted.MatchString(p.name) })
}

type source struct {
	name  string
	text  string
	set   *token.FileSet
	ast   *ast.File
	marks map[int]string // by line
}

func sources(t *testing.T) (list []*source) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		s := &source{name: name, text: string(text), set: token.NewFileSet(), marks: map[int]string{}}
		s.ast, err = parser.ParseFile(s.set, name, text, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//"+markers) {
					s.marks[s.set.Position(c.Pos()).Line] = c.Text
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// registered reads the table of scenarios in an init function.
func (s *source) registered(f *ast.FuncDecl, names map[string]string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			names[strings.Trim(kv.Key.(*ast.BasicLit).Value, `"`)] = kv.Value.(*ast.Ident).Name
		}
		return true
	})
}

// directives reads what is planted in a function. What it plants lies in it, or in the functions and types just before it.
func (s *source) directives(f *ast.FuncDecl) *plant {
	p := new(plant)
	for _, c := range f.Doc.List {
		if v, ok := strings.CutPrefix(c.Text, "//planted:metric "); ok {
			p.metric = v
		}
		if v, ok := strings.CutPrefix(c.Text, "//planted:object "); ok {
			p.object = v
		}
	}
	from, to := s.before(f), s.set.Position(f.End()).Line
	for line, mark := range s.marks {
		if line < from || line > to {
			continue
		}
		if strings.Contains(mark, "planted:wait") {
			p.waits = append(p.waits, place{s.name, line})
		}
		if strings.Contains(mark, "planted:cause") {
			p.causes = append(p.causes, place{s.name, line})
		}
		if strings.Contains(mark, "planted:work") {
			p.works = append(p.works, place{s.name, line})
		}
	}
	for _, u := range s.units() {
		if u.keep && u.Line >= from && u.Line <= to {
			p.own = append(p.own, u)
		}
	}
	return p
}

// before returns the line after the scenario before f.
func (s *source) before(f *ast.FuncDecl) int {
	last := 0
	for _, d := range s.ast.Decls {
		if d.Pos() >= f.Pos() {
			break
		}
		if g, ok := d.(*ast.FuncDecl); ok && g.Doc != nil && strings.Contains(s.text[s.set.Position(g.Doc.Pos()).Offset:s.set.Position(g.Pos()).Offset], "//planted:metric") {
			last = s.set.Position(g.End()).Line
		}
	}
	return last + 1
}

// units finds what can be put out of use: go statements, operations, and types of locks and the like. Regions stay: they neither wait
// nor start anything.
func (s *source) units() (list []unit) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := x.X.(*ast.Ident)
		if !ok || id.Name != "instrument" || slices.Contains([]string{"Region", "NewRegion", "NewBarrier"}, x.Sel.Name) {
			return true
		}
		at := s.set.Position(id.Pos())
		u := unit{place: place{s.name, at.Line}, offset: at.Offset, keep: s.marks[at.Line] != "" && !strings.Contains(s.marks[at.Line], "planted:work")}
		if u.with = u.place; strings.HasSuffix(x.Sel.Name, "Cond") {
			u.keep, u.with.Line = true, 0
		}
		list = append(list, u)
		return true
	})
	return list
}

// What is planted is something that the analysis knows, at a line, and the programs build with whatever is left out.
func TestSource(t *testing.T) {
	plants := readPlants(t)
	for _, p := range plants {
		require.True(t, slices.ContainsFunc(patterns.All(), func(k *analyzer.Pattern) bool { return k.Name == p.metric }), "%s: %s", p.name, p.metric)
		require.True(t, len(p.waits) > 0 || p.metric == "sleep" || p.metric == "execution", p.name)
	}
	for draw := range uint64(3) {
		tools{}.program(t, plants, leaveOut(plants, draw, draw < 2))
	}
}

// leaveOut draws three tenths of all units, of those that do not belong to what is planted if spare.
func leaveOut(plants []*plant, seed uint64, spare bool) map[place]bool {
	r := rand.New(rand.NewPCG(seed, 7))
	left := map[place]bool{}
	for _, s := range sources(&testing.T{}) {
		for _, u := range s.units() {
			if draw := r.Float64() < 0.3; draw && !(spare && u.keep) {
				left[u.with] = true
			}
		}
	}
	return left
}

// complete says whether something is planted, and all that belongs to the planted wait is recorded.
func (p *plant) complete(left map[place]bool) bool {
	return len(p.waits) > 0 && !slices.ContainsFunc(p.own, func(u unit) bool { return left[u.with] })
}

// program builds the program with what is left out replaced.
func (x tools) program(t *testing.T, plants []*plant, left map[place]bool) string {
	replace := map[string]string{}
	dir := t.TempDir()
	for _, s := range sources(t) {
		text := s.text
		units := s.units()
		slices.SortFunc(units, func(a, b unit) int { return b.offset - a.offset })
		for _, u := range units {
			if left[u.with] {
				text = text[:u.offset] + "plain" + text[u.offset+len("instrument"):]
			}
		}
		name, err := filepath.Abs(s.name)
		require.NoError(t, err)
		replace[name] = filepath.Join(dir, s.name)
		require.NoError(t, os.WriteFile(replace[name], []byte(text), 0o666))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o666))
	program := filepath.Join(dir, "planted")
	out, err := exec.Command("go", "build", "-overlay", file, "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}
