package regions

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracerec/trace/wire"
)

// comment is what one before a function says.
type comment uint8

const (
	noComment comment = iota
	asRegion          // tracerec:region
	noRegion          // tracerec:noregion
)

// function is one with a body.
type function struct {
	name, full string // without and with the path of its package; of a literal as the compiler mostly calls it
	at         place
	in         *edit
	of         *ast.FuncType
	body       *ast.BlockStmt
	comment    comment
	forbidden  bool // nothing may be inserted
	trivial    bool // it calls nothing and has no loop
	always     bool // main, and what a benchmark may give to RunParallel, which is called once for each goroutine
	given      bool // its value is given to what runs it, or it can be to net/http, so nothing of it is inlined there
	handles    int  // the number of the type of functions that handle requests, if it could be of one, else noHandler
	intercepts interception
	value      symbol // by which others give its value to somebody, see valuesIn; of a literal none
	key        symbol // by which others call it
	calls      []callee
	waits      bool // for what is outside the program, as far as is known
}

// finder finds the functions of a file.
type finder struct {
	p       *pkg
	files   *token.FileSet
	imports map[string]string // packages by their names in the file
	test    bool
	all     []*function
}

// functionsOf returns the functions of a file of a package.
func functionsOf(files *token.FileSet, file *ast.File, p *pkg, test bool) []*function {
	x := &finder{p: p, files: files, imports: importsOf(file), test: test}
	variables := &scope{name: "glob."}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			x.declared(f)
		} else {
			x.literals(d, variables, false)
		}
	}
	return x.all
}

// declared adds a function that is declared, and the literals in it.
func (x *finder) declared(d *ast.FuncDecl) {
	if d.Body == nil {
		return
	}
	f := x.named(nameOf(d), d.Name.Pos(), d.Type, d.Body)
	f.handles, f.given, f.value = x.handles(d.Type), x.serves(d.Type), symbol{name: d.Name.Name}
	if d.Recv == nil {
		f.value.pkg = x.p.path()
	}
	f.at.column = 0
	f.key.name = d.Name.Name
	var directed bool
	f.comment, directed = directives(d.Doc)
	f.forbidden = f.forbidden || directed || d.Name.Name == "_" || x.test && d.Recv == nil && runByTesting(d.Name.Name)
	f.always = !f.forbidden && (x.p.Name == "main" && d.Recv == nil && d.Name.Name == "main" || x.parallel(d.Type))
	x.all = append(x.all, f)
	x.literals(d.Body, &scope{name: nameOf(d)}, directed)
}

func (x *finder) named(name string, at token.Pos, of *ast.FuncType, body *ast.BlockStmt) *function {
	full := x.p.symbol() + "." + name
	return &function{name: wire.ShortName(full), full: full, at: placeOf(x.files.Position(at)), of: of, body: body, intercepts: x.intercepts(of),
		forbidden: len(body.List) == 0, trivial: isTrivialBody(body), handles: noHandler, key: symbol{pkg: x.p.path()}, calls: x.calleesOf(body)}
}

// scope counts the literals in a function.
type scope struct {
	name    string
	literal bool // the function is one itself
	count   int
}

func (s *scope) next() string {
	s.count++
	if s.literal {
		return s.name + "." + strconv.Itoa(s.count)
	}
	return s.name + ".func" + strconv.Itoa(s.count)
}

// literals adds the function literals in a node. What is deferred belongs to the function that it ends.
func (x *finder) literals(in ast.Node, of *scope, forbidden bool) {
	deferred, given, called := map[*ast.FuncLit]bool{}, map[*ast.FuncLit]bool{}, map[*ast.FuncLit]bool{}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			if l, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); ok {
				deferred[l] = true
			}
		case *ast.CallExpr:
			if l, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				called[l] = true
			}
			if to, ok := n.Fun.(*ast.SelectorExpr); ok && isRunner(to.Sel.Name) && len(n.Args) == 1 {
				if l, ok := ast.Unparen(n.Args[0]).(*ast.FuncLit); ok {
					given[l] = true
				}
			}
		case *ast.FuncLit:
			inner := &scope{name: of.next(), literal: true}
			f := x.named(inner.name, n.Pos(), n.Type, n.Body)
			f.forbidden = f.forbidden || forbidden || deferred[n]
			f.always, f.given = x.parallel(n.Type), given[n] || x.serves(n.Type)
			if !called[n] {
				f.handles = x.handles(n.Type)
			}
			x.all = append(x.all, f)
			x.literals(n.Body, inner, forbidden)
			return false
		}
		return true
	})
}

// parallel says whether RunParallel of a benchmark can be given functions of this type, if not directly.
func (x *finder) parallel(t *ast.FuncType) bool {
	if !x.test || t.Params.NumFields() != 1 {
		return false
	}
	star, ok := ast.Unparen(t.Params.List[0].Type).(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "PB" && x.imports[identOf(of.X)] == "testing"
}

// isRunner says whether a method of this name runs what it is given: RunParallel of a benchmark, or Go of a group of goroutines.
func isRunner(name string) bool { return name == runParallel || name == "Go" }

const runParallel = "RunParallel"

// givenIn adds the names of functions and methods whose values a file gives to what runs them.
func givenIn(file *ast.File, names map[string]bool) {
	imports := importsOf(file)
	ast.Inspect(file, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) != 1 {
			return true
		}
		to, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok || !isRunner(to.Sel.Name) {
			return true
		}
		of, selected := ast.Unparen(c.Args[0]).(*ast.SelectorExpr)
		if !selected || imports[identOf(of.X)] == "" {
			names[lastOf(c.Args[0])] = true
		}
		return true
	})
}

// nameOf returns the name of a declared function as the program's symbols have it, without its package.
func nameOf(d *ast.FuncDecl) string {
	name := d.Name.Name
	if d.Recv == nil || len(d.Recv.List) == 0 {
		if d.Type.TypeParams != nil {
			name += "[...]"
		}
		return name
	}
	of, pointer := ast.Unparen(d.Recv.List[0].Type), false
	if star, ok := of.(*ast.StarExpr); ok {
		of, pointer = ast.Unparen(star.X), true
	}
	base := ""
	switch t := of.(type) {
	case *ast.Ident:
		base = t.Name
	case *ast.IndexExpr:
		base = identOf(t.X) + "[...]"
	case *ast.IndexListExpr:
		base = identOf(t.X) + "[...]"
	}
	if pointer {
		base = "(*" + base + ")"
	}
	return base + "." + name
}

func identOf(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// directives reads the comments of a function. Those for the compiler forbid insertions, except one that only makes sure of what they bring about.
func directives(doc *ast.CommentGroup) (c comment, forbidden bool) {
	if doc == nil {
		return noComment, false
	}
	for _, l := range doc.List {
		word, _, _ := strings.Cut(l.Text, " ")
		switch {
		case word == "//tracerec:region":
			c = asRegion
		case word == "//tracerec:noregion":
			c = noRegion
		case strings.HasPrefix(word, "//go:") && word != "//go:noinline":
			forbidden = true
		}
	}
	return c, forbidden
}

// runByTesting tells whether a function of this name in a test file is a test, whose region is entered where package testing runs it.
func runByTesting(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			r, _ := utf8.DecodeRuneInString(rest)
			return name != "TestMain" && !unicode.IsLower(r)
		}
	}
	return false
}

// builtins are the functions whose calls are none.
var builtins = map[string]bool{"append": true, "cap": true, "clear": true, "complex": true, "copy": true, "delete": true, "imag": true, "len": true,
	"make": true, "max": true, "min": true, "new": true, "panic": true, "print": true, "println": true, "real": true, "recover": true}

// isTrivialBody tells whether a function calls nothing, waits for nothing and has no loop.
func isTrivialBody(body *ast.BlockStmt) bool {
	trivial := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SendStmt, *ast.GoStmt, *ast.BranchStmt:
			if b, ok := n.(*ast.BranchStmt); !ok || b.Tok == token.GOTO {
				trivial = false
			}
		case *ast.UnaryExpr:
			trivial = trivial && n.Op != token.ARROW
		case *ast.CallExpr:
			if !builtins[identOf(ast.Unparen(n.Fun))] {
				trivial = false
			}
		case *ast.FuncLit:
			return false
		}
		return trivial
	})
	return trivial
}
