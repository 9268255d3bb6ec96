package tracetext

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// JSONEvent is one line of the JSON form. Times are ns since the start of the experiment.
type JSONEvent struct {
	Time     int64    `json:"time"`
	PID      int      `json:"pid"`
	Location string   `json:"location"`
	GoID     uint64   `json:"goid"`
	Kind     string   `json:"kind"`
	Name     string   `json:"name,omitempty"` // of the region, operation or metric
	Func     string   `json:"func,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Object   *uint32  `json:"object,omitempty"`  // number of the object, absent for a nil channel
	Extra    uint32   `json:"extra,omitempty"`   // with the object: mode, delta or generation
	Other    string   `json:"other,omitempty"`   // location created, or creating
	Levels   *uint32  `json:"levels,omitempty"`  // exit: closed beyond the first; lost: closed
	Outcome  string   `json:"outcome,omitempty"` // how an operation ended
	Value    *uint64  `json:"value,omitempty"`   // sample; overhead: ns; lost: events
	Values   []uint64 `json:"values,omitempty"`  // counters: where they were read, and the event set
}

// JSON writes the events of the locations in keep, all if that is nil, one JSON object a line in order of time: each is a [JSONEvent].
func JSON(a *trace.Archive, w io.Writer, keep map[trace.LocationID]bool) error {
	d, merger, encoder := a.Definitions(), a.Merge(), json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for {
		l, e, values, err := merger.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case keep != nil && !keep[l]:
			continue
		}
		line := JSONEvent{Time: e.Time, PID: d.Processes[d.Locations[l].Process].PID, Location: locationName(l),
			GoID: d.Locations[l].GoID, Kind: e.Kind.String(), Values: values}
		line.setID(d, e)
		line.setWord(e)
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
}

// setID fills in what the event's id says.
func (line *JSONEvent) setID(d *trace.Definitions, e trace.Event) {
	spec, _ := wire.SpecOf(e.Kind)
	switch spec.ID {
	case wire.RegionID:
		if int(e.ID) < len(d.Regions) {
			r := d.Regions[e.ID]
			line.Name, line.Func, line.File, line.Line = r.Name, r.Func, r.File, r.Line
		}
	case wire.MetricID:
		line.Name = d.Metrics[e.ID].Name
	case wire.LevelsID:
		line.Levels = &e.ID
	case wire.OutcomeID:
		if line.Outcome = outcome(e.ID); wire.Outcome(e.ID) == wire.OK {
			line.Outcome = "ok"
		}
	}
}

// setWord fills in what the event's word says.
func (line *JSONEvent) setWord(e trace.Event) {
	spec, _ := wire.SpecOf(e.Kind)
	switch {
	case len(spec.Words) == 0 || e.Kind == wire.Counters:
	case e.Kind == wire.Create || e.Kind == wire.Begin:
		if other := e.Other(); other != trace.NoLocation {
			line.Other = locationName(other)
		}
	case strings.HasPrefix(spec.Words[0], "object"):
		object, extra := e.Object()
		if line.Extra = extra; object != trace.NoObject {
			line.Object = &object
		}
	default:
		line.Value = &e.Word
	}
}
