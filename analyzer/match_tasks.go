package analyzer

import "tracerec/trace/wire"

// teamBarrier emits the waits of threads at a barrier of their team for the last one. Meanwhile they may do something else in it, such as tasks: then they do not wait.
func (m *Matcher) teamBarrier(ops []Op, members, within []int32, kind wire.Meeting) {
	last, waits := m.latest(ops, members, everybody), ArrivedAtExplicit
	if kind == wire.ImplicitBarrier {
		waits = ArrivedAtImplicit
	}
	m.busy = nil
	for _, i := range members {
		for len(within) > 0 && ops[within[0]].Loc < ops[i].Loc {
			within = within[1:]
		}
		at, end := ops[i].Begin, min(ops[last].Begin, ops[i].End)
		for ; len(within) > 0 && ops[within[0]].Loc == ops[i].Loc; within = within[1:] {
			does := &ops[within[0]]
			if begin, over := max(does.Begin, at), min(does.End, end); begin < over {
				if begin > at {
					m.point(waits, i, last, at, begin, at)
				}
				if m.busy == nil {
					m.busy = map[int32]int64{}
				}
				m.busy[i] += over - begin
				at = over
			}
		}
		m.point(waits, i, last, at, ops[last].Begin, at)
	}
	m.attendAll(waits, members, last, false)
	m.busy = nil
}
