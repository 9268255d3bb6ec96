package regions

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The compiler calls what is deferred in line, which costs next to nothing, if a function has few defers and few returns (walk/stmt.go, ssagen/ssa.go): there is a copy of these
// calls at each return. A function of many returns gets slow by the defer of its region, and so do its own defers. So it gets a single return, to which the others jump.

const (
	inlineDefers = 8  // the most defers that are called in line
	inlineCopies = 15 // the most of them times returns
)

// exits is how a function is left.
type exits struct {
	results  []string // names, if it has them
	returns  int
	movable  []*ast.ReturnStmt // those of them where no result's name means something else
	hidden   token.Pos         // until here, one does
	defers   int
	repeated bool // one of them is in a loop: then none is called in line
}

// spot is a place in a function.
type spot struct {
	*exits
	end  token.Pos // of the scope
	loop bool
}

// Visit counts what is in a node, but not in literals.
func (w spot) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.DeferStmt:
		w.defers++
		w.repeated = w.repeated || w.loop
	case *ast.ReturnStmt:
		w.returns++
		if len(n.Results) == 0 || n.Pos() >= w.hidden {
			w.movable = append(w.movable, n)
		}
	case *ast.Ident:
		if n.Obj != nil && n.Obj.Pos() == n.Pos() && slices.Contains(w.results, n.Name) { // it is declared
			w.hidden = max(w.hidden, w.end)
		}
	case *ast.ForStmt, *ast.RangeStmt:
		w.loop, w.end = true, n.End()
	case *ast.BlockStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause, *ast.CommClause:
		w.end = n.End()
	}
	return w
}

// returnOnce gives a function, at whose beginning some defers are inserted, a single return, if only then the compiler calls what it defers in line. All that it does is put into a
// block, as no jump may pass declarations. One in a file with names like those inserted here stays as it is.
func (e *edit) returnOnce(t *ast.FuncType, body *ast.BlockStmt, inserted int) {
	x, results := &exits{}, t.Results
	if results == nil {
		results = &ast.FieldList{}
	}
	for _, f := range results.List {
		for _, id := range f.Names {
			x.results = append(x.results, id.Name)
		}
	}
	ast.Walk(spot{exits: x}, body)
	last := ""
	left, defers := x.returns-len(x.movable), x.defers+inserted
	if len(results.List) > 0 {
		last = "return "
		left++
	}
	if x.returns*defers <= inlineCopies || left*defers > inlineCopies || defers > inlineDefers || x.repeated || assignsParameters(body) || strings.Contains(e.text, "tracerec_") {
		return
	}
	names := e.nameResults(results)
	e.at(body.Lbrace+1, "{")
	for _, r := range x.movable {
		e.jump(r, names)
	}
	e.at(body.Rbrace, "}; tracerec_end: "+last)
}

// assignsParameters tells whether a function begins variables in the scope of its parameters and results together with assigning some of these: in a block, that would make others.
func assignsParameters(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
			s = l.Stmt
		}
		a, ok := s.(*ast.AssignStmt)
		return ok && a.Tok == token.DEFINE && slices.ContainsFunc(a.Lhs, func(to ast.Expr) bool {
			id, ok := to.(*ast.Ident)
			if !ok || id.Obj == nil {
				return false
			}
			_, parameter := id.Obj.Decl.(*ast.Field)
			return parameter
		})
	})
}

// nameResults gives names to the results that have none, and returns all names.
func (e *edit) nameResults(l *ast.FieldList) (names []string) {
	name := func() string { return fmt.Sprintf("tracerec_%d", len(names)+1) }
	if len(l.List) > 0 && !l.Opening.IsValid() {
		e.at(l.Pos(), "( ")
		defer e.at(l.End(), " )")
	}
	for _, f := range l.List {
		if len(f.Names) == 0 {
			e.at(f.Type.Pos(), name()+" ")
			names = append(names, name())
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				e.at(id.Pos(), name())
				names = append(names, name()+"_")
			} else {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// jump makes a return a jump to the last one.
func (e *edit) jump(r *ast.ReturnStmt, results []string) {
	before, behind := "goto tracerec_end ", ""
	if len(r.Results) > 0 {
		before, behind = "{ "+strings.Join(results, ", ")+" = ", "; goto tracerec_end }"
	}
	e.at(r.Pos(), before+"/*")
	e.at(r.Pos()+token.Pos(len("return")), "*/")
	e.at(r.End(), behind)
}
