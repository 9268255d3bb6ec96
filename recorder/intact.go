//go:build linux

package recorder

import (
	"errors"
	"runtime/debug"
)

// errCut is why nothing more is read of a buffer.
var errCut = errors.New("its buffer was truncated during the run; its contents are lost, and so is what the process did from then on")

// intact calls f, which reads the process's buffer, if that is whole. Somebody may cut off the file at any time, and then reading it is a
// fault, of which nothing but this process must take harm: the file is made as long as it was, for the process would run into the
// same, and is read no more.
func (p *process) intact(f func() error) (err error) {
	if p.cut {
		return nil
	}
	if p.view.Mend() {
		p.cut = true
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			at, ok := fault.(interface{ Addr() uintptr })
			if !ok || !p.view.Contains(at.Addr()) {
				panic(fault)
			}
			p.view.Mend()
			p.cut, err = true, nil
		}
	}()
	return f()
}
