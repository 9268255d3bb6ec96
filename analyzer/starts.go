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
func (s *scan) indexWaits(jumps *jumps) (x report.WaitIndex) {
	last, list := uint32(0), make([]report.WaitEnd, 0, report.BlockWaits)
	for loc := range uint32(len(s.locations)) {
		for _, j := range jumps.of(loc) {
			if j.at < 0 {
				continue
			}
			if list = append(list, report.WaitEnd{Release: s.ticks.Time(j.at), Causer: j.causer}); len(list) == report.BlockWaits {
				s.store.Pace()
				x, last, list = x.Append(loc, last, list), loc, list[:0]
			}
		}
		if len(list) > 0 {
			x, last, list = x.Append(loc, last, list), loc, list[:0]
		}
	}
	return x
}
