package otf2

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Writer writes an archive, in the layout of OTF2 2.3, which all programs read that read OTF2. Definitions have to come before what refers to them. It is used by one goroutine;
// its streams may be used by one each. Close has to be called.
type Writer struct {
	name   string
	anchor Anchor
	global *stream
	err    error
}

// Sizes of chunks as Score-P has them.
const (
	eventChunk      = 1 << 20
	definitionChunk = 1 << 18
)

// Create begins an archive: its anchor file, which has to end in .otf2, is the last that is written. Of the anchor, byte order, compression and texts are obeyed; sizes of chunks
// if they are not 0.
func Create(name string, anchor Anchor) (*Writer, error) {
	if filepath.Ext(name) != ".otf2" {
		return nil, fmt.Errorf("%s: the name of an anchor file has to end in .otf2", name)
	}
	if anchor.EventChunk == 0 {
		anchor.EventChunk = eventChunk
	}
	if anchor.DefinitionChunk == 0 {
		anchor.DefinitionChunk = definitionChunk
	}
	anchor.Locations, anchor.Definitions = 0, 0
	w := &Writer{name: strings.TrimSuffix(name, ".otf2"), anchor: anchor}
	if err := os.MkdirAll(w.name, 0o777); err != nil {
		return nil, err
	}
	var err error
	w.global, err = newStream(w.name+".def", anchor.DefinitionChunk, &w.anchor, false)
	return w, err
}

// Define writes a global definition.
func (w *Writer) Define(r *Record) {
	w.anchor.Definitions++
	if r.Spec.Name == "Location" {
		w.anchor.Locations++
	}
	w.global.put(r)
}

// Local begins the local definitions of a location.
func (w *Writer) Local(location uint64) (*LocalWriter, error) {
	s, err := newStream(w.file(location, ".def"), w.anchor.DefinitionChunk, &w.anchor, false)
	return &LocalWriter{s}, err
}

// Events begins the events of a location. OTF2 itself wants a file of local definitions, too: if there is none yet, it is empty.
func (w *Writer) Events(location uint64) (*EventWriter, error) {
	if _, err := os.Stat(w.file(location, ".def")); err != nil {
		local, err := w.Local(location)
		if err == nil {
			err = local.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := newStream(w.file(location, ".evt"), w.anchor.EventChunk, &w.anchor, true)
	return &EventWriter{s}, err
}

func (w *Writer) file(location uint64, suffix string) string {
	return filepath.Join(w.name, strconv.FormatUint(location, 10)+suffix)
}

// Close writes what is left, and the anchor file.
func (w *Writer) Close() error {
	if err := w.global.close(); err != nil {
		return err
	}
	return os.WriteFile(w.name+".otf2", w.anchor.bytes(), 0o666)
}

// bytes returns the anchor file.
func (a *Anchor) bytes() []byte {
	p := pen{big: a.Big}
	p.b = append(p.b, chunkHeader, p.mark())
	p.b = append(p.b, magic...)
	var major, minor, bugfix byte = 2, 3, 0
	if a.Version != "" {
		fmt.Sscanf(a.Version, "%d.%d.%d", &major, &minor, &bugfix)
	}
	p.b = append(p.b, maxFormat, 2, major, minor, bugfix)
	p.fixed(a.EventChunk, 8)
	p.fixed(a.DefinitionChunk, 8)
	compression := byte(1)
	if a.Zipped {
		compression = zipped
	}
	p.b = append(p.b, posix, compression)
	p.fixed(a.Locations, 8)
	p.fixed(a.Definitions, 8)
	for _, text := range []string{a.Machine, a.Creator, a.Description} {
		p.text(text)
	}
	p.fixed(uint64(len(a.Properties)), 4)
	for _, x := range a.Properties {
		p.text(x[0])
		p.text(x[1])
	}
	p.fixed(a.TraceID, 8)
	p.fixed(0, 4)
	p.fixed(0, 4)
	return append(p.b, anchorEnd...)
}

// LocalWriter writes the local definitions of a location.
type LocalWriter struct{ s *stream }

// Define writes a local definition.
func (w *LocalWriter) Define(r *Record) { w.s.put(r) }

// Close writes what is left. It returns the first error.
func (w *LocalWriter) Close() error { return w.s.close() }

// EventWriter writes the events of a location.
type EventWriter struct{ s *stream }

// Write writes an event. Times ascend.
func (w *EventWriter) Write(e *Event) {
	s := w.s
	s.pen.b = s.pen.b[:0]
	if len(e.Attributes) > 0 {
		s.pen.attributes(e.Attributes)
	}
	s.pen.record(&e.Record)
	s.event(e.Time)
}

// Events returns how many events were written.
func (w *EventWriter) Events() uint64 { return w.s.events }

// Close writes what is left. It returns the first error.
func (w *EventWriter) Close() error { return w.s.close() }

// stream is a file of chunks that is being written.
type stream struct {
	f      *os.File
	size   int
	zipped bool
	last   uint32 // size of the last compressed chunk
	chunk  pen
	pen    pen // of what comes next
	counts bool
	events uint64
	time   uint64
	err    error
}

func newStream(name string, size uint64, a *Anchor, counts bool) (*stream, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	s := &stream{f: f, size: int(size), zipped: a.Zipped, chunk: pen{big: a.Big}, pen: pen{big: a.Big}, counts: counts}
	s.begin()
	return s, nil
}

// begin begins a chunk. Definitions are not counted.
func (s *stream) begin() {
	s.chunk.b = append(s.chunk.b[:0], chunkHeader, s.chunk.mark())
	s.chunk.fixed(s.events+1, 8)
	s.chunk.fixed(s.events, 8)
}

// put writes a definition.
func (s *stream) put(r *Record) {
	s.pen.b = s.pen.b[:0]
	s.pen.record(r)
	s.fit(len(s.pen.b))
	s.chunk.b = append(s.chunk.b, s.pen.b...)
}

// event writes an event that the pen has written. A chunk begins with a time.
func (s *stream) event(time uint64) {
	const stamp = 9
	s.fit(len(s.pen.b) + stamp)
	if len(s.chunk.b) == minChunk || time != s.time {
		s.chunk.b = append(s.chunk.b, timestamp)
		s.chunk.fixed(time, 8)
		s.time = time
	}
	s.chunk.b = append(s.chunk.b, s.pen.b...)
	s.events++
	s.chunk.put(10, s.events)
}

// fit makes room for n bytes: there is one left at the end of each chunk.
func (s *stream) fit(n int) {
	if len(s.chunk.b)+n < s.size-1 {
		return
	}
	if minChunk+n >= s.size-1 {
		s.fail(errors.New("a record is larger than a chunk"))
		s.pen.b = s.pen.b[:0]
		return
	}
	s.chunk.b = append(s.chunk.b, make([]byte, s.size-len(s.chunk.b))...)
	s.flush()
	s.begin()
}

// flush writes the chunk.
func (s *stream) flush() {
	b := s.chunk.b
	if s.zipped {
		var to bytes.Buffer
		z := zlib.NewWriter(&to)
		z.Write(b) // neither fails
		z.Flush()
		head := append([]byte(nil), zipMark[0]...)
		for _, n := range []uint32{uint32(to.Len()), uint32(len(b)), s.last} {
			head = binary.LittleEndian.AppendUint32(head, n)
		}
		s.last = uint32(to.Len())
		b = append(head, to.Bytes()...)
	}
	_, err := s.f.Write(b)
	s.fail(err)
}

// fail remembers the first error.
func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *stream) close() error {
	s.chunk.b = append(s.chunk.b, endOfFile, endOfBuffer)
	s.flush()
	s.fail(s.f.Close())
	return s.err
}
