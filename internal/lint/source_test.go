package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// files calls each for every file of the tree whose name ends in one of the suffixes, with its path from the root.
func files(t *testing.T, each func(name string, text []byte), suffixes ...string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == ".git" || name == "bin" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), "trace.dir") {
				return filepath.SkipDir
			}
			return nil
		}
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				text, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				each(filepath.ToSlash(name), text)
				break
			}
		}
		return nil
	}))
}

func TestFilesAreSmall(t *testing.T) {
	const most = 700
	files(t, func(name string, text []byte) {
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, more than %d: what are its two concepts?", name, n, most)
		}
	}, ".go")
}

// TestCommandsAreWiring: commands parse flags and call. What is more than that is a package of its own, with tests; a command's tests do not count.
func TestCommandsAreWiring(t *testing.T) {
	const most = 2000
	lines := map[string]int{}
	files(t, func(name string, text []byte) {
		if dir := filepath.Dir(name); filepath.Dir(dir) == "cmd" && !strings.HasSuffix(name, "_test.go") {
			lines[dir] += bytes.Count(text, []byte("\n"))
		}
	}, ".go")
	require.Contains(t, lines, "cmd/tracerec")
	require.Contains(t, lines, "cmd/expert")
	for dir, n := range lines {
		if n > most {
			t.Errorf("%s has %d lines, more than %d: what of it is more than flags and calls?", dir, n, most)
		}
	}
}

// Notes to oneself, and places that only exist on one machine, have no place in the tree.
func TestWords(t *testing.T) {
	words := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK|WI` + `P)\b|/wor` + `k/|/home/[a-z]|/ro` + `ot/`)
	files(t, func(name string, text []byte) {
		for i, line := range strings.Split(string(text), "\n") {
			if w := words.FindString(line); w != "" {
				t.Errorf("%s:%d: %q", name, i+1, w)
			}
		}
	}, ".go", ".s", ".md", ".txtar", "Makefile", ".ci/run", ".yml")
}

func TestEverythingExportedIsDocumented(t *testing.T) {
	documented := map[string]bool{} // directory: has a package comment
	files(t, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		dir := filepath.Dir(name)
		documented[dir] = documented[dir] || f.Doc != nil
		for _, decl := range f.Decls {
			undocumented(decl, func(n *ast.Ident) {
				t.Errorf("%s: %s has no doc comment", fset.Position(n.Pos()), n.Name)
			})
		}
	}, ".go")
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// undocumented calls each for the exported names of a declaration that no comment describes.
func undocumented(decl ast.Decl, each func(*ast.Ident)) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !wellKnown[d.Name.Name] {
			each(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					each(s.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						each(n)
					}
				}
			}
		}
	}
}

// wellKnown are methods that do what everybody expects of the name.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Is": true, "As": true, "Len": true, "Less": true, "Swap": true,
	"Push": true, "Pop": true, "Write": true, "Read": true}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// A wait with a limit of its own fails where the machine does something else. testkit.Until has none.
func TestWaitsHaveNoLimit(t *testing.T) {
	limited := regexp.MustCompile(`\b(require|assert)\.(Eventually|Never|EventuallyWithT)\(|<-time\.After\([0-9]* ?\*? ?time\.(Second|Minute)|` +
		`time\.Now\(\)\.(Before|After)\(|time\.(Since|Until)\([a-z]+\), |\.Set(Read|Write)?Deadline\(|context\.With(Timeout|Deadline)\(`)
	files(t, func(name string, text []byte) {
		if strings.HasPrefix(name, "bench/") || strings.HasPrefix(name, "lab/") {
			return // which measure
		}
		for i, line := range strings.Split(string(text), "\n") {
			if limited.MatchString(line) {
				t.Errorf("%s:%d: a wait with a limit: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}, "_test.go")
}

// A program without anything else to do that waits by select {} for its own signal is deadlocked meanwhile: the runtime says so while it
// handles the signal, and some signals it then handles never.
func TestNoDeadlockBesideSignals(t *testing.T) {
	deadlock := regexp.MustCompile(`\bKill\(.*\n\s*select \{\}`)
	files(t, func(name string, text []byte) {
		if at := deadlock.FindIndex(text); at != nil {
			t.Errorf("%s:%d: select {} after a signal: sleep instead", name, 1+bytes.Count(text[:at[0]], []byte("\n")))
		}
	}, ".go")
}
