package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
)

const hinted = `package main

import (
	"sort"

	"github.com/rivo/uniseg"
)

type wide interface{ Next() bool }

func main() { calls(); method(); inlines(); any(uniseg.NewGraphemes("ab")); std(); recurs(3); later() }

func calls() { for range 3 { println(uniseg.StringWidth("ab")) } }

func method() { for g := uniseg.NewGraphemes("ab"); through(g); { } }

func through(g *uniseg.Graphemes) bool { return g.Next() }

func inlines() { for range 3 { println(small([]int{1, 2})) } }

func small(list []int) (n int) {
	for _, x := range list { n += x }
	return n
}

func any(w wide) { for w.Next() { } }

func std() { for range 3 { sort.Ints(make([]int, 3)) } }

func recurs(n int) { if n > 0 { big(); recurs(n - 1); once(func() { uniseg.StringWidth("a") }) } }

func once(f func()) { f() }

func later() { for n := range 3 { if n == 2 { defer tidy(make([]int, n)); break } } }

func tidy(list []int) { for i := range list { println(small(list[i:])) } }

func big() { println(uniseg.StringWidth("ab")); println(1); println(2); println(3); for range 3 { println(uniseg.StringWidth("ab")) } }
`

// TestHint: what a function calls that is no region is named with the flag that makes it one, where there is such a flag.
func TestHint(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages for a runtime of their own")
	}
	own, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	dir := t.TempDir()
	_, requires, _ := strings.Cut(string(own), "\nrequire")
	for name, text := range map[string]string{
		"go.mod": "module example.org/hinted\n\ngo 1.23\n\nrequire" + requires, "go.sum": string(sums), "a.go": hinted,
		"a_test.go": "package main\n\nimport (\n\t\"testing\"\n\n\t\"github.com/rivo/uniseg\"\n\t\"github.com/stretchr/testify/require\"\n)\n\n" +
			"func TestA(t *testing.T) { require.Equal(t, 2, uniseg.StringWidth(\"ab\")) }\n\nfunc TestB(t *testing.T) { require.True(t, true) }\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	const module = "github.com/rivo/uniseg"
	deps := func(in string) string {
		return "part of the work in main." + in + " may be in " + module + ", which it calls: to see it, record again with --deps " + module + "/..."
	}
	run := func(verb string, r regions.Options, check func(hint func(file, of string) string)) {
		b, err := New(verb, []string{"-C", dir, "-o", filepath.Join(dir, "program"), "."}, r)
		defer b.Close()
		require.NoError(t, err)
		status, err := b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
		require.NoError(t, err)
		require.Zero(t, status)
		check(func(file, of string) string {
			name := file
			if !filepath.IsAbs(file) {
				name = filepath.Join(dir, file)
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			before, _, found := strings.Cut(string(text), of)
			require.True(t, found)
			return b.Hint(name, 1+strings.Count(before, "\n"), filepath.IsAbs(file))
		})
	}
	cache, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(t, err)
	within := filepath.Join(strings.TrimSpace(string(cache)), "width.go")
	run("build", regions.Options{}, func(hint func(string, string) string) {
		require.Equal(t, deps("calls"), hint("a.go", "func calls"))
		require.Equal(t, deps("method"), hint("a.go", "func method"))
		require.Equal(t, "part of the work in main.inlines may be in main.small, which the compiler inlines: to see it, record again with --include main.small", hint("a.go", "func inlines"))
		for _, of := range []string{"func any", "func std", "func recurs", "func later", "package"} {
			require.Empty(t, hint("a.go", of), of)
		}
		require.Equal(t, "the wait at width.go:1 is in "+module+": to see in which of its functions, record again with --deps "+module+"/...", hint(within, "package"))
	})
	run("build", regions.Options{Deps: []string{module}}, func(hint func(string, string) string) { require.Empty(t, hint("a.go", "func calls")) })
	run("test", regions.Options{}, func(hint func(string, string) string) {
		require.Equal(t, deps("TestA"), hint("a_test.go", "func TestA"))
		require.Empty(t, hint("a_test.go", "func TestB"))
	})
}
