package perfetto

import (
	"strings"

	"tracerec/internal/protobuf"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// counterState is the event set of a location.
type counterState struct {
	last []uint64 // the sample before, empty if that was refused
	sum  []total  // by counter, and behind them what of it is not certain
}

// total is what a location has consumed so far of a counter. It has a track when something is known of it.
type total struct {
	n     int64
	track uint64 // 0 not yet
}

// counterTrack writes the descriptor of a counter track.
func (x *exporter) counterTrack(name, unit string, parent uint64) uint64 {
	x.uuids++
	var m []byte
	switch unit {
	case "ns":
		m = protobuf.Uint(m, counterUnit, unitTime)
	case "bytes":
		m = protobuf.Uint(m, counterUnit, unitBytes)
	case "events", "1", "":
		m = protobuf.Uint(m, counterUnit, unitCount)
	default:
		m = protobuf.String(m, counterUnitName, unit)
	}
	x.describe(x.uuids, name, trackCounter, m, parent)
	return x.uuids
}

// value writes a value of a counter track.
func (x *exporter) value(track uint64, v int64) {
	x.packets.event(x.now, &event{kind: counterValue, track: track, value: v})
}

// sample shows a sample of a metric of the program.
func (x *exporter) sample(l trace.LocationID, e *trace.Event) {
	if int(e.ID) >= len(x.defs.Metrics) {
		return
	}
	id, known := x.samples[e.ID]
	if !known {
		m := &x.defs.Metrics[e.ID]
		id = x.counterTrack(m.Name, m.Unit, uint64(1+x.defs.Locations[l].Process))
		x.samples[e.ID] = id
	}
	x.value(id, int64(e.Word))
}

// uncertain ends the names of tracks of what a goroutine may have consumed besides what is certain.
const uncertain = " (uncertain)"

// count shows a sample of the event set: what was certain since the one before, or what it was at most. Of stretches of which nothing is
// known, nothing is shown.
func (x *exporter) count(l trace.LocationID, values []uint64) {
	process := x.defs.Locations[l].Process
	names := x.defs.Processes[process].Counters
	k := &x.tracks[l]
	if k.counters == nil {
		k.counters = &counterState{sum: make([]total, 2*len(names))}
	}
	if x.counters[process] == nil {
		x.counters[process] = make([]uint64, len(names))
	}
	c, size := k.counters, 1+len(names)
	bounded := len(values) == size+len(names)
	if !bounded && len(values) != size { // refused
		c.last = c.last[:0]
		return
	}
	certain := !bounded && len(c.last) > 0 && values[0] != 0 && values[0] == c.last[0]
	for i, name := range names {
		switch {
		case strings.HasPrefix(name, wire.ProcessCounter):
			if id := &x.counters[process][i]; *id == 0 {
				*id = x.counterTrack(name, wire.CounterUnit(name), uint64(1+process))
			}
			x.value(x.counters[process][i], int64(values[1+i]))
		case certain:
			x.consumed(l, &c.sum[i], name, "", int64(values[1+i]-c.last[1+i]))
		case bounded:
			x.consumed(l, &c.sum[len(names)+i], name, uncertain, int64(values[size+i]))
		}
	}
	c.last = append(c.last[:0], values[:size]...)
}

// consumed shows that a location has consumed so much more of a counter. Below 0 it is not known.
func (x *exporter) consumed(l trace.LocationID, t *total, name, suffix string, more int64) {
	if more < 0 {
		return
	}
	if t.track == 0 {
		t.track = x.counterTrack(x.trackName(l)+" "+name+suffix, wire.CounterUnit(name), x.uuid(l))
	}
	t.n += more
	x.value(t.track, t.n)
}
