package naive

import (
	"strings"

	"tracerec/trace/wire"
)

// counters charges the differences of samples, and sums up user metrics.
func (n *analysis) counters() {
	for _, l := range n.locations {
		names := n.defs.Processes[n.defs.Locations[l.id].Process].Counters
		var last []uint64
		waits := false
		for _, e := range l.events[:l.used] {
			switch e.Kind {
			case wire.Blocked, wire.SelectBegin:
				waits = true
			case wire.Counters:
				n.difference(l, names, last, waits, e)
				last, waits = e.values, false
			case wire.Sample:
				n.add(n.defs.Metrics[e.ID].Name, e.path, l, int64(e.Word))
			}
		}
	}
}

// addPositive adds to a severity what is positive.
func (n *analysis) addPositive(metric, path string, l *location, v int64) {
	if v > 0 {
		n.add(metric, path, l, v)
	}
}

// difference charges what was counted between two samples, as far as it is known whose it is.
func (n *analysis) difference(l *location, names []string, last []uint64, waits bool, e event) {
	k := len(names)
	bounded := len(e.values) == 1+2*k
	if !bounded && len(e.values) != 1+k {
		return
	}
	for i, name := range names {
		if len(last) == 1+k || len(last) == 1+2*k {
			d := int64(e.values[1+i] - last[1+i])
			if strings.HasPrefix(name, wire.ProcessCounter) {
				n.addPositive(name+"_uncertain", e.path, l, d)
			} else if !bounded && e.values[0] != 0 && e.values[0] == last[0] {
				n.addPositive(name, e.path, l, d)
			}
		}
		if bounded && !strings.HasPrefix(name, wire.ProcessCounter) {
			n.addPositive(name+"_uncertain", e.path, l, int64(e.values[1+k+i]))
		}
	}
}
