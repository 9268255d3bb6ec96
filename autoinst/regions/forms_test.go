package regions_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/recorder"
	"tracerec/trace"
)

// forms are functions as people write them: the text before, and how one with a body is declared and called. @ is the number of the case, # the body.
var forms = []struct{ what, declare, call string }{
	{"function", "func f@(n int) int {\n#\n}", "f@(3)"},
	{"function on one line", "func f@(n int) int { # }", "f@(3)"},
	{"comment behind the brace", "func f@(n int) int { // begins\n#\n}", "f@(3)"},
	{"comment in the clause", "func /* a { */ f@(n int) /* b */ int /* c */ {\n#\n}", "f@(3)"},
	{"long signature", "func f@(\n\tn int,\n\trest ...string,\n) int {\n#\n}", `f@(3, "a", "b")`},
	{"named result", "func f@(n int) (result int) {\n#\n}", "f@(3)"},
	{"several results", "func f@x(n int) (int, error) { return f@(n), nil }\nfunc f@(n int) int {\n#\n}", "func() int { x, _ := f@x(3); return x }()"},
	{"method", "type t@ struct{ int }\nfunc (t t@) m(n int) int {\n#\n}", "t@{1}.m(3)"},
	{"method of a pointer", "type t@ struct{ int }\nfunc (t *t@) m(n int) int {\n#\n}", "(&t@{1}).m(3)"},
	{"receiver without a name", "type t@ struct{ int }\nfunc (*t@) m(n int) int {\n#\n}", "(*t@)(nil).m(3)"},
	{"promoted method", "type t@ struct{ int }\ntype u@ struct{ *t@ }\nfunc (t *t@) m(n int) int {\n#\n}", "u@{&t@{}}.m(3)"},
	{"method value", "type t@ struct{ int }\nfunc (t *t@) m(n int) int {\n#\n}", "func() int { f := (&t@{}).m; return f(3) }()"},
	{"method expression", "type t@ struct{ int }\nfunc (t t@) m(n int) int {\n#\n}", "t@.m(t@{}, 3)"},
	{"interface", "type i@ interface{ m(int) int }\ntype t@ struct{}\nfunc (t@) m(n int) int {\n#\n}", "func() int { var i i@ = t@{}; return i.m(3) }()"},
	{"generic function", "func f@[T any](n int, _ T) int {\n#\n}", `f@(3, "s") + f@(3, 1.5)`},
	{"generic method", "type t@[T any] struct{ x T }\nfunc (t *t@[T]) m(n int) int {\n#\n}", "(&t@[int]{}).m(3) + (&t@[string]{}).m(3)"},
	{"two type parameters", "type t@[K comparable, V any] map[K]V\nfunc (t t@[K, _]) m(n int) int {\n#\n}", "t@[int, string]{}.m(3)"},
	{"literal", "var v@ = 1", "func(n int) int {\n#\n}(3 + v@)"},
	{"literal in a variable", "var f@ = func(n int) int {\n#\n}", "f@(3)"},
	{"literal in a literal", "func f@(n int) int { return func() int { return func(n int) int {\n#\n}(n) }() }", "f@(3)"},
	{"literal in a field", "var t@ = struct{ f func(int) int }{func(n int) int {\n#\n}}", "t@.f(3)"},
	{"deferred literal", "func f@(m int) (n int) { n = m; defer func() { n += 1 }(); defer func() { for i := 0; i < 2; i++ { say(i) } }(); return func() int {\n#\n}() }", "f@(3)"},
	{"many defers", "func f@(n int) int { for i := 0; i < 20; i++ { defer say(i) }\n#\n}", "f@(3)"},
	{"nine defers", "func f@(n int) int { " + strings.Repeat("defer say(7); ", 9) + "\n#\n}", "f@(3)"},
	{"during initialization", "var v@ = f@(2)\nfunc f@(n int) int {\n#\n}", "f@(3) + v@"},
	{"directive", "//go:noinline\nfunc f@(n int) int {\n#\n}", "f@(3)"},
	{"forbidding directive", "//go:nosplit\nfunc f@x(n int) int { return n + 1 }\nfunc f@(n int) int {\n#\n}", "f@(3) + f@x(1)"},
	{"parameter like the runtime's", "func f@(n int, runtime, defer_ string) int {\n#\n}", `f@(3, "", "")`},
	{"blank parameters", "func f@(n int, _, _ string) int {\n#\n}", `f@(3, "", "")`},
	{"recursive", "func f@(n int) int { if n > 3 { return 0 }; if n > 0 { defer say(f@(n - 1)) }\n#\n}", "f@(2)"},
	{"many returns", "func f@(n int) int { " + many(16, "return -1") + "\n#\n}", "f@(3)"},
	{"many returns of a named result", "func f@(n int) (result int) { " + many(8, "return -1") + many(8, "return") + "\n#\n}", "f@(3)"},
	{"many returns of a blank result", "func f@(n int) (_ int) { " + many(16, "return") + "\n#\n}", "f@(3)"},
	{"many returns of a parenthesized result", "func f@(n int) (int) { " + many(16, "return(-1)") + "\n#\n}", "f@(3)"},
	{"many returns of one named like ours", "func f@(n int) (tracerec int) { " + many(16, "return -1") + "\n#\n}", "f@(3)"},
	{"many returns of a method", "type t@ struct{ int }\nfunc (t *t@) m(n int) int { " + many(16, "return -1") + "\n#\n}", "(&t@{1}).m(3)"},
	{"many returns of a generic function", "func f@[T any](n int, _ T) int { " + many(16, "return -1") + "\n#\n}", `f@(3, "s") + f@(3, 1.5)`},
	{"many returns of a literal", "var f@ = func(n int) int { " + many(16, "return -1") + "\n#\n}", "f@(3)"},
	{"many returns around a literal", "func f@(n int) int { " + many(15, "return -1") + " return func() int {\n#\n}() }", "f@(3)"},
	{"many returns in literals in one another", "func f@(n int) int { " + many(15, "return -1") + "return func() int { " + many(16, "return -1") + "\n#\n}() }", "f@(3)"},
	{"many returns over lines", "func f@(\n\tn int,\n) int { // begins\n" + many(16, "return n + // a }\n(2) /* c */ // d\n") + "\n#\n}", "f@(3)"},
	{"returns and defers", "func f@(n int) int { " + many(5, "return -1") + "; defer say(1); defer say(2)\n#\n}", "f@(3)"},
	{"many returns without results", "func f@(n int) (x int) { func() { " + many(16, "return") + "x = func() int {\n#\n}() }(); return x }", "f@(3)"},
}

// bodies are what they do. The second half ends the program.
var bodies = []string{
	"m := n; for i := 0; i < m; i++ { n += work(i) }; return n",
	"x := n; { x := 2; n += work(x) }; if x > 2 { goto end }; n++; end: return n + work(x)",
	"switch { case n > 2: return work(n); default: return work(n) + 1 }",
	"func() { defer func() { say(recover()) }(); var m map[int]int; m[work(n)] = 1 }(); return work(n)",
	"func() { defer func() { say(recover()) }(); defer func() { panic(work(n)) }(); panic(n) }(); return n",
	"done := make(chan int); go func() { defer close(done); defer say(`exits`); for i := 0; i < n; i++ { work(i) }; goexit() }(); <-done; return n",
	"ch := make(chan int, 3); for i := 0; i < 3; i++ { select { case ch <- work(i): default: } }; close(ch); for x := range ch { n += x }; return n",
	"where(1); n += work(n); where(2); return n",
	"say(stack()); return work(n)",
	"return allocs(func() { work(n) })",

	"say(work(n)); var p *int; return *p",
	"say(work(n)); panic(fmt.Errorf(`error %d`, n))",
	"say(work(n)); defer func() { panic(`again`) }(); panic(`first`)",
	"defer say(`not said`); os.Exit(work(n) + 3); return 0",
	"go func() { for i := 0; i < n; i++ { work(i) }; panic(`in a goroutine`) }(); select {}",
}

const ends = 10 // the first that does

const prologue = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func say(x interface{}) { fmt.Println(x) }

//go:noinline
func work(n int) int { s := ""; for i := 0; i < n%%5; i++ { s += strconv.Itoa(i) }; return len(s) }

func goexit() { runtime.Goexit() }

func where(skip int) { _, file, line, ok := runtime.Caller(skip); say(fmt.Sprint(file[strings.LastIndex(file, "/"):], line, ok)) }

func stack() string {
	pcs := make([]uintptr, 20)
	s := ""
	for frames, more := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)]), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasPrefix(f.Function, "main.") { s += fmt.Sprint(f.Function, ":", f.Line, " ") }
	}
	return s
}

func allocs(f func()) int { return int(testing.AllocsPerRun(5, f)) }

func init() { for i := 0; i < 2; i++ { say("first init") } }

func init() { say("second init"); _ = os.Args }

func _() { for { say("blank") } }

func main() {
	var cases = []func() int{%s}
	for _, a := range os.Args[1:] { n, _ := strconv.Atoi(a); say(fmt.Sprint("case ", n)); say(cases[n]()) }
}
`

// generate writes the module and returns the cases that end well and those that end the program.
func generate(t *testing.T, dir string) (well, badly []string) {
	var calls, all strings.Builder
	n := 0
	for _, f := range forms {
		for i, body := range bodies {
			if i >= ends && f.what == "during initialization" {
				continue // it would end all cases
			}
			number := fmt.Sprint(n)
			replace := strings.NewReplacer("@", number, "#", body)
			if strings.Contains(f.declare, "#") {
				fmt.Fprintf(&all, "\n// %s\n%s\n", f.what, replace.Replace(f.declare))
				fmt.Fprintf(&calls, "\nfunc() int { return %s },", replace.Replace(f.call))
			} else {
				fmt.Fprintf(&all, "\n// %s\n%s\nfunc call%s() int { return %s }\n", f.what, replace.Replace(f.declare), number, replace.Replace(f.call))
				fmt.Fprintf(&calls, "\ncall%s,", number)
			}
			if i < ends {
				well = append(well, number)
			} else {
				badly = append(badly, number)
			}
			n++
		}
	}
	calls.WriteString("\n")
	write(t, dir, "main.go", fmt.Sprintf(prologue, calls.String()))
	write(t, dir, "forms.go", "package main // all of them\n\nimport (\"fmt\"; \"os\")\n\nvar _ = fmt.Sprint\nvar _ = os.Args\n"+all.String())
	write(t, dir, "go.mod", "module example.org/forms\n\ngo 1.18\n")
	write(t, dir, "cgo.go", "package main\n\n// int twice(int n) { return 2*n; }\nimport \"C\"\n\nfunc init() { for i := 0; i < 2; i++ { say(int(C.twice(C.int(i)))) } }\n")
	return well, badly
}

func write(t *testing.T, dir, name, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
}

// ran is how a program ended.
type ran struct {
	status      int
	out, errors string
}

var addresses = regexp.MustCompile(`0x[0-9a-f]+|goroutine \d+|\+0x[0-9a-f]+|\([^()\n]*\)\n`)

func run(t *testing.T, program string, args ...string) ran {
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); !ended {
		require.NoError(t, err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), addresses.ReplaceAllString(errs.String(), "")}
}

// goBuild builds the program in a directory as tracerec build does, and returns what the compiler says with -m.
func goBuild(t *testing.T, dir, to string, o regions.Options, flags ...string) (said string, summary []regions.Summary) {
	var text bytes.Buffer
	b, err := build.New("build", slices.Concat([]string{"-C", dir, "-o", to}, flags, []string{"."}), o)
	defer b.Close()
	require.NoError(t, err)
	status, err := b.Run(nil, given.Orders{}, &text, &text)
	require.NoError(t, err)
	require.Zero(t, status, text.String())
	return text.String(), b.Regions()
}

// verdicts are the functions that the compiler inlines, by line. It does not tell columns from 256 on.
func verdicts(said string) (list []string) {
	for _, m := range regexp.MustCompile(`(?m)^(.*?:\d+)(?::\d+)?: can inline (.*)$`).FindAllStringSubmatch(said, -1) {
		if !strings.Contains(m[2], "deferwrap") {
			list = append(list, m[1]+" "+m[2])
		}
	}
	slices.Sort(list)
	return list
}

// TestForms: whatever a program's functions look like and however it ends, it does the same with regions, recorded or not: what it writes, how it
// ends, which lines its panics name, what it allocates, and what the compiler inlines.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a runtime of its own")
	}
	dir := t.TempDir()
	well, badly := generate(t, dir)
	plain, with := filepath.Join(dir, "plain"), filepath.Join(dir, "with")
	text, err := exec.Command("go", "build", "-C", dir, "-gcflags=-m", "-o", plain, ".").CombinedOutput()
	require.NoError(t, err, string(text))
	said, summary := goBuild(t, dir, with, regions.Options{}, "-gcflags=-m")
	require.NotEmpty(t, verdicts(said))
	require.Equal(t, verdicts(string(text)), verdicts(said))
	total := regions.Total(summary)
	t.Logf("%d cases: %+v", len(well)+len(badly), total)
	require.Greater(t, total.Regions, len(forms)*len(bodies)*9/10)

	want := run(t, plain, well...)
	require.Zero(t, want.status, want.errors)
	require.Equal(t, want, run(t, with, well...))
	for _, c := range badly {
		want := run(t, plain, c)
		require.NotZero(t, want.status)
		require.Equal(t, want, run(t, with, c), c)
	}

	o := recorder.Defaults(filepath.Join(dir, "trace.dir"))
	o.Quiet = true
	written := filepath.Join(dir, "written")
	status, err := recorder.Run(o, append([]string{"sh", "-c", `exec "$@" >` + written, "sh", with}, well...))
	require.NoError(t, err)
	require.Zero(t, status)
	out, err := os.ReadFile(written)
	require.NoError(t, err)
	require.Equal(t, want.out, string(out))
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Problems())
	require.Empty(t, a.Check())
	names := map[string]bool{}
	for _, r := range a.Definitions().Regions {
		names[r.Name] = true
	}
	for _, name := range []string{"main.main", "main.init.0", "main.f6", "main.f211[...]", "main.(*t226[...]).m", "main.t111.m", "main.(*t126).m", "main.(*t230[...]).m.func1"} {
		require.True(t, names[name], "%s of %v", name, slices.Sorted(maps.Keys(names)))
	}
}
