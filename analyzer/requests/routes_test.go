package requests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestRoutes: a request is called after the function to which routers and middleware passed it on last. Stacks are as those of the libraries are, with their files shortened.
func TestRoutes(t *testing.T) {
	const (
		gin     = "github.com/gin-gonic/gin@v1.10.0/gin.go"
		echo    = "github.com/labstack/echo/v4@v4.12.0/echo.go"
		chi     = "github.com/go-chi/chi/v5@v5.1.0/mux.go"
		gorilla = "github.com/gorilla/mux@v1.8.1/mux.go"
		fiber   = "github.com/gofiber/fiber/v2@v2.52.5/app.go"
		fast    = "github.com/valyala/fasthttp@v1.51.0/server.go"
		prom    = "github.com/prometheus/client_golang@v1.20.5/prometheus/promhttp/http.go"
	)
	frames := map[string]string{ // files of functions that are not the program's
		"github.com/gin-gonic/gin.(*Engine).ServeHTTP": gin, "github.com/gin-gonic/gin.(*Engine).handleHTTPRequest": gin, "github.com/gin-gonic/gin.(*Context).Next": gin,
		"github.com/gin-gonic/gin.CustomRecoveryWithWriter.func1": gin, "github.com/gin-gonic/gin.(*Context).JSON": gin,
		"github.com/labstack/echo/v4.(*Echo).ServeHTTP": echo, "github.com/labstack/echo/v4.(*Echo).add.func1": echo,
		"main.main.Recover.func7.1":                 "github.com/labstack/echo/v4@v4.12.0/middleware/recover.go",
		"github.com/go-chi/chi/v5.(*Mux).ServeHTTP": chi, "github.com/go-chi/chi/v5.(*Mux).routeHTTP": chi,
		"github.com/gorilla/mux.(*Router).ServeHTTP": gorilla, "github.com/prometheus/client_golang/prometheus/promhttp.HandlerFor.func1": prom,
		"github.com/gofiber/fiber/v2.(*App).handler": fiber, "github.com/gofiber/fiber/v2.(*App).next": fiber, "github.com/gofiber/fiber/v2.(*Ctx).Next": fiber,
		"github.com/valyala/fasthttp.(*workerPool).workerFunc": fast, fastServe: fast, "github.com/valyala/fasthttp.(*Server).serveConnCounted": fast,
		"bufio.(*Writer).Flush": "/go/src/bufio/bufio.go", "bufio.(*Reader).Peek": "/go/src/bufio/bufio.go",
		"net/http.(*conn).serve": "/go/src/net/http/server.go", handlerOf: "/go/src/net/http/server.go", "net/http.HandlerFunc.ServeHTTP": "/go/src/net/http/server.go",
		"example.com/rare.(*Router).ServeHTTP": "example.com/rare@v1.0.0/r.go", "example.com/rare.(*Router).find": "example.com/rare@v1.0.0/r.go",
		"net/http/httputil.(*ReverseProxy).ServeHTTP": "/go/src/net/http/httputil/reverseproxy.go", "net/http/httputil.(*ReverseProxy).copyResponse": "/go/src/net/http/httputil/reverseproxy.go",
		muxServe: "/go/src/net/http/server.go", "encoding/json.Marshal": "/go/src/encoding/json/encode.go", "net/http.(*Client).do": "/go/src/net/http/client.go",
		"net/http.cleanPath": "/go/src/net/http/server.go", "path.Clean": "/go/src/path/path.go", "expvar.expvarHandler": "/go/src/expvar/expvar.go",
		"github.com/gin-gonic/gin.WrapF.func1": "github.com/gin-gonic/gin@v1.10.0/utils.go",
	}
	for _, c := range []struct{ stack, route string }{
		{"gin.(*Engine).ServeHTTP gin.(*Engine).handleHTTPRequest gin.(*Context).Next gin.CustomRecoveryWithWriter.func1 gin.(*Context).Next main.logs gin.(*Context).Next main.list main.query", "main.list"},
		{"gin.(*Engine).ServeHTTP gin.(*Engine).handleHTTPRequest gin.(*Context).Next main.list gin.(*Context).JSON encoding/json.Marshal main.T.MarshalJSON", "main.list"},
		{"gin.(*Engine).ServeHTTP gin.(*Engine).handleHTTPRequest gin.(*Context).Next gin.CustomRecoveryWithWriter.func1", "gin.(*Engine).ServeHTTP"},
		{"v4.(*Echo).ServeHTTP main.logs.func1 v4.(*Echo).add.func1 main.list main.query", "main.list"},
		{"v4.(*Echo).ServeHTTP main.main.Recover.func7.1 main.logs.func1 main.tag.func1 v4.(*Echo).add.func1 main.list main.query", "main.list"},
		{"v5.(*Mux).ServeHTTP net/http.HandlerFunc.ServeHTTP main.logs.func1 net/http.HandlerFunc.ServeHTTP v5.(*Mux).routeHTTP net/http.HandlerFunc.ServeHTTP main.list main.query", "main.list"},
		{"gorilla/mux.(*Router).ServeHTTP net/http.HandlerFunc.ServeHTTP main.logs.func1 net/http.HandlerFunc.ServeHTTP main.list", "main.list"},
		{"net/http.HandlerFunc.ServeHTTP main.logs.func1 net/http.(*ServeMux).ServeHTTP net/http.HandlerFunc.ServeHTTP main.list main.query", "main.list"},
		{"net/http.(*ServeMux).ServeHTTP net/http.HandlerFunc.ServeHTTP promhttp.HandlerFor.func1 main.(*collector).Collect", "promhttp.HandlerFor.func1"},
		{"net/http.(*ServeMux).ServeHTTP main.(*api).ServeHTTP main.(*api).list", "main.(*api).ServeHTTP"},
		{"net/http.HandlerFunc.ServeHTTP main.logs.func1 main.(*api).ServeHTTP main.(*api).list", "main.(*api).ServeHTTP"},
		{"net/http.HandlerFunc.ServeHTTP main.proxy net/http.(*Client).do main.(*retry).RoundTrip", "main.proxy"},
		{"net/http.HandlerFunc.ServeHTTP", ""},
		{"net/http.(*ServeMux).ServeHTTP net/http.cleanPath path.Clean", ""},
		{"net/http.(*ServeMux).ServeHTTP net/http.HandlerFunc.ServeHTTP expvar.expvarHandler encoding/json.Marshal", "expvar.expvarHandler"},
		{"gin.(*Engine).ServeHTTP gin.(*Context).Next gin.WrapF.func1 expvar.expvarHandler", "expvar.expvarHandler"},
		{"net/http.HandlerFunc.ServeHTTP main.front net/http/httputil.(*ReverseProxy).ServeHTTP net/http/httputil.(*ReverseProxy).copyResponse", "main.front"},
		{"net/http.(*ServeMux).ServeHTTP net/http/httputil.(*ReverseProxy).ServeHTTP main.modify", "httputil.(*ReverseProxy).ServeHTTP"},
		{"net/http.HandlerFunc.ServeHTTP main.logs.func1 net/http.HandlerFunc.ServeHTTP promhttp.HandlerFor.func1 main.(*collector).Collect", "promhttp.HandlerFor.func1"},
		{"example.com/rare.(*Router).ServeHTTP example.com/rare.(*Router).find net/http.HandlerFunc.ServeHTTP main.list", "main.list"},
		{"fiber/v2.(*App).handler fiber/v2.(*App).next main.logs fiber/v2.(*Ctx).Next fiber/v2.(*App).next main.list main.query", "main.list"},
		{"main.(*api).handle main.(*api).list", "main.(*api).handle"},
		{"valyala/fasthttp.(*Server).serveConnCounted main.(*api).handle main.(*api).list", "main.(*api).handle"},
		{"valyala/fasthttp.(*Server).serveConnCounted bufio.(*Writer).Flush", ""},
		{"bufio.(*Reader).Peek", ""},
	} {
		defs := &trace.Definitions{}
		p := newPaths(defs)
		p.stacks = true
		at := int32(-1)
		server := []string{"net/http.(*conn).serve", handlerOf}
		if !strings.Contains(c.stack, "HTTP") {
			server = []string{"fasthttp.(*workerPool).workerFunc", "valyala/fasthttp.(*Server).serveConn"}
		}
		for _, short := range append(server, strings.Fields(c.stack)...) {
			full := short
			for f := range frames {
				if strings.HasSuffix(f, "/"+short) {
					full = f
				}
			}
			file := frames[full]
			if file == "" {
				file = "/src/app/main.go"
			}
			defs.Regions = append(defs.Regions, trace.Region{Name: wire.ShortName(full), Func: full, File: file})
			at = p.child(at, uint32(len(defs.Regions)-1), wire.Enter)
		}
		require.Equal(t, c.route, p.list[at].route, c.stack)
		if strings.HasSuffix(c.stack, "main.(*api).list") { // what is done in a function is none that the request is passed on to
			above := p.list[at].parent
			defs.Regions = append(defs.Regions, trace.Region{Name: "unlock", Func: p.region(p.list[above].region).Func, File: "/src/app/main.go"})
			require.Equal(t, c.route, p.list[p.child(above, uint32(len(defs.Regions)-1), wire.Enter)].route, c.stack)
		}
	}
}
