package cube

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"tracerec/internal/output"
)

// Save writes the cube to a file, which appears, or is replaced, only when it is complete. What is no regular file, such as
// a pipe or a device, is written to as it is.
func (c *Cube) Save(path string) error { return output.Write(path, c.Write) }

// Write writes a `.cubex` file. Metrics that were read from one keep the form of their index and rows; others get
// compressed rows. The same cube gives the same bytes.
func (c *Cube) Write(w io.Writer) error {
	for _, root := range c.Roots {
		if tooDeep(root, maxDepth-outside) {
			return fmt.Errorf("call paths are deeper than %d levels, which could not be read again", maxDepth-outside)
		}
	}
	t := tar.NewWriter(w)
	add := func(name string, content ...[]byte) error { return addMember(t, w, name, content) }
	taken := map[string]bool{anchorName: true}
	for _, m := range c.metrics {
		if m.data == nil {
			continue
		}
		stem := m.stem()
		rows, err := m.data.encodeRows()
		if err != nil {
			return err
		}
		if err := add(stem+".data", rows...); err != nil {
			return err
		}
		if err := add(stem+".index", m.data.encodeIndex()); err != nil {
			return err
		}
		taken[stem+".data"], taken[stem+".index"] = true, true
	}
	for _, m := range c.Members {
		if taken[m.Name] {
			return fmt.Errorf("member %q: the name is given twice", m.Name)
		}
		taken[m.Name] = true
		content, err := m.read(0, m.Size())
		if err != nil {
			return err
		}
		if err := add(m.Name, content); err != nil {
			return err
		}
	}
	if err := add(anchorName, Unfilled(c.anchor(), '\n')); err != nil {
		return err
	}
	return t.Close()
}

// addMember writes a member of an archive that goes to w.
func addMember(t *tar.Writer, w io.Writer, name string, content [][]byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}
	for _, part := range content {
		h.Size += int64(len(part))
	}
	if err := t.WriteHeader(h); err != nil {
		return fmt.Errorf("member %q: %w", name, err)
	}
	for _, part := range content {
		if _, err := t.Write(part); err != nil {
			return err
		}
	}
	if h.Size%block != 0 {
		return nil
	}
	// cubelib writes and expects a block of zeros behind a member that fills its last block.
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, block))
	return err
}

// stem returns what the names of the metric's members begin with. Those of ghosts that were read may be as those of others.
func (m *Metric) stem() string {
	plain := strconv.Itoa(m.ID)
	if m.Ghost && m.data.stem != plain {
		return "ghost_" + plain
	}
	return plain
}

func (d *data) appender() binary.AppendByteOrder {
	if d.order == binary.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (d *data) encodeIndex() []byte {
	order := d.appender()
	b := order.AppendUint32([]byte(indexMagic), 1)
	b = order.AppendUint16(b, 0)
	if d.dense {
		return append(b, denseIndex)
	}
	b = append(b, sparseIndex)
	b = order.AppendUint32(b, uint32(len(d.positions)))
	for _, p := range d.positions {
		b = order.AppendUint32(b, p)
	}
	return b
}

// encodeRows returns the pieces of the member with the rows.
func (d *data) encodeRows() ([][]byte, error) {
	rows := make([][]byte, len(d.positions)+d.extra)
	errs := make([]error, len(rows))
	parallel(len(rows), func(i int) { rows[i], errs[i] = d.encodeRow(i) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	head := []byte(dataMagic)
	if d.compressed {
		order := d.appender()
		head = order.AppendUint64([]byte(compressedMagic), uint64(len(rows)))
		at := 0
		for i, row := range rows {
			head = order.AppendUint64(head, uint64(int64(i)*d.rowSize()))
			head = order.AppendUint64(head, uint64(at))
			head = order.AppendUint64(head, uint64(len(row)))
			at += len(row)
		}
	}
	rows = append([][]byte{head}, rows...)
	if d.compressed {
		rows[len(rows)-1] = Unfilled(rows[len(rows)-1], 0, rows[:len(rows)-1]...) // behind the last row
	}
	return rows, nil
}

// encodeRow returns a row as it is in the file.
func (d *data) encodeRow(i int) ([]byte, error) {
	r := Row{dtype: d.dtype, layout: d.dtype.layout(), n: d.n, sparse: true} // zeros, which no call path owns
	if i < len(d.positions) {
		var err error
		if r, err = d.read(i); err != nil {
			return nil, err
		}
	}
	f := deflaters.Get().(*deflater)
	defer deflaters.Put(f)
	if !d.compressed {
		return bytes.Clone(f.spread(r, d.order)), nil
	}
	return f.pack(r, d.order)
}

// Unfilled adds a byte to the content of a member, or to the end of what follows other parts of it, if it would fill its last
// block in the archive. Then no other block is needed behind it, with which common tools for archives could not cope.
func Unfilled(content []byte, end byte, before ...[]byte) []byte {
	size := len(content)
	for _, part := range before {
		size += len(part)
	}
	if size%block == 0 {
		return append(content, end)
	}
	return content
}

// outside are the elements around a root of the call tree, and those within a call path.
const outside = 4

// tooDeep says whether the tree below p has more levels than that.
func tooDeep(p *CallPath, levels int) bool {
	if levels == 0 {
		return true
	}
	for _, child := range p.Children {
		if tooDeep(child, levels-1) {
			return true
		}
	}
	return false
}
