package cube

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

const (
	anchorName = "anchor.xml"

	// What inflates more than this is no report: an anchor of names that only differ by a number inflates 30 times. Whole
	// files, which may be little but zeros, are granted some more.
	maxInflation = 250
	maxInflated  = 1 << 30  // bytes
	maxAnchor    = 1 << 28  // bytes; one of 10 000 locations and 100 000 call paths has a fifth of it
	anchorGrant  = 1 << 20  // bytes, beyond the ratio
	fileGrant    = 16 << 20 // bytes
)

// Open reads a `.cubex` or `.cube` file, either of which may be compressed with gzip. Rows of a `.cubex` are read when
// they are asked for, so the cube must be closed. Errors about the content are of type *FormatError.
func Open(path string) (*Cube, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	c, err := Read(path, f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	c.file = f
	return c, nil
}

// Read is Open for a file of the given size that is already open, or in memory. The name is for errors.
func Read(name string, r io.ReaderAt, size int64) (*Cube, error) {
	var head [2]byte
	if n, err := r.ReadAt(head[:], 0); n < len(head) {
		return nil, none(name, ": "+err.Error())
	}
	if isGzip(head[:]) {
		b, err := inflate(io.NewSectionReader(r, 0, size))
		if err != nil {
			return nil, &FormatError{File: name, What: err.Error()}
		}
		r, size = bytes.NewReader(b), int64(len(b))
		if n := copy(head[:], b); n < len(head) {
			return nil, none(name, "")
		}
	}
	c := &Cube{}
	if head[0] == '<' || head[0] == 0xEF { // as XML begins, perhaps with a byte order mark
		return c, readTrees(name, "", io.NewSectionReader(r, 0, size), c)
	}
	a, err := readArchive(name, r, size)
	if err != nil {
		return nil, err
	}
	if err := c.readAnchor(a); err != nil {
		return nil, err
	}
	return c, c.findRows(a)
}

// none makes the error about a file that is no report at all, and why it is none.
func none(file, why string) error {
	return &FormatError{File: file, What: "neither .cubex nor .cube" + why, None: true}
}

func isGzip(b []byte) bool { return len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b }

// inflate unpacks a file that was compressed with gzip, unless it is a bomb. It does so twice, so that what is refused takes no memory.
func inflate(r *io.SectionReader) ([]byte, error) {
	size := int64(0)
	for {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		z, err := newBounded(r, fileGrant, maxInflated)
		if err != nil {
			return nil, err
		}
		if size > 0 {
			b := make([]byte, size)
			_, err := io.ReadFull(z, b)
			return b, err
		}
		if size, err = io.Copy(io.Discard, z); err != nil || size == 0 {
			return nil, err
		}
	}
}

// bounded is what a reader inflates, and an error where it becomes a bomb.
type bounded struct {
	r                *gzip.Reader
	from, most, left int64
}

func newBounded(r *io.SectionReader, grant, most int64) (*bounded, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	most = min(most, maxInflation*r.Size()+grant)
	return &bounded{z, r.Size(), most, most}, nil
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("inflates from %d to more than %d bytes", b.from, b.most)
	}
	return n, err
}

func (c *Cube) readAnchor(a *archive) error {
	m := a.byName[anchorName]
	if len(a.members) == 0 {
		return none(a.file, "")
	}
	if m == nil {
		return a.errorf(a.size, "the archive has no %s", anchorName)
	}
	var r io.Reader = m.section()
	if head, err := m.read(0, min(2, m.Size())); err != nil {
		return err
	} else if isGzip(head) {
		if r, err = newBounded(m.section(), anchorGrant, maxAnchor); err != nil {
			return m.Errorf(0, "%v", err)
		}
	}
	return readTrees(a.file, anchorName, r, c)
}

// findRows gives the metrics their indexes. What belongs to no metric is kept as it is.
func (c *Cube) findRows(a *archive) error {
	taken := map[*Member]bool{a.byName[anchorName]: true}
	for _, m := range c.metrics {
		if m.Kind.Derived() {
			continue
		}
		if err := m.DType.known(); err != nil {
			c.Problems = append(c.Problems, fmt.Sprintf("%s: %s: metric %q: %v: its values are only kept", a.file, anchorName, m.Name, err))
			continue
		}
		stem := strconv.Itoa(m.ID)
		if m.Ghost && a.byName["ghost_"+stem+".index"] != nil {
			stem = "ghost_" + stem
		}
		index, rows := a.byName[stem+".index"], a.byName[stem+".data"]
		if index == nil && rows == nil {
			continue
		}
		if index == nil || rows == nil {
			return a.errorf(a.size, "metric %s: %s.index or %s.data is missing", m.Name, stem, stem)
		}
		d, err := openData(stem, m.DType, len(c.paths), len(c.locations), index, rows)
		if err != nil {
			return err
		}
		m.data = d
		taken[index], taken[rows] = true, true
	}
	for _, m := range a.members {
		if !taken[m] {
			c.Members = append(c.Members, m)
		}
	}
	return nil
}

// Load reads all rows that have not been read, so that damage shows and the file can be closed. The error is that of the
// first damaged row of each metric.
func (c *Cube) Load() error {
	var jobs []loading
	for _, m := range c.metrics {
		if m.data == nil {
			continue
		}
		l := &failure{row: len(m.data.positions)}
		for i := range m.data.positions {
			jobs = append(jobs, loading{m.data, i, l})
		}
	}
	parallel(len(jobs), func(i int) { jobs[i].do() })
	var all []error
	var last *failure
	for _, j := range jobs {
		if j.failure != last && j.failure.err != nil {
			all = append(all, j.failure.err)
		}
		last = j.failure
	}
	return errors.Join(all...)
}

// loading is a row to be read.
type loading struct {
	data    *data
	row     int
	failure *failure // of the metric
}

// failure is the first damaged row of a metric.
type failure struct {
	mu  sync.Mutex
	row int
	err error
}

func (l *loading) do() {
	f := l.failure
	f.mu.Lock()
	late := f.row < l.row
	f.mu.Unlock()
	if late {
		return
	}
	if _, err := l.data.row(l.row); err != nil {
		f.mu.Lock()
		if l.row < f.row {
			f.row, f.err = l.row, err
		}
		f.mu.Unlock()
	}
}
