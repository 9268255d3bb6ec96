package operations

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// goes rewrites a go statement. What the function is given is evaluated first, by the goroutine that starts it.
func (r *file) goes(n *ast.GoStmt) bool {
	call := n.Call
	s, ok := r.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if ok && len(call.Args) == 0 && s.Params().Len() == 0 && s.Results().Len() == 0 && r.info.Types[call.Fun].IsValue() {
		r.count++
		r.replace(n.Go, call.Fun.Pos(), r.name+".Go("+lines(r.source(n.Go, call.Fun.Pos())))
		r.replace(call.Fun.End(), n.End(), lines(r.source(call.Fun.End(), n.End()))+")")
		r.visit(call.Fun)
		return true
	}
	g := spawned{file: r, line: r.line(n.Go)}
	if !g.write(call) {
		r.leave(n, "what it evaluates has a type that has no name here")
		return false
	}
	end := r.line(n.End())
	missing := end - g.line - strings.Count(g.then, "\n")
	if missing < 0 {
		r.leave(n, "it goes over several lines")
		return false
	}
	r.count++
	text := "{ "
	if len(g.names) > 0 {
		text += strings.Join(g.names, ", ") + " := " + g.values.String() + "; "
	}
	r.replace(n.Pos(), n.End(), text+r.name+"."+g.start+"func() {"+strings.Repeat("\n", missing)+" "+g.then+" }) }")
	return true
}

func (r *file) line(p token.Pos) int { return r.set.PositionFor(p, false).Line }

// spawned is a go statement in the making.
type spawned struct {
	*file
	line   int // where the text ends
	names  []string
	values strings.Builder // what the names stand for
	start  string          // what starts the goroutine, up to the function
	then   string          // what that does
}

// name gives the value of an expression a name.
func (g *spawned) name(x ast.Expr, before, behind string, names ...string) string {
	if g.values.Len() > 0 {
		g.values.WriteString(", ")
	}
	for at := g.file.line(x.Pos()); g.line < at; g.line++ {
		g.values.WriteByte('\n')
	}
	text := g.apart(x, g.visit)
	g.line += strings.Count(text, "\n")
	g.values.WriteString(before + text + behind)
	g.names = append(g.names, names...)
	return strings.Join(names, ", ")
}

// write writes the call. It returns false if that has no text.
func (g *spawned) write(call *ast.CallExpr) bool {
	function := ""
	switch constant, generic := g.constant(call.Fun); {
	case generic:
		function, g.start = g.apart(call.Fun, g.visit), "Go("
	case constant:
		function = g.apart(call.Fun, g.visit)
		g.start = "GoAs(" + function + ", "
	default:
		function = g.name(call.Fun, "", "", g.fresh("f"))
		g.start = "GoAs(" + function + ", "
	}
	var args []string
	for _, x := range call.Args {
		v := g.info.Types[x]
		if b, ok := v.Type.(*types.Basic); ok && b.Kind() == types.Uintptr && v.Value == nil {
			return false // it may be all that keeps something alive
		}
		before, behind := "", ""
		if g.untyped(x) {
			t, ok := g.basic(v.Type)
			if !ok {
				return false
			}
			before, behind = t+"(", ")"
		}
		switch t, ok := v.Type.(*types.Tuple); {
		case ok:
			var names []string
			for range t.Len() {
				names = append(names, g.fresh("a"))
			}
			args = append(args, g.name(x, "", "", names...))
		case v.Value != nil || v.IsNil() || v.IsType():
			args = append(args, g.apart(x, g.visit))
		default:
			args = append(args, g.name(x, before, behind, g.fresh("a")))
		}
	}
	dots := ""
	if call.Ellipsis.IsValid() {
		dots = "..."
	}
	g.then = function + "(" + strings.Join(args, ", ") + dots + ")"
	return true
}

// constant tells whether a function always is the same, and whether it can stand for no other: because the language has it, or it has no types yet.
func (g *spawned) constant(x ast.Expr) (constant, generic bool) {
	var id *ast.Ident
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if s := g.info.Selections[x]; s != nil {
			return false, false
		}
		id = x.Sel
	case *ast.IndexExpr:
		constant, generic = g.constant(x.X)
		return constant, generic
	case *ast.IndexListExpr:
		constant, generic = g.constant(x.X)
		return constant, generic
	default:
		return false, false
	}
	switch f := g.info.Uses[id].(type) {
	case *types.Builtin:
		return true, true
	case *types.Func:
		return true, f.Signature().TypeParams().Len() > 0
	}
	return false, false
}

// untyped tells whether an expression that is no constant gets its type from where it is used.
func (g *spawned) untyped(x ast.Expr) bool {
	if v := g.info.Types[x]; v.Value != nil {
		return g.untypedConstant(x)
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return g.untyped(x.X)
		}
		return g.untyped(x.X) && g.untyped(x.Y)
	case *ast.UnaryExpr:
		return x.Op != token.AND && x.Op != token.ARROW && g.untyped(x.X)
	}
	return false
}

func (g *spawned) untypedConstant(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return g.untypedObject(x)
	case *ast.SelectorExpr:
		return g.untypedObject(x.Sel)
	case *ast.UnaryExpr:
		return g.untypedConstant(x.X)
	case *ast.BinaryExpr:
		return g.untypedConstant(x.X) && (x.Op == token.SHL || x.Op == token.SHR || g.untypedConstant(x.Y))
	}
	return false
}

func (g *spawned) untypedObject(id *ast.Ident) bool {
	c, ok := g.info.Uses[id].(*types.Const)
	if !ok {
		return false
	}
	b, ok := c.Type().(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// basic returns the name of a type that the language has, or of one of this package.
func (g *spawned) basic(t types.Type) (string, bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name(), true
	case *types.Named:
		return t.Obj().Name(), t.Obj().Pkg() == g.p.types && t.Obj().Parent() == g.p.types.Scope() && t.TypeArgs().Len() == 0
	}
	return "", false
}
