package cube

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// archive is a tar file, read with more patience than archive/tar has: writers of `.cubex` get checksums wrong, and put
// a block of zeros behind members that fill their last block.
type archive struct {
	file    string
	r       io.ReaderAt
	size    int64
	members []*Member
	byName  map[string]*Member
}

// Member is a file within the archive. Its name is only a name.
type Member struct {
	Name string
	file string
	data *io.SectionReader
}

// MakeMember makes a member of a cube that is to be written.
func MakeMember(name string, content []byte) *Member {
	return &Member{Name: name, data: io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content)))}
}

// Size returns the length in bytes.
func (m *Member) Size() int64 { return m.data.Size() }

// Open returns a reader of the content.
func (m *Member) Open() io.ReadSeeker { return m.section() }

func (m *Member) section() *io.SectionReader { return io.NewSectionReader(m.data, 0, m.Size()) }

// Errorf makes an error about a place in the member.
func (m *Member) Errorf(offset int64, format string, args ...any) error {
	return &FormatError{File: m.file, Member: m.Name, Offset: offset, What: fmt.Sprintf(format, args...)}
}

// read returns n bytes from an offset on. That they exist is checked before memory is taken.
func (m *Member) read(offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > m.Size() || n > m.Size()-offset {
		return nil, m.Errorf(offset, "%d bytes expected, the member has only %d", n, m.Size())
	}
	b := make([]byte, n)
	if _, err := m.data.ReadAt(b, offset); err != nil && !(err == io.EOF && n == 0) {
		return nil, m.Errorf(offset, "%v", err)
	}
	return b, nil
}

const (
	block    = 512     // bytes; of headers, and members begin at multiples of it
	longName = 1 << 16 // bytes; most that a header about the next member may have
)

// readArchive lists the members. Of members with the same name, the last counts.
func readArchive(file string, r io.ReaderAt, size int64) (*archive, error) {
	a := &archive{file: file, r: r, size: size, byName: map[string]*Member{}}
	if size < block {
		return nil, none(file, "")
	}
	var header [block]byte
	var next struct {
		name string
		size int64
	}
	next.size = -1
	for at := int64(0); at+block <= size; {
		if _, err := r.ReadAt(header[:], at); err != nil && err != io.EOF {
			return nil, a.errorf(at, "%v", err)
		}
		if zero(header[:]) {
			at += block
			continue
		}
		h, err := parseHeader(header[:])
		if err != nil && at == 0 {
			return nil, none(file, ": "+err.Error())
		}
		if err != nil {
			return nil, a.errorf(at, "%v", err)
		}
		if next.size >= 0 && h.regular() {
			h.size = next.size
		}
		at += block
		if h.size > size-at {
			return nil, a.errorf(at, "member %q has %d bytes, the file only %d more", h.name, h.size, size-at)
		}
		switch {
		case h.kind == 'x' || h.kind == 'L':
			if err := a.extension(h, at, &next.name, &next.size); err != nil {
				return nil, err
			}
		case h.regular():
			if next.name != "" {
				h.name = next.name
			}
			a.add(h.name, at, h.size)
			next.name, next.size = "", -1
		default: // directories, links and devices have no content
			next.name, next.size = "", -1
		}
		at += (h.size + block - 1) / block * block
	}
	return a, nil
}

func (a *archive) errorf(offset int64, format string, args ...any) error {
	return &FormatError{File: a.file, Offset: offset, What: fmt.Sprintf(format, args...)}
}

func (a *archive) add(name string, at, size int64) {
	m := &Member{name, a.file, io.NewSectionReader(a.r, at, size)}
	if old := a.byName[name]; old != nil {
		*old = *m
		return
	}
	a.byName[name] = m
	a.members = append(a.members, m)
}

// extension reads a header about the next member: its size or its name, as POSIX and GNU write them.
func (a *archive) extension(h tarHeader, at int64, name *string, size *int64) error {
	if h.size > longName {
		return a.errorf(at, "a name or attributes of %d bytes", h.size)
	}
	b := make([]byte, h.size)
	if _, err := a.r.ReadAt(b, at); err != nil && err != io.EOF {
		return a.errorf(at, "%v", err)
	}
	if h.kind == 'L' {
		*name = text(b)
		return nil
	}
	for len(b) > 0 { // "LENGTH KEY=VALUE\n"
		length, _, _ := bytes.Cut(b, []byte(" "))
		n, err := strconv.Atoi(string(length))
		if err != nil || n <= len(length)+1 || n > len(b) {
			return a.errorf(at, "ill-formed attributes of a member")
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(string(b[len(length)+1:n]), "\n"), "=")
		switch key {
		case "path":
			*name = value
		case "size":
			if *size, err = strconv.ParseInt(value, 10, 64); err != nil || *size < 0 {
				return a.errorf(at, "size %q of a member", value)
			}
		}
		b = b[n:]
	}
	return nil
}

type tarHeader struct {
	name string
	size int64
	kind byte
}

func (h tarHeader) regular() bool { return h.kind == '0' || h.kind == 0 || h.kind == '7' }

// parseHeader ignores the checksum, if it is at least said that this is a tar header.
func parseHeader(b []byte) (tarHeader, error) {
	h := tarHeader{name: text(b[:100]), kind: b[156]}
	if !bytes.HasPrefix(b[257:], []byte("ustar")) && !sumMatches(b) {
		return h, fmt.Errorf("not the header of a tar member")
	}
	if prefix := text(b[345:500]); prefix != "" && b[262] == 0 {
		h.name = prefix + "/" + h.name
	}
	if b[124]&0x80 != 0 { // a binary number
		for _, x := range b[125:136] {
			if h.size >= 1<<54 {
				return h, fmt.Errorf("size of member %q", h.name)
			}
			h.size = h.size<<8 | int64(x)
		}
		return h, nil
	}
	var err error
	if h.size, err = octal(b[124:136]); err != nil {
		return h, fmt.Errorf("size of member %q: %q", h.name, b[124:136])
	}
	return h, nil
}

func sumMatches(b []byte) bool {
	want, err := octal(b[148:156])
	if err != nil {
		return false
	}
	sum := int64(8 * ' ')
	for i, x := range b {
		if i < 148 || i >= 156 {
			sum += int64(x)
		}
	}
	return sum == want
}

func octal(b []byte) (int64, error) {
	s := strings.Trim(text(b), " ")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 8, 63)
	return int64(n), err
}

// text returns what comes before the first NUL.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}
