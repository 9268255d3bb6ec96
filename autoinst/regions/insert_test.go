package regions

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/overlay"
	"tracerec/internal/regionfilter"
)

var inserted = regexp.MustCompile(strings.ReplaceAll(`; import _ "unsafe"| if tracerec_on != 0 && OF\[0\] != 1 \{ if OF\[0\] == 0 `+
	`\{ defer tracerec_exit\(tracerec_enter\(&OF\)\) \} else \{ tracerec_count\(&OF\) \} \};\{?`, "OF", `tracerec_[0-9a-f]{8}\[\d+\]`))

// returnedOnce is what is inserted for a single return, and what it stands for.
var returnedOnce = []struct {
	inserted *regexp.Regexp
	original string
}{
	{regexp.MustCompile(`(?s)\( tracerec_1 (.*?) \)`), "$1"},
	{regexp.MustCompile(`(\{ [^={}\n]* = |goto tracerec_end )/\*return\*/`), "return"},
	{regexp.MustCompile(`; goto tracerec_end \}|\}; tracerec_end: (return )?`), ""},
	{regexp.MustCompile(`tracerec_\d+ ?`), ""},
}

// TestLinesStay inserts regions into all functions of all files below some directories: without what was inserted, each line is what it was and where it was.
func TestLinesStay(t *testing.T) {
	files, once := 0, 0
	for _, root := range []string{"../..", filepath.Join(runtime.GOROOT(), "test"), filepath.Join(runtime.GOROOT(), "src/net/http")} {
		filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "insert") || testing.Short() && files > 100 {
				return nil
			}
			name, err = filepath.Abs(name)
			require.NoError(t, err)
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			o := overlay.New("/nowhere")
			c := chooser{Options: Options{Rules: []regionfilter.Rule{{Pattern: "*"}}}}
			to := &edited{}
			to.find(o, &pkg{ImportPath: "example.org/p", Name: "p"}, name)
			c.instrument(to)
			to.addTo(o)
			changed, err := o.Text(name)
			require.NoError(t, err)
			if changed == string(text) {
				require.Zero(t, to.Regions, name)
				return nil
			}
			files++
			without := inserted.ReplaceAllString(changed, "")
			if !strings.Contains(string(text), "tracerec_") {
				once += strings.Count(changed, "tracerec_end:")
				for _, r := range returnedOnce {
					without = r.inserted.ReplaceAllString(without, r.original)
				}
			}
			require.True(t, strings.HasPrefix(without, string(text)), name)
			_, err = parser.ParseFile(token.NewFileSet(), name, changed, parser.SkipObjectResolution)
			require.NoError(t, err)
			require.Len(t, inserted.FindAllString(changed, -1), 1+to.Regions, name)
			return nil
		})
	}
	require.Greater(t, files, 50)
	require.True(t, testing.Short() || once > 20)
}

// TestReturnOnceText: what becomes of the text of a function of many returns, and of one with a name of ours.
func TestReturnOnceText(t *testing.T) {
	for before, after := range map[string]string{
		"func f(n int) []int {\n\tif n > 0 { return (nil) }\n\treturn g(n) // why\n}":                                            "func f(n int) ( tracerec_1 []int ) {{\n\tif n > 0 { { tracerec_1 = /*return*/ (nil); goto tracerec_end } }\n\t{ tracerec_1 = /*return*/ g(n); goto tracerec_end } // why\n}; tracerec_end: return }",
		"func f(n int) (_, _ int, err error) {\n\tfor {\n\t\treturn 1, 2,\n\t\t\terr\n\t}\n\treturn }":                           "func f(n int) (tracerec_1_, tracerec_2_ int, err error) {{\n\tfor {\n\t\t{ tracerec_1_, tracerec_2_, err = /*return*/ 1, 2,\n\t\t\terr; goto tracerec_end }\n\t}\n\tgoto tracerec_end /*return*/ }; tracerec_end: return }",
		"func (T) f() (int, error) {\n\tswitch { case n > 0: return h()\n\tdefault: return 1, func() error { return nil }() } }": "func (T) f() (tracerec_1 int, tracerec_2 error) {{\n\tswitch { case n > 0: { tracerec_1, tracerec_2 = /*return*/ h(); goto tracerec_end }\n\tdefault: { tracerec_1, tracerec_2 = /*return*/ 1, func() error { return nil }(); goto tracerec_end } } }; tracerec_end: return }",
		"func f(n int) { if n > 0 {return}\n\tg(n); if n > 1 { return } }":                                                       "func f(n int) {{ if n > 0 {goto tracerec_end /*return*/}\n\tg(n); if n > 1 { goto tracerec_end /*return*/ } }; tracerec_end: }",
		"func f(n int) int { if n > 0 { return 1 }; return tracerec_1 }":                                                         "", // it could have our name
		"func f(n int) (err error) { x, err := g(n); if x { return nil }; return err }":                                          "", // in a block, it would be another err
		"func f(n int) (err error) { if err := g(n); true { return err }; return nil }":                                          "", // one return of another err remains
		"func f(n int) (err error) { switch err := any(n).(type) { case error: return err }; return nil }":                       "",
		"func f(n int) (err error) { for _, err := range all { return err }; return nil }":                                       "",
		"func f(n int) (err error) { select { case err := <-c: return err }; return nil }":                                       "",
		"func f(n int) (err error) { { var err = g(n); if n > 0 { return err } }; return nil }":                                  "",
		"func f(n int) (err error) { { _ = func(err int) { err := 1 }; if n > 0 { return err } }; return nil }":                  "func f(n int) (err error) {{ { _ = func(err int) { err := 1 }; if n > 0 { { err = /*return*/ err; goto tracerec_end } } }; { err = /*return*/ nil; goto tracerec_end } }; tracerec_end: return }",
		"func f(n int) int { return n }": "",
	} {
		to := &edited{}
		e, err := to.edit("a.go", "package a\n\n"+before)
		require.NoError(t, err)
		f := e.file.Decls[0].(*ast.FuncDecl)
		e.returnOnce(f.Type, f.Body, inlineDefers)
		require.Equal(t, "package a\n\n"+cmp.Or(after, before), e.apply())
	}
}

// TestVerdict: which functions become regions, and why others do not.
func TestVerdict(t *testing.T) {
	space := strings.Repeat(" ", 256)
	text := `package a // import "example.org/a"

func loop(n int) { for ; n > 0; n-- { } }
func inlined() { loop(1) }
func trivial(n int) int { return n + len("") }
func empty() { }
func _() { loop(1) }
//go:nosplit
func directed() { func() { loop(1) }() }
//tracerec:region
func asked(n int) int { return n }
//tracerec:noregion
func unwanted() { loop(1) }
func (t *T) Included() int { return 1 }
func (t T[K]) Excluded() { loop(1) }
func filtered() { loop(1) }
func external()
func literals() { defer func() { loop(1) }(); _ = func() { _ = func() { loop(1) } } }
var v = func() { loop(1) }
` + "func wide() { loop(1); /*" + space + "*/ _ = func() { loop(1) } }\nfunc /*" + space + "*/ wider() { loop(1) }\n"
	name := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	c := chooser{inlined: map[place]bool{{name, 4, 0}: true, {name, 18, 45}: false, {name, 20, 255}: true, {name, 21, 0}: true}, Options: Options{
		Rules:  []regionfilter.Rule{{Pattern: "example.org/v1%2e5.(\\*T).*"}, {Exclude: true, Pattern: "v1.5.T\\[...\\].Ex*"}},
		Filter: regionfilter.Filter{Regions: []regionfilter.Rule{{Exclude: true, Pattern: "*.f*"}, {Pattern: "*.func*"}}},
	}}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
	require.NoError(t, err)
	got := map[string]verdict{}
	for _, f := range functionsOf(files, file, &pkg{ImportPath: "example.org/v1.5", Name: "a"}, false) {
		require.Equal(t, "example.org/"+strings.Replace(f.name, "v1.5", "v1%2e5", 1), f.full)
		got[strings.TrimPrefix(f.name, "v1.5.")] = c.verdict(f, name)
	}
	require.Equal(t, map[string]verdict{
		"loop": region, "inlined": isInlined, "trivial": isTrivial, "empty": isOther, "_": isOther, "directed": isOther, "directed.func1": isOther,
		"asked": region, "unwanted": isExcluded, "(*T).Included": region, "T[...].Excluded": isExcluded, "filtered": isExcluded,
		"literals": region, "literals.func1": isOther, "literals.func2": isTrivial, "literals.func2.1": region, "glob..func1": region,
		"wide": region, "wide.func1": isInlined, "wider": isInlined,
	}, got)
}

// TestParallel: what a benchmark may run in parallel is a region, even if the compiler calls it inlinable. It was the work of package testing. So is what is given to a
// group of goroutines, if it is not trivial.
func TestParallel(t *testing.T) {
	text := `package a; import "testing"

func BenchmarkA(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) { for pb.Next() { work() } })
	parallel(b, func(pb *testing.PB) { for pb.Next() { work() } })
	g.Go(func() { work() })
	g.Go(func() { n++ })
}
func each(pb *testing.PB) { work(pb) }
func other(b *testing.B) { work(b) }
`
	name := filepath.Join(t.TempDir(), "a_test.go")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	c := chooser{inlined: map[place]bool{{name, 4, 16}: true, {name, 5, 14}: true, {name, 6, 7}: true, {name, 7, 7}: true, {name, 9, 0}: true, {name, 10, 0}: true}}
	to := &edited{}
	to.find(overlay.New("/nowhere"), &pkg{ImportPath: "a", Name: "a"}, name)
	c.instrument(to)
	got := map[string]verdict{}
	for _, f := range to.functions {
		got[f.name] = c.verdict(f, name)
	}
	require.Equal(t, map[string]verdict{"a.BenchmarkA": isOther, "a.BenchmarkA.func1": region, "a.BenchmarkA.func2": region, "a.BenchmarkA.func3": region, "a.BenchmarkA.func4": isTrivial, "a.each": region, "a.other": isInlined}, got)
}

// TestGivenByName: so is a function or a method of the package that is given by its name, also to a group of goroutines, if it is not trivial.
func TestGivenByName(t *testing.T) {
	text := `package a

import "example.org/other"

func run() { g.Go(loop); g.Go(p.method); g.Go(trivial); g.Go(other.same); b.RunParallel((each)); g.Do(done) }

func loop() { work() }
func (p *P) method() { work() }
func trivial() { n++ }
func same() { work() }
func each(pb *testing.PB) { work() }
func done() { work() }
`
	name := filepath.Join(t.TempDir(), "a_test.go")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	c := chooser{inlined: map[place]bool{}}
	for line := 7; line <= 12; line++ {
		c.inlined[place{name, line, 0}] = true
	}
	to := &edited{}
	to.find(overlay.New("/nowhere"), &pkg{ImportPath: "example.org/a", Name: "a"}, name)
	c.instrument(to)
	got := map[string]verdict{}
	for _, f := range to.functions {
		got[f.name] = c.verdict(f, name)
	}
	require.Equal(t, map[string]verdict{"a.run": region, "a.loop": region, "a.(*P).method": region, "a.trivial": isTrivial, "a.same": isInlined, "a.each": region, "a.done": isInlined}, got)
}

// TestWaits: a function that the compiler would inline is a region if something outside the program may be waited for in it, directly or in functions of these
// packages, as far as their names tell.
func TestWaits(t *testing.T) {
	o := overlay.New(t.TempDir())
	texts := map[string]string{
		"a": `
import ("net/http"; "time"; "context"; "log/slog"; _ "os/exec"; "github.com/x/zap"; store "example.org/b"; "github.com/x/redis")
func slow() { fetch("/25ms") }
func fetch(s string) { http.Get(s) }
func nap() { time.Sleep(1) }
func since() { time.Since(time.Time{}) }
func load() { store.Load("x") }
func parse() { store.Parse("x") }
func (t *T) get(c *redis.Client) { c.Get(context.Background(), "x") }
func ofRequest(r *http.Request) { redis.Ping(r.Context()) }
func (t *T) outer() { t.get(nil) }
func note(ctx context.Context) { slog.InfoContext(ctx, "x") }
func of(ctx context.Context) { store.Name(ctx) }
func do(c *http.Client) { c.Do(nil) }
func starts() { go fetch("x"); _ = func() { fetch("x") } }
func local() { time.Local.String() }
func cfg() { once.Do(load); t.initOnce.Do(load) }
func tok(r *http.Request) string { return r.Header.Get("X") }
func logged(ctx context.Context) { l.DebugContext(ctx, "x"); zap.Info(ctx) }
func query(r *http.Request) { r.URL.Query() }
func ask() { client.Get("x") }
func cached() { cache.Get("x") }
`,
		"b": `
import ("os"; "context"; "sync")
func Load(name string) { os.ReadFile(name) }
func Parse(s string) { Parse(s) }
func Name(ctx context.Context) { Parse("x") }
func do(c any) { c.Do(nil) }
func locks(mu *sync.Mutex) { mu.Lock() }
func (T) get() { locks(nil) }
func (t T) outer() { t.get() }
`}
	var packages []*edited
	for _, name := range []string{"a", "b"} {
		o.Add(name+".go", "package "+name+"\n"+texts[name])
		to := &edited{Summary: Summary{Package: "example.org/" + name}}
		to.find(o, &pkg{ImportPath: to.Package, Name: name}, name+".go")
		packages = append(packages, to)
	}
	findWaits(packages)
	var got []string
	for _, p := range packages {
		c := chooser{inlined: map[place]bool{}}
		for _, f := range p.functions {
			if c.inlined[f.at] = true; c.verdict(f, "") == region {
				got = append(got, f.name)
			}
		}
	}
	require.Equal(t, []string{"a.slow", "a.fetch", "a.nap", "a.load", "a.(*T).get", "a.ofRequest", "a.(*T).outer", "a.do", "a.starts.func1", "a.ask", "b.Load"}, got)
}

// TestOptions: those of regions end where those of the go command begin.
func TestOptions(t *testing.T) {
	filter := filepath.Join(t.TempDir(), "filter")
	require.NoError(t, os.WriteFile(filter, []byte("SCOREP_REGION_NAMES_BEGIN EXCLUDE x SCOREP_REGION_NAMES_END"), 0o666))
	var o Options
	rest, err := o.Take([]string{"--include", "a*", "--exclude=b", "--filter", filter, "--deps=c/...", "--functions", "--race", "--include", "d"})
	require.NoError(t, err)
	require.Equal(t, []string{"--race", "--include", "d"}, rest)
	require.Equal(t, Options{Rules: []regionfilter.Rule{{Pattern: "a*"}, {Exclude: true, Pattern: "b"}}, Deps: []string{"c/..."}, Say: true,
		Filter: regionfilter.Filter{Regions: []regionfilter.Rule{{Exclude: true, Pattern: "x"}}}}, o)
	for _, args := range [][]string{{"--include"}, {"--filter", filter + "2"}, {"--filter", os.Args[0]}, {"--include", "["}, {"--exclude=a["}, {"--deps", "x["}} {
		_, err := o.Take(args)
		require.Error(t, err, args)
	}
}

// TestGiven: the last flags of the compiler that the user gives for a package count.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{nil, ""},
		{[]string{"-race", "-gcflags=-N -l"}, "-N -l"},
		{[]string{"-gcflags", "-l", "--gcflags=all=-N"}, "-N"},
		{[]string{"-gcflags=x.org/a=-N", "-gcflags=x.org/b=-l"}, "-N"},
		{[]string{"-gcflags=x.org/...=-N", "-gcflags=x.org/ab=-l"}, "-N"},
		{[]string{"-gcflags=-N", "-gcflags=x.org/a="}, ""},
	} {
		require.Equal(t, c.want, given(c.flags, "x.org/a"), c.flags)
	}
}

// TestRead: what the compiler says names files from the working directory, with their directory or, with -trimpath, as packages and modules.
func TestRead(t *testing.T) {
	b := &Build{Dir: "/src/a"}
	got := b.read(strings.NewReader(`# x.org/a
./a.go:1:6: can inline f
../b/b.go:2:16: can inline (*T).M with cost 7 as: method(*T) func() { g[go.shape.int]() }
/c/c.go:3:9: can inline h.func1
x.org/d/d.go:4:6: can inline d
x.org/e@v1.2.3/sub/e.go:5:6: can inline e
./a.go:6:6: can inline generic[int]
./a.go:7:6: can inline shaped[go.shape.int]
./a.go:8:3: can inline f.deferwrap1
./a.go:10: can inline far
./a.go:11: can inline f.func2
./a.go:9:6: cannot inline f: function too complex
./a.go:9:6: inlining call to f
# x.org/d [x.org/d.test]
../g/g.go:3:6: can inline g.Early[go.shape.int]
internal/d/d.go:7:6: can inline compiledElsewhere
internal/d/more.go:8:6: can inline more
internal/g/g.go:9:6: can inline g.Late[go.shape.int]
# x.org/e/sub
./e.go:10:6: can inline e
`), []*pkg{{ImportPath: "x.org/d", Dir: "/d"}, {ImportPath: "x.org/e/sub [x.org/e/sub.test]", Dir: "/e/sub"}})
	require.Equal(t, map[place]bool{{"/src/a/a.go", 1, 0}: true, {"/src/b/b.go", 2, 0}: true, {"/c/c.go", 3, 9}: true, {"/d/d.go", 4, 0}: true,
		{"/e/sub/e.go", 5, 0}: true, {"/src/a/a.go", 7, 0}: true, {"/src/a/a.go", 10, 0}: true, {"/src/a/a.go", 11, 255}: true,
		{"/src/g/g.go", 3, 0}: true, {"/d/d.go", 7, 0}: true, {"/d/more.go", 8, 0}: true, {"/g/g.go", 9, 0}: true, {"/e/sub/e.go", 10, 0}: true}, got)
}

// TestPassesOn: what middleware passes a request on to is told by the region of the call: that is one, however short it is.
func TestPassesOn(t *testing.T) {
	o := overlay.New(runtime.GOROOT())
	require.NoError(t, instrumentStandard(o, "net/http"))
	text, err := o.Text("net/http/server.go")
	require.NoError(t, err)
	require.Regexp(t, `func \(f HandlerFunc\) ServeHTTP\(w ResponseWriter, r \*Request\) \{ if tracerec_on != 0 .*;\n\tf\(w, r\)`, text)
}

// TestRoute: a mux enters a region with the pattern that it has found, around the handler only; before Go 1.23 there is no such thing.
func TestRoute(t *testing.T) {
	o := overlay.New(runtime.GOROOT())
	require.NoError(t, instrumentStandard(o, "net/http"))
	text, err := o.Text("net/http/server.go")
	require.NoError(t, err)
	require.Contains(t, text, "\n\t if tracerec_on != 0 { defer tracerec_exit(tracerec_runServeHTTP(r.Pattern, (*ServeMux).ServeHTTP)) };h.ServeHTTP(w, r)\n}\n")
	declared, err := o.Text("net/http/client.go") // the first of the package's files in which there are regions
	require.NoError(t, err)
	require.Contains(t, declared, "//go:linkname tracerec_runServeHTTP tracerec/instrument.enterRoute\n")
	_, err = parser.ParseFile(token.NewFileSet(), "server.go", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	o = overlay.New("/nowhere")
	o.Add("net/http/server.go", "package http\n\nfunc (mux *ServeMux) ServeHTTP(w ResponseWriter, r *Request) {\n\th, _ := mux.Handler(r)\n\th.ServeHTTP(w, r)\n}\n")
	require.NoError(t, instrumentStandard(o, "net/http"))
	text, err = o.Text("net/http/server.go")
	require.NoError(t, err)
	require.NotContains(t, text, "tracerec_runServeHTTP")
}

// TestRedeclares: a package that gives types of the language another meaning has no regions, for their declarations need these.
func TestRedeclares(t *testing.T) {
	for text, want := range map[string]bool{
		"const (\n\tbool, byte = 1, 2\n)": true, "type uint32 struct{}": true, "func uint64() {}": true, "import byte \"fmt\"": true,
		"func (t t) byte() { byte := 1; _ = byte }": false, "type t struct{ uint32 uint64 }": false, "var x, y uint32": false, "const string = 1": true, "const int = 1": false, `import "fmt"`: false,
	} {
		to := edited{Summary: Summary{Functions: 2, Regions: 2}}
		_, err := to.edit("a.go", "package a\n\nfunc f() { g() }\n")
		require.NoError(t, err)
		_, err = to.edit("b.go", "package a\n\n"+text+"\n")
		require.NoError(t, err)
		f := to.edits[0].file.Decls[0].(*ast.FuncDecl)
		to.edits[0].enter(f.Type, f.Body)
		o := overlay.New(t.TempDir())
		to.addTo(o)
		_, err = o.Text("a.go")
		require.Equal(t, want, err != nil, "%s: %v", text, err)
		if want {
			require.Equal(t, Summary{Functions: 2, Other: 2}, to.Summary, text)
		}
	}
}
