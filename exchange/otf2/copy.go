package otf2

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tracerec/trace"
)

// Copy writes an archive again, under another name, in the layout that all programs read: times corrected, numbers shared by all locations, nothing compressed. What
// cannot be read is left out, and returned; as many events are announced as there are.
func Copy(name string, a *Archive) ([]trace.Problem, error) {
	anchor := a.Anchor
	anchor.Version, anchor.Zipped, anchor.EventChunk, anchor.DefinitionChunk = "", false, 0, max(a.Anchor.DefinitionChunk, definitionChunk)
	problems := &Archive{Name: a.Name, problems: slices.Clone(a.problems)}
	err := writeNew(name, anchor, func(w *Writer) error { return w.copy(a, problems) })
	return problems.problems, err
}

// writeNew writes an archive that is not there yet, or nothing.
func writeNew(name string, anchor Anchor, write func(*Writer) error) error {
	files := strings.TrimSuffix(name, ".otf2")
	for _, path := range []string{name, files + ".def", files + ".marker", files} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: exists already, and an archive is several files: choose another name for it", path)
		}
	}
	w, err := Create(name, anchor)
	if err != nil {
		return err
	}
	if err = write(w); err == nil {
		err = w.Close()
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(files+".def"), os.RemoveAll(files+".marker"), os.RemoveAll(files))
	}
	return err
}

// copy writes all of an archive: events first, so that it is known how many there are.
func (w *Writer) copy(a *Archive, problems *Archive) error {
	r := a.NewReader()
	defer r.Close()
	events := map[uint64]uint64{}
	for _, l := range a.Locations {
		chunks, wrong := a.Chunks(l)
		problems.problems = append(problems.problems, wrong...)
		to, err := w.Events(l.ID)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			problems.note(r.Open(c))
			for r.Next() {
				to.Write(&r.Event)
			}
			problems.note(r.Err())
		}
		events[l.ID] = to.Events()
		if err := to.Close(); err != nil {
			return err
		}
	}
	w.definitions(a, events)
	return w.marks(a.markers)
}

// definitions writes the definitions of an archive, of which so many events of each location were written.
func (w *Writer) definitions(a *Archive, events map[uint64]uint64) {
	location, free := specNamed(Global, "Location"), uint64(0)
	for i := range a.records {
		d := a.records[i]
		switch {
		case d.Spec == location:
			d.Values = slices.Clone(d.Values)
			d.Values[3] = events[d.Values[0]]
		case d.Spec.Self == Strings:
			free = max(free, d.Values[0]+1)
		}
		w.Define(&d)
	}
	for _, l := range a.Locations {
		if a.Find(Locations, l.ID) == nil {
			w.define("String", []string{l.Name}, free)
			w.define("Location", nil, l.ID, free, l.Kind, events[l.ID], l.Group)
			free++
		}
	}
}

// define writes a global definition, by the name of its kind.
func (w *Writer) define(kind string, texts []string, values ...uint64) {
	w.Define(&Record{specNamed(Global, kind), values, texts})
}

// marks writes the marks, if there are any.
func (w *Writer) marks(list []Record) error {
	if len(list) == 0 {
		return nil
	}
	s, err := newStream(w.name+".marker", w.anchor.DefinitionChunk, &w.anchor)
	if err != nil {
		return err
	}
	for i := range list {
		s.put(&list[i])
	}
	return s.close()
}
