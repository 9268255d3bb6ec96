package perfetto

import (
	"strings"

	"tracerec/internal/protobuf"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// counterState is the event set of a location.
type counterState struct {
	last  []uint64 // the sample before
	sum   []int64  // by counter: what the location has consumed
	track []uint64 // by counter, 0 not yet
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

// sequenceBits is the part of a sample's first word that is not the thread.
const sequenceBits = 8

// count shows a sample of the event set. A difference between samples on different threads says nothing.
func (x *exporter) count(l trace.LocationID, values []uint64) {
	process := x.defs.Locations[l].Process
	names := x.defs.Processes[process].Counters
	if len(values) != 1+len(names) {
		return
	}
	k := &x.tracks[l]
	if k.counters == nil {
		k.counters = &counterState{sum: make([]int64, len(names)), track: make([]uint64, len(names))}
	}
	if x.counters[process] == nil {
		x.counters[process] = make([]uint64, len(names))
	}
	c := k.counters
	same := len(c.last) > 0 && values[0] != 0 && c.last[0] != 0 && values[0]>>sequenceBits == c.last[0]>>sequenceBits
	for i, name := range names {
		if strings.HasPrefix(name, wire.ProcessCounter) {
			if id := &x.counters[process][i]; *id == 0 {
				*id = x.counterTrack(name, wire.CounterUnit(name), uint64(1+process))
			}
			x.value(x.counters[process][i], int64(values[1+i]))
			continue
		}
		if c.track[i] == 0 {
			c.track[i] = x.counterTrack(x.trackName(l)+" "+name, wire.CounterUnit(name), x.uuid(l))
		}
		if same {
			c.sum[i] += max(int64(values[1+i]-c.last[1+i]), 0)
		}
		x.value(c.track[i], c.sum[i])
	}
	c.last = append(c.last[:0], values...)
}
