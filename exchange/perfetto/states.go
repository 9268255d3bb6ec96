package perfetto

import (
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// stateTitles returns the titles of the states of goroutines, by the kind of the event that begins them; empty where states are not told.
func stateTitles(e *report.Experiment) map[wire.Kind]string {
	titles := map[wire.Kind]string{}
	for kind, name := range map[wire.Kind]string{wire.Ready: metric.Ready, wire.Syscall: metric.SystemCall, wire.Assist: metric.GCAssist,
		wire.Stopped: metric.Stopped, wire.Parked: metric.UnrecordedWait} {
		if i := e.MetricIndex(name); i >= 0 {
			titles[kind] = e.Metrics[i].Title
		}
	}
	return titles
}

// does shows what an event tells of the state of a location. It has a slice outside of operations, up to the next event: those have slices of what they
// wait for.
func (x *exporter) does(l trace.LocationID, kind wire.Kind) {
	k := &x.tracks[l]
	if title := x.states[kind]; title != "" && !k.inOperation() {
		k.state = true
		x.beginSlice(l, "state", event{name: x.intern(title)})
	}
}

// endState ends the slice of a state, if there is one.
func (x *exporter) endState(l trace.LocationID) {
	if k := &x.tracks[l]; k.state {
		k.state = false
		x.endSlice(l)
	}
}
