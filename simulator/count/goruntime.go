//go:build linux

package count

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"strings"
)

// goProgram is what has to be known of a Go program to tell its goroutines apart: where its structures g and m have what, which
// its debugging information says, and its functions.
type goProgram struct {
	goid, m, start    uint64 // offsets in g
	g0, gsignal, curg uint64 // offsets in m
	functions         []function
	collects          map[uint64]bool   // by the address where a goroutine starts; known so far
	starts            map[uint64]string // names of functions, by that
	debug             *dwarf.Data
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
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	p := &goProgram{collects: map[uint64]bool{}, starts: map[uint64]string{}, debug: data}
	fields := map[string]*uint64{"runtime.g.goid": &p.goid, "runtime.g.m": &p.m, "runtime.g.startpc": &p.start,
		"runtime.m.g0": &p.g0, "runtime.m.gsignal": &p.gsignal, "runtime.m.curg": &p.curg}
	if findFields(data.Reader(), fields) != len(fields) {
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

// findFields finds the offsets of fields of structures, and returns how many it found.
func findFields(r *dwarf.Reader, fields map[string]*uint64) (found int) {
	for structure := ""; ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return found
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch e.Tag {
		case dwarf.TagCompileUnit:
		case dwarf.TagStructType:
			if structure = name; name != "runtime.g" && name != "runtime.m" {
				r.SkipChildren()
			}
		case dwarf.TagMember:
			if at, ok := fields[structure+"."+name]; ok {
				offset, _ := e.Val(dwarf.AttrDataMemberLoc).(int64)
				*at = uint64(offset)
				found++
			}
		default:
			r.SkipChildren()
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
