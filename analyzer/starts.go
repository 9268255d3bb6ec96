package analyzer

import (
	"tracerec/report"
	"tracerec/trace/wire"
)

// starts tells in which call path each piece of the trace begins, so that it can be read alone.
func (b *builder) starts() {
	chunks := b.s.archive.Chunks()
	n := 0
	for _, c := range chunks {
		n += len(c.Locations)
	}
	list := make([]report.Start, 0, n)
	for i, c := range chunks {
		from := b.s.resume[i]
		for j := range c.Locations {
			start := report.Outside
			switch { // a damaged chunk has fewer pieces; outside all levels a location is in its own call path
			case j >= len(from):
			case from[j].forgotten > 0 || from[j].does != wire.None:
				start = report.Unknown
			case b.s.paths.nodes[from[j].path].kind != wire.Begin:
				start = report.Within(b.rankOf(from[j].path), from[j].blocked)
			}
			list = append(list, start)
		}
	}
	b.out.Starts = list
}

// indexWaits tells who ended the waits of each location, so that windows of the trace can show it.
func (b *builder) indexWaits() {
	if !b.index || b.path.jumps == nil {
		return
	}
	var list []report.WaitEnd
	var x report.WaitIndex
	last := uint32(0)
	for loc := range uint32(len(b.s.locations)) {
		list = list[:0]
		for _, j := range b.path.jumps.of(loc) {
			if j.at >= 0 {
				list = append(list, report.WaitEnd{Release: b.s.ticks.Time(j.at), Causer: j.causer})
			}
		}
		if len(list) > 0 {
			x, last = x.Append(loc, last, list), loc
		}
	}
	if len(x) > 0 {
		b.out.Waits = x.Member()
	}
}
