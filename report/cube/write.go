package cube

import (
	"archive/tar"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Save writes the cube to a file, which appears only when it is complete.
func (c *Cube) Save(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := c.Write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Write writes a `.cubex` file. Metrics that were read from one keep the form of their index and rows; others get
// compressed rows. The same cube gives the same bytes.
func (c *Cube) Write(w io.Writer) error {
	t := tar.NewWriter(w)
	add := func(name string, content []byte) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("member %q: %w", name, err)
		}
		_, err := t.Write(content)
		return err
	}
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
		if err := add(stem+".data", rows); err != nil {
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
	if err := add(anchorName, c.anchor()); err != nil {
		return err
	}
	return t.Close()
}

// stem returns what the names of the metric's members begin with.
func (m *Metric) stem() string {
	switch {
	case m.data.stem != "":
		return m.data.stem
	case m.Ghost:
		return "ghost_" + strconv.Itoa(m.ID)
	}
	return strconv.Itoa(m.ID)
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

func (d *data) encodeRows() ([]byte, error) {
	if d.compressed {
		return d.encodeCompressed()
	}
	b := []byte(dataMagic)
	err := d.eachEncoded(func(row []byte) error {
		b = append(b, row...)
		return nil
	})
	return b, err
}

// eachEncoded calls each for the bytes of every row, in the file's byte order.
func (d *data) eachEncoded(each func([]byte) error) error {
	for i := range d.positions {
		r, err := d.row(i)
		if err != nil {
			return err
		}
		row := r.dense()
		if d.order == binary.BigEndian {
			row = bytes.Clone(row)
			d.dtype.layout().swap(row)
		}
		if err := each(row); err != nil {
			return err
		}
	}
	for range d.extra {
		if err := each(make([]byte, d.rowSize())); err != nil {
			return err
		}
	}
	return nil
}

func (d *data) encodeCompressed() ([]byte, error) {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed) // most of what can be gained are zeros
	if err != nil {
		return nil, err
	}
	order := d.appender()
	head := order.AppendUint64([]byte(compressedMagic), uint64(len(d.positions)+d.extra))
	at := uint64(0)
	err = d.eachEncoded(func(row []byte) error {
		start := packed.Len()
		z.Reset(&packed)
		if _, err := z.Write(row); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		head = order.AppendUint64(head, at)
		head = order.AppendUint64(head, uint64(start))
		head = order.AppendUint64(head, uint64(packed.Len()-start))
		at += uint64(len(row))
		return nil
	})
	return append(head, packed.Bytes()...), err
}
