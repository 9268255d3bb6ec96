// Package overlay makes overlays for the go command: copies of a few files of the user's own Go installation, patched, and files
// that are added to it. The installation is not changed.
//
// What is patched must be found exactly once, so that a source that is not known is refused, never patched by half.
package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrUnsupported is wrapped by errors about a Go installation that cannot be patched.
var ErrUnsupported = errors.New("this Go installation cannot be patched")

// Patch puts text at the only place of an anchor in a function or type of a file.
type Patch struct {
	File   string // below GOROOT/src
	Within string // the line that begins the function or type
	Anchor string
	Where  Where
	Text   string
}

// Where says where the text of a patch goes.
type Where uint8

// The places: behind the anchor, before it, instead of it.
const (
	Behind Where = iota
	Before
	Instead
)

// Overlay is an overlay in the making.
type Overlay struct {
	source   string            // GOROOT/src
	files    map[string]string // contents by name
	replaced map[string]string // by the user: names of other files, "" for none
}

// New returns an overlay of the Go installation in goroot that changes nothing.
func New(goroot string) *Overlay {
	return &Overlay{filepath.Join(goroot, "src"), map[string]string{}, map[string]string{}}
}

// Extend makes this overlay a part of the one that the user has in a file. Names in there are relative to the directory dir. Files that the
// user replaces are patched as they are then.
func (o *Overlay) Extend(file, dir string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	absolute := func(name string) string {
		if name == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	for at, by := range overlay.Replace {
		o.replaced[filepath.Clean(absolute(at))] = absolute(by)
	}
	return nil
}

// Add adds a file, or replaces it. The name is relative to GOROOT/src, or absolute.
func (o *Overlay) Add(name, text string) { o.files[o.at(name)] = text }

func (o *Overlay) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.source, name)
}

// Text returns what a file contains, patched or not.
func (o *Overlay) Text(name string) (string, error) {
	at := o.at(name)
	if text, ok := o.files[at]; ok {
		return text, nil
	}
	from := at
	if by, ok := o.replaced[at]; ok {
		from = by
	}
	text, err := os.ReadFile(from)
	return string(text), err
}

// Patch applies patches, in their order.
func (o *Overlay) Patch(patches ...Patch) error {
	for _, p := range patches {
		at := o.at(p.File)
		text, err := o.Text(p.File)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		var ok bool
		if text, ok = p.apply(text); !ok {
			return fmt.Errorf("%w: %s: %q is not found once in %q: this is not the source of a version that is known",
				ErrUnsupported, at, strings.TrimSpace(p.Anchor), p.Within)
		}
		o.files[at] = text
	}
	return nil
}

// apply returns the patched text of a file.
func (p *Patch) apply(text string) (string, bool) {
	begin := strings.Index(text, "\n"+p.Within+"\n")
	if begin < 0 || strings.Count(text, "\n"+p.Within+"\n") != 1 {
		return "", false
	}
	length := strings.Index(text[begin+1:], "\n}\n")
	if length < 0 {
		return "", false
	}
	end := begin + 1 + length + len("\n}")
	body := text[begin:end]
	if strings.Count(body, p.Anchor) != 1 {
		return "", false
	}
	at := begin + strings.Index(body, p.Anchor)
	behind := at + len(p.Anchor)
	switch p.Where {
	case Behind:
		at = behind
	case Before:
		behind = at
	}
	return text[:at] + p.Text + text[behind:], true
}

// Write writes the files into the directory dir, with the file for go build -overlay, and returns the name of that.
func (o *Overlay) Write(dir string) (string, error) {
	replace := maps.Clone(o.replaced)
	for i, at := range slices.Sorted(maps.Keys(o.files)) {
		replace[at] = filepath.Join(dir, fmt.Sprintf("%03d_%s", i, filepath.Base(at)))
		if err := writeDated(replace[at], o.files[at]); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

// writeDated writes a file whose date is not recent, and another one for another content: the go command believes in dates, and some versions
// do not find a package of the standard library whose files are only seconds old.
func writeDated(name, text string) error {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	h := fnv.New32a()
	h.Write([]byte(text))
	date := time.Unix(int64(h.Sum32())/5, 0)
	return os.Chtimes(name, date, date)
}
