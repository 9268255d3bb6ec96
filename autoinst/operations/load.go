package operations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
)

// pkg is a package as go list describes it, with its types.
type pkg struct {
	Dir, ImportPath, Name string
	Standard              bool
	Module                *struct {
		Main      bool
		GoVersion string
	}
	GoFiles, CgoFiles []string
	ImportMap         map[string]string

	names []string // of files that could be parsed
	files []*ast.File
	types *types.Package
	info  *types.Info
	err   error // why it does not compile
}

// loader knows the packages of a build.
type loader struct {
	b       *Build
	o       *overlay.Overlay
	set     *token.FileSet
	all     []*pkg
	byPath  map[string]*pkg
	checked types.Sizes
}

// load asks the go command for the packages of a build with all that they import, and type-checks them. Only those that are to be rewritten are
// checked with the bodies of their functions. The source is all that is needed: nothing is compiled, and any Go will do.
func (b *Build) load(o *overlay.Overlay) (*loader, error) {
	l := &loader{b: b, o: o, set: token.NewFileSet(), byPath: map[string]*pkg{}, checked: types.SizesFor("gc", b.Arch)}
	if err := l.list(); err != nil {
		return nil, err
	}
	for _, p := range l.all {
		l.parse(p)
		l.check(p)
	}
	return l, nil
}

func (l *loader) list() error {
	args := []string{"-e", "-deps", "-json=Dir,ImportPath,Name,Standard,Module,GoFiles,CgoFiles,ImportMap"}
	if l.b.Tests {
		args = append(args, "-test")
	}
	out, err := l.b.Go(slices.Concat([]string{"list"}, l.b.Chdir, args, l.b.Flags, l.b.Packages)...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		l.all = append(l.all, p)
		l.byPath[p.ImportPath] = p
	}
}

// chosen tells whether operations of a package are to be rewritten.
func (l *loader) chosen(p *pkg) bool {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	switch {
	case p.Standard, p.Name == "main" && strings.HasSuffix(path, ".test"): // the go command writes that
		return false
	case path == "tracerec" || strings.HasPrefix(path, "tracerec/"), l.b.Fixed(p.Dir):
		return false
	}
	return p.Module == nil || p.Module.Main || slices.ContainsFunc(l.b.Deps, func(pattern string) bool {
		prefix, all := strings.CutSuffix(pattern, "/...")
		return path == prefix || all && strings.HasPrefix(path, prefix+"/")
	})
}

func (l *loader) parse(p *pkg) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		text, err := l.o.Text(name)
		if err == nil {
			var f *ast.File
			if f, err = parser.ParseFile(l.set, name, text, parser.SkipObjectResolution|parser.ParseComments); err == nil {
				p.names, p.files = append(p.names, name), append(p.files, f)
			}
		}
		if err != nil && p.err == nil {
			p.err = err
		}
	}
}

func (l *loader) check(p *pkg) {
	if p.ImportPath == "unsafe" {
		p.types = types.Unsafe
		return
	}
	with := l.chosen(p)
	config := types.Config{
		Importer: importer{l, p}, Sizes: l.checked, FakeImportC: true, IgnoreFuncBodies: !with,
		Error: func(err error) {
			if p.err == nil {
				p.err = err
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" && version.Compare("go"+p.Module.GoVersion, runtime.Version()) <= 0 {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	if with {
		p.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
		}
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	p.types, _ = config.Check(path, l.set, p.files, p.info) // errors went to p.err
}

// importer finds what a package imports.
type importer struct {
	l *loader
	p *pkg
}

// Import returns an imported package.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if mapped, ok := i.p.ImportMap[path]; ok {
		path = mapped
	}
	if p := i.l.byPath[path]; p != nil && p.types != nil {
		return p.types, nil
	}
	return nil, fmt.Errorf("package %s is not known", path)
}
