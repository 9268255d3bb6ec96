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
			// A damaged chunk has fewer pieces; outside all levels a location is in its own call path.
			if j < len(from) && b.s.paths.nodes[from[j].path].kind != wire.Begin {
				start = report.Within(b.rankOf(from[j].path), from[j].blocked)
			}
			list = append(list, start)
		}
	}
	b.out.Starts = list
}
