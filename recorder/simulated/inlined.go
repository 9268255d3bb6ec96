//go:build linux

package simulated

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"sync"
)

// debugging returns the debugging information of a program, nil if it has none, when it is first needed.
func debugging(content []byte) func() *dwarf.Data {
	return sync.OnceValue(func() *dwarf.Data {
		file, err := elf.NewFile(bytes.NewReader(content))
		if err != nil {
			return nil
		}
		data, err := file.DWARF()
		if err != nil {
			return nil
		}
		return data
	})
}

// caller returns the place in a function itself where an address belongs to: of what was inlined, where it was called. It is not known
// without debugging information, or if nothing was inlined there.
func (i *image) caller(f *function, pc uint64) (file string, line int) {
	data := i.debug()
	if data == nil {
		return "", 0
	}
	r := data.Reader()
	unit, err := r.SeekPC(pc)
	if err != nil {
		return "", 0
	}
	for within := false; ; {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return "", 0
		}
		low, _ := e.Val(dwarf.AttrLowpc).(uint64)
		switch {
		case e.Tag == dwarf.TagSubprogram && within:
			return "", 0
		case e.Tag == dwarf.TagSubprogram && low == f.begin && e.Children:
			within = true
		case within && e.Tag == dwarf.TagInlinedSubroutine && contains(data, e, pc):
			return calledAt(data, unit, e)
		case e.Children && (!within || e.Tag == dwarf.TagInlinedSubroutine):
			r.SkipChildren()
		}
	}
}

// contains tells whether an address belongs to an entry.
func contains(data *dwarf.Data, e *dwarf.Entry, pc uint64) bool {
	ranges, err := data.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// calledAt returns where a function was called that was inlined.
func calledAt(data *dwarf.Data, unit, e *dwarf.Entry) (file string, line int) {
	number, ok := e.Val(dwarf.AttrCallFile).(int64)
	at, known := e.Val(dwarf.AttrCallLine).(int64)
	lines, err := data.LineReader(unit)
	if !ok || !known || err != nil || lines == nil {
		return "", 0
	}
	if files := lines.Files(); number >= 0 && number < int64(len(files)) && files[number] != nil {
		return files[number].Name, int(at)
	}
	return "", 0
}
