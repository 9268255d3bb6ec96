package otf2

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tracerec/trace"
)

// Dumper returns a function that writes everything in an archive as "text" or "json" lines: its definitions; the markers; then for each location, or those with the
// given numbers, what is local to it, and its events in order. Numbers in what is local to a location are its own, all others are shared, and times are corrected. It returns
// what could not be read.
func Dumper(format string, locations []string) func(io.Writer, *Archive) ([]trace.Problem, error) {
	return func(w io.Writer, a *Archive) ([]trace.Problem, error) {
		chosen := a.Locations
		if locations != nil {
			chosen = nil
		}
		for _, number := range locations {
			i := slices.IndexFunc(a.Locations, func(l *Location) bool { return strconv.FormatUint(l.ID, 10) == number })
			if i < 0 {
				return nil, fmt.Errorf("no location %s in %s", number, a.Name)
			}
			chosen = append(chosen, a.Locations[i])
		}
		return dump(w, a, chosen, format == "json")
	}
}

func dump(w io.Writer, a *Archive, locations []*Location, json bool) ([]trace.Problem, error) {
	d := &dumper{a: a, json: json, w: bufio.NewWriterSize(w, 1<<16), to: Archive{Name: a.Name, problems: slices.Clone(a.problems)}}
	for _, list := range [][]Record{a.records, a.markers} {
		for i := range list {
			d.record("", &list[i], nil)
		}
	}
	r := a.NewReader()
	defer r.Close()
	for _, l := range locations {
		d.location(r, l)
	}
	return d.to.problems, d.w.Flush()
}

type dumper struct {
	a    *Archive
	w    *bufio.Writer
	to   Archive // of which only the problems are used
	json bool
	line []byte
}

// record writes a definition or a marker. What is local belongs to a location.
func (d *dumper) record(indent string, r *Record, location *uint64) {
	if d.json {
		d.w.Write(d.a.json(r, location, nil)) // Flush returns its error
		return
	}
	d.line = append(append(append(d.line[:0], indent...), r.Spec.Name...), ' ')
	d.line = append(d.a.AppendText(d.line, r), '\n')
	d.w.Write(d.line)
}

func (d *dumper) location(r *Reader, l *Location) {
	if !d.json {
		fmt.Fprintf(d.w, "location %d %q\n", l.ID, l.Name)
	}
	if _, err := d.a.readLocal(l, func(x *Record) { d.record("  ", x, &l.ID) }); err != nil {
		d.to.note(err)
	}
	chunks, problems := d.a.Chunks(l)
	d.to.problems = append(d.to.problems, problems...)
	for _, c := range chunks {
		d.to.note(r.Open(c))
		for r.Next() {
			if d.json {
				d.w.Write(d.a.json(&r.Event.Record, &l.ID, &r.Event))
				continue
			}
			d.line = append(strconv.AppendUint(append(d.line[:0], "  "...), r.Event.Time, 10), ' ')
			d.line = append(append(d.line, r.Event.Spec.Name...), ' ')
			d.line = d.a.AppendText(d.line, &r.Event.Record)
			if len(r.Event.Attributes) > 0 {
				d.line = append(d.a.AppendAttributes(append(d.line, " {"...), r.Event.Attributes), '}')
			}
			d.w.Write(append(d.line, '\n'))
		}
		d.to.note(r.Err())
	}
}
