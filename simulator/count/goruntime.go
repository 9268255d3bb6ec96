//go:build linux

package count

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"strings"
	"sync"
)

// goProgram is what has to be known of a Go program to tell its goroutines apart: where its structures g and m have what, which
// its debugging information says, and its functions.
type goProgram struct {
	goid, m, start    uint64 // offsets in g
	g0, gsignal, curg uint64 // offsets in m
	functions         []function
	collects          map[uint64]bool   // by the address where a goroutine starts; known so far
	starts            map[uint64]string // names of functions, by that
	debug             func() (*dwarf.Data, error)
	code              func(start uint64) []byte // of the function there
}

type function struct {
	begin, end uint64
	name       string
}

// readGo reads a program; nil if it is no Go program, or one without debugging information.
func readGo(program []byte) *goProgram {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return nil
	}
	p := &goProgram{collects: map[uint64]bool{}, starts: map[uint64]string{}}
	p.debug = sync.OnceValues(f.DWARF)
	if !findFields(f, map[string]map[string]*uint64{
		"runtime.g": {"goid": &p.goid, "m": &p.m, "startpc": &p.start},
		"runtime.m": {"g0": &p.g0, "gsignal": &p.gsignal, "curg": &p.curg},
	}) {
		return nil
	}
	symbols, _ := f.Symbols() // without them, functions have no names
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			p.functions = append(p.functions, function{s.Value, s.Value + s.Size, s.Name})
		}
	}
	slices.SortFunc(p.functions, func(a, b function) int { return cmp.Compare(a.begin, b.begin) })
	p.code = codeOf(program, p.functions)
	return p
}

// findFields finds the offsets of fields of structures, and tells whether it found all. Of the debugging information it reads no more than
// that: all of it takes longer than the runs of many programs.
func findFields(f *elf.File, structures map[string]map[string]*uint64) bool {
	content := map[string][]byte{}
	for _, name := range []string{".debug_info", ".debug_abbrev"} {
		if s := f.Section(name); s != nil {
			content[name], _ = s.Data() // what cannot be read has no fields
		}
	}
	info := content[".debug_info"]
	data, err := dwarf.New(content[".debug_abbrev"], nil, nil, info, nil, nil, nil, nil)
	if err != nil {
		return false
	}
	r := data.Reader()
	for name, fields := range structures {
		if !seekStructure(r, info, name) {
			return false
		}
		found := 0
		for e, err := r.Next(); err == nil && e != nil && e.Tag == dwarf.TagMember; e, err = r.Next() {
			member, _ := e.Val(dwarf.AttrName).(string)
			if at, ok := fields[member]; ok {
				offset, _ := e.Val(dwarf.AttrDataMemberLoc).(int64)
				*at = uint64(offset)
				found++
			}
		}
		if found != len(fields) {
			return false
		}
	}
	return true
}

// seekStructure lets the fields of a structure be what is read next, and tells whether there is one of that name. In Go's entries the name
// stands behind the number of the abbreviation, which takes one or two bytes.
func seekStructure(r *dwarf.Reader, info []byte, name string) bool {
	for at := 0; ; at++ {
		next := bytes.Index(info[at:], append([]byte(name), 0))
		if next < 0 {
			return false
		}
		at += next
		for before := 1; before <= min(2, at); before++ {
			r.Seek(dwarf.Offset(at - before))
			if e, err := r.Next(); err == nil && e != nil && e.Tag == dwarf.TagStructType && e.Val(dwarf.AttrName) == name {
				return true
			}
		}
	}
}

// function returns the name of the function at an address, "" if it is not known.
func (p *goProgram) function(pc uint64) string {
	i, ok := slices.BinarySearchFunc(p.functions, pc, func(f function, pc uint64) int { return cmp.Compare(f.begin, pc) })
	if !ok {
		i--
	}
	if i < 0 || pc >= p.functions[i].end {
		return ""
	}
	return p.functions[i].name
}

// collectors are the functions with which goroutines of the garbage collector start.
var collectors = []string{"runtime.gcBgMarkStartWorkers", "runtime.gcBgMarkWorker", "runtime.gcenable.", "runtime.bgsweep", "runtime.bgscavenge", "runtime.forcegchelper"}

// collects tells whether a goroutine that starts with a function is one of the garbage collector's.
func collects(start string) bool {
	return slices.ContainsFunc(collectors, func(c string) bool { return strings.HasPrefix(start, c) })
}
