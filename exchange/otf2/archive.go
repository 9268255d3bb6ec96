package otf2

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracerec/trace"
)

// Archive is an archive opened for reading. Nothing in it may be changed; its methods may be used by several goroutines.
type Archive struct {
	Name      string // of its anchor file
	Anchor    Anchor
	Clock     Clock
	Locations []*Location // in the order of their definitions
	problems  []trace.Problem
	records   []Record
	markers   []Record
	index     [refers]map[uint64]int // of records
	dir       string                 // with the files of locations
	arena     []uint64

	correction *Correction   // of its clocks; nil: not looked for yet
	streams    *streamClocks // likewise
	contacts   int64         // that may be kept to correct them
	met        int64         // that there are, if those are too few
}

// Clock is the archive's clock.
type Clock struct {
	Resolution uint64 // ticks per second
	Offset     uint64 // ticks before the trace begins
	Length     uint64 // ticks
	Realtime   uint64 // when the trace begins, ns since 1970; all ones: unknown
}

// Location is a thread, stream or other sequence of events.
type Location struct {
	ID     uint64
	Name   string
	Kind   uint64 // LocationType
	Events uint64 // as many as its definition says
	Group  uint64 // LocationGroup: its process
}

// Open opens an archive by the name of its anchor file, or of a directory with one. A damaged archive opens as well, see [Archive.Problems].
func Open(path string) (*Archive, error) {
	name, err := findAnchor(path)
	if err != nil {
		return nil, err
	}
	a := newArchive(name)
	anchor, problem, err := readAnchor(name)
	if err != nil {
		return nil, err
	}
	a.Anchor = anchor
	a.note(problem)
	definitions := a.dir + ".def"
	a.note(scanFile(definitions, Global, anchor.DefinitionChunk, a.define))
	if n := uint64(len(a.records)); problem == nil && n != anchor.Definitions {
		a.note(trace.Problem{File: definitions, What: fmt.Sprintf("definitions written: %d, present: %d", anchor.Definitions, n)})
	}
	a.build()
	err = scanFile(a.dir+".marker", Markers, anchor.DefinitionChunk, func(r *Record) {
		a.markers = append(a.markers, Record{r.Spec, slices.Clone(r.Values), slices.Clone(r.Texts)})
	})
	if !errors.Is(err, fs.ErrNotExist) {
		a.note(err)
	}
	return a, a.undefined()
}

func newArchive(anchor string) *Archive {
	a := &Archive{Name: anchor, dir: strings.TrimSuffix(anchor, ".otf2"), contacts: mostContacts}
	for i := range a.index {
		a.index[i] = map[uint64]int{}
	}
	return a
}

// Problems returns what was found to be wrong when the archive was opened.
func (a *Archive) Problems() []trace.Problem { return a.problems }

// note remembers what is wrong.
func (a *Archive) note(err error) {
	const most = 1000
	if err == nil || len(a.problems) >= most {
		return
	}
	if p := (trace.Problem{}); errors.As(err, &p) {
		a.problems = append(a.problems, p)
		return
	}
	p := trace.Problem{File: a.Name, What: err.Error()}
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		p = trace.Problem{File: wrong.Path, What: wrong.Err.Error()}
	}
	a.problems = append(a.problems, p)
}

// define keeps a definition. Of several with the same number the first counts.
func (a *Archive) define(r *Record) {
	from := len(a.arena)
	if cap(a.arena)-from < len(r.Values) {
		a.arena, from = make([]uint64, 0, max(4096, len(r.Values))), 0
	}
	a.arena = append(a.arena, r.Values...)
	a.records = append(a.records, Record{r.Spec, a.arena[from:len(a.arena):len(a.arena)], slices.Clone(r.Texts)})
	if r.Spec.Self == Nothing {
		return
	}
	if _, known := a.index[r.Spec.Self][r.Values[0]]; !known {
		a.index[r.Spec.Self][r.Values[0]] = len(a.records) - 1
	}
}

// build makes clock and locations of the definitions.
func (a *Archive) build() {
	a.Clock = Clock{Resolution: 1, Realtime: 1<<64 - 1}
	known := false
	for i := range a.records {
		switch r := &a.records[i]; r.Spec.Name {
		case "ClockProperties":
			if known = r.Values[0] > 0; known {
				a.Clock = Clock{r.Values[0], r.Values[1], r.Values[2], r.Values[3]}
			}
		case "Location":
			if a.index[Locations][r.Values[0]] == i {
				a.Locations = append(a.Locations, &Location{ID: r.Values[0], Name: a.Text(r.Values[1]), Kind: r.Values[2], Events: r.Values[3], Group: r.Values[4]})
			}
		}
	}
	if !known {
		a.note(trace.Problem{File: a.dir + ".def", What: "the resolution of the clock is missing; times are ticks"})
	}
}

// undefined adds the locations that have events and no definition, as those of an archive whose program was killed.
func (a *Archive) undefined() error {
	entries, err := os.ReadDir(a.dir)
	if err != nil && len(a.Locations) == 0 {
		return fmt.Errorf("%s: no locations are defined, and there are no files of any: %w", a.Name, err)
	}
	var more []*Location
	for _, e := range entries {
		number, isEvents := strings.CutSuffix(e.Name(), ".evt")
		id, err := strconv.ParseUint(number, 10, 64)
		if _, known := a.index[Locations][id]; isEvents && err == nil && !known {
			more = append(more, &Location{ID: id, Name: "location " + number, Kind: 1, Group: 1<<32 - 1})
		}
	}
	slices.SortFunc(more, func(l, m *Location) int { return cmp.Compare(l.ID, m.ID) })
	for _, l := range more {
		a.note(trace.Problem{File: a.file(l, ".evt"), What: "the location of these events is not defined"})
	}
	a.Locations = append(a.Locations, more...)
	return nil
}

// file returns the name of a file of a location.
func (a *Archive) file(l *Location, suffix string) string {
	return filepath.Join(a.dir, strconv.FormatUint(l.ID, 10)+suffix)
}

// Records returns all global definitions, in the order of the file.
func (a *Archive) Records() []Record { return a.records }

// Markers returns the marks that people or programs have put on times of the trace, and the definitions of their kinds.
func (a *Archive) Markers() []Record { return a.markers }

// Find returns the definition with a number, nil if there is none.
func (a *Archive) Find(kind Refers, number uint64) *Record {
	if i, ok := a.index[kind][number]; ok {
		return &a.records[i]
	}
	return nil
}

// Text returns the string with a number, "" if there is none.
func (a *Archive) Text(number uint64) string {
	if r := a.Find(Strings, number); r != nil {
		return r.Texts[0]
	}
	return ""
}

// NameOf returns the name of what a number refers to: that of a string is itself. It is "" if there is none.
func (a *Archive) NameOf(kind Refers, number uint64) string {
	r := a.Find(kind, number)
	switch {
	case r == nil:
		return ""
	case len(r.Texts) > 0:
		return r.Texts[len(r.Texts)-1]
	}
	for i := range r.Spec.Head {
		if f := &r.Spec.Head[i]; f.Name == "name" {
			return a.Text(r.Values[i])
		}
	}
	return ""
}
