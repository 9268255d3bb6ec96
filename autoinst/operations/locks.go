package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// functions are those of other packages that package instrument has as well, with a declaration that uses the package otherwise.
var functions = map[string]struct{ name, keep string }{
	"time.Sleep":      {"Sleep", "var _ %sDuration"},
	"sync.OnceFunc":   {"OnceFunc", "var _ %sMutex"},
	"sync.OnceValue":  {"OnceValue", "var _ %sMutex"},
	"sync.OnceValues": {"OnceValues", "var _ %sMutex"},
}

// imported replaces the name of a function of another package.
func (r *file) imported(n ast.Node, id *ast.Ident, from string) bool {
	f, ok := r.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return false
	}
	own, ok := functions[f.Pkg().Path()+"."+f.Name()]
	if !ok {
		return false
	}
	r.count++
	r.keep[fmt.Sprintf(own.keep, from)] = true
	r.replace(n.Pos(), n.End(), r.name+"."+own.name)
	return true
}

// selector rewrites a method of package sync, called or not, or the name of a function.
func (r *file) selector(n *ast.SelectorExpr) bool {
	s := r.info.Selections[n]
	if s == nil {
		id, ok := n.X.(*ast.Ident)
		return ok && r.imported(n, n.Sel, id.Name+".")
	}
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return false
	}
	recorded, locker := recordedType(f), r.locker(f)
	switch {
	case recorded == "" && !locker:
		return false
	case s.Kind() == types.MethodExpr:
		r.expression(n, f, recorded)
		return false
	}
	path, pointer, ok := r.path(s)
	if !ok {
		r.leave(n, "the lock is in a field that has no name here")
		return false
	}
	r.count++
	switch {
	case locker:
		r.wrap(n.X, r.name+".LockerOf(", path+")")
	case pointer:
		r.wrap(n.X, "(*"+r.name+"."+recorded+")(", path+")")
	default:
		r.wrap(n.X, "(*"+r.name+"."+recorded+")(&", path+")")
	}
	return false
}

// recordedType returns the type of package instrument that has this method of package sync, too.
func recordedType(f *types.Func) string {
	p, ok := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	if !ok {
		return ""
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync" {
		return ""
	}
	switch name := named.Obj().Name(); name {
	case "Mutex", "RWMutex", "WaitGroup", "Cond", "Once":
		return "Plain" + name
	}
	return ""
}

// locker tells whether a method is one of an interface through which locks of package sync may be locked and unlocked.
func (r *file) locker(f *types.Func) bool {
	if f.Name() != "Lock" && f.Name() != "Unlock" {
		return false
	}
	recv := f.Signature().Recv().Type()
	_, ok := recv.Underlying().(*types.Interface)
	return ok && types.Implements(recv, lockerType)
}

var lockerType = func() *types.Interface {
	none := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	return types.NewInterfaceType([]*types.Func{
		types.NewFunc(token.NoPos, nil, "Lock", none), types.NewFunc(token.NoPos, nil, "Unlock", none),
	}, nil).Complete()
}()

// path returns the embedded fields through which a method is selected, and whether what has it is a pointer.
func (r *file) path(s *types.Selection) (path string, pointer, ok bool) {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		fields, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "", false, false
		}
		field := fields.Field(i)
		if !field.Exported() && field.Pkg() != r.p.types {
			return "", false, false
		}
		path += "." + field.Name()
		t = field.Type()
	}
	_, pointer = t.Underlying().(*types.Pointer)
	return path, pointer, true
}

// expression rewrites a method expression of a type of package sync, if the method has neither arguments nor results.
func (r *file) expression(n *ast.SelectorExpr, f *types.Func, recorded string) {
	s := r.info.Selections[n]
	if recorded == "" || f.Signature().Params().Len()+f.Signature().Results().Len() > 0 || len(s.Index()) > 1 {
		r.leave(n, "it is a method expression")
		return
	}
	r.count++
	of := r.apart(n.X, r.visit)
	r.replace(n.Pos(), n.End(), fmt.Sprintf("func(of %s) { (*%s.%s)(of).%s() }", of, r.name, recorded, f.Name()))
}
