package regions_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/regions"
	"tracerec/internal/regionfilter"
	"tracerec/recorder"
)

// many is a statement for each of so many values of n. On them, bodies are not left.
func many(count int, statement string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "if n == -%d { %s }; ", i+1, statement)
	}
	return b.String()
}

// TestReturnOnce: the compiler calls what functions defer in line with regions, too, however many returns they have, except where it is told why not.
func TestReturnOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a runtime of its own")
	}
	named := "func # (n int) (err error) { say(n); if n > 9 { err := fmt.Errorf(`%d`, n); " + many(8, "return err") + " }; "
	cases := []struct{ want, text string }{
		{"open-coded", "func # (n int) { " + many(16, "return") + " say(n) }"},
		{"open-coded", "func # (n int) { say(n); " + many(16, "return") + " }"},
		{"open-coded", "func # (n int) int { " + many(14, "return n") + " return len(fmt.Sprint(n)) }"},
		{"open-coded", "func # (n int) int { " + many(15, "return n") + " return len(fmt.Sprint(n)) }"},
		{"open-coded", "func # (n int) (int, error) { " + many(5, "return n, nil") + " defer say(1); defer say(2); return fmt.Println() }"},
		{"open-coded", "func # (n int) (_ int, err error) { " + many(20, "return") + " defer say(1); return fmt.Println() }"},
		{"open-coded", "func # (n int) { " + strings.Repeat("defer say(n); ", 7) + many(3, "return") + " }"},
		{"stack-allocated", "func # (n int) { " + strings.Repeat("defer say(n); ", 8) + many(3, "return") + " }"},                     // more than eight
		{"stack-allocated", "func # (n int) { for range n { defer say(n) }; " + many(16, "return") + " }"},                            // in a loop
		{"stack-allocated", "func # (n int) (err error) { x, err := fmt.Println(n); say(x); " + many(16, "return") + " return nil }"}, // in a block, it would be another err
		{"stack-allocated", "func # (n int) (err error) { L: x, n := 1, n; say(x); " + many(16, "return") + " if n > 2 { goto L }; return nil }"},
		{"open-coded", "func # (n int) (err error) { if x, err := fmt.Println(n); err == nil { say(x) }; " + many(16, "return nil") + "return nil }"},
		{"open-coded", named + many(16, "return nil") + "return nil }"},                    // and eight returns of another err
		{"stack-allocated", named + many(16, "return nil") + "defer say(n); return nil }"}, // with two defers each, these are too many
		{"stack-allocated", named + "if n > 20 { err := err; " + many(8, "return err") + "}; " + many(16, "return nil") + "return nil }"},
		{"open-coded", "func # (n int) int { f := func() int { " + many(20, "return n") + " say(n); return 2 }; say(f); return f() }"},
		{"open-coded", "func # (c *gin.Context) (err error) { n := 1; say(c); " + many(8, "return") + " return nil }; func init() { say(#) }"},
	}
	all := "package main; import (\"fmt\"; \"github.com/gin-gonic/gin\"); func say(x any) { fmt.Println(x) }; func main() { say(all) }; var _ gin.Context; var all = []any{"
	for i := range cases {
		all += fmt.Sprintf("f%d, ", i)
	}
	all += "}\n"
	for i, c := range cases {
		all += strings.ReplaceAll(c.text, "#", fmt.Sprintf("f%d", i)) + "\n"
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.org/m\n\ngo 1.24\n\nrequire github.com/gin-gonic/gin v1.0.0\n\nreplace github.com/gin-gonic/gin => ./gin\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "gin"), 0o777))
	write(t, dir, "gin/go.mod", "module github.com/gin-gonic/gin\n\ngo 1.24\n")
	write(t, dir, "gin/gin.go", "package gin\n\ntype Context struct{}\n")
	write(t, dir, "main.go", all)
	said, _ := goBuild(t, dir, filepath.Join(dir, "with"), regions.Options{}, "-gcflags=-d=defer=1")
	for i, c := range cases {
		kinds := regexp.MustCompile(fmt.Sprintf(`main\.go:%d:.*: (\S+) defer`, i+2)).FindAllStringSubmatch(said, -1)
		require.NotEmpty(t, kinds, c.text)
		for _, k := range kinds {
			require.True(t, k[1] == c.want || k[1] == "heap-allocated", "%s: %s", c.text, k[0])
		}
	}
}

// kinds are types of results, with expressions of each, in which order matters. ~ is the number of the return.
var kinds = []struct {
	name        string
	expressions []string
}{
	{"int", []string{"1 << 3", "n", "*p", "a[k]", "a[n]", "m[k]", "inc(p)", "set(a, ~)", "put(m, ~)", "local", "func() int { local += ~; return local }()", "add(q, ~)", "*q", "fail(n)", "len(s) + inc(p)", "<-full(~)",
		"local / (n - 5)", "inc(p) + *p", "(local)", "into(&s, ~)", "t.x", "touch(&t)", "'a'", "boxed.(int)", "int(f64)"}},
	{"string", []string{`"s"`, "s", "s[1:]", "s + more(&s)", "more(&s)", "s[:n]", "t.s", `fmt.Sprint(local, *q)`, "string(rune(65 + n))", "func() string { s += `x`; return s }()"}},
	{"error", []string{"nil", "errOf(n)", "&myErr{local}", "&myErr{inc(p)}", "failing(n)", "e1"}},
	{"any", []string{"nil", "1", `"s"`, "local", "*p", "t", "&t.x != nil", "a[k]", "1.5", "errOf(n)", "T{inc(p), more(&s)}", "T{*p, s}", "[]int{inc(p), *p}", "1 == n", "m[k]", "more"}},
	{"float64", []string{"1", "2.5", "f64", "f64 * 2", "float64(inc(p))", "1 << 4"}},
	{"[]int", []string{"nil", "a", "a[k:]", "append(a, inc(p))", "[]int{*p, inc(p)}", "a[n:]", "append([]int(nil), a...)"}},
	{"T", []string{"t", "T{}", "T{inc(p), s}", "T{x: *p, s: more(&s)}", "T{touch(&t), t.s}", "boxed.(T)"}},
	{"[2]int", []string{"[2]int{1: inc(p)}", "[2]int{*p, local}", "[...]int{add(q, ~), local}", "[2]int(a)"}},
	{"func() int", []string{"nil", "func() int { return local + *p }", "func() int { local++; return local }", "t.get", "(&t).put"}},
	{"*T", []string{"nil", "&t", "&T{s: more(&s)}", "new(T)"}},
}

// orders makes a program of functions with many returns, in whose results the order of evaluation matters.
type orders struct {
	*rand.Rand
	strings.Builder
	returns int
}

func (g *orders) one(of ...string) string { return of[g.IntN(len(of))] }

// value is an expression of a type.
func (g *orders) value(kind int, same []string) string {
	g.returns++
	if len(same) > 0 && g.IntN(3) == 0 {
		return same[g.IntN(len(same))]
	}
	of := kinds[kind].expressions
	return strings.ReplaceAll(of[g.IntN(len(of))], "~", fmt.Sprint(g.returns))
}

// function writes one, and returns how it is called.
func (g *orders) function(number int) string {
	results := make([]int, g.IntN(4))
	var types, both, shown []string
	for i := range results {
		results[i] = g.IntN(len(kinds))
		shown = append(shown, fmt.Sprintf("r%d", i))
		types = append(types, kinds[results[i]].name)
		both = append(both, g.one("_", shown[i], shown[i], shown[i])+" "+types[i])
	}
	names := map[int][]string{} // by kind
	values := func() string {
		var list []string
		for _, k := range results {
			list = append(list, g.value(k, names[k]))
		}
		return strings.Join(list, g.one(", ", ", ", ", // first\n"))
	}
	signature := "(" + strings.Join(types, ", ") + ")"
	if len(types) == 1 && g.IntN(3) > 0 {
		signature = types[0]
	}
	const parameters = "n, k int, p *int, a []int, m map[int]int) "
	fmt.Fprintf(g, "func several%d(%s%s {\n%s\nreturn %s\n}\n", number, parameters, signature, locals, values())
	named := len(results) > 0 && g.IntN(2) == 0
	if named {
		signature = "(" + strings.Join(both, ", ") + ")"
		for i, k := range results {
			if both[i][0] != '_' {
				names[k] = append(names[k], shown[i])
			}
		}
	}
	leave := func() string {
		switch c := g.IntN(10); {
		case len(results) == 0 || named && c == 0:
			return "return" + g.one("", " // bare", " /* bare */")
		case c == 1:
			return fmt.Sprintf("return several%d(n, k, p, a, m)", number)
		case c == 2 && len(results) == 1:
			return "return (" + values() + ")"
		}
		return "return " + values() + g.one("", " // why", "/* } */")
	}
	head := g.one("func f%d(", "func (T) f%d(", "func (*T) f%d(", "func f%d[X any](", "var f%d = func(")
	call := fmt.Sprintf("f%d", number)
	switch {
	case strings.HasPrefix(head, "func ("):
		call = "(&T{})." + call
	case strings.Contains(head, "[X any]"):
		call += "[string]"
	}
	fmt.Fprintf(g, head+"%s%s { // begins\n%s\n", number, parameters, signature, locals)
	for range g.IntN(3) {
		modify := "local++"
		for _, name := range names[0] {
			modify = "say(`deferred`, " + name + "); " + name + " += 7"
		}
		fmt.Fprintf(g, "defer %s\n", g.one("func() { say(`recovers`, recover()); "+modify+" }()", "func() { "+modify+" }()", "say(`ends`, local, s, *p)", "func() { say(s, local, *p, a, m) }()"))
	}
	g.WriteString("switch n {\n")
	for i := range 12 + g.IntN(12) {
		place := g.one("#", "#", "#", "{ #\n}", "if local > 100 { local++ } else { #\n}", "for { #\n}", "for i := range a { if i == k { #\n} }", "select { default: #\n}", "switch any(local).(type) { case int: #\n}",
			"for v := range each(a) { if v == a[k] { #\n} }", "{ goto l~; l~: #\n}", "l~: for { for { if local > 300 { break l~ }; #\n} }", "say(local); #", "func() { local += 2 }(); #", "q = &f; local++; #")
		if len(results) > 0 && len(names[results[0]]) > 0 {
			name := names[results[0]][0]
			switch g.IntN(12) {
			case 0:
				place = "{ " + name + " := " + name + "; _ = " + name + "\nreturn " + values() + "\n}"
			case 1, 2, 3:
				place = "{ " + name + " = " + g.value(results[0], nil) + "; " + place + "\n}"
			}
		}
		place = strings.ReplaceAll(place, "#", "#\n")
		fmt.Fprintf(g, "case %d: %s\n", i, strings.ReplaceAll(strings.ReplaceAll(place, "~", fmt.Sprint(i)), "#", leave()))
	}
	fmt.Fprintf(g, "}\n%s\n}\n", g.one(leave(), leave(), "panic(inc(p))", "for { if inc(p) > 0 { "+leave()+"\n} }", "if inc(p) == 0 { "+leave()+"\n} else { "+leave()+"\n}"))
	call += "(n, k, &x, a, m)"
	if len(results) > 0 {
		call = strings.Join(shown, ", ") + " := " + call + "; show(" + strings.Join(shown, ", ") + ")"
	}
	return fmt.Sprintf("\nfunc(n, k int) {\nx, a, m := 3, []int{1, 2, 3, 4, 5}, map[int]int{0: 8, 2: 9}\ndefer func() { say(`%d`, n, k, x, a, m, recover()) }()\n%s\n},", number, call)
}

const locals = "local, f, s, t, e1, boxed, f64 := n, 40, `abcdefghijklmnopqrstuvwxyz`, T{x: 4}, error(&myErr{9}), any(n), 2.25\nq := &local\n_, _, _, _, _, _, _, _ = local, f, s, t, e1, boxed, f64, q"

const ordered = `package main

import ("fmt"; "errors")

type T struct { x int; s string }
func (t T) get() int { return t.x }
func (t *T) put() int { t.x++; return t.x }
type myErr struct { n int }
func (e *myErr) Error() string { return fmt.Sprint("myErr ", e.n) }

func say(x ...any) { fmt.Println(x...) }

//go:noinline
func inc(p *int) int { *p++; fmt.Print("inc ", *p, " "); return *p }
func add(p *int, n int) int { *p += n; return *p }
func set(a []int, n int) int { a[n%%len(a)] = n; return n }
func put(m map[int]int, n int) int { m[n%%4] = n; return n }
func into(s *string, n int) int { *s = fmt.Sprint(*s, n); return len(*s) }
func touch(t *T) int { t.x *= 2; t.s += "t"; return t.x }
func more(s *string) string { *s += "m"; return *s }
func full(n int) chan int { c := make(chan int, 1); c <- n; return c }
func fail(n int) int { if n%%3 == 0 { panic(fmt.Sprint("fails ", n)) }; return n }
func failing(n int) error { if n%%4 == 0 { panic(errors.New("failing")) }; return errOf(n) }
func errOf(n int) error { if n%%2 == 0 { return nil }; return &myErr{n} }
func each(a []int) func(func(int) bool) { return func(yield func(int) bool) { for _, v := range a { if !yield(v) { say("stops"); return } } } }

func show(x ...any) {
	for _, x := range x {
		switch x := x.(type) {
		case func() int: if x != nil { fmt.Print(x(), " ") }
		case func(*string) string: fmt.Print("more ")
		case *T: if x != nil { fmt.Print(*x, " ") }
		default: fmt.Printf("%%T %%v ", x, x)
		}
	}
	say()
}

func main() {
	for _, f := range []func(n, k int){%s
	} {
		for n := range 26 { f(n, n%%3) }
	}
}
`

const seed, functions = 1, 150

// TestReturnOnceOrders: functions of many returns do the same, evaluated in the same order, with regions, recorded or not.
func TestReturnOnceOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a runtime of its own")
	}
	dir := t.TempDir()
	g := &orders{Rand: rand.New(rand.NewPCG(seed, 1))}
	g.WriteString("package main\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n\n")
	var calls strings.Builder
	for i := range functions {
		calls.WriteString(g.function(i))
	}
	write(t, dir, "go.mod", "module example.org/orders\n\ngo 1.24\n")
	write(t, dir, "orders.go", g.String())
	write(t, dir, "main.go", fmt.Sprintf(ordered, calls.String()))
	plain, with := filepath.Join(dir, "plain"), filepath.Join(dir, "with")
	text, err := exec.Command("go", "build", "-C", dir, "-o", plain, ".").CombinedOutput()
	require.NoError(t, err, string(text))
	_, summary := goBuild(t, dir, with, regions.Options{Rules: []regionfilter.Rule{{Pattern: "*"}}})
	require.Greater(t, regions.Total(summary).Regions, functions)
	want := run(t, plain)
	require.Zero(t, want.status, want.errors)
	require.Equal(t, want, run(t, with))

	o := recorder.Defaults(filepath.Join(dir, "trace.dir"))
	o.Quiet = true
	written := filepath.Join(dir, "written")
	status, err := recorder.Run(o, []string{"sh", "-c", `exec "$0" >` + written, with})
	require.NoError(t, err)
	require.Zero(t, status)
	out, err := os.ReadFile(written)
	require.NoError(t, err)
	require.Equal(t, want.out, string(out))
}
