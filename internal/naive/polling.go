package naive

import "tracerec/trace/wire"

// polling finds the tries that failed, and the time in which they were all that a location did.
func (n *analysis) polling() {
	for _, x := range n.ops {
		if !x.tried || x.kind != wire.LockBegin && x.kind != wire.SelectBegin {
			continue
		}
		tries, own := int64(1), x.own-x.ready
		if x.kind == wire.SelectBegin && x.mode > 1 {
			n.add("polling", x.path, x.loc, own)
			n.add("failed_tries", x.path, x.loc, int64(x.mode))
			tries, own = 0, 0
		}
		for _, y := range n.ops {
			if y.loc != x.loc || y.path != x.path || y.first <= x.last || y.kind.Does() != wire.Opens {
				continue
			}
			alone := true
			for _, e := range x.loc.events[x.last+1 : y.first] {
				alone = alone && e.Kind.Does() == wire.Tells
			}
			ran := int64(0)
			for _, p := range x.loc.steps {
				if x.end <= p.from && p.to <= y.begin && p.op == nil && p.metric == "execution" {
					ran += p.to - p.from
				}
			}
			if alone && ran <= 100 {
				n.add("polling", x.path, x.loc, own+ran)
				if tries > 0 {
					n.add("failed_tries", x.path, x.loc, tries)
				}
			}
		}
	}
}
