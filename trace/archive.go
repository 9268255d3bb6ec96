package trace

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// Header is what an archive says about itself.
type Header struct {
	Version    int      // of the format, the newest in it
	Resolution int64    // of the stored times, ns
	Start      int64    // wall time of the start of the experiment, ns since 1970
	Mono       int64    // the same instant on the host's monotonic clock, ns
	Complete   bool     // the writer closed it and its end is there
	Damaged    uint64   // events that were written and cannot be read any more, where the end tells
	Root       int      // index of the process that was started first
	Notes      []string // what was changed when the archive was read
}

// Problem is one damage or inconsistency found in an archive. It is an error.
type Problem struct {
	File   string
	Offset int64
	What   string
}

func (p Problem) Error() string { return fmt.Sprintf("%s: offset %d: %s", p.File, p.Offset, p.What) }

// Archive is an archive opened for reading. All methods may be used by several goroutines.
type Archive struct {
	header   Header
	segments []segment
	files    []*os.File
	defs     Definitions
	chunks   []*Chunk
	problems []Problem
	lost     int64        // bytes of damaged parts
	gaps     []LocationID // locations with a missing part

	source *Source // nil for archives of this package's own
	ticks  Ticks   // of the times that a source is asked for

	processes table[process]
	order     []*process // by index in defs.Processes

	experiment uint32 // and number of the next frame, for a writer that goes on
	next       uint32
}

// Chunk is one independently readable piece of an archive, holding consecutive events of one location
// or of several.
type Chunk struct {
	First, Last int64        // times of the earliest and the latest event, ns since the start of the experiment
	Events      int          // number of events
	Locations   []LocationID // ascending, one for each batch. A location's batches are in stream order along Archive.Chunks

	f       frame
	segment *segment
	offset  int64
	process *process
	index   int // in Archive.chunks
	bytes   int64
}

// Bytes is the size of the chunk in its file.
func (c *Chunk) Bytes() int64 { return c.bytes }

// Open opens the archive in directory dir. A damaged archive opens as well, see Problems; it is an error
// if nothing in it can be read.
func Open(dir string) (*Archive, error) {
	a, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	a.forget()
	return a, nil
}

// forget gives back what only loading and Resume need.
func (a *Archive) forget() {
	for _, p := range a.order {
		p.locations = table[locationDef]{}
	}
}

func openDir(dir string) (*Archive, error) {
	a := &Archive{}
	numbers, err := segmentNumbers(dir)
	if err != nil {
		return nil, err
	}
	var unreadable []error
	next := 0
	for _, n := range numbers {
		name := filepath.Join(dir, SegmentName(n))
		if n > next {
			a.problems = append(a.problems, Problem{filepath.Join(dir, SegmentName(next)), 0, missing(n - next)})
		}
		next = n + 1
		if err := a.openSegment(name); err != nil {
			unreadable = append(unreadable, err)
		}
	}
	if len(a.segments) == 0 {
		return nil, unreadable[0]
	}
	for _, err := range unreadable {
		p, is := err.(Problem)
		if !is {
			p = Problem{dir, 0, err.Error()}
		}
		a.problems = append(a.problems, p)
	}
	if err := a.load(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// openSegment opens a segment. What is no regular file is not opened: it might never answer.
func (a *Archive) openSegment(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return Problem{name, 0, "not a regular file"}
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	a.files = append(a.files, f)
	a.segments = append(a.segments, segment{name: name, r: f, size: info.Size()})
	return nil
}

// missing says that n segments are not there.
func missing(n int) string {
	if n == 1 {
		return "the file is missing"
	}
	return fmt.Sprintf("the file and the %d after it are missing", n-1)
}

// segmentNumbers returns the numbers of the segments in dir, ascending.
func segmentNumbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%s: a file, not the directory of a recording", dir)
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), "segment-%d.trc", &n); err == nil && n >= 0 && e.Name() == SegmentName(n) {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		if below := archiveBelow(dir); below != "" {
			return nil, fmt.Errorf("%s: not a trace archive, but there are some in it: name one, such as %s", dir, below)
		}
		return nil, fmt.Errorf("%s: not a trace archive: there is no %s", dir, SegmentName(0))
	}
	slices.Sort(numbers)
	return numbers, nil
}

// archiveBelow looks for an archive in the directories of a directory, as the recordings of tests have them; "" if there is none.
func archiveBelow(dir string) (below string) {
	left := 10_000 // entries to look at
	filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			return filepath.SkipAll
		}
		if err == nil && e.Name() == SegmentName(0) {
			below = filepath.Dir(name)
			return filepath.SkipAll
		}
		return nil
	})
	return below
}

// OpenReader opens an archive of one segment of the given size; name is for messages. A file is closed with the archive.
func OpenReader(name string, r io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{segments: []segment{{name: name, r: r, size: size}}}
	if err := a.load(); err != nil {
		return nil, err
	}
	if f, ok := r.(*os.File); ok {
		a.files = append(a.files, f)
	}
	a.forget()
	return a, nil
}

// Close closes the files. No chunk may be decoded afterwards.
func (a *Archive) Close() error {
	var errs []error
	for _, f := range a.files {
		errs = append(errs, f.Close())
	}
	a.files = nil
	return errors.Join(errs...)
}

// Header returns what the archive says about itself.
func (a *Archive) Header() Header { return a.header }

// Definitions returns the definitions of the archive; they are not to be changed.
func (a *Archive) Definitions() *Definitions { return &a.defs }

// Problems returns the damage seen when the archive was opened.
func (a *Archive) Problems() []Problem { return a.problems }

// Lost returns the number of bytes that belong to no readable frame.
func (a *Archive) Lost() int64 { return a.lost }

// Torn returns the file of the last segment and how many bytes of it lie behind its last readable frame: those
// that Resume cuts off.
func (a *Archive) Torn() (file string, bytes int64) {
	last := &a.segments[len(a.segments)-1]
	return last.name, last.size - last.end
}

// Chunks returns the chunks in file order; those that are damaged are left out.
func (a *Archive) Chunks() []*Chunk { return a.chunks }

func (a *Archive) problem(s *segment, off int64, format string, args ...any) {
	const most = 1000 // a file of nothing but damage needs no list of it
	if len(a.problems) < most {
		a.problems = append(a.problems, Problem{s.name, off, fmt.Sprintf(format, args...)})
	}
}

// scanner goes through the frames of all segments.
type scanner struct {
	a          *Archive
	dec        *zstd.Decoder
	stored     []byte
	raw        []byte
	dir        directory
	experiment uint32
	known      bool   // experiment is
	next       uint32 // number of the next frame
	frames     int
	complete   bool
}

// errNewer marks a file of a newer version, the only damage that makes all the rest unreadable too.
type errNewer struct{ error }

func (a *Archive) load() error {
	dec, err := newDecompressor()
	if err != nil {
		return err
	}
	defer dec.Close()
	a.header = Header{Resolution: defaultResolution}
	s := &scanner{a: a, dec: dec}
	for i := range a.segments {
		if err := s.scan(&a.segments[i]); err != nil {
			return err
		}
	}
	if s.frames == 0 {
		first := &a.segments[0]
		if first.size == 0 {
			return Problem{first.name, 0, "the file is empty"}
		}
		if len(a.problems) > 0 && !strings.Contains(a.problems[0].What, "not a frame") {
			return a.problems[0]
		}
		return Problem{first.name, 0, "not a trace archive"}
	}
	a.header.Complete, a.experiment, a.next = s.complete, s.experiment, s.next
	a.build()
	return nil
}

// newDecompressor makes a decoder that never allocates more than a payload may take.
func newDecompressor() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderMaxWindow(maxRaw), zstd.WithDecodeAllCapLimit(true))
}

// scan reads the frames of one segment.
func (s *scanner) scan(seg *segment) error {
	for off := int64(0); off < seg.size; {
		f, err := s.frame(seg, off)
		if err == nil {
			s.frames++
			off += f.size()
			seg.end = off
			continue
		}
		if newer, ok := err.(errNewer); ok && s.frames == 0 {
			return Problem{seg.name, off, newer.Error()}
		}
		next := seg.resync(off + 1)
		s.a.problem(seg, off, "%v; %s lost", err, bytesOf(next-off))
		s.a.lost += next - off
		off = next
	}
	return nil
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// frame reads and takes in the frame at off.
func (s *scanner) frame(seg *segment, off int64) (frame, error) {
	var head [headerSize]byte
	if seg.size-off < headerSize {
		return frame{}, errors.New("truncated within a frame header")
	}
	if err := seg.read(head[:], off); err != nil {
		return frame{}, err
	}
	f, err := parseFrame(head[:])
	if err != nil {
		if f.Version > Version {
			return f, errNewer{err}
		}
		return f, err
	}
	if f.size() > seg.size-off {
		return f, fmt.Errorf("truncated: a frame of %d bytes, of which %d are present", f.size(), seg.size-off)
	}
	s.stored = resize(s.stored, int(f.DirStored+f.Stored))
	if err := seg.read(s.stored, off+headerSize); err != nil {
		return f, err
	}
	if crc32.Checksum(s.stored, castagnoli) != f.PayloadCRC {
		return f, errors.New("the payload's checksum is wrong")
	}
	if s.known && f.Experiment != s.experiment {
		return f, errors.New("the frame belongs to another experiment")
	}
	s.experiment, s.known = f.Experiment, true
	s.a.header.Version = max(s.a.header.Version, int(f.Version))
	if f.Number != s.next && s.lostBefore(seg, off, f.Number) {
		return f, nil
	}
	s.next = f.Number + 1
	s.complete = f.Type == endFrame
	if err := s.take(seg, off, &f); err != nil {
		s.a.problem(seg, off, "%v", err)
	}
	return f, nil
}

// lostBefore reports a gap in the numbers of frames, and whether the frame is a repetition to be skipped.
func (s *scanner) lostBefore(seg *segment, off int64, number uint32) (repeated bool) {
	if number < s.next {
		s.a.problem(seg, off, "frame %d is repeated", number)
		return true
	}
	if s.next == number-1 {
		s.a.problem(seg, off, "frame %d is missing", s.next)
	} else {
		s.a.problem(seg, off, "frames %d to %d are missing", s.next, number-1)
	}
	return false
}

// padding is the number of bytes behind a decompressed payload that may be read and overwritten.
const padding = 32

// inflate decompresses b into dst's memory, which has room for padding behind the n bytes of the result.
// What is stored in n bytes is not compressed.
func inflate(dec *zstd.Decoder, dst, b []byte, n int) ([]byte, error) {
	if len(b) == n {
		return append(dst[:0], b...), nil
	}
	out, err := dec.DecodeAll(b, dst[:0:n+padding])
	if err != nil {
		return nil, fmt.Errorf("compressed data: %w", err)
	}
	if len(out) != n {
		return nil, fmt.Errorf("compressed data: %d bytes instead of %d", len(out), n)
	}
	return out, nil
}

// resize returns a slice of n bytes with padding behind, b's memory if that suffices.
func resize(b []byte, n int) []byte {
	if cap(b) < n+padding {
		b = make([]byte, n+padding+n/4)
	}
	return b[:n]
}
