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

// Knows says whether operations of this name work on objects that have names.
func Knows(operation string) bool { return methods[operation] != nil || functions[operation] != nil }

// onces are the functions whose result is a function that runs once.
var onces = []string{"OnceFunc", "OnceValue", "OnceValues"}

// operands returns the expressions that stand for the objects of operations in a line.
func (s namer) operands(f *ast.File, line int) (list []ast.Expr) {
	at := func(p token.Pos) bool { return s.line(p) == line }
	s.inspect(f, line, func(n ast.Node) {
		switch x := n.(type) {
		case *ast.CallExpr:
			if at(x.Lparen) || at(x.Pos()) {
				list = append(list, s.called(x)...)
			}
		case *ast.SendStmt:
			if s.operation == "send" && at(x.Arrow) {
				list = append(list, x.Chan)
			}
		case *ast.UnaryExpr:
			if s.operation == "recv" && x.Op == token.ARROW && at(x.OpPos) {
				list = append(list, x.X)
			}
		case *ast.RangeStmt:
			if _, ok := underlying(s.info.Types[x.X].Type).(*types.Chan); ok && s.operation == "recv" && at(x.For) {
				list = append(list, x.X)
			}
		case *ast.BlockStmt:
			list = append(list, s.selected(x.List, line)...)
		case *ast.CaseClause:
			list = append(list, s.selected(x.Body, line)...)
		case *ast.CommClause:
			list = append(list, s.selected(x.Body, line)...)
		}
	})
	if len(list) == 0 {
		list = s.deferred(f, line)
	}
	return list
}

func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

// inspect visits what has a part in a line.
func (s *source) inspect(f *ast.File, line int, visit func(ast.Node)) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || s.line(n.Pos()) > line || line > s.line(n.End()) {
			return false
		}
		visit(n)
		return true
	})
}

// called returns what a call operates on, nothing if it is another operation.
func (s namer) called(x *ast.CallExpr) []ast.Expr {
	switch f := uninstantiated(x.Fun).(type) {
	case *ast.Ident:
		if f.Name == "close" && s.operation == "close" && len(x.Args) == 1 {
			return x.Args[:1]
		}
		return s.byValue(f)
	case *ast.SelectorExpr:
		_, ofPackage := s.info.Uses[rootIdent(f.X)].(*types.PkgName)
		switch {
		case ofPackage:
			if slices.Contains(functions[s.operation], f.Sel.Name) && len(x.Args) > 0 {
				return x.Args[:1]
			}
		case s.operation == "select":
			if slices.Contains(methods[s.operation], f.Sel.Name) && len(x.Args) > 0 {
				return x.Args[:1]
			}
		default:
			return s.operand(f)
		}
	}
	return nil
}

// operand returns what a method operates on, nothing if it does another operation.
func (s namer) operand(f *ast.SelectorExpr) []ast.Expr {
	if slices.Contains(methods[s.operation], f.Sel.Name) {
		return []ast.Expr{f.X}
	}
	if s.operation == "lock" && f.Sel.Name == "Wait" { // a Cond locks its L again
		return []ast.Expr{&ast.SelectorExpr{X: f.X, Sel: ast.NewIdent("L")}}
	}
	return nil
}

// byValue returns what the call of a variable operates on, which holds methods or functions that run once; nothing if it may hold others.
func (s namer) byValue(f *ast.Ident) (list []ast.Expr) {
	v, ok := s.info.Uses[f].(*types.Var)
	if !ok {
		return nil
	}
	for _, b := range s.bound().of(v) {
		var found []ast.Expr
		switch x := ast.Unparen(b.value).(type) {
		case *ast.SelectorExpr:
			found = s.operand(x)
		case *ast.CallExpr:
			if maker, ok := uninstantiated(x.Fun).(*ast.SelectorExpr); ok && s.operation == "once" && slices.Contains(onces, maker.Sel.Name) {
				found = []ast.Expr{f}
			}
		}
		if found == nil || b.element {
			return nil
		}
		list = append(list, found...)
	}
	return list
}

// selected returns the channels of the select statement that is in a line, or is the next behind a call in a line that announces it.
func (s namer) selected(block []ast.Stmt, line int) (list []ast.Expr) {
	if s.operation != "select" {
		return nil
	}
	announced := false
	for _, statement := range block {
		if l, ok := statement.(*ast.LabeledStmt); ok {
			statement = l.Stmt
		}
		here := s.line(statement.Pos()) == line
		x, ok := statement.(*ast.SelectStmt)
		if ok && (here || announced) {
			for _, clause := range x.Body.List {
				list = append(list, s.chosen(clause.(*ast.CommClause))...)
			}
			return list
		}
		announced = announced || here && s.announces(statement)
	}
	return nil
}

// announces says whether a statement calls Select.
func (s *source) announces(statement ast.Stmt) bool {
	a, ok := statement.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return false
	}
	call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.Sel.Name == "Select" && len(call.Args) == 0
}

// chosen returns the channel of a case.
func (s *source) chosen(c *ast.CommClause) []ast.Expr {
	if c.Comm == nil {
		return nil
	}
	var list []ast.Expr
	ast.Inspect(c.Comm, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SendStmt:
			list = append(list, x.Chan)
			return false
		case *ast.UnaryExpr:
			if x.Op == token.ARROW {
				list = append(list, x.X)
				return false
			}
		}
		return true
	})
	return list
}

// deferred returns what deferred calls operate on where a function ends in a line: such calls happen there.
func (s namer) deferred(f *ast.File, line int) (list []ast.Expr) {
	var body *ast.BlockStmt // of the innermost function
	ends := false
	s.inspect(f, line, func(n ast.Node) {
		switch x := n.(type) {
		case *ast.FuncDecl:
			body, ends = x.Body, x.Body != nil && s.line(x.Body.Rbrace) == line
		case *ast.FuncLit:
			body, ends = x.Body, s.line(x.Body.Rbrace) == line
		case *ast.ReturnStmt:
			ends = true
		}
	})
	if body == nil || !ends {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			list = append(list, s.called(x.Call)...)
			return false
		}
		return true
	})
	return list
}

// rootIdent returns x if it is a name, else nil.
func rootIdent(x ast.Expr) *ast.Ident {
	i, _ := ast.Unparen(x).(*ast.Ident)
	return i
}
