package trace

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tracerec/trace/wire"
)

// Options are the properties of an archive to be written.
type Options struct {
	Resolution  int64 // of stored times, ns; 0 means 64
	SegmentSize int64 // bytes after which a new segment file is begun; 0 means 1 GiB
	ChunkEvents int   // events after which a chunk is written; 0 means 32768
	Plain       int64 // bytes up to which nothing is compressed: for what is read at once, and kept for no longer
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
	EventCost   uint64 // what recording an event costs the process, picoseconds; 0 unknown
	Processor   Processor
	Hertz       uint64 // the processor's cycles per second at its nominal rate; 0 unknown
	Processors  int    // so many of its goroutines can run at once; 0 unknown
	Cost        int64  // what recording cost the process at least, ns; 0 unknown
}

// RawChunk is a piece of one location's stream as the measured program wrote it.
type RawChunk struct {
	Location uint64 // number within the process, from 1
	GoID     uint64
	Seq      uint64   // number of the chunk within its location, from 0
	Base     uint64   // ticks from which the first event's delta counts
	Words    []uint64 // heads and words, see wire.WordsOf; ends at a zero head. Copied, not kept. At most 1<<16, or the piece may be split
}

// Defaults of [Options].
const (
	defaultResolution  = 64
	defaultSegmentSize = 1 << 30
	defaultChunkEvents = 1 << 15
)

// Writer writes an archive. It may be used by one goroutine at a time, and so may its ProcessWriters. The
// first error that occurs when writing is returned by all later calls: the archive ends there.
type Writer struct {
	o          Options
	dir        string // "" if there is only one segment
	out        io.Writer
	file       *os.File
	segment    int   // number of the segment being written
	written    int64 // bytes of it
	total      int64 // bytes of all
	experiment uint32
	number     uint32 // of the next frame
	events     uint64
	processes  []*ProcessWriter
	buf        []byte // frame being assembled
	dirBuf     []byte
	err        error
}

// ProcessWriter writes what belongs to one process.
type ProcessWriter struct {
	w        *Writer
	index    uint32
	info     ProcessInfo
	encoder  encoder
	defs     *recordWriter
	stamps   *recordWriter
	cpu      int64 // processor time that the process had used, 0 unknown
	warnings map[string]uint64
	next     map[uint64]uint64 // after Resume: first sequence number missing, by location
	events   uint64

	locations int    // with events
	last      uint64 // that of the last run, if there are any
}

// SegmentName returns the file name of the n-th segment of an archive.
func SegmentName(n int) string { return fmt.Sprintf("segment-%03d.trc", n) }

// Create begins an archive in directory dir, which is made if need be and must not hold an archive.
func Create(dir string, o Options) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if numbers, err := segmentNumbers(dir); err == nil {
		return nil, fmt.Errorf("%s: an archive exists already", filepath.Join(dir, SegmentName(numbers[0])))
	}
	w := newWriter(o)
	w.dir = dir
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, nil
}

// NewWriter begins an archive of one segment on w.
func NewWriter(out io.Writer, o Options) (*Writer, error) {
	w := newWriter(o)
	w.out = out
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, nil
}

// compressors are for all writers, as each has tables. The quickest level with tables of a quarter of a megabyte, which stay in the processor's caches, and all that
// does not repeat coded by its frequency, takes about as much room as the next one with five times as much memory.
var compressors = sync.Pool{New: func() any {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // the options above are constants
	}
	return enc
}}

func newWriter(o Options) *Writer {
	if o.Resolution <= 0 {
		o.Resolution = defaultResolution
	}
	if o.SegmentSize <= 0 {
		o.SegmentSize = defaultSegmentSize
	}
	if o.ChunkEvents <= 0 || o.ChunkEvents > maxEvents {
		o.ChunkEvents = defaultChunkEvents
	}
	r := newRecordWriter()
	r.array(o.Resolution, o.Mono, o.Wall)
	return &Writer{o: o, experiment: crc32.Checksum(r.buf.Bytes(), castagnoli)}
}

// begin opens the next segment and writes its first frame.
func (w *Writer) begin() error {
	if w.dir != "" {
		f, err := os.OpenFile(filepath.Join(w.dir, SegmentName(w.segment)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		w.out, w.file = f, f
	}
	w.written = 0
	return w.writeExperiment()
}

// writeExperiment writes the first frame of a segment.
func (w *Writer) writeExperiment() error {
	r := newRecordWriter()
	r.array(int64(w.segment), w.o.Resolution, w.o.Mono, w.o.Wall)
	return w.records(experimentFrame, 0, r)
}

// Resume continues the archive in dir, complete or not. It returns the processes in the order in which
// they were added. A torn end of the last segment is cut off. Chunks that the archive holds already are
// ignored when they are written again, and so are definitions.
func Resume(dir string) (*Writer, []*ProcessWriter, error) {
	a, err := openDir(dir)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	w := newWriter(Options{Resolution: a.header.Resolution, Mono: a.header.Mono, Wall: a.header.Start})
	w.dir, w.experiment, w.number, w.events = dir, a.experiment, a.next, a.events()
	last := &a.segments[len(a.segments)-1]
	if _, err := fmt.Sscanf(filepath.Base(last.name), "segment-%d.trc", &w.segment); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", last.name, err)
	}
	for i := range a.segments {
		w.total += a.segments[i].end
	}
	if err := w.reopen(last); err != nil {
		return nil, nil, err
	}
	for _, p := range a.order {
		q := w.process(p.info)
		q.index, q.encoder.unit, q.warnings, q.cpu = p.number, newDivisor(p.unit), p.warnings, p.cpu
		q.next = map[uint64]uint64{}
		p.locations.each(func(n uint64, l *locationDef) {
			if q.next[n] = l.next; l.next > 0 { // else its first piece comes again
				q.locations++
			}
		})
	}
	return w, slices.Clone(w.processes), nil
}

// reopen lets w append to a segment that was read.
func (w *Writer) reopen(s *segment) error {
	f, err := os.OpenFile(s.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	w.file, w.out, w.written = f, f, s.end
	if err = f.Truncate(s.end); err == nil {
		_, err = f.Seek(s.end, io.SeekStart)
	}
	if err == nil && s.end == 0 {
		err = w.writeExperiment()
	}
	if err != nil {
		f.Close()
	}
	return err
}

// AddProcess adds a process.
func (w *Writer) AddProcess(i ProcessInfo) (*ProcessWriter, error) {
	p := w.process(i)
	return p, p.describe()
}

// describe writes the description of the process.
func (p *ProcessWriter) describe() error {
	r, i := newRecordWriter(), &p.info
	fields := []any{int64(i.PID), int64(i.Parent), i.Args, i.Start.Ticks, i.Start.Mono, i.Start.Wall, i.Clock, i.Frequency, p.encoder.unit.unit, i.EventCost}
	if c := i.Processor; c != (Processor{}) {
		fields = append(fields, c.Arch, c.Vendor, int64(c.Family), int64(c.Model), int64(c.Stepping), c.Name, min(i.Hertz, maxFrequency))
	}
	if i.Processors > 0 || i.Cost > 0 {
		fields = append(fields, int64(i.Processors))
	}
	if i.Cost > 0 {
		fields = append(fields, i.Cost)
	}
	r.array(fields...)
	return p.w.records(processFrame, p.index, r)
}

func (w *Writer) process(i ProcessInfo) *ProcessWriter {
	if i.Frequency == 0 {
		i.Frequency = 1e9
	}
	i.Frequency = min(max(i.Frequency, minFrequency), maxFrequency)
	i.EventCost = min(i.EventCost, maxEventCost)
	i.Processors = min(max(i.Processors, 0), maxProcessors)
	i.Cost = min(max(i.Cost, 0), maxNS)
	p := &ProcessWriter{w: w, info: i, defs: newRecordWriter(), stamps: newRecordWriter()}
	if n := len(w.processes); n > 0 {
		p.index = w.processes[n-1].index + 1
	}
	p.encoder.epoch, p.encoder.unit = i.Start.Ticks, newDivisor(unitTicks(w.o.Resolution, i.Frequency))
	p.encoder.limit = w.o.ChunkEvents
	w.processes = append(w.processes, p)
	return p
}

// Flush writes everything handed over so far to the file.
func (w *Writer) Flush() error {
	for _, p := range w.processes {
		p.flush()
	}
	return w.err
}

// Close flushes and writes the summary. An archive without it is readable but not complete.
func (w *Writer) Close() error {
	w.Flush()
	for _, p := range w.processes {
		p.writeWarnings()
	}
	r := newRecordWriter()
	r.array(w.events, uint64(w.number)+1)
	w.records(endFrame, 0, r)
	if w.file != nil {
		if err := w.file.Close(); w.err == nil && err != nil {
			w.err = err
		}
	}
	err := w.err
	if err == nil {
		w.err = errors.New("the archive is closed")
	}
	return err
}

// Size returns the bytes and events written so far.
func (w *Writer) Size() (bytes int64, events uint64) { return w.total, w.events }

// records writes r as a frame, if there is something in it, and empties it.
func (w *Writer) records(t frameType, process uint32, r *recordWriter) error {
	if b := r.buf.Bytes(); len(b) > 0 {
		w.buf = w.compress(w.buf[:0], b)
		w.write(frame{Type: t, Process: process, Stored: uint32(len(w.buf)), Raw: uint32(len(b))})
	}
	r.buf.Reset()
	return w.err
}

// compress appends b to dst, compressed if that makes it shorter.
func (w *Writer) compress(dst, b []byte) []byte {
	if len(b) < 32 || w.total < w.o.Plain {
		return append(dst, b...)
	}
	n := len(dst)
	enc := compressors.Get().(*zstd.Encoder)
	defer compressors.Put(enc)
	if dst = enc.EncodeAll(b, dst); len(dst)-n >= len(b) {
		dst = append(dst[:n], b...)
	}
	return dst
}

// write completes the header of f and writes the frame, the payload of which is in w.buf. A segment that is
// long enough is ended before.
func (w *Writer) write(f frame) {
	if w.err != nil {
		return
	}
	if w.dir != "" && f.Type != experimentFrame && f.Type != endFrame && w.written >= w.o.SegmentSize {
		payload := append([]byte(nil), w.buf...)
		if w.err = w.file.Close(); w.err != nil {
			return
		}
		w.segment++
		if w.err = w.begin(); w.err != nil {
			return
		}
		w.buf = append(w.buf[:0], payload...)
	}
	f.Version, f.Experiment, f.Number = Version, w.experiment, w.number
	f.PayloadCRC = crc32.Checksum(w.buf, castagnoli)
	head := f.appendTo(make([]byte, 0, headerSize))
	for _, b := range [][]byte{head, w.buf} {
		n, err := w.out.Write(b)
		w.written += int64(n)
		w.total += int64(n)
		if err != nil {
			w.err = err
			return
		}
	}
	w.number++
}

// Info returns the description of the process.
func (p *ProcessWriter) Info() ProcessInfo { return p.info }

// Events returns how many events of the process were written, by this writer.
func (p *ProcessWriter) Events() uint64 { return p.events }

// Locations returns how many locations of the process have events in the archive, those that were there before Resume included.
func (p *ProcessWriter) Locations() int { return p.locations }

// Define adds a definition. It must come before the first chunk that uses it.
func (p *ProcessWriter) Define(d wire.Def) error {
	p.defs.definition(d)
	if p.defs.buf.Len() > maxRaw/4 {
		return p.w.records(definitionsFrame, p.index, p.defs)
	}
	return p.w.err
}

// CPUTime says how much processor time the process had used since it began to record, for the stamps to come, that of its end
// included: user and system time of all its threads, ns. 0 is unknown.
func (p *ProcessWriter) CPUTime(ns int64) { p.cpu = ns }

// Processors says that so many goroutines of the process can run at once by now; 0 or less is unknown.
func (p *ProcessWriter) Processors(n int) error {
	if n = min(n, maxProcessors); n <= 0 || n == p.info.Processors {
		return p.w.err
	}
	p.info.Processors = n
	return p.describe()
}

// Cost says what recording has cost the process at least, ns; 0 or less is unknown.
func (p *ProcessWriter) Cost(ns int64) error {
	if ns = min(ns, maxNS); ns <= 0 || ns == p.info.Cost {
		return p.w.err
	}
	p.info.Cost = ns
	return p.describe()
}

// Clock adds a stamp; they are expected in ascending order.
func (p *ProcessWriter) Clock(s Stamp) error {
	p.stamps.stamp(s, p.cpu)
	if p.stamps.buf.Len() > maxRaw/4 {
		return p.w.records(clockFrame, p.index, p.stamps)
	}
	return p.w.err
}

// Chunk adds a piece of a location's stream. Pieces of one location come in order. Words that cannot be
// read are not an error: they end the piece and are counted among the warnings of the process.
func (p *ProcessWriter) Chunk(c RawChunk) error {
	if c.Seq < p.next[c.Location] {
		return p.w.err
	}
	p.encoder.add(c)
	if len(p.encoder.arena) >= p.encoder.limit*3/2 {
		p.flush()
	}
	return p.w.err
}

// Warnings sets the process's counts of things that went wrong; the last call wins.
func (p *ProcessWriter) Warnings(counts map[string]uint64) error {
	p.warnings = maps.Clone(counts)
	return p.writeWarnings()
}

// writeWarnings writes the counts, with what the encoder had to leave out.
func (p *ProcessWriter) writeWarnings() error {
	counts := maps.Clone(p.warnings)
	if counts == nil {
		counts = map[string]uint64{}
	}
	for i, n := range p.encoder.losses {
		if n > 0 {
			counts[lossNames[i]] += n
		}
	}
	r := newRecordWriter()
	r.counts(counts)
	return p.w.records(warningsFrame, p.index, r)
}

// Exited says when (stamp) and how the process ended: exit status, 128+n for signal n, -1 unknown.
// It comes last.
func (p *ProcessWriter) Exited(status int, at Stamp) error {
	p.flush()
	r := newRecordWriter()
	r.stamp(at, p.cpu, int64(status))
	return p.w.records(exitFrame, p.index, r)
}

// flush writes what the process has pending, definitions before the events that use them.
func (p *ProcessWriter) flush() {
	p.w.records(definitionsFrame, p.index, p.defs)
	p.w.records(clockFrame, p.index, p.stamps)
	p.encoder.encode(p.writeChunk)
}

// writeChunk writes the chunk that the encoder has built.
func (p *ProcessWriter) writeChunk() error {
	w, e := p.w, &p.encoder
	columns := w.dirBuf[:0]
	f := frame{Type: chunkFrame, Process: p.index, Entries: uint32(len(e.dir.runs)), Events: uint32(e.events), First: e.first, Last: e.last}
	for i, col := range e.col {
		n := len(columns)
		columns = w.compress(columns, col)
		e.dir.raw[i], e.dir.stored[i] = uint32(len(col)), uint32(len(columns)-n)
		f.Raw += e.dir.raw[i]
	}
	w.dirBuf, f.Stored = columns, uint32(len(columns))
	raw := e.dir.appendTo(nil)
	w.buf = append(w.compress(w.buf[:0], raw), columns...)
	f.DirRaw, f.DirStored = uint32(len(raw)), uint32(len(w.buf))-f.Stored
	w.write(f)
	if w.err == nil {
		w.events += uint64(e.events)
		p.events += uint64(e.events)
		p.count(e.dir.runs)
	}
	return w.err
}

// count notes the locations that begin in some runs. A first piece that did not fit into its chunk goes on in the first run of the next one.
func (p *ProcessWriter) count(runs []run) {
	for i := range runs {
		if r := &runs[i]; r.seq == 0 && (p.locations == 0 || r.location != p.last) {
			p.locations++
		}
		p.last = runs[i].location
	}
}
