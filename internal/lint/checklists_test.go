package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/patterns"
)

// readChecklists returns the steps of the checklists in CONTRIBUTING.md, by title: "A new pattern".
func readChecklists(t *testing.T) map[string][]string {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	lists := map[string][]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		if title, steps, _ := strings.Cut(section, "\n"); strings.HasPrefix(title, "A new ") {
			lists[title] = regexp.MustCompile(`(?m)^(?:\d+\. |\n)`).Split(steps, -1)
		}
	}
	require.GreaterOrEqual(t, len(lists), 6)
	return lists
}

// Each code span of a checklist is a file or package that exists, a command that runs, or what a package of its step, or of one before, declares.
func TestChecklistsAreTrue(t *testing.T) {
	declared := declarations(t)
	for title, steps := range readChecklists(t) {
		var dirs []string // of the step
		for _, step := range steps {
			if now := placesIn(step, dirs); now != nil {
				dirs = now
			}
			for _, span := range codeSpan.FindAllStringSubmatch(step, -1) {
				s := span[1]
				switch words := strings.Fields(s); {
				case len(words) > 1:
					commandRuns(t, words)
				case find(s, dirs) != nil:
				case strings.HasPrefix(s, "-"):
					require.True(t, slices.ContainsFunc(dirs, func(d string) bool { return declared[d]["flag "+s[1:]] }), "%s: no flag %s in %v", title, s, dirs)
				default:
					in, name, qualified := strings.Cut(s, ".")
					if !qualified {
						in, name = "", s
					}
					found := false
					for dir, names := range declared {
						found = found || names[name] && (path.Base(dir) == in || !qualified && slices.Contains(dirs, dir))
					}
					require.True(t, found, "%s: `%s` is no file, and nothing that %v declare", title, s, dirs)
				}
			}
		}
	}
}

// find returns the files and directories that a code span names, in the tree or in one of some directories. NAME and … stand for anything.
func find(span string, dirs []string) (found []string) {
	pattern := strings.NewReplacer("NAME", "*", "…", "*").Replace(span)
	for _, dir := range append([]string{"."}, dirs...) {
		paths, _ := filepath.Glob(filepath.Join(root, dir, filepath.FromSlash(pattern)))
		found = append(found, paths...)
	}
	return found
}

// placesIn returns the directories that a step names files of, where bare names are of directories before.
func placesIn(step string, before []string) (dirs []string) {
	for _, span := range codeSpan.FindAllStringSubmatch(step, -1) {
		s := span[1]
		if words := strings.Fields(s); len(words) > 2 && words[0] == "go" {
			s = words[2]
		}
		for _, p := range find(s, slices.Concat(dirs, before)) {
			info, err := os.Stat(p)
			if err == nil && !info.IsDir() {
				p = filepath.Dir(p)
			}
			if rel, err := filepath.Rel(root, p); err == nil && !slices.Contains(dirs, filepath.ToSlash(rel)) {
				dirs = append(dirs, filepath.ToSlash(rel))
			}
		}
	}
	return dirs
}

// commandRuns requires that make knows a target, that go test finds a test, or that a program of ours has a command.
func commandRuns(t *testing.T, words []string) {
	switch words[0] {
	case "make":
		makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
		require.NoError(t, err)
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(words[1])+`:`, string(makefile))
	case "go":
		at := slices.Index(words, "-run")
		require.Positive(t, at, words)
		list := exec.Command("go", "test", "-list", words[at+1], words[2])
		list.Dir = root
		out, err := list.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), words[at+1])
	default:
		checkCommand(t, testkit.Build(t, nil, "tracerec/cmd/"+words[0]), words[1:2])
	}
}

// parsed calls each for the files of the main module, with the directory of each from the root.
func parsed(t *testing.T, tests bool, each func(dir string, f *ast.File)) {
	files(t, func(name string, text []byte) {
		if own := strings.HasPrefix(name, "lab/") || strings.HasPrefix(name, "bench/"); own || strings.Contains(name, "testdata/") || !tests && strings.HasSuffix(name, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		each(path.Dir(name), f)
	}, ".go")
}

// declarations returns the names that packages declare, fields and methods too, by directory; flags of tests as "flag NAME".
func declarations(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	parsed(t, true, func(dir string, f *ast.File) {
		names := all[dir]
		if names == nil {
			names = map[string]bool{}
			all[dir] = names
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Name.Name] = true
			case *ast.TypeSpec:
				names[n.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names[name.Name] = true
				}
			case *ast.Field:
				for _, name := range n.Names {
					names[name.Name] = true
				}
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 3 {
					if x, ok := of.X.(*ast.Ident); ok && x.Name == "flag" {
						names["flag "+text(n.Args[0])] = true
					}
				}
			}
			return true
		})
	})
	return all
}

// text is what a string literal says, "" of other expressions.
func text(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

// Whoever names a quarter of all kinds of events, or of all patterns, has to do with each of them: the checklists name it.
func TestChecklistsNameAllPackages(t *testing.T) {
	kinds, metrics := map[string]bool{}, map[string]bool{}
	parsed(t, false, func(dir string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && dir == "trace/wire" {
				if of, ok := v.Type.(*ast.Ident); ok && of.Name == "Kind" {
					kinds[v.Names[0].Name] = true
				}
			}
			return true
		})
	})
	for _, p := range patterns.All() {
		metrics[p.Name] = true
	}
	named := map[string]map[string]map[string]bool{"A new event kind": {}, "A new pattern": {}} // by list and directory
	add := func(list, dir, name string, of map[string]bool) {
		if of[name] {
			if named[list][dir] == nil {
				named[list][dir] = map[string]bool{}
			}
			named[list][dir][name] = true
		}
	}
	parsed(t, false, func(dir string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "wire" {
					add("A new event kind", dir, n.Sel.Name, kinds)
				}
				add("A new pattern", dir, snake(n.Sel.Name), metrics)
			case *ast.BasicLit:
				add("A new pattern", dir, text(n), metrics)
			}
			return true
		})
	})
	rules, lists := readRules(t), readChecklists(t)
	for list, all := range map[string]int{"A new event kind": len(kinds), "A new pattern": len(metrics)} {
		steps := strings.Join(lists[list], "\n")
		require.Greater(t, all, 20)
		for dir, names := range named[list] {
			r := ruleFor(rules, module+"/"+dir)
			if r == nil || r.tests || 4*len(names) < all {
				continue
			}
			if !regexp.MustCompile("`" + regexp.QuoteMeta(dir) + "(/[^/`]*)?`").MatchString(steps) {
				t.Errorf("CONTRIBUTING.md, %s: no step names %s, which knows %d of %d", list, dir, len(names), all)
			}
		}
	}
}

// snake is the name in the form of metrics: LateSender is late_sender.
func snake(name string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_$2"))
}

// What implements substrates, or writes reports for others, is where its checklist says.
func TestExplicitLists(t *testing.T) {
	substrates, exports := map[string]bool{}, map[string]bool{}
	parsed(t, false, func(dir string, f *ast.File) {
		for _, d := range f.Decls {
			switch f, ok := d.(*ast.FuncDecl); {
			case !ok:
			case f.Recv != nil && f.Name.Name == "OpenSlot" || f.Recv != nil && f.Name.Name == "Resolve":
				substrates[dir] = strings.HasPrefix(dir, "counters/")
			case f.Recv == nil && f.Name.Name == "Write":
				exports[dir] = strings.HasPrefix(dir, "exchange/")
			}
		}
	})
	for file, dirs := range map[string]map[string]bool{"counters/substrates.go": substrates, "cmd/expert/export.go": exports} {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		require.NoError(t, err)
		checked := 0
		for dir, should := range dirs {
			if should {
				require.Contains(t, string(source), strconv.Quote(module+"/"+dir), "%s does not list it", file)
				checked++
			}
		}
		require.Greater(t, checked, 1, file)
	}
	words, err := os.ReadFile(filepath.Join(root, "docs", "export.md"))
	require.NoError(t, err)
	for dir, should := range exports {
		require.True(t, !should || strings.Contains(string(words), "--to "+path.Base(dir)), "docs/export.md says nothing of %s", dir)
	}
}
