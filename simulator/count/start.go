//go:build linux

package count

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"regexp"
	"strings"

	"tracerec/simulator/riscv"
)

// generic is the type arguments in a function's name.
var generic = regexp.MustCompile(`\[.*\]`)

// FunctionName is a symbol's name as Go's own tools show it: without type arguments.
func FunctionName(symbol string) string { return generic.ReplaceAllString(symbol, "[...]") }

// wrapper are the functions that the compiler makes of go statements that pass arguments.
var wrapper = regexp.MustCompile(`\.gowrap[0-9]+$`)

// startName returns the name of the function with which a goroutine starts: of go f(x), it is f, unless f is a variable.
func (p *goProgram) startName(start uint64) string {
	name, known := p.starts[start]
	if known {
		return name
	}
	name = p.function(start)
	if wrapper.MatchString(name) {
		for _, find := range []func(uint64) string{p.inlinedIn, p.calledBy} {
			if f := find(start); f != "" {
				name = f
				break
			}
		}
	}
	name = FunctionName(name)
	p.starts[start] = name
	return name
}

// inlinedIn returns the name of the first function that was inlined in the one at an address, "" for none.
func (p *goProgram) inlinedIn(start uint64) string {
	data, err := p.debug()
	if err != nil {
		return ""
	}
	r := data.Reader()
	if _, err := r.SeekPC(start); err != nil {
		return ""
	}
	for within := false; ; {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return ""
		}
		low, _ := e.Val(dwarf.AttrLowpc).(uint64)
		switch {
		case within && (e.Tag == 0 || e.Tag == dwarf.TagSubprogram):
			return ""
		case within && e.Tag == dwarf.TagInlinedSubroutine:
			origin, _ := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
			r.Seek(origin)
			if e, err = r.Next(); err != nil || e == nil {
				return ""
			}
			name, _ := e.Val(dwarf.AttrName).(string)
			return name
		case !within && e.Tag == dwarf.TagSubprogram && low == start && e.Children:
			within = true
		case e.Children:
			r.SkipChildren()
		}
	}
}

// calledBy returns the name of the first function that the one at an address calls, "" for none. What the compiler inserts is no call of
// the program's.
func (p *goProgram) calledBy(start uint64) string {
	code := p.code(start)
	own := strings.HasPrefix(p.function(start), "runtime.")
	for at := 0; at+4 <= len(code); {
		in := riscv.Decode(binary.LittleEndian.Uint32(code[at:]), start+uint64(at))
		if in.Op == riscv.JAL && in.Rd == 1 {
			if name := p.function(uint64(in.Imm)); name != "" && (own || !strings.HasPrefix(name, "runtime.")) {
				return name
			}
		}
		at += int(in.Size)
	}
	return ""
}

// codeOf returns what reads the code of a function of a program by its address.
func codeOf(program []byte, functions []function) func(uint64) []byte {
	return func(start uint64) []byte {
		f, err := elf.NewFile(bytes.NewReader(program))
		if err != nil {
			return nil
		}
		for _, fn := range functions {
			for _, s := range f.Progs {
				if fn.begin != start || s.Type != elf.PT_LOAD || start < s.Vaddr || fn.end > s.Vaddr+s.Filesz || fn.end < start {
					continue
				}
				b := make([]byte, fn.end-start)
				if _, err := s.ReadAt(b, int64(start-s.Vaddr)); err == nil {
					return b
				}
			}
		}
		return nil
	}
}
