package lint

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "tracerec"

// libraries are the packages outside the standard library that the table names by their last words.
var libraries = map[string]string{
	"zstd":    "github.com/klauspost/compress/zstd",
	"flate":   "github.com/klauspost/compress/flate",
	"gzip":    "github.com/klauspost/compress/gzip",
	"msgpack": "github.com/vmihailenco/msgpack/v5",
	"unix":    "golang.org/x/sys/unix",
	"exp":     "golang.org/x/exp/trace",
	"cobra":   "github.com/spf13/cobra",
	"pflag":   "github.com/spf13/pflag", // which cobra makes of flags
	"pprof":   "github.com/google/pprof/profile",
	"txtar":   "golang.org/x/tools/txtar",
	"term":    "golang.org/x/term",
	"uniseg":  "github.com/rivo/uniseg",
	"testify": "github.com/stretchr/testify/require",
}

// inTests are libraries that all tests may import.
var inTests = []string{libraries["testify"], libraries["unix"], libraries["zstd"], libraries["msgpack"], libraries["pprof"]}

// rule says what a package may import: packages of ours and packages of others outside the standard library.
// All are patterns of path.Match.
type rule struct {
	pkg          string
	tests        bool // only tests may import it
	any          bool // it may import all packages of others, and what is for tests
	ours, others []string
}

// readRules reads the table of all packages in docs/architecture.md. A package that no rule matches is an error, so that a new one gets
// its place there; only examples, which nothing imports, need none.
func readRules(t *testing.T) (rules []*rule) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n| package | is | may import of ours | and of others |\n|---|---|---|---|\n")
	require.True(t, ok, "no table of packages")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		require.Len(t, cells, 4, line)
		r := rule{tests: strings.HasPrefix(cells[1], "for tests: "), any: cells[3] == "any", ours: spans(cells[2])}
		for _, name := range spans(cells[3]) {
			require.Contains(t, libraries, name, line)
			r.others = append(r.others, libraries[name])
		}
		for _, r.pkg = range spans(cells[0]) {
			one := r
			require.False(t, strings.Contains(r.pkg, "*") && !strings.HasPrefix(r.pkg, "examples/"), "%s: a row of packages that nobody knows", r.pkg)
			rules = append(rules, &one)
		}
	}
	return rules
}

// spans are the code spans of a cell, which has nothing else but a dash where there are none.
func spans(cell string) (list []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return list
}

// goPackage is the part of go list's output that matters here.
type goPackage struct {
	ImportPath                         string
	Standard                           bool
	Imports, TestImports, XTestImports []string
}

// golist runs go list in a directory of the tree as if on the given operating system.
func golist(t *testing.T, dir, goos string, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-e", "-json=ImportPath,Standard,Imports,TestImports,XTestImports"}, args...)...)
	cmd.Dir = filepath.Join(root, dir)
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return list
		} else {
			require.NoError(t, err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	rules := readRules(t)
	used := map[*rule]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range golist(t, ".", goos, "./...") {
			r := ruleOf(t, rules, p)
			used[r] = true
			for _, i := range append(p.TestImports, p.XTestImports...) {
				if strings.Contains(i, ".") && !allowed(i, nil, append(r.others, inTests...)) {
					t.Errorf("the tests of %s import %s", p.ImportPath, i)
				}
			}
		}
	}
	for _, own := range []string{"lab", "bench"} {
		for _, p := range golist(t, own, "linux", "./...") {
			used[ruleOf(t, rules, p)] = true
		}
	}
	for _, r := range rules {
		require.True(t, used[r], "docs/architecture.md has a row for %s: there is no such package, or a row above fits too", r.pkg)
	}
}

// ruleOf returns the rule for a package, and reports imports that it does not permit.
func ruleOf(t *testing.T, rules []*rule, p goPackage) *rule {
	t.Helper()
	r := ruleFor(rules, p.ImportPath)
	require.NotNil(t, r, "%s: no row of docs/architecture.md says what it may import", p.ImportPath)
	for _, i := range p.Imports {
		if !allowed(i, r.ours, r.others) && (!r.any || strings.HasPrefix(i, module+"/")) {
			t.Errorf("%s imports %s, which its row of docs/architecture.md does not permit", p.ImportPath, i)
		}
		if of := ruleFor(rules, i); of != nil && of.tests && !r.tests && !r.any {
			t.Errorf("%s imports %s, which is for tests", p.ImportPath, i)
		}
	}
	return r
}

// ruleFor returns the first rule for an import path, nil if none is.
func ruleFor(rules []*rule, imported string) *rule {
	for _, r := range rules {
		if ok, _ := path.Match(module+"/"+r.pkg, imported); ok || imported == module && r.pkg == module {
			return r
		}
	}
	return nil
}

func allowed(imported string, ours, others []string) bool {
	list := others
	if name, ok := strings.CutPrefix(imported, module+"/"); ok || imported == module {
		imported, list = name, ours
	} else if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return true // standard library
	}
	for _, pattern := range list {
		if ok, _ := path.Match(pattern, imported); ok {
			return true
		}
	}
	return false
}

// What instrument drags along ends up in the measured program: that must be the standard library and leaves
// of ours.
func TestInstrumentIsLight(t *testing.T) {
	for _, p := range golist(t, ".", "linux", "-deps", "./instrument") {
		if !p.Standard && !strings.HasPrefix(p.ImportPath, module+"/") {
			t.Errorf("instrument depends on %s", p.ImportPath)
		}
		for _, heavy := range []string{"net/http", "encoding/json", "text/template", "testing"} {
			if p.ImportPath == heavy {
				t.Errorf("instrument depends on %s", heavy)
			}
		}
	}
}
