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

// outside are functions of the standard library that wait for what is outside the program or for time. Locks and channels are not among them: these are operations,
// which are recorded with the place of their own.
var outside = map[string][]string{
	"time":     {"Sleep"},
	"net":      {"Dial", "DialTimeout", "LookupHost", "LookupAddr", "LookupIP"},
	"net/http": {"Get", "Head", "Post", "PostForm"},
	"net/rpc":  {"Dial", "DialHTTP"},
	"os":       {"ReadFile", "WriteFile", "ReadDir", "RemoveAll"},
}

// methods are those of types of the standard library that do, with their number of arguments, n for any but 0. A package that imports one of these packages, and calls a method of
// that name, is thought to mean it: nobody knows its type here. So names are left out that are of other things mostly, such as Wait, and others count only where
// what they are called of is called a client.
var methods = map[string][]string{
	"net":          {"Accept/0", "DialContext/n"},
	"net/http":     {"Do/1", "RoundTrip/1", "client.Get/1", "client.Head/1", "client.Post/n", "client.PostForm/n"},
	"net/rpc":      {"Call/n"},
	"os/exec":      {"Run/0", "Output/0", "CombinedOutput/0"},
	"database/sql": {"Query/n", "QueryRow/n", "QueryContext/n", "QueryRowContext/n", "Exec/n", "ExecContext/n", "Ping/0", "PingContext/1", "Prepare/1", "PrepareContext/n", "Begin/0", "BeginTx/n", "Commit/0", "Rollback/0"},
}

// symbol is a function with its package, or a method without, as nobody knows its type here.
type symbol struct{ pkg, name string }

// callee is what a function calls.
type callee struct {
	symbol
	args    string // how many, as methods has them
	client  bool   // what it is called of is called a client
	context bool   // it is given a context, by which a wait could be ended
}

// calleesOf returns what a body calls, without what the function literals in it do.
func (x *finder) calleesOf(body *ast.BlockStmt) (all []callee) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			c := callee{args: strconv.Itoa(len(n.Args)), context: len(n.Args) > 0 && isContext(n.Args[0])}
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				c.pkg, c.name = x.p.path(), f.Name
				all = append(all, c)
			case *ast.SelectorExpr:
				of := strings.ToLower(lastOf(f.X))
				c.pkg, c.name, c.client = x.imports[identOf(f.X)], f.Sel.Name, strings.Contains(of, "client")
				if !strings.HasSuffix(of, "once") { // whose Do is another
					all = append(all, c)
				}
			}
		}
		return true
	})
	return all
}

// lastOf returns the last name in an expression that is one, or a selector; else "".
func lastOf(e ast.Expr) string {
	e = ast.Unparen(e)
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return identOf(e)
}

// among says whether it is one of a list of methods.
func (c *callee) among(list []string) bool {
	return slices.ContainsFunc(list, func(m string) bool {
		name, client := strings.CutPrefix(m, "client.")
		return (c.client || !client) && (name == c.name+"/"+c.args || c.args != "0" && name == c.name+"/n")
	})
}

// logs says whether a function is called as those are that write a log.
func (c *callee) logs() bool {
	return slices.ContainsFunc([]string{"Debug", "Info", "Warn", "Error", "Log"}, func(s string) bool { return strings.HasPrefix(c.name, s) })
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

// nameFrom returns what a package with an import path is most likely called: after what is before a major version.
func nameFrom(from string) string {
	name := path.Base(from)
	if dir := path.Dir(from); dir != "." && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		return path.Base(dir)
	}
	return name
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
			name := nameFrom(from)
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
	waits := map[symbol]bool{} // those that are declared: do they wait?
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
func (to *edited) waitsIn(c callee, waits map[symbol]bool) bool {
	from := c.pkg
	if from == "" {
		from = to.Package
	}
	if known, declared := waits[symbol{from, c.name}]; declared {
		return known
	}
	given := c.context && !c.logs()
	if c.pkg != "" {
		host, _, _ := strings.Cut(c.pkg, "/")
		return slices.Contains(outside[c.pkg], c.name) || given && strings.Contains(host, ".")
	}
	return given || slices.ContainsFunc(to.imports, func(p string) bool { return c.among(methods[p]) })
}
