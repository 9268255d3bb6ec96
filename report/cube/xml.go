package cube

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	maxDepth = 10_000  // levels of elements; call paths nest, in real reports less than 1000 levels
	maxText  = 8 << 20 // bytes without an element in between; a row of 400 000 values as text
)

// parser reads XML as writers of cubes really write it: attributes may lack quotes and text may hold a bare "&", but
// elements must nest. Entities that XML does not define by itself are left as they are.
type parser struct {
	d      *xml.Decoder
	file   string
	member string
	in     *meter
	depth  int
	start  int64 // offset of the last token
	cube   *Cube // for problems

	unnumbered bool // metrics have no numbers
	metrics    int  // so many were there
}

func newParser(file, member string, r io.Reader, c *Cube) *parser {
	in := &meter{r: r}
	d := xml.NewDecoder(in)
	d.Strict = false
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(label) {
		case "iso-8859-1", "latin1":
			return latin1{in}, nil
		case "us-ascii", "ascii":
			return in, nil
		}
		return nil, fmt.Errorf("character set %q is not known", label)
	}
	return &parser{d: d, in: in, file: file, member: member, cube: c}
}

// meter stops the reading of text that is too long to be meant, before it takes memory.
type meter struct {
	r    io.Reader
	buf  [4096]byte
	rest []byte // of buf, not yet read
	text int    // bytes since the last element
	err  error
}

var errLong = fmt.Errorf("more than %d bytes without an element", maxText)

func (m *meter) ReadByte() (byte, error) {
	if m.text++; m.text > maxText {
		return 0, errLong
	}
	for len(m.rest) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		var n int
		n, m.err = m.r.Read(m.buf[:])
		m.rest = m.buf[:n]
	}
	b := m.rest[0]
	m.rest = m.rest[1:]
	return b, nil
}

// Read is for decoders of other character sets.
func (m *meter) Read(p []byte) (int, error) {
	for i := range p {
		b, err := m.ReadByte()
		if err != nil {
			return i, err
		}
		p[i] = b
		if len(m.rest) == 0 {
			return i + 1, nil
		}
	}
	return len(p), nil
}

// latin1 turns ISO 8859-1 into UTF-8.
type latin1 struct{ r io.Reader }

func (l latin1) Read(p []byte) (int, error) {
	in := make([]byte, max(1, len(p)/2))
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	n, err := l.r.Read(in)
	out := p[:0]
	for _, b := range in[:n] {
		out = append(out, string(rune(b))...)
	}
	return len(out), err
}

// element is the beginning of one.
type element struct {
	name   string
	attrs  []xml.Attr
	offset int64
}

func (p *parser) errorf(offset int64, format string, args ...any) error {
	return &FormatError{File: p.file, Member: p.member, Offset: offset, What: fmt.Sprintf(format, args...)}
}

// next returns the next token that is not a comment or an instruction.
func (p *parser) next() (xml.Token, error) {
	for {
		p.start = p.d.InputOffset()
		t, err := p.d.RawToken()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, p.errorf(p.d.InputOffset(), "line %d: %s", syntax.Line, syntax.Msg)
			}
			return nil, p.errorf(p.d.InputOffset(), "%v", err)
		}
		switch t.(type) {
		case xml.StartElement, xml.EndElement:
			p.in.text = 0
			return t, nil
		case xml.CharData:
			return t, nil
		}
	}
}

// root returns the outermost element.
func (p *parser) root() (element, error) {
	for {
		t, err := p.next()
		if err == io.EOF {
			return element{}, p.errorf(p.d.InputOffset(), "no element at all")
		}
		if err != nil {
			return element{}, err
		}
		if t, ok := t.(xml.StartElement); ok {
			return p.begin(t), nil
		}
	}
}

func (p *parser) begin(t xml.StartElement) element {
	return element{t.Name.Local, t.Attr, p.start}
}

// children calls each for every element within e, which must read it to its end. Text between them is left out.
func (p *parser) children(e element, each func(element) error) error {
	return p.content(e, each, func([]byte) {})
}

// content is children that also hands out the text between them, piece by piece.
func (p *parser) content(e element, each func(element) error, text func([]byte)) error {
	if p.depth++; p.depth > maxDepth {
		return p.errorf(e.offset, "more than %d levels of elements", maxDepth)
	}
	defer func() { p.depth-- }()
	for {
		t, err := p.next()
		if err == io.EOF {
			return p.errorf(p.d.InputOffset(), "the file ends within <%s>, which begins at offset %d", e.name, e.offset)
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.CharData:
			text(t)
		case xml.EndElement:
			if t.Name.Local != e.name {
				return p.errorf(p.start, "</%s> ends <%s>, which begins at offset %d", t.Name.Local, e.name, e.offset)
			}
			return nil
		case xml.StartElement:
			if err := each(p.begin(t)); err != nil {
				return err
			}
		}
	}
}

// text reads an element that has only text.
func (p *parser) text(e element, to *string) error {
	var all []byte
	err := p.content(e, p.unknown, func(b []byte) { all = append(all, b...) })
	*to = string(all)
	return err
}

func (p *parser) number(e element, to *int) error {
	var s string
	err := p.text(e, &s)
	if err != nil {
		return err
	}
	if *to, err = strconv.Atoi(strings.TrimSpace(s)); err != nil {
		return p.errorf(e.offset, "<%s>: %q is not a number", e.name, s)
	}
	return nil
}

// unknown skips an element, and says so.
func (p *parser) unknown(e element) error {
	p.problem(e, "<%s> is not known and left out", e.name)
	return p.skip(e)
}

const maxProblems = 100 // the next says that there are more

func (p *parser) problem(e element, format string, args ...any) {
	switch n := len(p.cube.Problems); {
	case n < maxProblems:
		p.cube.Problems = append(p.cube.Problems, p.errorf(e.offset, format, args...).Error())
	case n == maxProblems:
		p.cube.Problems = append(p.cube.Problems, p.errorf(e.offset, "more like this").Error())
	}
}

func (p *parser) skip(e element) error {
	return p.children(e, p.skip)
}

// attr returns an attribute of the element, "" if it is not there.
func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// id returns a number that must be there.
func (p *parser) id(e element, name string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(e.attr(name)))
	if err != nil || n < 0 {
		return 0, p.errorf(e.offset, "<%s>: %s=%q is not a number", e.name, name, e.attr(name))
	}
	return n, nil
}

// line returns a number that may be lacking, and is then -1.
func (p *parser) line(e element, name string) (int, error) {
	s := strings.TrimSpace(e.attr(name))
	if s == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, p.errorf(e.offset, "<%s>: %s=%q is not a number", e.name, name, s)
	}
	return n, nil
}

// keyed reads an <attr>.
func (p *parser) keyed(e element, to *[]Attr) error {
	*to = append(*to, Attr{e.attr("key"), e.attr("value")})
	return p.skip(e)
}

// others returns the attributes of an element except those that have a field.
func (e element) others(except ...string) []Attr {
	var list []Attr
next:
	for _, a := range e.attrs {
		for _, x := range except {
			if a.Name.Local == x {
				continue next
			}
		}
		list = append(list, Attr{a.Name.Local, a.Value})
	}
	return list
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "\r", "&#13;")

// Carried returns a text as a report file gives it back: what XML cannot have becomes U+FFFD.
func Carried(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s)
}

// escape makes text fit for XML.
func escape(s string) string { return escapes.Replace(Carried(s)) }

// quoted makes text fit for an attribute, where readers take line ends for spaces.
func quoted(s string) string { return breaks.Replace(escape(s)) }

var breaks = strings.NewReplacer("\n", "&#10;", "\t", "&#9;")

// printer writes XML, one element per line.
type printer struct{ bytes.Buffer }

func (w *printer) line(format string, args ...any) {
	fmt.Fprintf(w, format+"\n", args...)
}

func (w *printer) text(name, text string) {
	w.line("<%s>%s</%s>", name, escape(text), name)
}

// given writes an element that may be lacking.
func (w *printer) given(name, text string) {
	if text != "" {
		w.text(name, text)
	}
}

func (w *printer) attrs(list []Attr) {
	for _, a := range list {
		w.line(`<attr key="%s" value="%s"/>`, quoted(a.Key), quoted(a.Value))
	}
}

// options returns attributes as they stand within an element's beginning.
func options(list []Attr) string {
	var s strings.Builder
	for _, a := range list {
		fmt.Fprintf(&s, ` %s="%s"`, a.Key, quoted(a.Value))
	}
	return s.String()
}
