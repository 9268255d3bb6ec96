package wire

import "slices"

// Handler is a type of functions by which a router, or a server, calls what handles a request. In recordings, a function of the program that is given to one is in a region that is
// called after the type, as those of net/http are in that of http.HandlerFunc.ServeHTTP: so it is told from those that it calls.
type Handler struct {
	Package string // import path
	Name    string // of the type
	Context string // the type of its only parameter, as in *Context
	Error   bool   // it returns an error
	Serves  bool   // requests begin with it: they are not those of net/http
}

// Handlers are all of them. Inserted text has their indices.
var Handlers = []Handler{
	{"github.com/gin-gonic/gin", "HandlerFunc", "*Context", false, false},
	{"github.com/labstack/echo/v4", "HandlerFunc", "Context", true, false},
	{"github.com/labstack/echo/v5", "HandlerFunc", "*Context", true, false},
	{"github.com/gofiber/fiber/v2", "Handler", "*Ctx", true, true},
	{"github.com/gofiber/fiber/v3", "Handler", "Ctx", true, true},
	{"github.com/valyala/fasthttp", "RequestHandler", "*RequestCtx", false, true},
}

// Interceptors are the types of functions that gRPC calls before what handles a call. Their Context is the parameter that tells the method. Inserted text has their indices.
var Interceptors = []Handler{
	{"google.golang.org/grpc", "UnaryServerInterceptor", "*UnaryServerInfo", true, false},
	{"google.golang.org/grpc", "StreamServerInterceptor", "*StreamServerInfo", true, false},
}

// Intercepts says whether a function is the region of a type of interceptors. Its name is the method that is called.
func Intercepts(function string) bool {
	return slices.ContainsFunc(Interceptors, func(h Handler) bool { return h.Symbol() == function })
}

// Symbol returns the name of the type with the path of its package, as functions have it.
func (h *Handler) Symbol() string { return h.Package + "." + h.Name }

// HandlerOf returns the handler whose region a function is, nil if it is none.
func HandlerOf(function string) *Handler {
	for i := range Handlers {
		if h := &Handlers[i]; len(function) == len(h.Package)+1+len(h.Name) && function == h.Symbol() {
			return h
		}
	}
	return nil
}
