package otf2

import (
	"strings"
	"sync/atomic"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Threads give kernels and copies to streams of devices, such as GPUs, which execute them one after the other. A stream is a location; what it copies is one-sided communication there, and
// is made a region, as kernels are. In between it is idle.

// Types of locations and of groups of them, as in words.go.
const (
	acceleratorStream = 2
	accelerator       = 2
)

// isStream says whether a location is a stream of a device and no thread.
func (l *Location) isStream() bool { return l.Kind == acceleratorStream }

// owner returns the process that a location group is or, if that is a context of a device, to which it belongs.
func (a *Archive) owner(group uint64) uint64 {
	if g := a.Find(LocationGroups, group); g != nil && g.Get("locationGroupType") == accelerator {
		if by := g.Get("creatingLocationGroup"); a.Find(LocationGroups, by) != nil {
			return by
		}
	}
	return group
}

// devices is what is known of streams.
type devices struct {
	number  []uint32          // by LocationID, from 1 on; 0 for threads
	streams map[uint64]uint32 // the same, by number of the location in the archive
	of      []uint32          // objects, by process
	idle    uint32            // the region of streams that execute nothing
	noted   atomic.Int64      // launches that surveys have noted to correct clocks
	copies  [2]uint32         // the regions of copies to the device, and from it
	events  uint64            // the attribute that says which event of the device's interface a call is about, nowhere if there is none
}

// add notes a location, and returns its name.
func (d *devices) add(l *Location) string {
	if !l.isStream() {
		d.number = append(d.number, 0)
		return l.Name
	}
	if d.streams == nil {
		d.streams = map[uint64]uint32{}
	}
	n := uint32(len(d.streams) + 1)
	d.streams[l.ID], d.number = n, append(d.number, n)
	return "GPU stream " + l.Name
}

// define defines the regions of streams that the archive does not have.
func (d *devices) define(a *Archive, to *trace.Definitions) {
	d.events = nowhere
	for i := range a.records {
		if r := &a.records[i]; r.Spec.Self == Attributes && a.Text(r.Get("name")) == "CUDA_EVENT_REF" {
			d.events = r.Values[0]
		}
	}
	if len(d.streams) == 0 {
		return
	}
	d.idle = uint32(len(to.Regions))
	d.copies = [2]uint32{d.idle + 1, d.idle + 2}
	to.Regions = append(to.Regions, trace.Region{Name: "(idle stream)", Class: "gpu_idle"}, trace.Region{Name: "copy to the device", Class: "gpu_copy_executions"},
		trace.Region{Name: "copy from the device", Class: "gpu_copy_executions"})
}

// objects defines an object for each process that has streams.
func (d *devices) objects(to *trace.Definitions) {
	d.of = make([]uint32, len(to.Processes))
	for i := range to.Locations {
		if p := to.Locations[i].Process; d.number[i] != 0 && d.of[p] == 0 {
			to.Objects = append(to.Objects, trace.Object{Kind: wire.Device, Region: trace.NoRegion, Process: p})
			d.of[p] = uint32(len(to.Objects))
		}
	}
}

// command applies an event of a stream to where it stands; it returns the region that begins, noRegion if none does, and whether one ends.
func (d *devices) command(s *source, w *walk, e *Event) (begins uint32, ends bool) {
	top, n := uint32(noRegion), len(w.stack)
	if n > 0 {
		top = w.stack[n-1].region
	}
	copying := top == d.copies[0] || top == d.copies[1]
	begins = noRegion
	switch id := e.Spec.ID; {
	case id == idEnter:
		begins = s.region(e.Values[0])
	case id == idRmaGet && !copying: // copies that overlap are one
		begins = d.copies[0]
	case id == idRmaPut && !copying:
		begins = d.copies[1]
	case id == idLeave && !copying, (id == idRmaOpBlocking || id == idRmaOpNonBlocking) && copying:
		ends = true
		w.stack = w.stack[:max(0, n-1)]
	}
	if begins != noRegion {
		w.stack = append(w.stack, step{region: begins})
	}
	return begins, ends
}

// executes appends what an event of a stream is in package trace.
func (d *devices) executes(s *source, l trace.LocationID, w *walk, e *Event, to []trace.Event) []trace.Event {
	w.last = max(w.last, s.since(e.Time))
	tell := func(kind wire.Kind, id uint32) {
		to = append(to, trace.Event{Time: w.last, Kind: kind, ID: id})
	}
	about := func(what wire.Command) {
		to = append(to, trace.Event{Time: w.last, Kind: wire.Commanded, ID: d.number[l], Word: d.word(w, what)})
	}
	before := w.stack
	begins, ends := d.command(s, w, e)
	if begins != noRegion {
		if len(before) == 0 {
			about(wire.Idled)
			tell(wire.Exit, 0)
		}
		tell(wire.Enter, begins)
	}
	if !ends {
		return to
	}
	if len(before) == 1 {
		what := wire.Executed
		if r := before[0].region; r == d.copies[0] || r == d.copies[1] {
			what = wire.Copied
		}
		about(what)
	}
	if tell(wire.Exit, 0); len(before) == 0 {
		tell(wire.Exit, 0) // of what did not begin: who reads the events counts it
	}
	if len(before) <= 1 {
		to = append(to, d.idles(w.last))
	}
	return to
}

// idles is the begin of executing nothing.
func (d *devices) idles(t int64) trace.Event {
	return trace.Event{Time: t, Kind: wire.Enter, ID: d.idle, Word: trace.Elsewhere}
}

// word returns the word of an event about a stream of a process.
func (d *devices) word(w *walk, what wire.Command) uint64 {
	return uint64(d.of[w.process]) | uint64(what)<<32
}

// named returns the stream that an event refers to, 0 if it refers to none.
func (d *devices) named(e *Event) uint32 {
	for i := range e.Attributes {
		if x := &e.Attributes[i]; valueRefers(x.Type) == Locations {
			return d.streams[x.Value]
		}
	}
	return 0
}

// names tells that a call that begins gives a stream a kernel or a copy, or is about one.
func (d *devices) names(s *source, w *walk, e *Event, tell func(kind wire.Kind, id uint32, word uint64)) {
	if len(d.streams) == 0 || d.of[w.process] == 0 {
		return
	}
	stream, what := d.named(e), wire.Names
	if r := s.region(e.Values[0]); int(r) < len(s.passing.classes) {
		switch c := &s.passing.classes[r]; {
		case c.name == launchClass:
			what = wire.Launches
		case c.queues:
			what = wire.Hands
		}
	}
	if stream == 0 && what != wire.Hands {
		return
	}
	tell(wire.Commanded, stream, d.word(w, what))
}

// awaits appends that a call that ends has waited for streams: for that in which its thread recorded the event that it is about, if it is about one.
func (d *devices) awaits(s *source, w *walk, e *Event, to []trace.Event) []trace.Event {
	r := s.region(e.Values[0])
	if len(d.streams) == 0 || d.of[w.process] == 0 || int(r) >= len(s.passing.classes) || s.passing.classes[r].waits == 0 {
		return to
	}
	stream := d.named(e)
	if event, is := d.event(e); is && stream == 0 {
		stream = w.recorded[event]
	}
	w.last = max(w.last, s.since(e.Time))
	return append(to, trace.Event{Time: w.last, Kind: wire.Commanded, ID: stream, Word: d.word(w, s.passing.classes[r].waits)})
}

// event returns which event of the device's interface a call is about, if the recorder told.
func (d *devices) event(e *Event) (event uint64, is bool) {
	for _, x := range e.Attributes {
		if x.ID == d.events {
			return x.Value, true
		}
	}
	return 0, false
}

// mostRecorded is how many such events a thread knows the streams of at most, which each chunk begins with.
const mostRecorded = 1 << 12

// records notes in which stream a call that ends has recorded an event.
func (d *devices) records(s *source, w *walk, e *Event) {
	r := s.region(e.Values[0])
	if len(d.streams) == 0 || int(r) >= len(s.passing.classes) || !s.passing.classes[r].records {
		return
	}
	event, is := d.event(e)
	if !is {
		return
	}
	if w.recorded == nil {
		w.recorded = map[uint64]uint32{}
	}
	if delete(w.recorded, event); len(w.recorded) < mostRecorded {
		w.recorded[event] = d.named(e)
	}
}

// The classes of what streams execute, and of calls that give them something.
const (
	kernelClass = "gpu_kernel_executions" // whatever streams execute
	launchClass = "gpu_kernel_launches"
	copyClass   = "gpu_comm"
)

// classOfDevice classifies what threads and streams do about devices, by its name in small letters and by what the recorder calls its file.
func classOfDevice(name, file string) class {
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(name, word) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasSuffix(file, "_KERNEL"):
		return class{name: kernelClass}
	case strings.HasSuffix(file, "_FLUSH"): // of the recorder's own buffers
		return class{name: "gpu_time"}
	case has("synchronize", "clfinish", "clwaitforevents", "wait for command queue"):
		return class{name: "gpu_sync", waits: wire.Synchronizes}
	case has("launch", "clenqueuendrangekernel", "clenqueuetask", "clenqueuenativekernel"):
		return class{name: launchClass}
	case has("memcpy", "memset", "clenqueueread", "clenqueuewrite", "clenqueuecopy", "clenqueuefill", "clenqueuemap", "clenqueueunmap", "clenqueuemigrate"):
		if has("async") {
			return class{name: copyClass, queues: true}
		}
		return class{name: copyClass, queues: strings.HasPrefix(name, "cl"), waits: wire.Copies} // calls of OpenCL do not say whether they block
	}
	return class{name: "gpu_setup", records: has("eventrecord")}
}
