package trace

import (
	"io"

	"tracerec/trace/wire"
)

// Options are the properties of an archive to be written.
type Options struct {
	Resolution  int64 // of stored times, ns; 0 means 64
	SegmentSize int64 // bytes after which a new segment file is begun; 0 means 1 GiB
	ChunkEvents int   // events after which a chunk is written; 0 means 32768
	Mono, Wall  int64 // start of the experiment: monotonic and wall clock, ns
}

// Stamp is one simultaneous reading of three clocks.
type Stamp struct {
	Ticks uint64 // the process's event clock
	Mono  int64  // the host's monotonic clock, ns
	Wall  int64  // ns since 1970
}

// ProcessInfo describes a process at its start.
type ProcessInfo struct {
	PID, Parent int
	Args        []string
	Start       Stamp
	Clock       string // what counts the ticks: "tsc", "nanotime"
	Frequency   uint64 // ticks per second; 0 means 1e9
}

// RawChunk is a piece of one location's stream as the measured program wrote it.
type RawChunk struct {
	Location uint64 // number within the process, from 1
	GoID     uint64
	Seq      uint64   // number of the chunk within its location, from 0
	Base     uint64   // ticks from which the first event's delta counts
	Words    []uint64 // heads and words, see wire.WordsOf; ends at a zero head. Copied, not kept
}

// Writer writes an archive. It may be used by one goroutine at a time.
type Writer struct{}

// ProcessWriter writes what belongs to one process.
type ProcessWriter struct{}

// Create begins an archive in directory dir, which is made if need be and must not hold an archive.
func Create(dir string, o Options) (*Writer, error) { return nil, errNot }

// NewWriter begins an archive of one segment on w.
func NewWriter(w io.Writer, o Options) *Writer { return nil }

// Resume continues the archive in dir, complete or not, in a new segment. It returns the processes in
// the order in which they were added. Chunks that the archive holds already are ignored when written again.
func Resume(dir string) (*Writer, []*ProcessWriter, error) { return nil, nil, errNot }

// AddProcess adds a process.
func (w *Writer) AddProcess(i ProcessInfo) (*ProcessWriter, error) { return nil, errNot }

// Flush writes everything handed over so far to the file.
func (w *Writer) Flush() error { return errNot }

// Close flushes and writes the summary. An archive without it is readable but not complete.
func (w *Writer) Close() error { return errNot }

// Info returns the description of the process.
func (p *ProcessWriter) Info() ProcessInfo { return ProcessInfo{} }

// Define adds a definition. It must come before the first chunk that uses it.
func (p *ProcessWriter) Define(d wire.Def) error { return errNot }

// Clock adds a stamp; they are expected in ascending order.
func (p *ProcessWriter) Clock(s Stamp) error { return errNot }

// Chunk adds a piece of a location's stream. Pieces of one location come in order.
func (p *ProcessWriter) Chunk(c RawChunk) error { return errNot }

// Warnings sets the process's counts of things that went wrong; the last call wins.
func (p *ProcessWriter) Warnings(counts map[string]uint64) error { return errNot }

// Exited says when (stamp) and how the process ended: exit status, 128+n for signal n, -1 unknown.
func (p *ProcessWriter) Exited(status int, at Stamp) error { return errNot }
