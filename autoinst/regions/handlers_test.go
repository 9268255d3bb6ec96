package regions

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/overlay"
	"tracerec/trace/wire"
)

// TestHandlersAreRegions: functions that could be of a type of those that handle requests are regions within that of the type, even if they are trivial or inlined, if they are given to
// somebody: also in another package, or as methods. Others are as they were.
func TestHandlersAreRegions(t *testing.T) {
	text := map[string]string{"a.go": `package a

import (
	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"
	f "github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
	"example.org/own/gin2"
)

func Gin(c *gin.Context) { ok(c) }
func ok(c *gin.Context) { c.JSON(200, work()) }
func Adapted(*gin.Context) error { return work() }
func key(c *gin.Context) string { return work() }
func value(c gin.Context) { work() }
func two(c, d *gin.Context) { work() }
func recovers(c *gin.Context, err any) { work() }
func mine(c *gin2.Context) { work() }
func (s *server) Echo(c (echo.Context)) error { return nil }
func (s *server) help(c echo.Context) error { return work() }
func skips(c echo.Context) bool { return work() }
func fiber2(c *f.Ctx) error { return work() }
func fiber3(c fiber.Ctx) error { return work() }
func fails(c *f.Ctx) { work() }
func fast(ctx *fasthttp.RequestCtx) { s.help(c); ok(c) }
func logs() gin.HandlerFunc {
	return func(c *gin.Context) { c.Next() }
}
func async(c *gin.Context) {
	go func(c *gin.Context) { work() }(c.Copy())
	defer func(c *gin.Context) { work() }(c)
}

var all = []any{key, value, two, recovers, mine, skips}

func f() (any, any) {
	x := fiber2
	y.z = fiber3
	r.Use(pairs{"a": fails}, (fast))
	ok := x == nil
	return f(async), ok
}
`, "b.go": `package b

import "example.org/a"

func f() { r.GET("/", server.Echo); r.GET("/", a.Gin, a.Adapted); f(ok, b.ok, b.f) }
`}
	var edits []*edited
	c := chooser{inlined: map[place]bool{}, values: map[symbol]bool{}}
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b.go"} { // of two packages
		at := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(at, []byte(text[name]), 0o666))
		to := &edited{}
		pkg := &pkg{ImportPath: "example.org/" + strings.TrimSuffix(name, ".go")}
		to.find(overlay.New("/nowhere"), pkg, at)
		maps.Copy(c.values, to.values)
		edits = append(edits, to)
		for _, f := range to.functions {
			c.inlined[f.at] = f.key.name == "Gin" || f.key.name == "ok"
		}
	}
	c.instrument(edits[0])
	o := overlay.New("/nowhere")
	edits[0].addTo(o)
	got, err := o.Text(filepath.Join(dir, "a.go"))
	require.NoError(t, err)
	require.Equal(t, "func Gin(c *gin.Context) { if tracerec_on != 0 { defer tracerec_exit(tracerec_handler(0)); defer tracerec_exit(tracerec_always(&TABLE[0])) }; ok(c) }",
		regexp.MustCompile(`tracerec_[0-9a-f]{8}`).ReplaceAllString(strings.Split(got, "\n")[11], "TABLE"))
	var marked, others []string
	for _, m := range regexp.MustCompile(`func ?([^{]*) \{ if tracerec_on != 0 (\{.*tracerec_handler\((\d)\)|&&)`).FindAllStringSubmatch(got, -1) {
		if m[3] == "" {
			others = append(others, m[1])
		} else {
			marked = append(marked, m[3]+" "+m[1])
		}
	}
	require.Equal(t, []string{
		"0 Gin(c *gin.Context)", "0 Adapted(*gin.Context) error", "1 (s *server) Echo(c (echo.Context)) error", "3 fiber2(c *f.Ctx) error", "4 fiber3(c fiber.Ctx) error",
		"5 fast(ctx *fasthttp.RequestCtx)", "0 (c *gin.Context)", "0 async(c *gin.Context)",
	}, marked)
	require.Equal(t, []string{
		"key(c *gin.Context) string", "value(c gin.Context)", "two(c, d *gin.Context)", "recovers(c *gin.Context, err any)", "mine(c *gin2.Context)",
		"(s *server) help(c echo.Context) error", "skips(c echo.Context) bool", "fails(c *f.Ctx)", "(c *gin.Context)", "f() (any, any)",
	}, others)
	require.Equal(t, "github.com/gofiber/fiber/v3.Handler", wire.Handlers[4].Symbol())
}

// TestHTTPHandlers: functions that can handle requests for net/http are regions, even if the compiler would inline them; those that only look like it are not, nor are trivial ones.
func TestHTTPHandlers(t *testing.T) {
	text := `package a

import "net/http"

func list(w http.ResponseWriter, r *http.Request) { work(w) }
func (s *server) item(w http.ResponseWriter, r *(http.Request)) { work(w) }
func empty(w http.ResponseWriter, r *http.Request) { n++ }
func fails(w http.ResponseWriter, r *http.Request) error { return work(w) }
func copied(w http.ResponseWriter, r http.Request) { work(w) }
func both(w, r http.ResponseWriter) { work(w) }
func own(w other.ResponseWriter, r *other.Request) { work(w) }
func f() { mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { work(w) }) }
`
	name := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	c := chooser{inlined: map[place]bool{{name, 12, 32}: true}, values: map[symbol]bool{}}
	for line := 5; line <= 11; line++ {
		c.inlined[place{name, line, 0}] = true
	}
	to := &edited{}
	to.find(overlay.New("/nowhere"), &pkg{ImportPath: "example.org/a", Name: "a"}, name)
	c.instrument(to)
	got := map[string]verdict{}
	for _, f := range to.functions {
		got[f.name] = c.verdict(f, name)
	}
	require.Equal(t, map[string]verdict{"a.list": region, "a.(*server).item": region, "a.empty": isTrivial, "a.fails": isInlined, "a.copied": isInlined, "a.both": isInlined,
		"a.own": isInlined, "a.f": region, "a.f.func1": region}, got)
}

// TestInterceptors: functions that gRPC tells the method of a call are in its region, even if the compiler would inline them; those that do not name it, or only look like it, are as others.
func TestInterceptors(t *testing.T) {
	text := `package a

import (
	"context"
	g "google.golang.org/grpc"
	"example.org/grpc"
)

func logs(ctx context.Context, req any, info *g.UnaryServerInfo, handler g.UnaryHandler) (any, error) { return handler(ctx, req) }
func (s *server) stream(srv any, ss g.ServerStream, i (*g.StreamServerInfo), handler g.StreamHandler) error { return handler(srv, ss) }
func blank(ctx context.Context, req any, _ *g.UnaryServerInfo, handler g.UnaryHandler) (any, error) { return handler(ctx, req) }
func value(info g.UnaryServerInfo) { work() }
func own(info *grpc.UnaryServerInfo) { work() }
func f() g.UnaryServerInterceptor { return func(ctx context.Context, req any, of *g.UnaryServerInfo, next g.UnaryHandler) (any, error) { return next(ctx, req) } }
`
	name := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	to := &edited{}
	to.find(overlay.New("/nowhere"), &pkg{ImportPath: "example.org/a", Name: "a"}, name)
	c := chooser{inlined: map[place]bool{}, values: map[symbol]bool{}}
	for _, f := range to.functions {
		c.inlined[f.at] = f.key.name == "logs"
	}
	c.instrument(to)
	o := overlay.New("/nowhere")
	to.addTo(o)
	got, err := o.Text(name)
	require.NoError(t, err)
	got = regexp.MustCompile(`tracerec_[0-9a-f]{8}`).ReplaceAllString(got, "TABLE")
	require.Contains(t, got, "(any, error) { if tracerec_on != 0 { if info != nil { defer tracerec_exit(tracerec_method(info.FullMethod, 0)) }; defer tracerec_exit(tracerec_always(&TABLE[0])) }; return handler(ctx, req) }")
	var told []string
	for _, m := range regexp.MustCompile(`tracerec_method\((.*?)\)`).FindAllStringSubmatch(got, -1) {
		told = append(told, m[1])
	}
	require.Equal(t, []string{"info.FullMethod, 0", "i.FullMethod, 1", "of.FullMethod, 0", "string, uint32"}, told)
}
