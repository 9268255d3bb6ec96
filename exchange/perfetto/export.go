package perfetto

import (
	"errors"
	"io"
	"strings"

	"tracerec/internal/protobuf"
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// Write writes the trace of an archive, with the names that its analysis found and the links collected meanwhile, which it
// sorts. The file is compressed. The same archive gives the same bytes. What could not be read of the archive is returned as problems.
//
// Events are read once and not kept; besides the links there is some memory for each location.
func Write(w io.Writer, a *trace.Archive, e *report.Experiment, links *Links) ([]trace.Problem, error) {
	x := &exporter{packets: newPackets(w), archive: a, defs: a.Definitions(), links: links, metrics: e.Metrics, wakeup: e.Metrics[e.MetricIndex(metric.Wakeup)].Title,
		states: stateTitles(e)}
	links.sort(e.Metrics)
	x.begin(e.Locations)
	var problems []trace.Problem
	for m := a.Merge(); ; {
		loc, e, values, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if p := (trace.Problem{}); errors.As(err, &p) {
			problems = append(problems, p)
			continue
		} else if err != nil {
			return problems, err
		}
		links.pace()
		x.advance(clip(e.Time))
		x.event(loc, &e, values)
	}
	x.finish()
	err := x.out.Flush()
	if err == nil {
		err = x.zipped.Close()
	}
	return problems, err
}

// exporter goes through a trace by time.
type exporter struct {
	*packets
	archive *trace.Archive
	defs    *trace.Definitions
	links   *Links
	metrics []metric.Metric
	wakeup  string // title of this metric
	states  map[wire.Kind]string
	notes   []note // of the slice that is being written

	now      int64 // time of all packets until it changes
	agenda   agenda
	pending  []trace.LocationID // with flows that begin or end now
	tracks   []track
	flows    uint64            // number of flows
	uuids    uint64            // number of tracks
	regions  []regionNames     // by region
	messages int               // messages of links that were put on the agenda
	waiting  int               // waits, likewise
	samples  map[uint32]uint64 // counter tracks of the program's metrics
	counters [][]uint64        // counter tracks of processes, by index of the counter
	category map[string]uint64 // interned
}

// regionNames is what is interned of a region.
type regionNames struct{ name, source uint64 }

// begin writes what is known before the first event.
func (x *exporter) begin(locations []report.Location) {
	n := len(x.defs.Processes)
	x.tracks = make([]track, len(x.defs.Locations))
	x.uuids = uint64(n + len(x.tracks))
	x.regions = make([]regionNames, len(x.defs.Regions))
	x.counters = make([][]uint64, n)
	x.samples, x.category = map[uint32]uint64{}, map[string]uint64{}
	for i := range locations {
		if l := &locations[i]; l.Count <= 1 && int(l.Trace) < len(x.tracks) {
			x.tracks[l.Trace].name = l.Name
		}
	}
	x.start(x.archive.Header().Start)
	ends := make([]int64, n)
	for i := range x.defs.Processes {
		p := &x.defs.Processes[i]
		ends[i] = p.End
		name := ""
		m := protobuf.Int(nil, processPID, int64(x.pid(i)))
		for _, arg := range p.Args {
			m = protobuf.String(m, processCommand, arg)
		}
		if len(p.Args) > 0 {
			name = p.Args[0][strings.LastIndexByte(p.Args[0], '/')+1:]
			m = protobuf.String(m, processName, name)
		}
		x.describe(uint64(1+i), name, trackProcess, m, 0)
	}
	for _, c := range x.archive.Chunks() {
		for _, l := range c.Locations {
			if p := x.defs.Locations[l].Process; c.Last > ends[p] {
				ends[p] = c.Last
			}
		}
	}
	for i, end := range ends {
		x.agenda.add(entry{time: clip(end), late: true, what: processEnds, arg: uint64(i)})
	}
}

// describe writes the descriptor of a track.
func (x *exporter) describe(uuid uint64, name string, field int, details []byte, parent uint64) {
	m := protobuf.Uint(x.message[:0], trackUUID, uuid)
	if name != "" {
		m = protobuf.String(m, trackName, name)
	}
	if parent != 0 {
		m = protobuf.Uint(m, trackParent, parent)
	}
	x.message = protobuf.Bytes(m, field, details)
	x.write(uint64(x.now), packetDescriptor)
}

// pid returns the number by which a process goes.
func (x *exporter) pid(process int) int32 {
	if pid := int32(x.defs.Processes[process].PID); pid > 0 {
		return pid
	}
	return int32(process + 1)
}

// firstTID is greater than the number of any process: numbers of threads follow it.
const firstTID = 1 << 22

// uuid returns the track of a location, described.
func (x *exporter) uuid(l trace.LocationID) uint64 {
	uuid := uint64(1+len(x.defs.Processes)) + uint64(l)
	if k := &x.tracks[l]; !k.described {
		k.described = true
		process := x.defs.Locations[l].Process
		m := protobuf.Int(nil, threadPID, int64(x.pid(process)))
		m = protobuf.Int(m, threadTID, int64(int32(firstTID+uint32(l)&(1<<30-1))))
		m = protobuf.String(m, threadName, x.trackName(l))
		x.describe(uuid, "", trackThread, m, uint64(1+process))
	}
	return uuid
}

// category returns the number of a category.
func (x *exporter) categoryID(name string) uint64 {
	id, known := x.category[name]
	if !known {
		id = uint64(len(x.category) + 1)
		x.category[name] = id
		x.entry(internedCategory, protobuf.String(protobuf.Uint(x.inner[:0], internedID, id), internedText, name))
	}
	return id
}

// region returns what is interned of a region.
func (x *exporter) region(id uint32) regionNames {
	if int(id) >= len(x.regions) {
		return regionNames{name: x.intern("unknown")}
	}
	r := &x.regions[id]
	if r.name == 0 {
		def := &x.defs.Regions[id]
		r.name = x.intern(def.Name)
		if def.File != "" {
			r.source = uint64(id) + 1
			m := protobuf.Uint(x.inner[:0], sourceID, r.source)
			m = protobuf.String(m, sourceFile, def.File)
			m = protobuf.String(m, sourceFunction, def.Func)
			x.entry(internedSource, protobuf.Uint(m, source, uint64(max(def.Line, 0))))
		}
	}
	return *r
}

// instant writes an event without duration.
func (x *exporter) instant(l trace.LocationID, name string, region regionNames, flows, ends []uint64) {
	if name != "" {
		region.name = x.intern(name)
	}
	uuid := x.uuid(l)
	x.packets.event(x.now, &event{kind: instant, track: uuid, name: region.name, source: region.source, flows: flows, ends: ends})
}

// advance goes to time t: everything on the agenda until then is done.
func (x *exporter) advance(t int64) {
	x.load(t)
	x.work(t)
	x.pass(t)
}

// pass lets time pass. Flows that nothing took at their time get events of their own.
func (x *exporter) pass(t int64) {
	if t <= x.now {
		return
	}
	for _, l := range x.pending {
		k := &x.tracks[l]
		if len(k.leads) > 0 {
			x.instant(l, "lets go", regionNames{}, k.leads, nil)
		}
		if len(k.arrives) > 0 {
			x.instant(l, "goes on", regionNames{}, nil, k.arrives)
		}
		k.leads, k.arrives = k.leads[:0], k.arrives[:0]
	}
	x.pending = x.pending[:0]
	x.now = t
}

// load puts links on the agenda that begin before the events of time t.
func (x *exporter) load(t int64) {
	for ; x.messages < len(x.links.messages) && x.links.messages[x.messages].sent <= t; x.messages++ {
		x.plan(&x.links.messages[x.messages])
	}
	for ; x.waiting < len(x.links.waits) && x.links.waits[x.waiting].begin < t; x.waiting++ {
		w := &x.links.waits[x.waiting]
		x.agenda.add(entry{time: w.begin, late: true, what: waitBegins, loc: w.location, arg: uint64(x.waiting)})
	}
}

// work does what is to be done before the events of time t.
func (x *exporter) work(t int64) {
	for x.agenda.due(t) {
		e := x.agenda.next()
		x.pass(e.time)
		x.do(&e)
	}
}

// finish does what is left behind the last event.
func (x *exporter) finish() {
	x.load(latest)
	x.work(latest + 2)
	x.pass(x.now + 1)
	for l := range x.tracks {
		if k := &x.tracks[l]; k.created != 0 && !k.seen { // its events could not be read
			x.instant(trace.LocationID(l), "goes on", regionNames{}, nil, []uint64{k.created})
		}
	}
}
