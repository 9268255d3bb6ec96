package naming

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// methods are the methods by which objects are operated on, by the operation as it is recorded.
var methods = map[string][]string{
	"lock": {"Lock", "TryLock", "Acquire", "TryAcquire"}, "rlock": {"RLock", "TryRLock", "RLocker", "Lock"},
	"wait": {"Wait"}, "condwait": {"Wait"}, "barrier": {"Wait"}, "once": {"Do"}, "signal": {"Signal"}, "broadcast": {"Broadcast"},
	"add": {"Add", "Done", "Go"}, "done": {"Done"}, "select": {"Received", "Sent"},
}

// functions are the functions that take a channel, by the operation as it is recorded.
var functions = map[string][]string{"send": {"Send"}, "recv": {"Recv", "Recv2", "Range"}, "close": {"Close", "close"}}

// embedded are the names of fields by which a type is a lock, a group … itself.
var embedded = []string{"Mutex", "RWMutex", "WaitGroup", "Cond", "Once", "Barrier"}

// operands returns the expressions that stand for the objects of operations in a line.
func (s *source) operands(f *ast.File, operation string, line int) (list []ast.Expr) {
	at := func(p token.Pos) bool { return s.fset.Position(p).Line == line }
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			if operand := s.called(x, operation); operand != nil && (at(x.Lparen) || at(x.Pos())) {
				list = append(list, operand)
			}
		case *ast.SendStmt:
			if operation == "send" && at(x.Arrow) {
				list = append(list, x.Chan)
			}
		case *ast.UnaryExpr:
			if operation == "recv" && x.Op == token.ARROW && at(x.OpPos) {
				list = append(list, x.X)
			}
		case *ast.RangeStmt:
			if t := s.info.Types[x.X].Type; operation == "recv" && t != nil && at(x.For) {
				if _, ok := t.Underlying().(*types.Chan); ok {
					list = append(list, x.X)
				}
			}
		}
		return n == nil || s.fset.Position(n.Pos()).Line <= line && line <= s.fset.Position(n.End()).Line
	})
	return list
}

// called returns what a call operates on, nil if it is another operation.
func (s *source) called(x *ast.CallExpr, operation string) ast.Expr {
	fun := ast.Unparen(x.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok { // instrument.Send[int]
		fun = i.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		if f.Name == "close" && operation == "close" && len(x.Args) == 1 {
			return x.Args[0]
		}
	case *ast.SelectorExpr:
		_, ofPackage := s.info.Uses[rootIdent(f.X)].(*types.PkgName)
		switch {
		case ofPackage && rootIdent(f.X) == f.X:
			if slices.Contains(functions[operation], f.Sel.Name) && len(x.Args) > 0 {
				return x.Args[0]
			}
		case operation == "select":
			if slices.Contains(methods[operation], f.Sel.Name) && len(x.Args) > 0 {
				return x.Args[0]
			}
		case slices.Contains(methods[operation], f.Sel.Name):
			return f.X
		}
	}
	return nil
}

// rootIdent returns x if it is a name, else nil.
func rootIdent(x ast.Expr) *ast.Ident {
	i, _ := ast.Unparen(x).(*ast.Ident)
	return i
}

// name names the object that an expression stands for.
func (s *source) name(x ast.Expr) (text string, unique bool) {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return s.name(e.X)
	case *ast.StarExpr:
		return s.name(e.X)
	case *ast.UnaryExpr:
		return s.name(e.X)
	case *ast.IndexExpr:
		if _, isMap := s.info.Types[e.X].Type.(*types.Map); !isMap && s.itself(e) != "" {
			return s.itself(e), true
		}
		text, unique = s.name(e.X)
		return text + "[…]", unique
	case *ast.CallExpr:
		text, unique = s.name(e.Fun)
		return text + "(…)", unique
	case *ast.SelectorExpr:
		if itself := s.itself(e); itself != "" {
			return itself, true
		}
		return s.field(e)
	case *ast.Ident:
		if itself := s.itself(e); itself != "" {
			return itself, true
		}
		v, ok := s.info.Uses[e].(*types.Var)
		if ok && s.pkg != nil && v.Parent() == s.pkg.Scope() {
			return e.Name, true
		}
		return e.Name, false
	}
	return types.ExprString(x), false
}

// field names a field by the type that has it: "DB.metalock".
func (s *source) field(e *ast.SelectorExpr) (text string, unique bool) {
	if selection := s.info.Selections[e]; selection != nil {
		t := selection.Recv()
		for _, i := range selection.Index()[:len(selection.Index())-1] { // it may be the field of an embedded one
			if fields, ok := deref(t).Underlying().(*types.Struct); ok && i < fields.NumFields() {
				t = fields.Field(i).Type()
			}
		}
		if name := s.typeName(t); name != "" {
			return name + "." + e.Sel.Name, true
		}
	} else if t := s.info.Types[e.X].Type; t != nil {
		if name := s.typeName(t); name != "" {
			return name + "." + e.Sel.Name, true
		}
	}
	_, ofPackage := s.info.Uses[rootIdent(e.X)].(*types.PkgName)
	return types.ExprString(e), ofPackage
}

// itself names an object that a type of the package embeds, "" if the expression is of no such type: "Counter.Mutex".
func (s *source) itself(e ast.Expr) string {
	t := s.info.Types[e].Type
	if t == nil {
		return ""
	}
	fields, ok := deref(t).Underlying().(*types.Struct)
	name := s.typeName(t)
	if !ok || name == "" {
		return ""
	}
	for i := range fields.NumFields() {
		if f := fields.Field(i); f.Embedded() && slices.Contains(embedded, f.Name()) {
			return name + "." + f.Name()
		}
	}
	return name
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

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
