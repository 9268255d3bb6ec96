package naming

import (
	"go/ast"
	"go/token"
	"go/types"
)

// binding is what a variable is set to at one place.
type binding struct {
	value   ast.Expr
	element bool // of the value, by a loop over it
}

// bindings are the values of a package's local variables and parameters, as far as all are known: the variable is set nowhere else.
type bindings struct {
	values  map[*types.Var][]binding
	unknown map[*types.Var]bool // set to something that is no expression of its own, or nobody knows
	targets map[*ast.Ident]bool // left sides of assignments
}

// of returns what a variable is set to, nil if that is not known.
func (b *bindings) of(v *types.Var) []binding {
	if b.unknown[v] {
		return nil
	}
	return b.values[v]
}

// bound returns the bindings of the package.
func (s *source) bound() *bindings {
	if s.binds != nil {
		return s.binds
	}
	s.binds = &bindings{values: map[*types.Var][]binding{}, unknown: map[*types.Var]bool{}, targets: map[*ast.Ident]bool{}}
	c := &callers{s: s, b: s.binds, calls: map[*ast.Ident]*ast.CallExpr{}, direct: map[*ast.FuncLit]*ast.CallExpr{},
		uses: map[types.Object][]*ast.Ident{}, literals: map[*ast.FuncLit]types.Object{}, methods: map[string]bool{}}
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			s.bind(n)
			c.note(n)
			return true
		})
	}
	for v := range s.binds.values {
		if v.Exported() && v.Parent() == s.pkg.Scope() && s.pkg.Name() != "main" {
			s.binds.unknown[v] = true // other packages may set it
		}
	}
	c.bind()
	return s.binds
}

// local returns the variable that an expression is, nil if it is none.
func (s *source) local(x ast.Expr) *types.Var {
	i := rootIdent(x)
	if i == nil {
		return nil
	}
	if v, ok := s.info.Defs[i].(*types.Var); ok {
		return v
	}
	v, _ := s.info.Uses[i].(*types.Var)
	return v
}

// set notes that a variable is set to a value, nil if that is unknown.
func (b *bindings) set(v *types.Var, value ast.Expr, element bool) {
	if v == nil {
		return
	}
	if value == nil {
		b.unknown[v] = true
		return
	}
	if i := rootIdent(value); i != nil && i.Name == "nil" {
		return
	}
	b.values[v] = append(b.values[v], binding{value, element})
}

// bind notes what a statement sets variables to.
func (s *source) bind(n ast.Node) {
	b := s.binds
	switch x := n.(type) {
	case *ast.AssignStmt:
		for i, left := range x.Lhs {
			if target := rootIdent(left); target != nil {
				b.targets[target] = true
			}
			if len(x.Lhs) == len(x.Rhs) && (x.Tok == token.ASSIGN || x.Tok == token.DEFINE) {
				b.set(s.local(left), x.Rhs[i], false)
			} else {
				b.set(s.local(left), nil, false)
			}
		}
	case *ast.ValueSpec:
		for i, name := range x.Names {
			if len(x.Values) == len(x.Names) {
				b.set(s.local(name), x.Values[i], false)
			} else if len(x.Values) > 0 {
				b.set(s.local(name), nil, false)
			}
		}
	case *ast.RangeStmt:
		b.set(s.local(x.Key), nil, false)
		switch underlying(s.info.Types[x.X].Type).(type) {
		case *types.Slice, *types.Array, *types.Map, *types.Pointer: // to an array
			b.set(s.local(x.Value), x.X, true)
		default:
			b.set(s.local(x.Value), nil, false)
		}
	case *ast.UnaryExpr: // through a pointer to it a variable that is a pointer itself may be set anywhere
		if v := s.local(x.X); x.Op == token.AND && v != nil && isReference(v.Type()) {
			b.set(v, nil, false)
		}
	case *ast.TypeSwitchStmt:
		for _, clause := range x.Body.List {
			if v, ok := s.info.Implicits[clause].(*types.Var); ok {
				b.set(v, nil, false)
			}
		}
	}
}

// underlying returns the underlying type of a type, nil of none.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// isReference says whether values of a type are set rather than operated on.
func isReference(t types.Type) bool {
	switch underlying(t).(type) {
	case *types.Pointer, *types.Chan, *types.Interface, *types.Signature, *types.Slice, *types.Map:
		return true
	}
	return false
}

// callers finds what parameters are set to: the arguments of all calls, where all are known because the function has no name outside
// the package and is nowhere used but called.
type callers struct {
	s        *source
	b        *bindings
	funcs    []*ast.FuncDecl
	lits     []*ast.FuncLit
	calls    map[*ast.Ident]*ast.CallExpr   // by the identifier that is called
	direct   map[*ast.FuncLit]*ast.CallExpr // of function literals where they stand
	literals map[*ast.FuncLit]types.Object  // the variable that is nothing but this literal
	uses     map[types.Object][]*ast.Ident
	methods  map[string]bool // of interfaces
}

// note collects functions, their calls and their uses.
func (c *callers) note(n ast.Node) {
	switch x := n.(type) {
	case *ast.FuncDecl:
		c.funcs = append(c.funcs, x)
	case *ast.FuncLit:
		c.lits = append(c.lits, x)
	case *ast.CallExpr:
		switch f := uninstantiated(x.Fun).(type) {
		case *ast.Ident:
			c.calls[f] = x
		case *ast.SelectorExpr:
			if m := c.s.info.Selections[f]; m == nil || m.Kind() != types.MethodExpr { // whose receiver is an argument
				c.calls[f.Sel] = x
			}
		case *ast.FuncLit:
			c.direct[f] = x
		}
	case *ast.Ident:
		switch o := c.s.info.Uses[x].(type) {
		case *types.Func:
			c.uses[o.Origin()] = append(c.uses[o.Origin()], x)
		case *types.Var:
			c.uses[o] = append(c.uses[o], x)
		}
	case *ast.InterfaceType:
		for _, m := range x.Methods.List {
			for _, name := range m.Names {
				c.methods[name.Name] = true
			}
		}
	}
}

// uninstantiated returns a function without its type arguments.
func uninstantiated(x ast.Expr) ast.Expr {
	switch e := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		return ast.Unparen(e.X)
	case *ast.IndexListExpr:
		return ast.Unparen(e.X)
	default:
		return e
	}
}

// bind binds parameters to arguments.
func (c *callers) bind() {
	for v, values := range c.b.values { // functions with a variable for a name
		if len(values) == 1 && !c.b.unknown[v] {
			if f, ok := ast.Unparen(values[0].value).(*ast.FuncLit); ok {
				c.literals[f] = v
			}
		}
	}
	for _, f := range c.funcs {
		o, _ := c.s.info.Defs[f.Name].(*types.Func)
		c.function(f.Type, c.known(f, o))
	}
	for _, f := range c.lits {
		switch call := c.direct[f]; {
		case call != nil:
			c.function(f.Type, []*ast.CallExpr{call})
		case c.literals[f] != nil:
			c.function(f.Type, c.allCalls(c.literals[f]))
		default:
			c.function(f.Type, nil)
		}
	}
}

// known returns the calls of a function if these are all, else nil.
func (c *callers) known(f *ast.FuncDecl, o *types.Func) []*ast.CallExpr {
	switch {
	case o == nil, f.Body == nil, c.s.partial:
		return nil
	case f.Recv != nil && (f.Name.IsExported() || c.methods[f.Name.Name]):
		return nil
	case f.Recv == nil && f.Name.IsExported() && c.s.pkg.Name() != "main":
		return nil
	}
	return c.allCalls(o)
}

// allCalls returns the calls of a function, nil if it is also used otherwise.
func (c *callers) allCalls(o types.Object) (list []*ast.CallExpr) {
	for _, use := range c.uses[o] {
		call := c.calls[use]
		if call == nil {
			if c.b.targets[use] {
				continue
			}
			return nil
		}
		list = append(list, call)
	}
	return list
}

// function binds the parameters of a function to the arguments of its calls; none are known without any call.
func (c *callers) function(f *ast.FuncType, calls []*ast.CallExpr) {
	i := 0
	for _, field := range f.Params.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		for _, name := range field.Names {
			v, _ := c.s.info.Defs[name].(*types.Var)
			if len(calls) == 0 || variadic {
				c.b.set(v, nil, false)
			}
			for _, call := range calls {
				if i < len(call.Args) && len(call.Args) >= f.Params.NumFields() {
					c.b.set(v, call.Args[i], false)
				} else {
					c.b.set(v, nil, false)
				}
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
}
