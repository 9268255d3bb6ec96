package regions

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
)

// standard are the functions of the standard library that are always regions: those in which a program serves requests, asks other programs and
// runs tests.
var standard = map[string]map[string][]string{ // by package and file: names as in symbols
	"net/http": {
		"net/http/server.go":    {"serverHandler.ServeHTTP", "(*ServeMux).ServeHTTP", "HandlerFunc.ServeHTTP", "(*response).FlushError", "(*response).Hijack"},
		"net/http/h2_bundle.go": {"(*http2responseWriter).FlushError"},
		"net/http/client.go":    {"(*Client).do"},
	},
	"database/sql": {
		"database/sql/sql.go": {
			"(*DB).PingContext", "(*DB).QueryContext", "(*DB).ExecContext", "(*DB).PrepareContext", "(*DB).BeginTx",
			"(*Conn).QueryContext", "(*Conn).ExecContext", "(*Conn).PrepareContext", "(*Conn).BeginTx",
			"(*Tx).QueryContext", "(*Tx).ExecContext", "(*Tx).PrepareContext", "(*Tx).Commit", "(*Tx).Rollback",
			"(*Stmt).QueryContext", "(*Stmt).ExecContext", "(*Rows).Next",
		},
	},
	"os/exec": {"os/exec/exec.go": {"(*Cmd).Start", "(*Cmd).Wait"}},
	"testing": {
		"testing/testing.go":   {"tRunner"},
		"testing/benchmark.go": {"(*B).runN"},
		"testing/example.go":   {"runExample"},
		"testing/fuzz.go":      {"fRunner"},
	},
}

// runner is a function that runs one of the user's, under a name: what that is called, where it is, and the type of that. Of a mux it is not known
// before the last statement, and not at all before Go 1.23.
type runner struct{ what, name, function, kind string }

var runners = map[string]runner{
	"tRunner":    {"Test", "t.name", "fn", "func(*T)"},
	"(*B).runN":  {"Benchmark", "b.name", "b.benchFunc", "func(*B)"},
	"fRunner":    {"Fuzz", "f.name", "fn", "func(*F)"},
	"runExample": {"Example", "eg.Name", "eg.F", "func()"},

	"(*ServeMux).ServeHTTP": {"Route", "r.Pattern", "(*ServeMux).ServeHTTP", "func(*ServeMux, ResponseWriter, *Request)"},
}

// instrumentStandard makes regions in a package of the standard library. Versions of Go without one of the functions have one region less.
func instrumentStandard(o *overlay.Overlay, path string) error {
	to := &edited{}
	for _, name := range slices.Sorted(maps.Keys(standard[path])) {
		text, err := o.Text(name)
		if err != nil {
			continue
		}
		e, err := to.edit(name, text)
		if err != nil {
			return err
		}
		for _, want := range standard[path][name] {
			if d := declaration(e.file, want); d != nil && d.Body != nil {
				e.enterStandard(want, d)
			}
		}
	}
	to.addTo(o)
	return nil
}

// enterStandard makes a function a region of its own, or that of what it runs.
func (e *edit) enterStandard(name string, d *ast.FuncDecl) {
	r, ok := runners[name]
	if !ok {
		e.enter(d.Type, d.Body)
		return
	}
	at := d.Body.Lbrace + 1
	if r.what == "Route" {
		last := d.Body.List[len(d.Body.List)-1]
		if at = last.Pos(); !strings.Contains(e.text, r.name+", ") {
			return
		}
	}
	e.call(at, fmt.Sprintf("tracerec_run%s(%s, %s)", d.Name.Name, r.name, r.function))
	e.named = fmt.Sprintf("\n//go:linkname tracerec_run%[1]s tracerec/instrument.enter%[2]s\nfunc tracerec_run%[1]s(string, %[3]s) tracerec_visit\n", d.Name.Name, r.what, r.kind)
}

// declaration returns the declaration of a function with this name.
func declaration(file *ast.File, name string) *ast.FuncDecl {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && nameOf(d) == name {
			return d
		}
	}
	return nil
}
