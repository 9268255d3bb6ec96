package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// elementOf returns the type of what goes through a channel of this type, nil if it is of no channel.
func elementOf(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return elementOfAll(p.Constraint())
	}
	if c, ok := t.Underlying().(*types.Chan); ok {
		return c.Elem()
	}
	return nil
}

// elementOfAll is elementOf for all types of a constraint.
func elementOfAll(constraint types.Type) (elem types.Type) {
	i, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return elementOf(constraint)
	}
	for e := range i.EmbeddedTypes() {
		if u, ok := e.(*types.Union); ok {
			for t := range u.Terms() {
				elem = elementOf(t.Type())
			}
		} else if found := elementOfAll(e); found != nil {
			elem = found
		}
	}
	return elem
}

// typeOfOK returns the type of what is told whether a value was received, nil if that is new.
func (r *file) typeOfOK(n *ast.AssignStmt) types.Type {
	if n.Tok == token.DEFINE {
		return nil
	}
	if id, ok := n.Lhs[1].(*ast.Ident); ok && id.Name == "_" {
		return nil
	}
	return r.info.TypeOf(n.Lhs[1])
}

// takesBool tells whether a bool can be assigned to a variable of this type.
func takesBool(t types.Type) bool { return t == nil || types.AssignableTo(types.Typ[types.Bool], t) }

func (r *file) receive(n *ast.UnaryExpr) {
	name := ".Recv("
	if ok, two := r.two[n]; two {
		if name = ".Recv2("; !takesBool(ok) {
			r.leave(n, "whether there was a value goes to a variable of type "+ok.String())
			return
		}
	}
	r.count++
	r.replace(n.Pos(), n.X.Pos(), r.name+name+lines(r.source(n.Pos(), n.X.Pos())))
	r.behind(n.X.End(), ")")
}

func (r *file) send(n *ast.SendStmt) {
	r.count++
	before, between := ".Send(", ", "
	if v := r.info.Types[n.Value]; !v.IsNil() && !types.Identical(v.Type, elementOf(r.info.TypeOf(n.Chan))) {
		before, between = ".Sender(", ").Send("
	}
	r.before(n.Pos(), r.name+before)
	r.replace(n.Chan.End(), n.Value.Pos(), between+lines(r.source(n.Chan.End(), n.Value.Pos())))
	r.behind(n.End(), ")")
}

// ranges rewrites a loop over what comes from a channel.
func (r *file) ranges(n *ast.RangeStmt) bool {
	if elementOf(r.info.TypeOf(n.X)) == nil {
		return false
	}
	channel, value, ok := r.fresh("c"), r.fresh("v"), r.fresh("ok")
	from, behind := channel+" := ", ""
	assign := ""
	if id, is := n.Key.(*ast.Ident); n.Key == nil || is && id.Name == "_" {
		value = "_"
	} else {
		key, tok := r.apart(n.Key, r.visit), n.Tok.String()
		if strings.Contains(key, "\n") {
			r.leave(n, "its variable goes over several lines")
			return false
		}
		if r.shared && n.Tok == token.DEFINE {
			from, behind, tok = channel+", "+key+" := "+r.name+".Ranged(", ")", "="
		}
		assign = fmt.Sprintf(" %s %s %s;", key, tok, value)
	}
	r.count++
	r.replace(n.For, n.X.Pos(), "for "+lines(r.source(n.For, n.X.Pos()))+from)
	r.behind(n.X.End(), behind+"; ; ")
	r.replace(n.Body.Lbrace, n.Body.Lbrace+1, fmt.Sprintf("{ %s, %s := %s.Recv2(%s); if !%s { break };%s {", value, ok, r.name, channel, ok, assign))
	r.behind(n.End(), "}")
	r.visit(n.X)
	r.visitAll(n.Body.List)
	return true
}
