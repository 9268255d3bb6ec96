// Package addresstrace writes and reads traces of what programs on the simulator execute: every instruction and every access to
// memory, for trace-driven tools, as BGLsim did (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L
// Supercomputer", section 2). A [Tracer] is an observer of the run that writes a trace.
//
// There are two formats: Dinero's text (.din), which many tools read, and a binary one (.trz), which is some fifty times smaller and also has
// sizes, processors and threads. docs/simulator.md describes both byte by byte.
package addresstrace

import (
	"errors"
	"fmt"
)

// Op is what a record says. The first three numbers are Dinero's labels, and all of them are in files.
type Op uint8

// The records.
const (
	Read   Op = 0 // of data
	Write  Op = 1 // of data; a conditional store also if it does not succeed
	Fetch  Op = 2 // of an instruction
	CPU    Op = 3 // what follows is on the processor of this number
	Thread Op = 4 // what follows is of a thread: process<<32 | thread
	// Undone: that many accesses to data, the last ones, were not executed after all, as they faulted. They were looked for in the caches
	// all the same.
	Undone Op = 5
	// Unfetched: that many instructions, the last ones, were not executed after all, as one of them faulted.
	Unfetched Op = 6

	ops = 7
)

// Record is a line of a trace.
type Record struct {
	Op      Op
	Size    uint8  // bytes, of accesses and instructions; 0 if it is not known
	Address uint64 // or the number that the record is about
}

// String is the record as people read it.
func (r Record) String() string {
	name := fmt.Sprintf("op %d", r.Op)
	if r.Op < ops {
		name = [...]string{"read", "write", "fetch", "cpu", "thread", "undone", "unfetched"}[r.Op]
	}
	switch {
	case r.Op == Thread:
		return fmt.Sprintf("%s %d/%d", name, r.Address>>32, uint32(r.Address))
	case r.Op > Fetch:
		return fmt.Sprintf("%s %d", name, r.Address)
	}
	return fmt.Sprintf("%s %#x %d", name, r.Address, r.Size)
}

// Format is how a trace is written.
type Format string

// The formats.
const (
	Dinero Format = "din"
	Binary Format = "trz"
)

// ErrCorrupt is the error of what is no trace, or a damaged one.
var ErrCorrupt = errors.New("corrupt address trace")

// corrupt says where.
func corrupt(offset int64, format string, args ...any) error {
	return fmt.Errorf("offset %d: %w: %s", offset, ErrCorrupt, fmt.Sprintf(format, args...))
}

// A binary trace is a head and chunks. A chunk is four little-endian numbers of 32 bits (bytes of its records, bytes as they are stored, records, and the
// CRC-32C of the first three numbers and of what is stored), and its records, compressed by zstd. The last chunk has no
// records, and 8 bytes that are the number of records in all of the trace.
//
// A record is a byte (operation, and above it in three bits the logarithm of the size, 7 if that is not known; bit 6 says that there is nothing else)
// and a varint: of a fetch, how far it is from the end of the one before; of another access, how far from the one before it, both
// zigzag; of the others, the number. A chunk begins as if all of these had been 0.
const (
	head        = "simtrc\x00\x01" // the last byte is the version
	chunkHead   = 16
	chunkRaw    = 1 << 18 // bytes of records, about
	maxRaw      = 1 << 20
	maxStored   = maxRaw + 1<<12
	sizeUnknown = 7
	nothing     = 1 << 6
)

// previous is what addresses are counted from.
type previous struct{ fetch, data uint64 }

// from returns the address that a record's is counted from.
func (p *previous) from(op Op) uint64 {
	switch {
	case op == Fetch:
		return p.fetch
	case op < Fetch:
		return p.data
	}
	return 0
}

// advance remembers a record.
func (p *previous) advance(r Record) {
	switch {
	case r.Op == Fetch:
		p.fetch = r.Address + uint64(r.Size)
	case r.Op < Fetch:
		p.data = r.Address
	}
}

func zigzag(v uint64) uint64   { return v<<1 ^ uint64(int64(v)>>63) }
func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }
