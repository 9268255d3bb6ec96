package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// selects rewrites a select statement. One with a single case is that operation, as for the compiler.
func (r *file) selects(n *ast.SelectStmt) {
	clauses := n.Body.List
	switch {
	case len(clauses) == 0:
		r.count++
		r.wrap(n, "{ "+r.name+".Select(); ", " }")
	case len(clauses) == 1:
		c := clauses[0].(*ast.CommClause)
		if c.Comm != nil {
			r.single(n, c)
		}
		r.visitAll(c.Body)
	default:
		r.choice(n)
	}
}

// single makes a select statement with a single case a switch statement with the default case only, which begins with the operation.
func (r *file) single(n *ast.SelectStmt, c *ast.CommClause) {
	then := ""
	if a, ok := c.Comm.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN { // where it goes is evaluated when there is something
		name := "_"
		if len(a.Lhs) == 2 {
			name = r.fresh("ok")
		}
		then = r.assigned(a, name)
		r.two[ast.Unparen(a.Rhs[0])] = nil
		r.visit(a.Rhs[0])
	} else {
		r.visit(c.Comm)
	}
	r.replace(n.Select, n.Select+token.Pos(len("select")), "switch")
	r.replace(n.Body.Lbrace, n.Body.Lbrace+1, " ")
	r.replace(c.Case, c.Case+token.Pos(len("case")), " ")
	r.replace(c.Colon, c.Colon+1, "; { default:"+then)
}

// choice notes the channels of a select statement when they are evaluated. A case that never is chosen comes last, and begins the operation.
func (r *file) choice(n *ast.SelectStmt) {
	r.count++
	b, cases := r.body(), r.fresh("c")
	if b.choice == "" {
		b.choice = r.fresh("s")
		b.variables = append(b.variables, b.choice+" "+r.name+".Choice")
	}
	choice := b.choice
	b.variables = append(b.variables, fmt.Sprintf("%s [%d]%s.Case", cases, len(n.Body.List), r.name))
	if slices.ContainsFunc(n.Body.List, sends) {
		r.guard(n, choice)
	}
	r.behind(n.Body.Rbrace, fmt.Sprintf("; case <-%s.Begin(%d): for {}; ", choice, r.set.Position(n.Pos()).Line))
	for i, s := range n.Body.List {
		c := s.(*ast.CommClause)
		at := fmt.Sprintf("&%s[%d]", cases, i)
		say := choice + ".Default()"
		switch comm := c.Comm.(type) {
		case nil:
		case *ast.SendStmt:
			say = choice + ".Sent(" + at + ")"
			r.wrap(comm.Chan, r.name+".Into("+at+", ", ")")
			r.visit(comm.Chan)
			r.visit(comm.Value)
		case *ast.ExprStmt:
			ok := r.fresh("ok")
			say = choice + ".Received(" + at + ", " + ok + ")"
			r.before(comm.Pos(), "_, "+ok+" := ")
			r.from(comm.X, at)
		case *ast.AssignStmt:
			ok, then := r.received(comm)
			say = choice + ".Received(" + at + ", " + ok + ");" + then
			r.from(comm.Rhs[0], at)
		}
		r.behind(c.Colon+1, " "+say+";")
		r.visitAll(c.Body)
	}
}

// sends tells whether a case of a select statement does, and so may panic.
func sends(s ast.Stmt) bool {
	_, ok := s.(*ast.CommClause).Comm.(*ast.SendStmt)
	return ok
}

// guard has the function end the operation before anything else that it does then, if a select statement panics. What is in front of a statement with a label has to stay behind that.
func (r *file) guard(n *ast.SelectStmt, choice string) {
	r.body().guarded = true
	before, behind := "", ""
	if r.labelled[n] {
		before, behind = "switch { default: ", " }"
	}
	guard := r.fresh("g")
	r.wrap(n, fmt.Sprintf("%sif %s := %s.Guard(); %s != nil { defer %s.Panicked() }; ", before, guard, choice, guard, guard), behind)
}

// from notes the channel from which a case receives.
func (r *file) from(x ast.Expr, at string) {
	x = ast.Unparen(x).(*ast.UnaryExpr).X
	r.wrap(x, r.name+".From("+at+", ", ")")
	r.visit(x)
}

// received gives a case the name of a variable that tells whether there was a value, and returns that, and what else the case has to begin with.
func (r *file) received(n *ast.AssignStmt) (ok, then string) {
	if n.Tok != token.DEFINE {
		ok = r.fresh("ok")
		return ok, r.assigned(n, ok)
	}
	if len(n.Lhs) == 1 {
		ok = r.fresh("ok")
		r.behind(n.Lhs[0].End(), ", "+ok)
		return ok, ""
	}
	id := n.Lhs[1].(*ast.Ident)
	if ok = id.Name; ok == "_" {
		ok = r.fresh("ok")
		r.replace(id.Pos(), id.End(), ok)
	}
	return ok, ""
}

// assigned makes an assignment of what is received one to new variables, of which ok tells whether there was a value, and returns what then
// assigns them.
func (r *file) assigned(n *ast.AssignStmt, ok string) (then string) {
	value := r.fresh("v")
	to := r.apart(n.Lhs[0], r.visit)
	then = fmt.Sprintf(" %s = %s;", to, value)
	if len(n.Lhs) == 2 { // what a comparison gives goes into a variable of any boolean type
		second := r.apart(n.Lhs[1], r.visit)
		then = fmt.Sprintf(" %s, %s = %s, %s == true;", to, second, value, ok)
	}
	moved := strings.Count(then, "\n")
	all := strings.Count(r.source(n.Lhs[0].Pos(), n.Rhs[0].Pos()), "\n")
	r.replace(n.Lhs[0].Pos(), n.Rhs[0].Pos(), value+", "+ok+" := "+strings.Repeat("\n", max(0, all-moved)))
	return then
}
