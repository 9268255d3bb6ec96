//go:build linux

package linux

import (
	"bytes"
	"encoding/binary"
	"syscall"

	"tracerec/simulator/memory"
)

// errno is an error number of the guest, which has those of this host.
type errno = syscall.Errno

// result returns what a call returns: a value, or a negative error number.
func result(v int64, err errno) int64 {
	if err != 0 {
		return -int64(err)
	}
	return v
}

// bytes returns memory of the guest for reading.
func (p *process) bytes(at, n uint64) ([]byte, errno) { return p.access(at, n, memory.Read) }

// room returns memory of the guest for writing.
func (p *process) room(at, n uint64) ([]byte, errno) { return p.access(at, n, memory.Write) }

func (p *process) access(at, n uint64, prot memory.Prot) ([]byte, errno) {
	if n == 0 {
		return nil, 0
	}
	b, ok := p.space.Bytes(at, n, prot)
	if !ok {
		return nil, syscall.EFAULT
	}
	return b, 0
}

// put stores bytes.
func (p *process) put(at uint64, b []byte) errno {
	room, err := p.room(at, uint64(len(b)))
	copy(room, b)
	return err
}

// putWords stores 64-bit words.
func (p *process) putWords(at uint64, words ...uint64) errno {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return p.put(at, b)
}

// words reads n 64-bit words.
func (p *process) words(at uint64, n int) ([]uint64, errno) {
	b, err := p.bytes(at, uint64(8*n))
	if err != 0 {
		return nil, err
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, 0
}

// word32 reads a 32-bit word.
func (p *process) word32(at uint64) (uint32, errno) {
	b, err := p.bytes(at, 4)
	if err != 0 {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), 0
}

func (p *process) putWord32(at uint64, v uint32) errno {
	return p.put(at, binary.LittleEndian.AppendUint32(nil, v))
}

// pathMax is the longest path, with its end.
const pathMax = 4096

// text reads a string that ends with NUL.
func (p *process) text(at uint64) (string, errno) {
	var s []byte
	for len(s) < pathMax {
		n := memory.PageSize - (at+uint64(len(s)))%memory.PageSize
		b, err := p.bytes(at+uint64(len(s)), n)
		if err != 0 {
			return "", err
		}
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return string(append(s, b[:i]...)), 0
		}
		s = append(s, b...)
	}
	return "", syscall.ENAMETOOLONG
}

// vector reads an iovec array: pieces of memory.
func (p *process) vector(at uint64, n int, prot memory.Prot) ([][]byte, errno) {
	if n < 0 || n > 1024 {
		return nil, syscall.EINVAL
	}
	words, err := p.words(at, 2*n)
	if err != 0 {
		return nil, err
	}
	for i := 1; i < len(words); i += 2 {
		if int64(words[i]) < 0 {
			return nil, syscall.EINVAL
		}
	}
	var pieces [][]byte
	for i := 0; i < len(words); i += 2 {
		b, err := p.access(words[i], words[i+1], prot)
		if err != 0 {
			return nil, err
		}
		pieces = append(pieces, b)
	}
	return pieces, 0
}
