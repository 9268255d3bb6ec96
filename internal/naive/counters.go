package naive

import (
	"strings"

	"tracerec/trace/wire"
)

// counters charges the differences of samples, and sums up user metrics.
func (n *analysis) counters() {
	for _, l := range n.locations {
		names := n.defs.Processes[n.defs.Locations[l.id].Process].Counters
		var last *event
		waits := false
		for i, e := range l.events[:l.used] {
			switch e.Kind {
			case wire.Blocked, wire.SelectBegin:
				waits = true
			case wire.Counters:
				n.difference(l, names, last, waits, e)
				last, waits = &l.events[i], false
			case wire.Sample:
				n.add(n.defs.Metrics[e.ID].Name, e.path, l, int64(e.Word))
			}
		}
	}
}

// difference charges what was counted between two samples, as far as it is known whose it is.
func (n *analysis) difference(l *location, names []string, last *event, waits bool, e event) {
	from := l.begin
	if last != nil {
		from = last.Time
	}
	for i, name := range names {
		c := between(len(names), i, strings.HasPrefix(name, wire.ProcessCounter), last, waits, e.values)
		if last == nil && c.Open {
			continue
		}
		n.stretches = append(n.stretches, stretch{l, from, e.Time, name, c})
		switch {
		case c.Open:
		case c.AtLeast > 0:
			n.add(name, e.path, l, c.AtLeast)
		case c.AtMost > 0:
			n.add(name+"_uncertain", e.path, l, c.AtMost)
		}
	}
}

// between says what counter i of k counted between two samples.
func between(k, i int, process bool, last *event, waits bool, values []uint64) Count {
	usable := func(v []uint64) bool { return len(v) == 1+k || len(v) == 1+2*k }
	unknown := Count{Open: true}
	if !usable(values) {
		return unknown
	}
	known := last != nil && usable(last.values)
	if bounded := len(values) == 1+2*k; bounded && !process {
		if bound := int64(values[1+k+i]); bound >= 0 {
			return Count{AtMost: bound}
		}
		return unknown
	}
	if !known {
		return unknown
	}
	d := int64(values[1+i] - last.values[1+i])
	stayed := values[0] != 0 && values[0] == last.values[0]
	switch {
	case !process && !stayed && waits:
		return Count{}
	case d < 0 || !process && !stayed:
		return unknown
	case process:
		return Count{AtMost: d}
	}
	return Count{AtLeast: d, AtMost: d}
}
