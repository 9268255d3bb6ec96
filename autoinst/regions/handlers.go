package regions

import (
	"go/ast"
	"slices"

	"tracerec/trace/wire"
)

// Interceptors of gRPC enter a region with the name of the method that is called: what protoc made for that may be in a package that is not instrumented.
//
// Routers with handlers of their own types call them in packages that are not instrumented. So that a request is called after what handles it, not after the first
// middleware, functions that could be of such a type, and are given to somebody as a value, say that they are called so.

// noHandler is the number of no type of functions that handle requests.
const noHandler = -1

// handles returns the number of the type of functions that handle requests of which one with this type could be, noHandler if there is none. Routers are given some that return an
// error by way of those of the program that handle it.
func (x *finder) handles(t *ast.FuncType) int {
	if t.Params.NumFields() != 1 {
		return noHandler
	}
	param, pointer := ast.Unparen(t.Params.List[0].Type), ""
	if star, ok := param.(*ast.StarExpr); ok {
		param, pointer = star.X, "*"
	}
	of, ok := param.(*ast.SelectorExpr)
	if !ok {
		return noHandler
	}
	fails := t.Results.NumFields() == 1 && identOf(t.Results.List[0].Type) == "error"
	from := x.imports[identOf(of.X)]
	return slices.IndexFunc(wire.Handlers, func(h wire.Handler) bool {
		return h.Package == from && h.Context == pointer+of.Sel.Name && (fails || !h.Error && t.Results.NumFields() == 0)
	})
}

// serves says whether functions of a type can handle requests for net/http, which calls them by their value. However small they are, a request is called after them.
func (x *finder) serves(t *ast.FuncType) bool {
	if t.Params.NumFields() != 2 || len(t.Params.List) != 2 || t.Results.NumFields() != 0 {
		return false
	}
	star, ok := ast.Unparen(t.Params.List[1].Type).(*ast.StarExpr)
	return ok && x.isHTTP(t.Params.List[0].Type, "ResponseWriter") && x.isHTTP(star.X, "Request")
}

// interception is what an interceptor of gRPC is told of a call.
type interception struct {
	info string // its parameter that has the method, "" none
	of   int    // index of its type
}

// intercepts returns what functions of a type are told of calls of gRPC.
func (x *finder) intercepts(t *ast.FuncType) (i interception) {
	for _, f := range t.Params.List {
		star, ok := ast.Unparen(f.Type).(*ast.StarExpr)
		if !ok || len(f.Names) != 1 || f.Names[0].Name == "_" {
			continue
		}
		if s, ok := star.X.(*ast.SelectorExpr); ok {
			of := slices.IndexFunc(wire.Interceptors, func(h wire.Handler) bool { return h.Package == x.imports[identOf(s.X)] && h.Context == "*"+s.Sel.Name })
			if of >= 0 {
				return interception{f.Names[0].Name, of}
			}
		}
	}
	return i
}

// isHTTP says whether a type is one of net/http.
func (x *finder) isHTTP(t ast.Expr, name string) bool {
	s, ok := ast.Unparen(t).(*ast.SelectorExpr)
	return ok && s.Sel.Name == name && x.imports[identOf(s.X)] == "net/http"
}

// valuesIn adds the functions and methods whose values a file of a package gives to somebody: it does more than to call them. Methods are those of any type, of which the package is
// not known, and something else may have their name.
func valuesIn(file *ast.File, pkg string, of map[symbol]bool) {
	imports := importsOf(file)
	ast.Inspect(file, func(n ast.Node) bool {
		var given []ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			given = n.Args
		case *ast.AssignStmt:
			given = n.Rhs
		case *ast.ValueSpec:
			given = n.Values
		case *ast.ReturnStmt:
			given = n.Results
		case *ast.CompositeLit:
			given = n.Elts
		case *ast.KeyValueExpr:
			given = []ast.Expr{n.Value}
		}
		for _, e := range given {
			switch e := ast.Unparen(e).(type) {
			case *ast.Ident:
				if e.Obj == nil || e.Obj.Kind == ast.Fun { // no variable
					of[symbol{pkg, e.Name}] = true
				}
			case *ast.SelectorExpr:
				of[symbol{imports[identOf(e.X)], e.Sel.Name}] = true
			}
		}
		return true
	})
}
