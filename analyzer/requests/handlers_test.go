package requests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// libraries are the packages that handled knows.
var libraries = map[string]string{
	"http": "net/http", "gin": "github.com/gin-gonic/gin", "echo": "github.com/labstack/echo/v4", "fiber": "github.com/gofiber/fiber/v2", "fasthttp": "github.com/valyala/fasthttp", "trace": "runtime/trace",
}

// handled returns the text of a recording in which goroutines enter functions, as in "main.list(", and leave them: ")"; "f=name(" has another name. One a unit of time later than the other.
func handled(goroutines ...string) string {
	var text strings.Builder
	for i, calls := range goroutines {
		fmt.Fprintf(&text, "location g%d\n", i)
		for at, call := range strings.Fields(calls) {
			name, enters := strings.CutSuffix(call, "(")
			if !enters {
				fmt.Fprintf(&text, "  %d exit\n", at)
				continue
			}
			function, name, named := strings.Cut(name, "=")
			if !named {
				name = function
			}
			pkg, rest, _ := strings.Cut(function, ".")
			file := "main.go"
			if library := libraries[pkg]; library != "" {
				pkg, file = library, "lib@v1/lib.go"
			}
			fmt.Fprintf(&text, "  %d enter %s @%s:1(%s.%s)\n", at, name, file, pkg, rest)
		}
	}
	return text.String()
}

// TestHandlers: in recordings, a request is called after the function that a router of handlers of its own called last: those before it call it, or return. Its helpers have
// the name of none, nor has what was called before it.
func TestHandlers(t *testing.T) {
	const (
		server = "http.serverHandler.ServeHTTP( "
		gin    = " gin.HandlerFunc( "
		fiber  = " fiber.Handler( "
		fast   = " fasthttp.RequestHandler( "
	)
	for calls, name := range map[string]string{
		server + gin + "main.list( ) ) )":                                                                     "main.list",
		server + gin + "main.logs( " + gin + "main.list( main.help( ) ) ) ) ) )":                              "main.list",
		server + gin + "main.tag( ) )" + gin + "main.list( ) ) )":                                             "main.list",
		server + gin + "main.logs( " + gin + "main.tag( ) )" + gin + "main.list( ) ) ) ) )":                   "main.list",
		server + gin + "main.logs( " + gin + "main.auth( ) ) ) ) )":                                           "main.auth",
		server + gin + "main.logs( " + gin + "main.list( ) ) ) )" + gin + "main.last( ) ) )":                  "main.list",
		server + gin + "main.logs( main.timed( main.logs.func1( " + gin + "main.list( ) ) ) ) ) ) )":          "main.list",
		server + "echo.HandlerFunc( main.logs.func1( echo.HandlerFunc( main.list( ) ) ) ) )":                  "main.list",
		server + "http.HandlerFunc.ServeHTTP( main.first( ) ) http.HandlerFunc.ServeHTTP( main.second( ) ) )": "main.first", // as before
		fiber + "main.logs( main.help( ) " + fiber + "main.list( ) ) ) )":                                     "main.list",
		fiber + "main.auth( ) )":                                 "main.auth",
		fast + "main.route( main.list( ) ) )":                    "main.route",
		fast + "main.logs.func1( " + fast + "main.list( ) ) ) )": "main.list",
		server + "http.(*ServeMux).ServeHTTP=/api/( " + gin + "main.tag( ) )" + gin + "main.list( ) ) ) )": "main.list",
		server + "http.(*ServeMux).ServeHTTP=/api/( http.HandlerFunc.ServeHTTP( main.list( ) ) ) )":        "/api/",
		server + gin + "main.logs( trace.NewTask=users( " + gin + "main.list( ) ) ) ) ) )":                 "users",
		"main.work( main.work( ) )" + fast + "main.list( ) )":                                              "main.list",
	} {
		r := of(t, handled(calls))
		require.Len(t, r.Requests, 2, calls)
		require.Equal(t, [2]string{"(all)", name}, [2]string{r.Requests[0].Name, r.Requests[1].Name}, calls)
		require.Equal(t, 1, r.Requests[0].Count, calls)
	}
}

// TestHandlersServe: requests of fasthttp begin with the first function of the program, and end with it, one after the other; what a test calls is none.
func TestHandlersServe(t *testing.T) {
	const list = " fasthttp.RequestHandler( main.list( main.help( ) ) ) "
	r := of(t, handled(list+list, "fasthttp.RequestHandler( main.logs( fasthttp.RequestHandler( main.list( ) ) ) )", "main.TestList( "+list+" )"))
	require.Len(t, r.Requests, 2)
	require.Equal(t, "main.list", r.Requests[1].Name)
	require.Equal(t, 3, r.Requests[0].Count)
	require.Equal(t, [2]int64{5, 7}, [2]int64{r.Requests[0].P50, r.Requests[0].Max})
	require.Empty(t, of(t, handled("main.serve( fiber.Handler( main.list( ) ) )")).Requests)
}
