// Package binfmt writes annotated dumps of binary files: bytes in hexadecimal, and beside them what they
// mean. Tests keep such dumps as golden files, and documents show them.
package binfmt

import (
	"fmt"
	"strings"
)

const perLine = 12 // bytes

// Dump is a dump being written. The zero Dump is ready.
type Dump struct {
	text   strings.Builder
	offset int
}

// Title adds a line of text.
func (d *Dump) Title(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n", args...)
}

// Seek sets the offset of the next bytes.
func (d *Dump) Seek(offset int) { d.offset = offset }

// Bytes adds b, which lies at the present offset, with what it means.
func (d *Dump) Bytes(b []byte, format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	for first := true; first || len(b) > 0; first = false {
		n := min(len(b), perLine)
		line := fmt.Sprintf("%06x  %-*s %s", d.offset, 3*perLine, fmt.Sprintf("% x", b[:n]), note)
		d.text.WriteString(strings.TrimRight(line, " ") + "\n")
		b, note = b[n:], ""
		d.offset += n
	}
}

// String returns the dump.
func (d *Dump) String() string { return d.text.String() }
