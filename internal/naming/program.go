package naming

import (
	"debug/dwarf"
	"debug/elf"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Program is what a program's own symbols tell of its locks, groups, conditions …: where its types and variables hold any. What an
// operation works on is known where there is only one that it can be. Channels are everywhere, so the symbols name none.
type Program struct {
	places    []place             // fields and variables of packages
	functions map[string]function // by name without type arguments
	results   []place             // of functions
}

// place is where an object is held.
type place struct {
	pkg, holder, name string // the holder is a type or a function, "" of a variable of the package
	typ               string
	local             bool // the holder is a function
}

// function is what is known of a function.
type function struct {
	line   int64
	locals []place // parameters, too
}

// The most that is read of a program.
const (
	mostProgram = 1 << 30 // bytes of the file
	mostSymbols = 1 << 29 // bytes of its symbols, decompressed
	mostEntries = 1 << 24 // of these
	mostPlaces  = 1 << 20
)

// instrumented begins the names of the types whose objects are recorded.
const instrumented = "tracerec/instrument."

// objects are the types that operations work on, by the operation as it is recorded. Who embeds one can be operated on itself.
var objects = map[string][]string{
	"lock": {"Mutex", "RWMutex"}, "rlock": {"RWMutex"}, "wait": {"WaitGroup"}, "add": {"WaitGroup"}, "done": {"WaitGroup"},
	"condwait": {"Cond"}, "signal": {"Cond"}, "broadcast": {"Cond"}, "once": {"Once"}, "barrier": {"Barrier"},
}

// anything are types, or parts of their names, whose values may hold any object.
var anything = []string{"interface {", "sync.Map", "sync.Pool", "sync/atomic.Value", "unsafe.Pointer", "container/", "reflect.Value"}

// ReadProgram reads the symbols of a program, nil if there are none, or the file was changed after a time.
func ReadProgram(file string, before time.Time) (p *Program) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostProgram || info.ModTime().After(before) {
		return nil
	}
	defer func() {
		if recover() != nil { // files that package dwarf does not expect
			p = nil
		}
	}()
	f, err := elf.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if !isModest(f) {
		return nil
	}
	d, err := f.DWARF()
	if err != nil {
		return nil
	}
	return readSymbols(d)
}

// isModest says whether a file is a program with symbols that fit into memory. In the old form of compressed ones, which Go does not
// write, they are not told beforehand to do so.
func isModest(f *elf.File) bool {
	size := uint64(0)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".zdebug_") {
			return false
		}
		if strings.HasPrefix(s.Name, ".debug_") {
			size += min(s.Size, mostSymbols+1)
		}
	}
	return size <= mostSymbols && (f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN)
}

// readSymbols reads symbols, nil if they are damaged, or more than a program has.
func readSymbols(d *dwarf.Data) *Program {
	types := map[dwarf.Offset]string{}
	if !eachSymbol(d, func(path []*dwarf.Entry, e *dwarf.Entry) {
		if name, _ := e.Val(dwarf.AttrName).(string); isType(e.Tag) && isHolder(name) {
			types[e.Offset] = name
		}
	}) || len(types) > mostPlaces {
		return nil
	}
	p := &Program{functions: map[string]function{}}
	if !eachSymbol(d, func(path []*dwarf.Entry, e *dwarf.Entry) { p.symbol(types, path, e) }) || len(p.places)+len(p.results) > mostPlaces {
		return nil
	}
	return p
}

func isType(t dwarf.Tag) bool {
	switch t {
	case dwarf.TagTypedef, dwarf.TagStructType, dwarf.TagPointerType, dwarf.TagArrayType, dwarf.TagSubroutineType, dwarf.TagUnspecifiedType, dwarf.TagInterfaceType:
		return true
	}
	return false
}

// isHolder says whether values of a type may be, or lead to, an object that nothing else tells.
func isHolder(name string) bool {
	return isLocker(name) || strings.Contains(name, instrumented) || isAnything(name)
}

func isLocker(name string) bool { return strings.Contains(name, "sync.Locker") }

func isAnything(name string) bool {
	for _, part := range anything {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// eachSymbol visits all entries with those that they are in, and says whether all could be read.
func eachSymbol(d *dwarf.Data, visit func(path []*dwarf.Entry, e *dwarf.Entry)) bool {
	var path []*dwarf.Entry
	r := d.Reader()
	for range mostEntries {
		e, err := r.Next()
		switch {
		case err != nil:
			return false
		case e == nil:
			return true
		case e.Tag == 0:
			if len(path) == 0 {
				return false
			}
			path = path[:len(path)-1]
			continue
		}
		visit(path, e)
		if e.Children {
			if path = append(path, e); len(path) > mostEmbedded {
				return false
			}
		}
	}
	return false
}

// symbol notes what an entry tells.
func (p *Program) symbol(types map[dwarf.Offset]string, path []*dwarf.Entry, e *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrName).(string)
	if e.Tag == dwarf.TagSubprogram && name != "" && len(path) == 1 {
		key := plain(name)
		f := p.functions[key]
		if line, ok := e.Val(dwarf.AttrDeclLine).(int64); ok && (f.line == 0 || line < f.line) {
			f.line = line
		}
		p.functions[key] = f
	}
	offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	typ, held := types[offset]
	if !ok || !held || name == "" {
		return
	}
	if e.Tag == dwarf.TagVariable && len(path) == 1 {
		pkg, rest := splitName(name)
		p.places = append(p.places, place{pkg: pkg, name: rest, typ: typ})
		return
	}
	holder := ""
	for _, in := range path[min(1, len(path)):] {
		if in.Tag == dwarf.TagSubprogram || in.Tag == dwarf.TagStructType {
			holder, _ = in.Val(dwarf.AttrName).(string)
			break
		}
	}
	pkg, rest := splitName(plain(holder))
	switch e.Tag {
	case dwarf.TagMember:
		if strings.HasPrefix(strings.TrimPrefix(holder, "noalg."), "struct { F uintptr;") {
			return // what a closure has of the functions around it
		}
		p.places = append(p.places, place{pkg: pkg, holder: rest, name: name, typ: typ})
	case dwarf.TagVariable, dwarf.TagFormalParameter:
		local := place{pkg: pkg, holder: rest, name: strings.TrimPrefix(name, "&"), typ: typ, local: true}
		if result, _ := e.Val(dwarf.AttrVarParam).(bool); result {
			p.results = append(p.results, local)
		}
		f := p.functions[plain(holder)]
		f.locals = append(f.locals, local)
		p.functions[plain(holder)] = f
	}
}

// plain returns a name without type arguments. What has the type of a struct in it keeps them.
func plain(name string) string {
	if strings.Contains(name, "struct {") || !strings.Contains(name, "[") {
		return name
	}
	return withoutArguments(name)
}

// withoutArguments returns what of a name is outside all brackets.
func withoutArguments(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// splitName divides a name into the path of its package and the rest; the package of what has none is "".
func splitName(name string) (pkg, rest string) {
	if strings.Contains(name, "struct {") {
		return "", name
	}
	slash := strings.LastIndexByte(name, '/') + 1
	first, rest, ok := strings.Cut(name[slash:], ".")
	if !ok {
		return "", name
	}
	return name[:slash] + first, rest
}

// Of returns the name of the object that an operation in a line of a function works on, "" if there are several that it can be.
func (p *Program) Of(operation, name string, line int) (text string, unique bool) {
	if p == nil {
		return "", false
	}
	name = plain(name)
	f, ok := p.functions[name]
	if !ok || objects[operation] == nil || int64(line) < f.line || operation == "once" && p.makesOnces() {
		return "", false
	}
	pkg, _ := splitName(name)
	for _, x := range p.near(name, pkg) {
		got, one := x.text(operation, pkg)
		if got == "" {
			continue
		}
		if got == several || text != "" && text != got {
			return "", false
		}
		text, unique = got, one
	}
	return text, unique
}

// near returns all places that code of a function in a package can name.
func (p *Program) near(name, pkg string) (list []place) {
	visible := func(x place, word string) bool {
		return x.pkg == pkg || x.pkg == "" || x.pkg != "main" && isExported(word)
	}
	for _, x := range p.places {
		if x.pkg+"." != instrumented && visible(x, x.name) {
			list = append(list, x)
		}
	}
	for _, x := range p.results {
		if x.pkg+"." != instrumented && x.pkg != "sync" && visible(x, x.holder[strings.LastIndexByte(x.holder, '.')+1:]) {
			x.typ = "func() " + x.typ // not an object with a name
			list = append(list, x)
		}
	}
	for at := name; ; { // a closure sees what the functions around it have
		f, ok := p.functions[at]
		if !ok {
			return append(list, place{typ: anything[0], pkg: pkg})
		}
		list = append(list, f.locals...)
		i := strings.LastIndexAny(at, ".-")
		if i < 0 || !isInner(at[i+1:]) {
			return list
		}
		at = at[:i]
	}
}

// isInner says whether the last part of a function's name is that of a closure.
func isInner(part string) bool {
	part = strings.TrimRight(part, "0123456789")
	return part == "" || part == "func" || part == "range" || part == "gowrap" || part == "deferwrap"
}

// several stands for objects without one name.
const several = "…"

// text names what is held in a place as code of a package would, if the operation works on such things; "" if it does not.
func (x *place) text(operation, pkg string) (text string, unique bool) {
	typ, elements := strings.TrimLeft(x.typ, "*"), ""
	for strings.HasPrefix(typ, "[") || strings.HasPrefix(typ, "map[") {
		typ, elements = strings.TrimLeft(element(typ), "*"), elements+"[…]"
	}
	fits := false
	for _, object := range objects[operation] {
		fits = fits || mentions(x.typ, instrumented+object)
		if typ != instrumented+object || x.holder != "" && x.pkg == "" {
			continue
		}
		if text = x.name; x.holder != "" && !x.local {
			text = x.holder + "." + text
		}
		if x.pkg != pkg {
			text = x.pkg[strings.LastIndexByte(x.pkg, '/')+1:] + "." + text
		}
		return text + elements, !x.local
	}
	locks := operation == "lock" || operation == "rlock"
	if fits || locks && x.pkg != "sync" && (isLocker(x.typ) || mentions(x.typ, instrumented+"Cond")) || x.pkg == pkg && isAnything(x.typ) {
		return several, false
	}
	return "", false
}

// mentions says whether a type's name has another type in it.
func mentions(typ, other string) bool {
	for {
		_, rest, ok := strings.Cut(typ, other)
		if !ok {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			return true
		}
		typ = rest
	}
}

// element returns the type of the elements of an array, a slice or a map.
func element(typ string) string {
	depth := 0
	for i, r := range typ {
		switch r {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return typ[i+1:]
			}
		}
	}
	return ""
}

// makesOnces says whether there are functions that run once without a variable that is a Once.
func (p *Program) makesOnces() bool {
	for _, f := range []string{"OnceFunc", "OnceValue", "OnceValues"} {
		if _, ok := p.functions[instrumented+f]; ok {
			return true
		}
	}
	return false
}

func isExported(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
