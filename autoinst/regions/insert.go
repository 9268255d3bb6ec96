package regions

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
)

// insertion is text to insert into a file.
type insertion struct {
	at   int
	text string
}

// edited is a package into whose files something is inserted.
type edited struct {
	Summary
	edits     []*edit
	functions []*function
	imports   []string // of packages with methods that wait
	given     map[string]bool
	values    map[symbol]bool // functions and methods whose values are given to somebody
}

// find finds the functions of a file.
func (to *edited) find(o *overlay.Overlay, p *pkg, name string) {
	text, err := o.Text(name)
	if err != nil {
		return // the go command will say so
	}
	e, err := to.edit(name, text)
	if err != nil {
		return // here, too
	}
	for _, from := range importsOf(e.file) {
		if methods[from] != nil && !slices.Contains(to.imports, from) {
			to.imports = append(to.imports, from)
		}
	}
	if to.given == nil {
		to.given, to.values = map[string]bool{}, map[symbol]bool{}
	}
	givenIn(e.file, to.given)
	valuesIn(e.file, p.path(), to.values)
	for _, f := range functionsOf(e.files, e.file, p, strings.HasSuffix(name, "_test.go")) {
		f.in = e
		to.functions = append(to.functions, f)
	}
}

// instrument makes functions of a package regions.
func (c *chooser) instrument(to *edited) {
	for _, f := range to.functions {
		f.given = f.given || f.key.name != "" && to.given[f.key.name]
		if f.value != (symbol{}) && !c.values[f.value] {
			f.handles = noHandler // it only helps those that handle requests
		}
		v := c.verdict(f, f.in.name)
		to.count(v)
		switch {
		case v == region && f.intercepts.info != "":
			f.in.intercept(f.of, f.body, f.intercepts)
		case v == region && f.handles != noHandler:
			f.in.handle(f.of, f.body, f.handles)
		case v == region:
			f.in.enter(f.of, f.body)
		case v == isInlined && !f.trivial:
			if to.small == nil {
				to.small = map[string]bool{}
			}
			to.small[f.full] = hasLoop(f.body)
		}
	}
}

// edit is what is inserted into a file.
type edit struct {
	name, text string
	files      *token.FileSet
	file       *ast.File
	table      string // name of the table of functions
	regions    int    // in it
	insert     []insertion
	named      string // what the package declares for regions with names, "" for nothing
}

// edit begins an edit of a file of the package.
func (to *edited) edit(name, text string) (*edit, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments) // objects tell variables from functions
	if err != nil {
		return nil, err
	}
	h := fnv.New32a()
	h.Write([]byte(filepath.Base(name)))
	e := &edit{name: name, text: text, files: files, file: file, table: fmt.Sprintf("tracerec_%08x", h.Sum32())}
	to.edits = append(to.edits, e)
	return e, nil
}

func (e *edit) at(p token.Pos, text string) {
	e.insert = append(e.insert, insertion{e.files.PositionFor(p, false).Offset, text})
}

// enter makes a function of this type and with this body a region, whose visits are counted if there are too many, and in the end not even that.
//
// The defer is conditional: so a program that is not recorded pays for a load and two branches, and a function that is neither recorded nor
// counted any more for one of each in addition.
func (e *edit) enter(t *ast.FuncType, body *ast.BlockStmt) {
	e.at(body.Lbrace+1, fmt.Sprintf(" if tracerec_on != 0 && %[1]s[0] != 1 { if %[1]s[0] == 0 { defer tracerec_exit(tracerec_enter(&%[1]s)) } else { tracerec_count(&%[1]s) } };",
		fmt.Sprintf("%s[%d]", e.table, e.regions)))
	e.regions++
	e.returnOnce(t, body, 1)
}

// handle makes it one that handles requests.
func (e *edit) handle(t *ast.FuncType, body *ast.BlockStmt, of int) {
	e.at(body.Lbrace+1, fmt.Sprintf(" if tracerec_on != 0 { defer tracerec_exit(tracerec_handler(%d)); defer tracerec_exit(tracerec_always(&%s[%d])) };", of, e.table, e.regions))
	e.regions++
	e.returnOnce(t, body, 2)
}

// intercept makes it one that gRPC calls before what handles a call, in a region with the name of the method.
func (e *edit) intercept(t *ast.FuncType, body *ast.BlockStmt, i interception) {
	e.at(body.Lbrace+1, fmt.Sprintf(" if tracerec_on != 0 { if %[1]s != nil { defer tracerec_exit(tracerec_method(%[1]s.FullMethod, %[2]d)) }; defer tracerec_exit(tracerec_always(&%[3]s[%[4]d])) };",
		i.info, i.of, e.table, e.regions))
	e.regions++
	e.returnOnce(t, body, 2)
}

// call makes what a function does from a place on a region that is entered by a call.
func (e *edit) call(from token.Pos, call string) {
	e.at(from, fmt.Sprintf(" if tracerec_on != 0 { defer tracerec_exit(%s) };", call))
}

// declarations are put behind the last line of one file of a package. They reach the recorder by the names of its symbols, as an import would
// change the order in which packages are initialized.
const declarations = `
//go:linkname tracerec_on tracerec/instrument.regionsOn
var tracerec_on uint32

type tracerec_visit struct { a *byte; b, c uint32; d *byte }

//go:linkname tracerec_count tracerec/instrument.countVisit
func tracerec_count(*[4]uint64)

//go:linkname tracerec_enter tracerec/instrument.enterFunction
func tracerec_enter(*[4]uint64) tracerec_visit

//go:linkname tracerec_handler tracerec/instrument.enterHandler
func tracerec_handler(uint32) tracerec_visit

//go:linkname tracerec_method tracerec/instrument.enterMethod
func tracerec_method(string, uint32) tracerec_visit

//go:linkname tracerec_always tracerec/instrument.enterAlways
func tracerec_always(*[4]uint64) tracerec_visit

//go:linkname tracerec_exit tracerec/instrument.exitFunction
func tracerec_exit(tracerec_visit)
`

// redeclares tells whether the package gives another meaning to a name that the declarations need.
func (e *edit) redeclares() bool {
	taken := func(id *ast.Ident) bool {
		return id != nil && (id.Name == "byte" || id.Name == "string" || id.Name == "uint32" || id.Name == "uint64")
	}
	for _, d := range e.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && taken(d.Name) {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if taken(s.Name) {
						return true
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(s.Names, taken) {
						return true
					}
				case *ast.ImportSpec:
					if taken(s.Name) {
						return true
					}
				}
			}
		}
	}
	return false
}

// addTo adds the files with insertions to an overlay. The declarations are in one that is compiled whenever the others are: in a test only where
// no other has regions. A package without types that they need has none.
func (to *edited) addTo(o *overlay.Overlay) {
	if slices.ContainsFunc(to.edits, (*edit).redeclares) {
		to.Regions, to.Other = 0, to.Other+to.Regions
		return
	}
	var with []*edit
	named := ""
	for _, e := range to.edits {
		if len(e.insert) > 0 {
			with = append(with, e)
			named += e.named
		}
	}
	if len(with) == 0 {
		return
	}
	one := max(0, slices.IndexFunc(with, func(e *edit) bool { return !strings.HasSuffix(e.name, "_test.go") }))
	for i, e := range with {
		declare := ""
		if i == one {
			e.at(e.file.Name.End(), `; import _ "unsafe"`)
			declare = declarations + named
		}
		if e.regions > 0 {
			declare += fmt.Sprintf("\nvar %s [%d][4]uint64\n", e.table, e.regions)
		}
		o.Add(e.name, e.apply()+"\n"+declare)
	}
}

// apply returns the text with what is inserted.
func (e *edit) apply() string {
	slices.SortStableFunc(e.insert, func(a, b insertion) int { return a.at - b.at })
	var b strings.Builder
	last := 0
	for _, i := range e.insert {
		b.WriteString(e.text[last:i.at])
		b.WriteString(i.text)
		last = i.at
	}
	b.WriteString(e.text[last:])
	return b.String()
}
