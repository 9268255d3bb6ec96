//go:build linux

package linux

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
)

// notELF says why a program's file cannot be read as one, err being what the reader said.
func notELF(program []byte, err error) error {
	switch {
	case bytes.HasPrefix(program, []byte("#!")):
		return errors.New("not an ELF file but a script; its interpreter must be a program for RISC-V")
	case !bytes.HasPrefix(program, []byte(elf.ELFMAG)):
		return errors.New("not an ELF file")
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("not an ELF file: truncated after %d bytes", len(program))
	}
	return fmt.Errorf("not an ELF file: %w", err)
}
