package otf2

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tracerec/trace"
)

// Anchor is what an archive says about itself.
type Anchor struct {
	Big             bool   // byte order of the anchor file; others say their own
	Format          uint8  // of the anchor file
	TraceFormat     uint8  // of the other files
	Version         string // of the library that wrote it
	EventChunk      uint64 // size of a chunk of events, bytes
	DefinitionChunk uint64
	Zipped          bool
	Locations       uint64
	Definitions     uint64 // records in NAME.def
	Machine         string
	Creator         string
	Description     string
	Properties      [][2]string // names and values
	TraceID         uint64
	Snapshots       uint32
	Thumbnails      uint32
}

const (
	magic     = "OTF2\x00"
	maxAnchor = 1 << 24
	maxFormat = 3
	posix     = 1 // substrates
	sion      = 2
	zipped    = 2
)

var anchorEnd = []byte{endOfFile, endOfBuffer, endOfChunk}

// findAnchor returns the anchor file of an archive, which may be named by its directory.
func findAnchor(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	found, err := filepath.Glob(filepath.Join(escape(path), "*.otf2"))
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", trace.Problem{File: path, What: "no OTF2 archive: there is no file *.otf2 in it"}
	case len(found) > 1:
		return "", fmt.Errorf("%s: several OTF2 archives; name one of their files *.otf2", path)
	}
	return found[0], nil
}

// Is says whether a path names an OTF2 archive: its anchor file, or a directory with one.
func Is(path string) bool {
	name, err := findAnchor(path)
	if err != nil {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [2 + len(magic)]byte
	n, _ := f.ReadAt(begin[:], 0) // fails for what is no file
	return IsAnchor(begin[:n])
}

// escape makes a path one that Glob takes as it is.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// IsAnchor says whether a file begins as the anchor file of an OTF2 archive does.
func IsAnchor(begin []byte) bool {
	if len(begin) < 2+len(magic) {
		return false
	}
	_, known := order(begin[1])
	return begin[0] == chunkHeader && known && bytes.HasPrefix(begin[2:], []byte(magic))
}

// readAnchor reads an anchor file. Behind the sizes of chunks it may be cut: then what follows is unknown, and problem says so.
func readAnchor(name string) (a Anchor, problem, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return a, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxAnchor {
		return a, nil, trace.Problem{File: name, What: "not an anchor file of an OTF2 archive"}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return a, nil, err
	}
	problem, err = a.parse(name, b)
	return a, problem, err
}

func (a *Anchor) parse(name string, b []byte) (problem, err error) {
	wrong := func(at int, format string, args ...any) error {
		return trace.Problem{File: name, Offset: int64(at), What: fmt.Sprintf(format, args...)}
	}
	if !IsAnchor(b) {
		return nil, wrong(0, "not an anchor file of an OTF2 archive")
	}
	a.Big, _ = order(b[1])
	c := cursor{b: b, at: 2 + len(magic), big: a.Big}
	a.Format = c.byte()
	if a.Format > maxFormat && !c.bad {
		return nil, wrong(c.at-1, "anchor files of format %d are not known, only up to %d", a.Format, maxFormat)
	}
	a.TraceFormat = c.byte()
	a.Version = fmt.Sprintf("%d.%d.%d", c.byte(), c.byte(), c.byte())
	sizes := c.at
	a.EventChunk, a.DefinitionChunk = c.fixed(8), c.fixed(8)
	substrate, compression := c.byte(), c.byte()
	switch {
	case c.bad:
		return nil, wrong(len(b), "the anchor file is cut")
	case substrate == sion:
		return nil, wrong(sizes+16, "the files of this archive are in a SIONlib container, which cannot be read; siondump and otf2-print of an OTF2 with SIONlib can")
	case substrate != posix:
		return nil, wrong(sizes+16, "files of an unknown kind (substrate %d)", substrate)
	case compression > zipped:
		return nil, wrong(sizes+17, "unknown compression %d", compression)
	case min(a.EventChunk, a.DefinitionChunk) <= minChunk || max(a.EventChunk, a.DefinitionChunk) > maxChunk:
		return nil, wrong(sizes, "impossible sizes of chunks: %d and %d bytes", a.EventChunk, a.DefinitionChunk)
	}
	a.Zipped = compression == zipped
	a.Locations, a.Definitions = c.fixed(8), c.fixed(8)
	a.Machine, a.Creator, a.Description = c.text(), c.text(), c.text()
	if a.Format >= 2 {
		for n := c.fixed(4); n > 0 && !c.bad; n-- {
			a.Properties = append(a.Properties, [2]string{c.text(), c.text()})
		}
		a.TraceID = c.fixed(8)
	}
	if a.Format >= 3 {
		a.Snapshots, a.Thumbnails = uint32(c.fixed(4)), uint32(c.fixed(4))
	}
	if c.bad || !bytes.HasPrefix(b[c.at:], anchorEnd) {
		return wrong(len(b), "the anchor file is cut"), nil
	}
	return nil, nil
}
