package tracetext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// held is how many events there may be in locations whose text is held in memory together.
var held = uint64(1 << 20)

// Format writes a in text form, which Parse understands: objects are named by kind and number, locations
// by number. Times are rounded as in the archive. Chunks are read again for every [held] events. Damage that
// shows while decoding is returned after all that could be read was written.
func Format(a *trace.Archive, out io.Writer) error {
	f := newFormatter(a, out)
	for i := range f.defs.Processes {
		f.process(i)
		var group []trace.LocationID
		events := uint64(0)
		for l := range f.defs.Locations {
			if f.defs.Locations[l].Process != i {
				continue
			}
			n := f.defs.Locations[l].Events
			if events += n; len(group) > 0 && events > held {
				f.locations(group)
				group, events = group[:0], n
			}
			group = append(group, trace.LocationID(l))
		}
		f.locations(group)
	}
	return f.end()
}

// FormatLocations writes the events of some locations as in the text form, each stream as a whole.
func FormatLocations(a *trace.Archive, w io.Writer, keep map[trace.LocationID]bool) error {
	f := newFormatter(a, w)
	for _, l := range slices.Sorted(maps.Keys(keep)) {
		f.locations([]trace.LocationID{l})
	}
	return f.end()
}

type formatter struct {
	archive *trace.Archive
	defs    *trace.Definitions
	out     *bufio.Writer
	decoder *trace.Decoder
	buf     trace.Buffer
	damage  []error // by chunk
}

func newFormatter(a *trace.Archive, out io.Writer) *formatter {
	return &formatter{archive: a, defs: a.Definitions(), out: bufio.NewWriterSize(out, 1<<16), decoder: a.NewDecoder(), damage: make([]error, len(a.Chunks()))}
}

// end returns what went wrong.
func (f *formatter) end() error {
	if err := f.out.Flush(); err != nil {
		return err
	}
	return cmp.Or(f.damage...)
}

// locations writes the streams of some locations, which ascend. That of a single one is not held in memory.
func (f *formatter) locations(group []trace.LocationID) {
	texts := make([][]byte, len(group))
	for i, l := range group {
		texts[i] = fmt.Appendf(nil, "location %s\n", locationName(l))
	}
	place := func(l trace.LocationID) (int, bool) { return slices.BinarySearch(group, l) }
	for i, c := range f.archive.Chunks() {
		if len(c.Locations) > 0 && !slices.ContainsFunc(c.Locations, func(l trace.LocationID) bool { _, in := place(l); return in }) {
			continue
		}
		var batches []trace.Batch
		batches, f.damage[i] = f.decoder.Decode(c, &f.buf)
		for i := range batches {
			b := &batches[i]
			k, in := place(b.Location)
			for _, e := range b.Events {
				if in {
					texts[k] = fmt.Appendf(texts[k], "  %d %s\n", e.Time, f.event(b, e))
				}
			}
		}
		if len(group) == 1 {
			if _, err := f.out.Write(texts[0]); err != nil {
				return // it says so again
			}
			texts[0] = texts[0][:0]
		}
	}
	for _, t := range texts {
		f.out.Write(t)
	}
}

func locationName(l trace.LocationID) string { return "g" + strconv.Itoa(int(l)+1) }

func processName(i int) string {
	if i == 0 {
		return "main"
	}
	return "p" + strconv.Itoa(i+1)
}

func (f *formatter) objectName(i uint32) string {
	if i == trace.NoObject {
		return "nil"
	}
	return objectKind(f.defs.Objects[i].Kind) + strconv.Itoa(int(i)+1)
}

func objectKind(k wire.ObjectKind) string {
	if int(k) < len(objectNames) && objectNames[k] != "" {
		return objectNames[k]
	}
	return objectNames[0]
}

// quote quotes s where it would not be read back as one plain word.
func quote(s string) string {
	_, number := parseNumber(s)
	if s == "" || number || s[0] == '@' || s[0] == '#' || strconv.Quote(s) != `"`+s+`"` || strings.ContainsAny(s, " ") {
		return strconv.Quote(s)
	}
	return s
}

// process writes a process's lines up to its locations.
func (f *formatter) process(i int) {
	p := f.defs.Processes[i]
	fmt.Fprintf(f.out, "process %s", processName(i))
	for j := range f.defs.Processes[:i] {
		if f.defs.Processes[j].PID == p.Parent {
			fmt.Fprintf(f.out, " parent %s", processName(j))
			break
		}
	}
	fmt.Fprintf(f.out, " pid %d", p.PID)
	if p.Start > 0 {
		fmt.Fprintf(f.out, " start %d", p.Start)
	}
	if p.EventCost > 0 {
		fmt.Fprintf(f.out, " cost %d", p.EventCost)
	}
	if p.Cost > 0 {
		fmt.Fprintf(f.out, " recording %d", p.Cost)
	}
	if p.CPUTime > 0 {
		fmt.Fprintf(f.out, " cpu %d", p.CPUTime)
	}
	if p.Processors > 0 {
		fmt.Fprintf(f.out, " processors %d", p.Processors)
	}
	fmt.Fprintln(f.out)
	f.words("args", p.Args) // also when there are none: without the line a process is called by its own name
	if len(p.Counters) > 0 {
		f.words("counterset", p.Counters)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Warnings)) {
		fmt.Fprintf(f.out, "warning %s %d\n", quote(name), p.Warnings[name])
	}
	if p.Exit >= 0 {
		fmt.Fprintf(f.out, "exited %d %d\n", p.End, p.Exit)
	}
	for j, o := range f.defs.Objects {
		if o.Process != i {
			continue
		}
		fmt.Fprintf(f.out, "%s %s", objectKind(o.Kind), f.objectName(uint32(j)))
		switch {
		case o.Kind == wire.Barrier:
			fmt.Fprintf(f.out, " %d", o.Size)
		case o.Kind.IsChannel() && o.Size > 0:
			fmt.Fprintf(f.out, " cap %d", o.Size)
		}
		if o.Region != trace.NoRegion {
			f.out.WriteString(site(f.defs.Regions[o.Region], ""))
		}
		fmt.Fprintln(f.out)
	}
	for _, m := range f.defs.Metrics {
		if m.Process == i {
			fmt.Fprintf(f.out, "metric %s", quote(m.Name))
			if m.Unit != "" {
				fmt.Fprintf(f.out, " unit %s", quote(m.Unit))
			}
			fmt.Fprintln(f.out)
		}
	}
}

// words writes a line of words, if there are any.
func (f *formatter) words(keyword string, words []string) {
	f.out.WriteString(keyword)
	for _, w := range words {
		f.out.WriteString(" " + quote(w))
	}
	fmt.Fprintln(f.out)
}

// site is the text of a call site, with a blank before; fn is the function that goes without saying.
func site(r trace.Region, fn string) string {
	if r.File == "" && r.Line == 0 && r.Func == fn {
		return ""
	}
	s := r.File
	if r.Line > 0 || strings.ContainsAny(s, ":") {
		s += ":" + strconv.Itoa(r.Line)
	}
	if r.Func != fn || strings.HasSuffix(s, ")") {
		s += "(" + r.Func + ")"
	}
	if q := strconv.Quote("@" + s); q != `"@`+s+`"` || strings.ContainsAny(s, " ") {
		return " " + q
	}
	return " @" + s
}

// event is the text of an event.
func (f *formatter) event(b *trace.Batch, e trace.Event) string {
	spec, _ := wire.SpecOf(e.Kind)
	words := []string{spec.Name}
	add := func(s string) { words = append(words, s) }
	var region trace.Region
	if spec.ID == wire.RegionID {
		region = f.defs.Regions[e.ID]
	}
	fn := ""
	switch e.Kind {
	case wire.Enter, wire.Begin:
		add(quote(region.Name))
		if e.Kind == wire.Begin {
			fn = region.Name
			if e.Other() != trace.NoLocation {
				add("by " + locationName(e.Other()))
			}
		}
	case wire.Create:
		if e.Other() != trace.NoLocation {
			add(locationName(e.Other()))
		}
	case wire.Ready:
		if int(e.ID) < len(causes) && causes[e.ID] != "" {
			add(causes[e.ID])
		}
		if e.Other() != trace.NoLocation {
			add("by " + locationName(e.Other()))
		}
	case wire.Running:
		if e.ID > 0 {
			add("on " + strconv.Itoa(int(e.ID)-1))
		}
	case wire.Exit:
		if e.ID > 0 {
			add(strconv.Itoa(int(e.ID)))
		}
	case wire.Lost:
		add(fmt.Sprintf("%d %d", e.Word, e.ID))
	case wire.Overhead, wire.Passed, wire.TaskLeft, wire.TaskEnd:
		if add(strconv.FormatUint(e.Word, 10)); e.Kind == wire.TaskLeft && e.ID > 0 {
			add(strconv.Itoa(int(e.ID)))
		}
	case wire.Sample:
		add(fmt.Sprintf("%s %d", quote(f.defs.Metrics[e.ID].Name), int64(e.Word)))
	case wire.Counters:
		for _, v := range b.CounterValues(e) {
			add(strconv.FormatUint(v, 10))
		}
	case wire.Chose, wire.Reached:
		add(f.chose(e))
	case wire.Blocked:
		if e.ID == wire.Timed {
			add("timer")
		}
	case wire.Leave:
		if o := outcome(e.ID); o != "" {
			add(o)
		}
	default:
		if len(spec.Words) > 0 {
			add(f.object(e, spec.Words[0]))
		}
	}
	return strings.Join(words, " ") + site(region, fn)
}

func outcome(id uint32) string {
	if int(id) < len(outcomes) {
		return outcomes[id]
	}
	return ""
}

func (f *formatter) chose(e trace.Event) string {
	index, number := e.Object()
	if wire.Outcome(e.ID) == wire.Failed {
		if number > 0 {
			return "none " + strconv.FormatUint(uint64(number), 10)
		}
		return "none"
	}
	s := f.objectName(index) + " " + outcome(e.ID)
	if number > 0 {
		s += " " + strconv.FormatUint(uint64(number), 10)
	}
	return s
}

func (f *formatter) object(e trace.Event, layout string) string {
	index, extra := e.Object()
	s := f.objectName(index)
	switch {
	case layout == "object/mode" && extra == wire.Shared:
		s += " shared"
	case layout == "object/generation", layout == "object/number", layout == "object/delta" && (extra != 1 || e.Kind == wire.Add):
		s += " " + strconv.FormatUint(uint64(extra), 10)
	}
	return s
}
