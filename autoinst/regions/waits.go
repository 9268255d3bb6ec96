package regions

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What an inlined function would wait in is recorded with the function that it is inlined into. So that the report names who waits, functions in which
// something long may be waited for are regions even if the compiler would inline them: these wait for what is outside, so a region more costs them little.

// outside are functions of the standard library, and methods of its types, that wait for what is outside the program or for time. Locks and channels
// are not among them: these are operations, which are recorded with the place of their own.
var outside = map[string][]string{
	"time":         {"Sleep"},
	"net":          {"Dial", "DialContext", "DialTimeout", "Accept", "LookupHost", "LookupAddr", "LookupIP"},
	"net/http":     {"Get", "Head", "Post", "PostForm", "Do", "RoundTrip"},
	"net/rpc":      {"Call", "Dial", "DialHTTP"},
	"os":           {"ReadFile", "WriteFile", "ReadDir", "RemoveAll"},
	"os/exec":      {"Run", "Output", "CombinedOutput", "Wait"},
	"database/sql": {"Query", "QueryRow", "QueryContext", "QueryRowContext", "Exec", "ExecContext", "Ping", "PingContext", "Prepare", "PrepareContext", "Begin", "BeginTx", "Commit", "Rollback"},
}

// callee is what a function calls: a function with its package, or a method without, as nobody knows its type here.
type callee struct {
	pkg, name string
	context   bool // it is given a context, by which a wait could be ended
}

// calleesOf returns what a body calls, without what the function literals in it do.
func (x *finder) calleesOf(body *ast.BlockStmt) (all []callee) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			context := len(n.Args) > 0 && isContext(n.Args[0])
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				all = append(all, callee{x.p.path(), f.Name, context})
			case *ast.SelectorExpr:
				all = append(all, callee{x.imports[identOf(f.X)], f.Sel.Name, context})
			}
		}
		return true
	})
	return all
}

// isContext says whether an argument is called as contexts are, or made where they are made.
func isContext(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name == "ctx"
	case *ast.CallExpr:
		f, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		return ok && (f.Sel.Name == "Context" || identOf(f.X) == "context" && f.Sel.Name == "Background")
	}
	return false
}

// importsOf returns the packages that a file imports, by the names that they most likely have in it.
func importsOf(file *ast.File) map[string]string {
	of := map[string]string{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			i := s.(*ast.ImportSpec)
			from, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				continue
			}
			name := path.Base(from)
			if i.Name != nil {
				name = i.Name.Name
			}
			of[name] = from
		}
	}
	return of
}

// findWaits finds out which functions of packages wait for what is outside, or call one that does. Methods that these packages have are looked for
// in the same package.
func findWaits(packages []*edited) {
	waits := map[callee]bool{} // those that are declared: do they wait?
	for _, p := range packages {
		for _, f := range p.functions {
			waits[f.key] = false
		}
	}
	for again := true; again; {
		again = false
		for _, p := range packages {
			for _, f := range p.functions {
				if !f.waits && slices.ContainsFunc(f.calls, func(c callee) bool { return p.waitsIn(c, waits) }) {
					f.waits, waits[f.key], again = true, true, true
				}
			}
		}
	}
}

// waitsIn says whether a call is one in which something outside may be waited for. What is given a context, and is of neither these packages nor the
// standard library, is thought to.
func (to *edited) waitsIn(c callee, waits map[callee]bool) bool {
	from := c.pkg
	if from == "" {
		from = to.Package
	}
	if known, declared := waits[callee{pkg: from, name: c.name}]; declared {
		return known
	}
	if c.pkg != "" {
		host, _, _ := strings.Cut(c.pkg, "/")
		return slices.Contains(outside[c.pkg], c.name) || c.context && strings.Contains(host, ".")
	}
	return c.context || slices.ContainsFunc(to.imports, func(p string) bool { return slices.Contains(outside[p], c.name) })
}
