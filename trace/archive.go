package trace

import (
	"errors"
	"fmt"
	"io"
)

// Header is what an archive says about itself.
type Header struct {
	Version    int
	Resolution int64 // of the stored times, ns
	Start      int64 // wall time of the start of the experiment, ns since 1970
	Complete   bool  // the writer closed it and its end is there
	Root       int   // index of the process that was started first
}

// Problem is one damage or inconsistency found in an archive. It is an error.
type Problem struct {
	File   string
	Offset int64
	What   string
}

func (p Problem) Error() string { return fmt.Sprintf("%s: offset %d: %s", p.File, p.Offset, p.What) }

// Archive is an archive opened for reading. All methods may be used by several goroutines.
type Archive struct{}

// Chunk is one independently readable piece of an archive, holding consecutive events of one location
// or of several.
type Chunk struct {
	First, Last int64        // times of the earliest and the latest event, ns since the start of the experiment
	Events      int          // number of events
	Locations   []LocationID // ascending; one batch each. A location's batches are in stream order along Archive.Chunks
}

// Buffer holds what one Decode returned; reuse makes decoding free of allocation.
type Buffer struct{}

// Decoder decodes chunks. Each worker needs one of its own.
type Decoder struct{}

// Merger delivers all events of an archive in order.
type Merger struct{}

var errNot = errors.New("trace: not written yet")

// Open opens the archive in directory dir. A damaged archive opens as well, see Problems; it is an error
// if nothing in it can be read.
func Open(dir string) (*Archive, error) { return nil, errNot }

// OpenReader opens an archive of one segment of the given size; name is for messages.
func OpenReader(name string, r io.ReaderAt, size int64) (*Archive, error) { return nil, errNot }

// Close closes the files. Nothing of the archive may be used afterwards but definitions.
func (a *Archive) Close() error { return nil }

// Header returns what the archive says about itself.
func (a *Archive) Header() Header { return Header{} }

// Definitions returns the definitions of the archive; they are not to be changed.
func (a *Archive) Definitions() *Definitions { return nil }

// Problems returns the damage seen when the archive was opened.
func (a *Archive) Problems() []Problem { return nil }

// Chunks returns the chunks in file order.
func (a *Archive) Chunks() []*Chunk { return nil }

// NewDecoder returns a decoder for chunks of a.
func (a *Archive) NewDecoder() *Decoder { return &Decoder{} }

// Decode reads a chunk. The batches are valid until buf is used again.
func (d *Decoder) Decode(c *Chunk, buf *Buffer) ([]Batch, error) { return nil, errNot }

// Merge returns all events ordered by (time, location).
func (a *Archive) Merge() *Merger { return &Merger{} }

// Next returns the next event, with the values of a Counters event (valid until the next call), or io.EOF.
func (m *Merger) Next() (LocationID, Event, []uint64, error) { return 0, Event{}, nil, errNot }

// Check verifies everything there is to verify and returns what is wrong, damage seen by Open included.
func (a *Archive) Check() []Problem { return nil }
