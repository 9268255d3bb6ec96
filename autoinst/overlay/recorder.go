package overlay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

// RuntimeTag is the build tag of files of the recorder that only fit into a program whose runtime has hooks.
const RuntimeTag = "tracerec_runtime"

// AddRecorder adds the source of the recorder, in the directories of a module, as packages of the standard library below the path root. If
// that is "", the program has these packages itself, and only what the runtime takes of them is added.
//
// The go command assembles in the directory of a package, and these do not exist: so assembly is moved into the runtime, together with
// the declarations of its functions. hooked says that the runtime has hooks.
//
// The race detector sees nothing of the recorder: a hook may run where package sync has it ignore what orders goroutines, as a Pool does, and
// what is kept there would seem to be without order for others.
func (o *Overlay) AddRecorder(root string, source fs.FS, hooked bool) error {
	return fs.WalkDir(source, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(source, name)
		switch {
		case err != nil:
			return err
		case strings.Contains(name, "/testdata/"), strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, ".s"):
			o.Add(moved(name), "#define TRACEREC_MOVED\n"+rename(name, string(text)))
		case strings.HasSuffix(name, ".go"):
			at := ""
			if root != "" {
				at = path.Join(root, name)
			}
			return o.addGo(at, name, string(text), hooked)
		}
		return nil
	})
}

// prefix begins the names in the runtime of what is moved there from the package of a file.
func prefix(name string) string {
	return "tracerec_" + strings.ReplaceAll(path.Dir(name), "/", "_") + "_"
}

// moved is the name in the runtime of a file of the recorder.
func moved(name string) string { return "runtime/" + prefix(name) + path.Base(name) }

// rename gives all symbols of an assembly file their names in the runtime.
func rename(name, text string) string {
	for _, before := range []string{" ", "\t", "("} {
		text = strings.ReplaceAll(text, before+"·", before+"·"+prefix(name))
	}
	return text
}

// addGo adds a Go file. Its functions without body are declared in the runtime as well.
func (o *Overlay) addGo(at, name, text string, hooked bool) error {
	constraint, rest := "", text
	if line, after, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(line, "//go:build ") {
		constraint, rest = line+"\n", after
	}
	switch tag := strings.TrimSpace(strings.TrimPrefix(constraint, "//go:build ")); {
	case tag != RuntimeTag && tag != "!"+RuntimeTag:
	case hooked == (tag == RuntimeTag):
		constraint, text = "", rest
	default:
		return nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	var declared strings.Builder
	marked := strings.Builder{}
	last := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		begin := files.Position(f.Pos()).Offset
		if f.Body != nil {
			marked.WriteString(text[last:begin] + "//go:norace\n")
			last = begin
			continue
		}
		if strings.Contains(f.Doc.Text()+pragmas(f), "go:linkname") {
			continue
		}
		fmt.Fprintf(&marked, "%s//go:linkname %s runtime.%s%s\n", text[last:begin], f.Name.Name, prefix(name), f.Name.Name)
		last = begin
		inRuntime := *f
		inRuntime.Name = ast.NewIdent(prefix(name) + f.Name.Name)
		inRuntime.Doc = nil
		fmt.Fprintf(&declared, "\n//go:noescape\n//go:linkname %s\n", inRuntime.Name)
		if err := printer.Fprint(&declared, files, &inRuntime); err != nil {
			return err
		}
		declared.WriteByte('\n')
	}
	marked.WriteString(text[last:])
	text = marked.String()
	if declared.Len() > 0 {
		o.Add(moved(name), constraint+"\npackage runtime\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n"+declared.String())
		text = strings.Replace(text, "\npackage "+file.Name.Name+"\n", "\npackage "+file.Name.Name+"\n\nimport _ \"unsafe\"\n", 1)
		if strings.HasPrefix(text, "package ") {
			text = strings.Replace(text, "\n", "\n\nimport _ \"unsafe\"\n", 1)
		}
	}
	if at != "" {
		o.Add(at, text)
	}
	return nil
}

// pragmas returns the compiler directives before a function.
func pragmas(f *ast.FuncDecl) (text string) {
	if f.Doc != nil {
		for _, c := range f.Doc.List {
			text += c.Text
		}
	}
	return text
}
