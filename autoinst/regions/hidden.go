package regions

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"tracerec/trace/wire"
)

// Hidden is what is done at a place in the source by functions that are no regions, and would be with other options.
type Hidden struct {
	Function string   // that is declared there, "" if the place is an operation
	Modules  []string // of dependencies
	Small    []string // functions that the compiler inlines and that have loops, by the names that patterns match
}

// Beneath finds what is hidden at a place: what the region calls that begins there, or the module in which an operation is. Only calls of which it is
// known what they call count, and in tests only those of modules that the program needs, too. Instrument returned the summaries.
func (b Build) Beneath(file string, line int, operation bool, deps []string, of []Summary) (h Hidden, err error) {
	var flags []string
	if !operation {
		flags = []string{"-export"}
	}
	all, err := b.list(flags...)
	if err != nil {
		return h, err
	}
	x := &callees{line: line, set: token.NewFileSet(), deps: deps, of: map[string]*pkg{}, modules: map[string]bool{}, small: map[string]bool{}, names: map[string]bool{}}
	var at *pkg
	for _, p := range all {
		x.of[p.ImportPath] = p
		if slices.Contains(p.files(), file) && (at == nil || at.ForTest == "") {
			at = p
		}
	}
	switch {
	case at == nil || at.Goroot:
		return h, nil
	case operation:
		if !at.chosen(deps) && at.Module != nil {
			h.Modules = []string{at.Module.Path}
		}
		return h, nil
	}
	for _, s := range of {
		maps.Copy(x.small, s.small)
	}
	if err := x.load(at); err != nil {
		return h, err
	}
	x.in(file)
	if strings.HasSuffix(file, "_test.go") {
		needed := modulesOf(all, deps)
		maps.DeleteFunc(x.modules, func(m string, _ bool) bool { return !needed[m] })
	}
	return Hidden{x.function, slices.Sorted(maps.Keys(x.modules)), slices.Sorted(maps.Keys(x.names))}, nil
}

// modulesOf returns the modules whose packages are imported by others than tests, of packages whose functions are regions.
func modulesOf(all []*pkg, deps []string) map[string]bool {
	module, needed := map[string]string{}, map[string]bool{}
	for _, p := range all {
		if p.Module != nil {
			module[p.ImportPath] = p.Module.Path
		}
	}
	for _, p := range all {
		if p.ForTest == "" && !p.Goroot && p.chosen(deps) {
			for _, path := range p.Imports {
				needed[module[path]] = true
			}
		}
	}
	return needed
}

// callees finds what functions of a package call.
type callees struct {
	line     int
	set      *token.FileSet
	deps     []string
	of       map[string]*pkg
	p        *pkg
	files    []*ast.File
	info     types.Info
	declared map[types.Object]*ast.FuncDecl
	small    map[string]bool // those that the compiler inlines: do they have loops?

	function string
	modules  map[string]bool
	names    map[string]bool // of small ones with loops
}

// load type-checks a package. What it imports was compiled.
func (x *callees) load(p *pkg) error {
	x.p, x.declared = p, map[types.Object]*ast.FuncDecl{}
	for _, name := range p.files() {
		f, err := parser.ParseFile(x.set, name, nil, parser.SkipObjectResolution)
		switch {
		case errors.Is(err, fs.ErrNotExist): // ours, in the overlay only
			continue
		case err != nil:
			return err
		}
		x.files = append(x.files, f)
	}
	x.info = types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	from := importer.ForCompiler(x.set, "gc", func(path string) (io.ReadCloser, error) {
		if mapped := p.ImportMap[path]; mapped != "" {
			path = mapped
		}
		if i := x.of[path]; i != nil && i.Export != "" {
			return os.Open(i.Export)
		}
		return nil, errors.New("not compiled")
	})
	c := types.Config{Importer: from, FakeImportC: true, Error: func(error) {}}
	_, _ = c.Check(p.path(), x.set, x.files, &x.info) // of what is wrong nothing is known
	for _, f := range x.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				x.declared[x.info.Defs[d.Name]] = d
			}
		}
	}
	return nil
}

// in looks at the function that begins at the line of a file.
func (x *callees) in(file string) {
	for _, f := range x.files {
		if x.set.Position(f.Package).Filename != file {
			continue
		}
		for _, f := range functionsOf(x.set, f, x.p, false) {
			if f.at.line == x.line && x.function == "" {
				x.function = wire.ShortName(f.full)
				x.body(f.body, map[*ast.FuncDecl]bool{})
			}
		}
	}
}

// body looks at all calls in the body of a function, and at those of functions that are inlined into it. Those in literals belong to these, and what is deferred is done once, if at all.
func (x *callees) body(b *ast.BlockStmt, seen map[*ast.FuncDecl]bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if f := x.callee(n); f != nil && f.Pkg() != nil {
				x.call(f, seen)
			}
		}
		return true
	})
}

// callee returns the function that is called, if that is known.
func (x *callees) callee(c *ast.CallExpr) *types.Func {
	fun := ast.Unparen(c.Fun)
	switch i := fun.(type) {
	case *ast.IndexExpr:
		fun = i.X
	case *ast.IndexListExpr:
		fun = i.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		if s := x.info.Selections[f]; s != nil && types.IsInterface(s.Recv()) {
			return nil
		}
		id = f.Sel
	default:
		return nil
	}
	f, _ := x.info.Uses[id].(*types.Func)
	if f == nil {
		return nil
	}
	return f.Origin()
}

// call notes a function that is called.
func (x *callees) call(f *types.Func, seen map[*ast.FuncDecl]bool) {
	if d := x.declared[f]; d != nil {
		full := x.p.symbol() + "." + nameOf(d)
		if loops, small := x.small[full]; small && !seen[d] {
			seen[d] = true
			if loops {
				x.names[wire.ShortName(full)] = true
			}
			x.body(d.Body, seen)
		}
		return
	}
	if p := x.of[f.Pkg().Path()]; p != nil && !p.Goroot && !p.chosen(x.deps) && p.Module != nil {
		x.modules[p.Module.Path] = true
	}
}

// hasLoop tells whether a function loops itself.
func hasLoop(b *ast.BlockStmt) (is bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			is = true
		}
		return !is
	})
	return is
}
