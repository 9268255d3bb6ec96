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
		for _, e := range l.events[:l.used] {
			switch e.Kind {
			case wire.Counters:
				n.difference(l, names, last, e)
				last = e.values
			case wire.Sample:
				n.add(n.defs.Metrics[e.ID].Name, e.path, l, int64(e.Word))
			}
		}
	}
}

// difference charges what was counted between two samples, as far as it is known whose it is.
func (n *analysis) difference(l *location, names []string, last []uint64, e event) {
	if len(last) != len(names)+1 || len(e.values) != len(names)+1 {
		return
	}
	where, before := e.values[0], last[0]
	for i, name := range names {
		whole := strings.HasPrefix(name, wire.ProcessCounter)
		sameThread := where != 0 && before != 0 && where>>8 == before>>8
		d := int64(e.values[i+1] - last[i+1])
		switch {
		case d < 0:
		case sameThread && where == before && !whole:
			n.add(name, e.path, l, d)
		case sameThread || whole:
			n.add(name+"_uncertain", e.path, l, d)
		}
	}
}
