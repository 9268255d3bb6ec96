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
	maxLegalChunk   = 1 << 24 // of OTF2 itself
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
	w.global, err = newStream(w.name+".def", anchor.DefinitionChunk, &w.anchor)
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
	s, err := newStream(w.file(location, ".def"), w.anchor.DefinitionChunk, &w.anchor)
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
	s, err := newStream(w.file(location, ".evt"), w.anchor.EventChunk, &w.anchor)
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

// stream is a file of chunks that is being written. The file is open only while a piece is written to it: there may be more streams than files may be open, and few bytes wait in each.
type stream struct {
	name   string
	size   int
	zipped bool
	last   uint32 // size of the last compressed chunk
	at     int64  // where the chunk begins in the file
	done   int    // so many bytes of the chunk are in the file
	chunk  pen    // those that are not
	pen    pen    // of what comes next
	events uint64
	time   uint64
	err    error
}

// piece is how many bytes of a chunk wait, unless the chunk is to be compressed.
const piece = 1 << 13

func newStream(name string, size uint64, a *Anchor) (*stream, error) {
	s := &stream{name: name, size: int(size), zipped: a.Zipped, chunk: pen{big: a.Big}, pen: pen{big: a.Big}}
	s.begin()
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return s, f.Close()
}

// begin begins a chunk. Definitions are not counted.
func (s *stream) begin() {
	s.chunk.b = append(s.chunk.b[:0], chunkHeader, s.chunk.mark())
	s.chunk.fixed(s.events+1, 8)
	s.chunk.fixed(s.events, 8)
}

// used returns how many bytes the chunk has.
func (s *stream) used() int { return s.done + len(s.chunk.b) }

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
	if s.used() == minChunk || time != s.time {
		s.chunk.b = append(s.chunk.b, timestamp)
		s.chunk.fixed(time, 8)
		s.time = time
	}
	s.chunk.b = append(s.chunk.b, s.pen.b...)
	s.events++
	if len(s.chunk.b) >= piece && !s.zipped {
		s.spill()
	}
}

// fit makes room for n bytes: there is one left at the end of each chunk.
func (s *stream) fit(n int) {
	if s.used()+n < s.size-1 {
		return
	}
	if minChunk+n >= s.size-1 {
		s.fail(errors.New("a record is larger than a chunk"))
		s.pen.b = s.pen.b[:0]
		return
	}
	s.chunk.b = append(s.chunk.b, make([]byte, s.size-s.used())...)
	s.flush()
	s.begin()
}

// flush ends the chunk.
func (s *stream) flush() {
	const lastEvent = 10
	if s.done == 0 {
		s.chunk.put(lastEvent, s.events)
	}
	if s.zipped {
		s.compress()
	}
	if split := s.done > 0; s.spill() && split {
		last := pen{big: s.chunk.big}
		last.fixed(s.events, 8)
		s.write(last.b, s.at+lastEvent)
	}
	s.at, s.done = s.at+int64(s.done), 0
}

// compress puts the compressed chunk in place of the chunk.
func (s *stream) compress() {
	var to bytes.Buffer
	z := zlib.NewWriter(&to)
	z.Write(s.chunk.b) // neither fails
	z.Flush()
	head := append([]byte(nil), zipMark[0]...)
	for _, n := range []uint32{uint32(to.Len()), uint32(len(s.chunk.b)), s.last} {
		head = binary.LittleEndian.AppendUint32(head, n)
	}
	s.last = uint32(to.Len())
	s.chunk.b = append(head, to.Bytes()...)
}

// spill writes what waits.
func (s *stream) spill() bool {
	ok := s.write(s.chunk.b, s.at+int64(s.done))
	s.done, s.chunk.b = s.done+len(s.chunk.b), s.chunk.b[:0]
	return ok
}

// write writes to the file.
func (s *stream) write(b []byte, at int64) bool {
	f, err := os.OpenFile(s.name, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(b, at)
		err = errors.Join(err, f.Close())
	}
	s.fail(err)
	return err == nil
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
	s.chunk, s.pen = pen{}, pen{}
	return s.err
}
