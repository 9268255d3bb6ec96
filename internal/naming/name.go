package naming

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// namer names what one kind of operation works on.
type namer struct {
	*source
	operation string
}

// operated is a variable with the operation that it is named for.
type operated struct {
	operation string
	v         *types.Var
}

// named is what a variable stands for.
type named struct {
	text   string
	unique bool
}

// mostSteps bounds how far what a variable stands for is followed: over assignments, parameters and the calls they come from.
const mostSteps = 16

// name names the object that an expression stands for.
func (s namer) name(x ast.Expr, steps int) (text string, unique bool) {
	if steps > mostSteps {
		return types.ExprString(x), false
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		return s.name(e.X, steps)
	case *ast.StarExpr:
		return s.name(e.X, steps)
	case *ast.UnaryExpr:
		return s.name(e.X, steps)
	case *ast.IndexExpr:
		if s.isFunction(e.X) { // of some type
			return s.name(e.X, steps)
		}
		if _, isMap := s.info.Types[e.X].Type.(*types.Map); !isMap && s.itself(e) != "" {
			return s.itself(e), true
		}
		text, unique = s.name(e.X, steps+1)
		return text + "[…]", unique
	case *ast.CallExpr:
		text, unique = s.name(e.Fun, steps+1)
		if len(e.Args) == 0 {
			return text + "()", unique
		}
		return text + "(…)", unique
	case *ast.SelectorExpr:
		if itself := s.itself(e); itself != "" {
			return itself, true
		}
		return s.field(e, steps)
	case *ast.Ident:
		return s.variable(e, steps)
	}
	return types.ExprString(x), false
}

// variable names what a variable is or, where all that it is set to is known and the same, what it is set to.
func (s namer) variable(e *ast.Ident, steps int) (text string, unique bool) {
	if itself := s.itself(e); itself != "" {
		return itself, true
	}
	v, ok := s.info.Uses[e].(*types.Var)
	if !ok {
		return e.Name, false
	}
	if s.pkg != nil && v.Parent() == s.pkg.Scope() {
		return e.Name, true
	}
	key := operated{s.operation, v}
	if n, done := s.named[key]; done {
		return n.text, n.unique
	}
	s.named[key] = named{e.Name, false} // what leads back to it does not name it
	n := s.values(v, steps)
	if n.text == "" {
		n.text = e.Name
	}
	s.named[key] = n
	return n.text, n.unique
}

// values names what a variable is set to, if it has one name wherever the variable is set.
func (s namer) values(v *types.Var, steps int) (n named) {
	for _, b := range s.bound().of(v) {
		if !b.element && s.local(b.value) == v {
			continue // a function that calls itself hands it on
		}
		text, unique := s.value(b, steps+1)
		if text == "" || n.text != "" && n != (named{text, unique}) {
			return named{}
		}
		n = named{text, unique}
	}
	return n
}

// value names what a variable is set to at one place, "" if that has no name of its own, such as what a function returns.
func (s namer) value(b binding, steps int) (text string, unique bool) {
	x := ast.Unparen(b.value)
	if a, ok := x.(*ast.UnaryExpr); ok && a.Op == token.AND {
		x = ast.Unparen(a.X)
	}
	switch e := x.(type) {
	case *ast.Ident:
		if _, ok := s.info.Uses[e].(*types.Var); !ok {
			return "", false
		}
	case *ast.SelectorExpr:
		if _, method := s.info.Uses[e.Sel].(*types.Func); method {
			return "", false
		}
	case *ast.IndexExpr:
	case *ast.CallExpr: // the lock of a lock's readers is that lock
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "RLocker" && len(e.Args) == 0 {
			return s.name(f.X, steps)
		}
		return "", false
	default:
		return "", false
	}
	text, unique = s.name(x, steps)
	if b.element {
		text += "[…]"
	}
	return text, unique
}

// field names a field by the type that has it: "DB.metalock".
func (s namer) field(e *ast.SelectorExpr, steps int) (text string, unique bool) {
	if _, ofPackage := s.info.Uses[rootIdent(e.X)].(*types.PkgName); ofPackage {
		return types.ExprString(e), true
	}
	t := s.info.Types[e.X].Type
	if selection := s.info.Selections[e]; selection != nil {
		t = selection.Recv()
		for _, i := range selection.Index()[:len(selection.Index())-1] { // it may be the field of an embedded one
			if fields, ok := deref(t).Underlying().(*types.Struct); ok && i < fields.NumFields() {
				t = fields.Field(i).Type()
			}
		}
	}
	if t != nil {
		if name := s.typeName(t); name != "" {
			return name + "." + e.Sel.Name, true
		}
	}
	text, unique = s.name(e.X, steps+1)
	return text + "." + e.Sel.Name, unique
}

// itself names an object that a type of the package embeds, "" if the expression is of no such type: "Counter.Mutex".
func (s namer) itself(e ast.Expr) string {
	t := s.info.Types[e].Type
	if t == nil || s.typeName(t) == "" {
		return ""
	}
	if _, ok := deref(t).Underlying().(*types.Struct); !ok {
		return ""
	}
	level := []types.Type{t}
	for range mostEmbedded {
		found, next := s.embeds(level)
		if len(found) > 0 {
			if len(found) > 1 {
				break
			}
			return found[0]
		}
		if level = next; len(level) == 0 || len(level) > mostEmbedded {
			break
		}
	}
	return s.typeName(t)
}

// mostEmbedded is how many types are looked at in a level of embedded ones, and how many levels: a type may embed itself by way of pointers.
const mostEmbedded = 64

// embeds returns the objects that some types embed, and else the types that they embed.
func (s namer) embeds(level []types.Type) (found []string, next []types.Type) {
	for _, t := range level {
		fields, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range fields.NumFields() {
			switch f := fields.Field(i); {
			case !f.Embedded():
			case slices.Contains(objects[s.operation], f.Name()):
				found = append(found, s.typeName(t)+"."+f.Name())
			case s.typeName(f.Type()) != "":
				next = append(next, f.Type())
			}
		}
	}
	return found, next
}

// typeName returns the name of a type of the package, "" for others.
func (s *source) typeName(t types.Type) string {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() != s.pkg {
		return ""
	}
	if s.pkg.Scope().Lookup(named.Obj().Name()) != named.Obj() {
		return "" // of a function
	}
	return named.Obj().Name()
}

// isFunction says whether an expression is a function.
func (s *source) isFunction(x ast.Expr) bool {
	t := s.info.Types[x].Type
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
