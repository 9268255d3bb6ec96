package exact

import (
	"bytes"
	"debug/elf"
	"os/exec"
	"strings"
)

// Built tells whether a program was built with an overlay of this package: the names of a Go program's functions are in a table of it, also if
// it has been stripped.
func Built(program string) bool {
	if path, err := exec.LookPath(program); err == nil { // as a command line names it
		program = path
	}
	f, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, s := range f.Sections {
		if strings.HasSuffix(s.Name, ".gopclntab") {
			table, err := s.Data()
			return err == nil && bytes.Contains(table, []byte("\x00runtime.tracerecOn\x00"))
		}
	}
	return false
}
