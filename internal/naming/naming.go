// Package naming finds the name that a program's source gives to the object that an operation acts on: "DB.metalock" for the lock of
//
//	func (db *DB) Get() { db.metalock.Lock()
//
// It reads the source and resolves types within one package only, so it knows what other packages export by name, if at all. Without
// source, [Program] gives the names that follow from the program's symbols.
package naming

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Names knows the source files that it was asked about. It is used by one goroutine at a time.
type Names struct {
	before      time.Time
	packages    map[string]*source // by Package
	of          map[string]string  // Package by file
	arch        string             // the program's, as GOARCH; "" that of this machine
	kept        int64              // bytes of source that they were read from
	cache       string             // directory of the module cache
	module, dir string             // the module whose files may be called by its path, and where it is
}

// New returns names from source files as they are if they were last changed before a time: what was changed later may not be what ran.
// The program runs on a processor of arch, as GOARCH says it, "" if that is not known. Files that the program does not call by their directory are looked for in the module cache, and in the module that dir belongs to.
func New(before time.Time, dir, arch string) *Names {
	n := &Names{before: before, arch: arch, packages: map[string]*source{}, of: map[string]string{}, cache: moduleCache()}
	n.module, n.dir = moduleOf(dir)
	return n
}

// source is the source of a package, nil if it cannot be read.
type source struct {
	fset  *token.FileSet
	files map[string]*ast.File // by name
	info  types.Info
	pkg   *types.Package
	// Not all of the package's files could be read.
	partial bool
	binds   *bindings // nil: not yet looked for
	named   map[operated]named
}

// The most that is read of a package; larger ones are written by programs.
const (
	mostFiles = 1000
	mostBytes = 32 << 20
)

// mostKept is how many bytes of source are kept at once, but for the package that was read last: what is made of them is many times as large.
const mostKept = 2 << 20

// Of returns the name of the object that an operation, such as "lock" or "recv", in a line of a file works on, "" if that is not
// known, or the line is not in the function. It is unique if it means the same wherever it is said: a field with its type, or a variable
// of the package.
func (n *Names) Of(operation, function, file string, line int) (name string, unique bool) {
	file = n.local(file)
	if file == "" {
		return "", false
	}
	s := n.source(file)
	if s == nil || !s.isIn(s.files[file], line, function) {
		return "", false
	}
	namer := namer{s, operation}
	for _, x := range namer.operands(s.files[file], line) {
		text, one := namer.name(x, 0)
		if name != "" && name != text {
			return "", false // two in one line
		}
		name, unique = text, one
	}
	return name, unique
}

// Has says whether the source of a file is here, and is what it was.
func (n *Names) Has(file string) bool {
	file = n.local(file)
	return file != "" && n.source(file) != nil
}

// Package tells the files of one package from those of others, "" if the source of a file is not here. A package is read as a whole, which takes long: who asks about many
// files had better ask about those of one package one after the other.
func (n *Names) Package(file string) string {
	if file = n.local(file); file == "" {
		return ""
	}
	key, ok := n.of[file]
	if !ok {
		key = n.packageOf(file)
		n.of[file] = key
	}
	return key
}

// packageOf finds the Package of a file: those of a directory with the same name, but tests of others' packages, which are read with all tests, and what is not for this system.
func (n *Names) packageOf(file string) string {
	if n.sizeOf(file) < 0 {
		return ""
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	dir := filepath.Dir(file)
	switch {
	case err != nil:
		return ""
	case !n.compiles(dir, filepath.Base(file), true):
		return file
	case isTest(file) && n.isOthers(dir):
		return filepath.Join(dir, f.Name.Name+"_test.go")
	}
	return filepath.Join(dir, f.Name.Name)
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// source returns the package of a file, which is read if it is not among those that were read last.
func (n *Names) source(file string) *source {
	key := n.Package(file)
	if key == "" {
		return nil
	}
	s, ok := n.packages[key]
	if !ok {
		if n.kept > mostKept {
			clear(n.packages)
			n.kept = 0
		}
		s = n.read(file)
		n.packages[key] = s
	}
	if s == nil || s.files[file] == nil {
		return nil
	}
	return s
}

// read reads the package of a file.
func (n *Names) read(file string) (s *source) {
	defer func() {
		if recover() != nil { // source that is wrong in a way that the type checker does not know
			s = nil
		}
	}()
	s = &source{fset: token.NewFileSet(), files: map[string]*ast.File{}, named: map[operated]named{}, info: types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}}
	main := n.parse(s, file)
	if main == nil {
		return nil
	}
	all := []*ast.File{main}
	entries, _ := os.ReadDir(filepath.Dir(file))
	room := int64(mostBytes)
	s.partial = len(entries) > mostFiles
	for _, e := range entries[:min(len(entries), mostFiles)] {
		name := filepath.Join(filepath.Dir(file), e.Name())
		info, err := e.Info()
		if err != nil || name == file || filepath.Ext(name) != ".go" || !n.compiles(filepath.Dir(file), e.Name(), isTest(file)) {
			continue
		}
		if room -= info.Size(); room < 0 {
			s.partial = true
			break
		}
		f := n.parse(s, name)
		if s.partial = s.partial || f == nil; f != nil && f.Name.Name == main.Name.Name {
			all = append(all, f)
		}
	}
	c := types.Config{Importer: absent{}, FakeImportC: true, Error: func(error) {}} // imports are missing, so there are errors
	s.pkg, _ = c.Check(main.Name.Name, s.fset, all, &s.info)
	return s
}

// sizeOf returns how large a file is, -1 if it cannot be read or is not what it was.
func (n *Names) sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes || info.ModTime().After(n.before) {
		return -1
	}
	return info.Size()
}

// parse reads a file, nil if it is not what it was.
func (n *Names) parse(s *source, name string) *ast.File {
	size := n.sizeOf(name)
	if size < 0 {
		return nil
	}
	f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	s.files[name] = f
	n.kept += size
	return f
}

// absent is where nothing is imported from: every package is there, and empty.
type absent struct{}

func (absent) Import(path string) (*types.Package, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	p := types.NewPackage(path, strings.TrimSuffix(name, ".go"))
	p.MarkComplete()
	return p, nil
}
