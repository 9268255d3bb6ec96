package perf

import (
	"debug/elf"
	"strconv"
	"strings"

	"tracerec/internal/perfevent"
)

// parseProbe reads what follows "uprobe:" and its like: PATH+OFFSET, PATH:SYMBOL, FUNCTION or FUNCTION+OFFSET.
func (c catalog) parseProbe(full, kind, s string) (Encoded, error) {
	user := kind[0] == 'u'
	pmu := kind[:1] + "probe"
	p, ok := c.pmu(pmu)
	if !ok {
		return Encoded{}, unavailable(full, "this kernel has no %ss", pmu)
	}
	e := Encoded{Event: perfevent.Event{Type: p.Type, Kernel: !user}}
	if strings.Contains(kind, "ret") {
		if err := c.terms(&e, p, full, "retprobe", false); err != nil {
			return Encoded{}, err
		}
	}
	e.Path = s
	if i := strings.LastIndexByte(s, '+'); i >= 0 {
		v, err := strconv.ParseUint(s[i+1:], 0, 64)
		if err != nil {
			return Encoded{}, unknown(full, "%q is not an offset", s[i+1:])
		}
		e.Path, e.Config2 = s[:i], v
	} else if path, symbol, ok := strings.Cut(s, ":"); user && ok {
		offset, err := symbolOffset(path, symbol)
		if err != "" {
			return Encoded{}, unknown(full, "%s", err)
		}
		e.Path, e.Config2 = path, offset
	} else if user {
		return Encoded{}, unknown(full, "the place in the file is missing: FILE+0x1234 or FILE:symbol")
	}
	if e.Path == "" || strings.Contains(e.Path, ":") {
		return Encoded{}, unknown(full, "%q is not a place for a probe", s)
	}
	return e, nil
}

// symbolOffset returns where in the file of a program the code of a function begins, or what is wrong.
func symbolOffset(path, symbol string) (offset uint64, problem string) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, err.Error()
	}
	defer f.Close()
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range append(symbols, dynamic...) {
		if s.Name != symbol || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Value == 0 {
			continue
		}
		if offset, ok := fileOffset(f, s.Value); ok {
			return offset, ""
		}
	}
	return 0, path + " has no function " + symbol
}

// fileOffset returns where in its file a program has what is at the address.
func fileOffset(f *elf.File, address uint64) (offset uint64, ok bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			return address - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}
