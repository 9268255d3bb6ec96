//go:build linux

package simulated

import (
	"debug/elf"
	"encoding/binary"
	"testing"
)

// smallImage is an ELF file of one segment and a table of functions of Go, which says little.
func smallImage() []byte {
	b := make([]byte, 0x400)
	le := binary.LittleEndian
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], uint16(elf.ET_EXEC))
	le.PutUint16(b[18:], uint16(elf.EM_RISCV))
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[32:], 64)    // program headers
	le.PutUint64(b[40:], 0x200) // section headers
	le.PutUint16(b[52:], 64)
	le.PutUint16(b[54:], 56)
	le.PutUint16(b[56:], 1)
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], 4)
	le.PutUint16(b[62:], 3)
	le.PutUint32(b[64:], uint32(elf.PT_LOAD))
	le.PutUint64(b[80:], 0x10000)
	le.PutUint64(b[96:], 0x400)
	le.PutUint64(b[104:], 0x400)
	section := func(n int, name uint32, offset, size uint64) {
		s := b[0x200+64*n:]
		le.PutUint32(s, name)
		le.PutUint32(s[4:], uint32(elf.SHT_PROGBITS))
		le.PutUint64(s[16:], 0x10000+offset)
		le.PutUint64(s[24:], offset)
		le.PutUint64(s[32:], size)
	}
	const names = "\x00.text\x00.gopclntab\x00.shstrtab\x00"
	copy(b[0x180:], names)
	section(1, 1, 0x80, 0x40)
	section(2, 7, 0xc0, 0xc0)
	section(3, 18, 0x180, uint64(len(names)))
	le.PutUint32(b[0x200+64*3+4:], uint32(elf.SHT_STRTAB))
	le.PutUint32(b[0xc0:], 0xfffffff1) // the table: its magic, quantum, size of pointers, and a function
	b[0xc6], b[0xc7] = 2, 8
	le.PutUint64(b[0xc8:], 1)
	return b
}

// Whatever a program's tables say, they are read without harm.
func FuzzImage(f *testing.F) {
	f.Add(smallImage())
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, content []byte) {
		i := newImage(content, new(filter))
		for _, fn := range i.functions {
			i.line(fn.begin)
			i.caller(fn, fn.begin)
			i.isSystem(fn.begin)
		}
		i.reason(3)
	})
}
