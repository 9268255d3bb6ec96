package cube

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sync"
)

const (
	indexMagic      = "CUBEX.INDEX"
	dataMagic       = "CUBEX.DATA"
	compressedMagic = "ZCUBEX.DATA"

	sparseIndex = 1 // the positions follow
	denseIndex  = 3 // all call paths have a row

	indexHead = len(indexMagic) + 4 + 2 + 1 // magic, the number 1, version, format
	maxRow    = 1 << 30                     // bytes
	ratio     = 1100                        // more than deflate can expand anything by
)

// data holds the rows of a metric: in memory, or still in the file.
type data struct {
	stem       string // of the members' names
	order      binary.ByteOrder
	dense      bool // the index does not list the positions
	compressed bool
	extra      int      // rows of zeros that no call path owns
	positions  []uint32 // of the call paths, ascending
	dtype      DType
	n          int // locations

	mu     sync.Mutex // rows are read on demand
	rows   []*Row     // nil: not read yet
	index  *Member
	member *Member    // with the rows
	blocks []rowBlock // if compressed: where they lie
}

// rowBlock is a compressed row's place in the member.
type rowBlock struct{ at, size int64 }

// newData makes an empty table.
func newData(d DType, n int) *data {
	return &data{order: binary.LittleEndian, compressed: true, dtype: d, n: n}
}

func (d *data) find(position int32) (int, bool) {
	return slices.BinarySearch(d.positions, uint32(position))
}

// set replaces or inserts a row.
func (d *data) set(position int32, r Row) {
	i, ok := d.find(position)
	if !ok {
		d.dense = false
		d.positions = slices.Insert(d.positions, i, uint32(position))
		d.rows = slices.Insert(d.rows, i, nil)
		if d.member != nil {
			d.blocks = slices.Insert(d.blocks, i, rowBlock{})
		}
	}
	d.rows[i] = &r
}

// row returns the i-th row of the index, and keeps it.
func (d *data) row(i int) (Row, error) {
	r, err := d.read(i)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.rows[i] == nil {
			d.rows[i] = &r
		}
		return *d.rows[i], nil
	}
	return r, err
}

// read is row, but keeps nothing.
func (d *data) read(i int) (Row, error) {
	d.mu.Lock()
	r := d.rows[i]
	d.mu.Unlock()
	if r != nil {
		return *r, nil
	}
	return d.fetch(d.blocks[i])
}

func (d *data) rowSize() int64 { return int64(d.n) * int64(d.dtype.layout().size) }

// fetch takes a row from the file.
func (d *data) fetch(b rowBlock) (Row, error) {
	f := inflaters.Get().(*inflater)
	defer inflaters.Put(f)
	values, err := d.load(f, b)
	if err != nil {
		return Row{}, err
	}
	if d.order == binary.BigEndian {
		d.dtype.layout().swap(values)
	}
	r := compact(d.dtype, values, f.at)
	if !r.sparse {
		f.keep()
	}
	return r, nil
}

// load reads the bytes of a row as the file has them. They are valid until f is used again.
func (d *data) load(f *inflater, b rowBlock) ([]byte, error) {
	raw, err := d.member.read(b.at, b.size)
	if err != nil {
		return nil, err
	}
	size := d.dtype.layout().size
	if !d.compressed {
		f.at = columns(f.at[:0], raw, size)
		return raw, nil
	}
	values, err := f.unpack(raw, d.n, size)
	if err != nil {
		return nil, d.member.Errorf(b.at, "row of %d values: %v", d.n, err)
	}
	return values, nil
}

// openData reads the index of a metric, whose type is known, and finds the rows.
func openData(stem string, d DType, paths, locations int, index, rows *Member) (*data, error) {
	t := &data{stem: stem, dtype: d, n: locations, index: index, member: rows}
	if t.rowSize() > maxRow {
		return nil, rows.Errorf(0, "rows of %d bytes", t.rowSize())
	}
	if err := t.readIndex(index, paths); err != nil {
		return nil, err
	}
	t.rows = make([]*Row, len(t.positions))
	head, err := rows.read(0, min(rows.Size(), int64(len(compressedMagic))))
	if err != nil {
		return nil, err
	}
	switch {
	case string(head) == compressedMagic:
		t.compressed = true
		return t, t.findCompressed()
	case bytes.HasPrefix(head, []byte(dataMagic)):
		return t, t.findPlain()
	}
	return nil, rows.Errorf(0, "does not begin as rows of values do, but with %q", head)
}

func (d *data) readIndex(m *Member, paths int) error {
	head, err := m.read(0, int64(indexHead))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte(indexMagic)) {
		return m.Errorf(0, "does not begin as an index does, but with %q", head[:len(indexMagic)])
	}
	d.order = binary.LittleEndian
	if probe := head[len(indexMagic):]; binary.LittleEndian.Uint32(probe) != 1 {
		d.order = binary.BigEndian
		if binary.BigEndian.Uint32(probe) != 1 {
			return m.Errorf(int64(len(indexMagic)), "byte order cannot be told from % x", probe[:4])
		}
	}
	if v := d.order.Uint16(head[indexHead-3:]); v != 0 {
		return m.Errorf(int64(indexHead-3), "version %d of the index is not known", v)
	}
	switch format := head[indexHead-1]; format {
	case denseIndex:
		d.dense = true
		d.positions = make([]uint32, paths)
		for i := range d.positions {
			d.positions[i] = uint32(i)
		}
		return nil
	case sparseIndex:
		return d.readPositions(m, paths)
	default:
		return m.Errorf(int64(indexHead-1), "format %d of the index is not known", format)
	}
}

func (d *data) readPositions(m *Member, paths int) error {
	b, err := m.read(int64(indexHead), 4)
	if err != nil {
		return err
	}
	n := int64(d.order.Uint32(b))
	if n > int64(paths) {
		return m.Errorf(int64(indexHead), "%d rows for %d call paths", n, paths)
	}
	if b, err = m.read(int64(indexHead)+4, 4*n); err != nil {
		return err
	}
	d.positions = make([]uint32, n)
	for i := range d.positions {
		p := d.order.Uint32(b[4*i:])
		if p >= uint32(paths) || i > 0 && p <= d.positions[i-1] {
			return m.Errorf(int64(indexHead+4+4*i), "position %d does not ascend, or is beyond %d call paths", p, paths)
		}
		d.positions[i] = p
	}
	return nil
}

// findPlain finds rows that follow each other.
func (d *data) findPlain() error {
	at, size := int64(len(dataMagic)), d.rowSize()
	n := int64(len(d.positions))
	length := d.member.Size() - at
	if size > 0 && n > length/size {
		return d.member.Errorf(d.member.Size(), "%d rows of %d values need %d bytes more than there are", n, d.n, n*size-length)
	}
	d.blocks = make([]rowBlock, n)
	for i := range d.blocks {
		d.blocks[i] = rowBlock{at + int64(i)*size, size}
	}
	rest := length - n*size
	if rest == 0 {
		return nil
	}
	at += n * size
	if size == 0 || rest%size != 0 {
		return d.member.Errorf(at, "%d bytes after the last row", rest)
	}
	d.extra = int(rest / size)
	return d.checkExtra(at, rest)
}

// checkExtra accepts rows that no call path owns, as old writers append them, if they say nothing.
func (d *data) checkExtra(at, n int64) error {
	buf := make([]byte, min(n, 1<<16))
	for n > 0 {
		part := buf[:min(n, int64(len(buf)))]
		if _, err := d.member.data.ReadAt(part, at); err != nil && err != io.EOF {
			return d.member.Errorf(at, "%v", err)
		}
		if !zero(part) {
			return d.member.Errorf(at, "values of a call path that the index does not list")
		}
		at += int64(len(part))
		n -= int64(len(part))
	}
	return nil
}

// findCompressed reads where the compressed rows lie: three numbers for each, behind a count.
func (d *data) findCompressed() error {
	head := int64(len(compressedMagic)) + 8
	b, err := d.member.read(head-8, 8)
	if err != nil {
		return err
	}
	n := d.order.Uint64(b)
	if n < uint64(len(d.positions)) || n > uint64(d.member.Size()/24) {
		return d.member.Errorf(head-8, "%d compressed rows, the index has %d", n, len(d.positions))
	}
	if b, err = d.member.read(head, 24*int64(n)); err != nil {
		return err
	}
	start := head + 24*int64(n)
	d.blocks = make([]rowBlock, n)
	for i := range d.blocks {
		at, size := d.order.Uint64(b[24*i+8:]), d.order.Uint64(b[24*i+16:])
		left := uint64(d.member.Size() - start)
		if at > left || size > left-at || uint64(d.rowSize()) > ratio*(size+16) {
			return d.member.Errorf(head+24*int64(i), "row of %d bytes at %d: not within the member, or too short for %d values", size, at, d.n)
		}
		d.blocks[i] = rowBlock{start + int64(at), int64(size)}
	}
	for _, b := range d.blocks[len(d.positions):] {
		row, err := d.fetch(b)
		if err != nil {
			return err
		}
		if !row.Zero() {
			return d.member.Errorf(b.at, "values of a call path that the index does not list")
		}
	}
	d.extra = int(n) - len(d.positions)
	d.blocks = d.blocks[:len(d.positions)]
	return nil
}
