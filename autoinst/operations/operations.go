// Package operations rewrites the source of programs so that they record the operations by which their goroutines wait for each other. It is
// for where the runtime cannot be patched (see package autoinst/sync), and a second opinion on what that records.
//
// Only the packages that are chosen are rewritten: what their dependencies and the standard library do is not recorded. Types, values, the order of
// evaluation, and the line of everything stay what they are; values of package sync keep their types as well. The files themselves are not
// changed: the new text goes into an overlay.
package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
)

// Build is what the go command is about to build, and how.
type Build struct {
	Go       func(args ...string) *exec.Cmd // makes a go command
	Chdir    []string                       // flags that bring it to where it works
	Flags    []string                       // others that decide which packages there are
	Packages []string
	Tests    bool   // the tests of these packages
	Arch     string // for which architecture
	Deps     []string
	Fixed    func(dir string) bool // tells whether files of a directory cannot be replaced
}

// Summary is what was done.
type Summary struct {
	Rewritten int      // operations
	Left      []string // what could not be rewritten: where, and why
}

// Rewrite adds the rewritten files of the packages of the main module to an overlay. Packages that do not compile are left to the go command, which
// says what is wrong with them.
func (b *Build) Rewrite(o *overlay.Overlay) (s Summary, err error) {
	l, err := b.load(o)
	if err != nil {
		return s, err
	}
	seen := map[string]bool{}
	for _, p := range l.all {
		if !l.chosen(p) || p.types == nil || p.err != nil && len(p.CgoFiles) == 0 {
			continue
		}
		imports := false
		for i, f := range p.files {
			name := p.names[i]
			if seen[name] {
				imports = true
				continue
			}
			seen[name] = true
			r := &file{text: text{file: l.set.File(f.Package)}, p: p, set: l.set, info: p.info, syntax: f}
			if r.old, err = o.Text(name); err != nil {
				return s, err
			}
			before := r.old
			after := r.rewrite(imports || strings.HasSuffix(name, "_test.go"))
			imports = true
			if after != before {
				o.Add(name, after)
			}
			s.Rewritten += r.count
			s.Left = append(s.Left, r.left...)
		}
	}
	return s, nil
}

// file is a file that is rewritten.
type file struct {
	text
	p      *pkg
	set    *token.FileSet
	info   *types.Info
	syntax *ast.File
	name   string // under which package instrument is imported
	shared bool   // variables of loops are shared by all rounds

	count    int
	left     []string
	numbers  int                     // given to names
	two      map[ast.Expr]types.Type // receives that also tell whether there was a value, with the type of what they tell; nil: new
	labelled map[ast.Stmt]bool       // statements that have a label
	keep     map[string]bool         // declarations for imports that else may be unused
	bodies   []*body                 // of the functions around
}

// body is what is known of the body of a function.
type body struct {
	variables []string         // to declare in it
	choice    string           // the one for its select statements, of which one at a time is in progress
	guarded   bool             // one of them may panic
	defers    []*ast.DeferStmt // of the function itself
}

// body returns the innermost one.
func (r *file) body() *body { return r.bodies[len(r.bodies)-1] }

// rewrite returns the new text. Every package imports the recorder, whether it needs that or not: so they are initialized in the order in which they
// were. imported says that another file does so.
func (r *file) rewrite(imported bool) string {
	for r.name = "__tracerec"; strings.Contains(r.old, r.name); {
		r.name += "_"
	}
	r.two, r.labelled, r.keep = map[ast.Expr]types.Type{}, map[ast.Stmt]bool{}, map[string]bool{}
	language := r.info.FileVersions[r.syntax]
	r.shared = language != "" && version.Compare(language, "go1.22") < 0
	if language != "" && version.Compare(language, "go1.18") < 0 {
		r.leave(r.syntax, "it is written in "+language)
	} else {
		for _, d := range r.syntax.Decls {
			r.visit(d)
		}
	}
	name := r.name
	if len(r.edits) == 0 {
		if imported {
			return r.old
		}
		name = "_"
	}
	r.behind(r.syntax.Name.End(), "; import "+name+` "tracerec/instrument"`)
	s := r.render(0, len(r.old))
	for _, declaration := range slices.Sorted(maps.Keys(r.keep)) {
		s += "\n" + declaration + "\n"
	}
	return s
}

// leave notes that something is not rewritten.
func (r *file) leave(n ast.Node, why string) {
	at := r.set.Position(n.Pos())
	r.left = append(r.left, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, why))
}

// fresh returns a name that nothing in the file has.
func (r *file) fresh(kind string) string {
	r.numbers++
	return fmt.Sprintf("%s_%s%d", r.name, kind, r.numbers)
}

// visit rewrites the operations in a part of the file.
func (r *file) visit(n ast.Node) {
	if n != nil {
		ast.Inspect(n, r.node)
	}
}

func (r *file) visitAll(list []ast.Stmt) {
	for _, s := range list {
		r.visit(s)
	}
}

// node rewrites an operation, and tells whether those in it remain to be visited.
func (r *file) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Body != nil && !forbidden(n) {
			r.function(n.Body)
		}
		return false
	case *ast.FuncLit:
		r.function(n.Body)
		return false
	case *ast.AssignStmt:
		if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
			r.two[ast.Unparen(n.Rhs[0])] = r.typeOfOK(n)
		}
	case *ast.ValueSpec:
		if len(n.Names) == 2 && len(n.Values) == 1 {
			r.two[ast.Unparen(n.Values[0])] = nil
		}
	case *ast.SendStmt:
		r.send(n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			r.receive(n)
		}
	case *ast.RangeStmt:
		return !r.ranges(n)
	case *ast.LabeledStmt:
		r.labelled[n.Stmt] = true
	case *ast.DeferStmt:
		r.body().defers = append(r.body().defers, n)
	case *ast.SelectStmt:
		r.selects(n)
		return false
	case *ast.GoStmt:
		return !r.goes(n)
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && r.builtin(id) == "close" {
			r.count++
			r.replace(id.Pos(), id.End(), r.name+".Close")
		}
	case *ast.SelectorExpr:
		return !r.selector(n)
	case *ast.Ident:
		r.imported(n, n, "")
	}
	return true
}

// function rewrites the body of a function, with the variables that its operations need. What it defers is done before what was deferred earlier.
func (r *file) function(block *ast.BlockStmt) {
	b := &body{}
	r.bodies = append(r.bodies, b)
	r.visitAll(block.List)
	r.bodies = r.bodies[:len(r.bodies)-1]
	if len(b.variables) > 0 {
		r.replace(block.Lbrace, block.Lbrace+1, "{ var "+strings.Join(b.variables, "; var ")+"; ")
	}
	if b.guarded {
		for _, d := range b.defers {
			r.behind(d.End(), "; "+b.choice+".Unguard()")
		}
	}
}

// forbidden tells whether the compiler does not let a function call others.
func forbidden(f *ast.FuncDecl) bool {
	if f.Doc != nil {
		for _, c := range f.Doc.List {
			if c.Text == "//go:nosplit" || strings.HasPrefix(c.Text, "//go:nowritebarrier") {
				return true
			}
		}
	}
	return false
}

// builtin returns the name of a function that the language has, "" if the name stands for something else.
func (r *file) builtin(id *ast.Ident) string {
	if b, ok := r.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}
