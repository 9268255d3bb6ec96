package main

import (
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// edit replaces a part of a source.
type edit struct {
	from, to int
	text     string
}

// plainForm is the source as somebody would write it who never heard of package instrument, line by line the same.
func (s *source) plainForm() string {
	var edits []edit
	at := func(n ast.Node) int { return s.set.Position(n.Pos()).Offset }
	end := func(n ast.Node) int { return s.set.Position(n.End()).Offset }
	remove := func(n ast.Node) { edits = append(edits, edit{at(n), end(n), ""}) }
	called := map[ast.Expr]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if strings.HasPrefix(n.Path.Value, `"tracerec/`) {
				remove(n)
			}
		case *ast.ValueSpec:
			if s.selects(n.Type, "plain") != "" {
				edits = append(edits, edit{at(n.Type), end(n.Type), "sync.Mutex"})
			}
		case *ast.DeferStmt:
			if strings.HasPrefix(s.text[at(n):], "defer instrument.Region(") {
				remove(n)
				return false
			}
		case *ast.AssignStmt:
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && s.selects(call.Fun, "instrument") == "Select" {
				remove(n)
				return false
			}
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && s.selects(call.Fun, "sel") != "" {
				remove(n)
				return false
			}
		case *ast.CallExpr:
			form, ok := plainForms[s.selects(n.Fun, "instrument")]
			if !ok {
				return true
			}
			called[n.Fun] = true
			edits = append(edits, edit{at(n), at(n.Args[0]), form.before}, edit{end(n.Args[len(n.Args)-1]), end(n), form.behind})
			if len(n.Args) == 2 {
				edits = append(edits, edit{end(n.Args[0]), at(n.Args[1]), " <- "})
			}
		case *ast.SelectorExpr:
			if name := s.selects(n, "instrument"); name != "" && !called[n] {
				edits = append(edits, edit{at(n), end(n), homeOf(name) + name})
			}
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	text := s.text
	for _, e := range edits {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text
}

// homeOf is where Go has what package instrument has by that name.
func homeOf(name string) string {
	switch name {
	case "Sleep":
		return "time."
	case "NewBarrier":
		return "make" // see noPlainForm
	}
	return "sync."
}

// plainForms are the operations of package instrument as the language has them.
var plainForms = map[string]struct{ before, behind string }{
	"Send":  {"", ""},
	"Recv":  {"(<-", ")"},
	"Recv2": {"<-", ""},
	"Range": {"", ""},
	"Close": {"close(", ")"},
	"Go":    {"go ", "()"},
}

// selects returns the name that an expression selects in a package or variable, "" if it is something else.
func (s *source) selects(x ast.Expr, in string) string {
	if i, ok := x.(*ast.IndexExpr); ok {
		x = i.X
	}
	if x, ok := x.(*ast.SelectorExpr); ok {
		if id, ok := x.X.(*ast.Ident); ok && id.Name == in {
			return x.Sel.Name
		}
	}
	return ""
}

// plainProgram writes the scenarios in their plain form as a module that knows nothing of this one, and builds it.
func (x tools) plainProgram(t *testing.T, flags ...string) string {
	dir := t.TempDir()
	for _, s := range sources(t) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.name), []byte(strings.Replace(s.plainForm(), "func main() {", "func main() {\n\tdefer traced()()", 1)), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "barrier.go"), []byte(plainBarrier), 0o666))
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module planted\n\ngo 1.26.0\n\nrequire golang.org/x/sync v0.24.0\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "traced.go"), []byte(tracedMain), 0o666))
	build := exec.Command(x.tracerec, slices.Concat([]string{"build"}, flags, []string{"-o", "planted", "."})...)
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, "planted")
}

// noPlainForm are scenarios of what Go has no operation for: what people make of a lock instead is another cause.
var noPlainForm = []string{"stencil"}

const plainBarrier = `package main

import "sync"

type barrier struct {
	n, here, round int
	mu             sync.Mutex
	turned         *sync.Cond
}

func makeNewBarrier(n int) *barrier {
	b := &barrier{n: n}
	b.turned = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) Wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.here++; b.here == b.n {
		b.here, b.round = 0, round+1
		b.turned.Broadcast()
	}
	for b.round == round {
		b.turned.Wait()
	}
}
`

// The same programs without a call of package instrument, and without a region.
func TestPlain(t *testing.T) {
	x := build(t)
	program := x.plainProgram(t)
	first, whole := 0, 0
	for _, p := range readPlants(t) {
		if slices.Contains(noPlainForm, p.name) {
			continue
		}
		whole++
		a := x.run(t, program, p.name)
		j := p.judge(a)
		if j.first {
			first++
		}
		t.Logf("%-14s %-16s first %-5v holds %-5v certain %-5v named %-5v %s", p.name, p.metric, j.first, j.holds, j.certain, j.named, j.verdict)
		if !j.holds || !j.first {
			t.Logf("  first: %s", a.summary())
		}
		assert.True(t, j.sums, "%s: the parts of the critical path add up to its length: %v, %d ns", p.name, a.CriticalPath, a.Experiment.Focus)
	}
	t.Logf("of %d: first %d", whole, first)
	require.GreaterOrEqual(t, first, whole-1)
}
