package analyzer

import (
	"math"
	"sort"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// stream matches the waits for the network that ended because a goroutine of the program wrote to the other end, or closed it, with that;
// and those that were interrupted with who did. Nothing is simulated.
//
// The bytes of a stream are numbered from 1 on; the one behind the last is its close. A Write says which byte was the last one. A wait that ended by
// Received waited for the byte with its number: that came with the Write of the least number that is not lower. The bytes before had
// been read when the wait began. So if no Write that began no later has such a number, somebody else writes to the stream, too, and no
// wait on it is matched. A wait that ended by Closed was ended by the Interrupt with its number. Of several with one number the first one counts.
//
// For such a wait the other end is what others are whom a goroutine starts: it waits until an answer is ready, which is a join of one. It
// leads the critical path on, but is never critical itself.
//
// Who did not begin within the wait is not known to have ended it. Such a wait, and one that met nobody, is an ordinary wait for the
// network. The synch points are in the order of the operations.
func (m *Matcher) stream(ops []Op) {
	s := &m.chans
	s.sent, s.received = m.byMode(ops, wire.Write, s.sent[:0]), m.byMode(ops, wire.Interrupt, s.received[:0])
	known := m.onlyKnown(ops)
	for i := range ops {
		o, by := &ops[i], noOp
		if o.Kind != wire.NetworkBegin {
			continue
		}
		if o.Outcome == wire.Received && known {
			by = atLeast(s.sent, o.Mode)
		} else if o.Outcome == wire.Closed {
			if by = atLeast(s.received, o.Mode); by != noOp && ops[by].Mode != o.Mode {
				by = noOp
			}
		}
		if by == noOp || ops[by].Begin <= o.Begin || ops[by].Begin > o.End {
			m.point(CameOverNetwork, int32(i), noOp, o.attempt(), o.End, o.attempt())
		} else {
			m.point(Came, int32(i), by, o.Begin, ops[by].Begin, ops[by].Begin)
		}
	}
}

// byMode appends the operations of a kind by their number, the first one of each.
func (m *Matcher) byMode(ops []Op, kind wire.Kind, to []stamped) []stamped {
	m.order.start(len(ops), func(i int32) (int64, bool) { return int64(ops[i].Mode), ops[i].Kind == kind })
	for same := m.order.same(); len(same) > 0; same = m.order.same() {
		first := same[0]
		for _, e := range same[1:] {
			if ops[e.op].Begin < ops[first.op].Begin {
				first = e
			}
		}
		to = spill.Append(m.store, to, first)
	}
	return to
}

// atLeast returns the operation with the least number that is not lower than this one, noOp if there is none.
func atLeast(list []stamped, number uint32) int32 {
	if i := sort.Search(len(list), func(i int) bool { return list[i].time >= int64(number) }); i < len(list) {
		return list[i].op
	}
	return noOp
}

// onlyKnown says whether all that was read from the stream was written by somebody who is recorded.
func (m *Matcher) onlyKnown(ops []Op) bool {
	first := append(spill.Grow(m.store, m.chans.waiting, len(m.chans.sent)), m.chans.sent...) // by number: of all Writes up to that or a higher one, the one that began first
	m.chans.waiting = first
	for i := len(first) - 2; i >= 0; i-- {
		if next := first[i+1].op; ops[next].Begin < ops[first[i].op].Begin {
			first[i].op = next
		}
	}
	last := int64(math.MaxInt64) // when the last Write began
	for i := range ops {
		if o := &ops[i]; o.Kind == wire.Write && (last == math.MaxInt64 || o.Begin > last) {
			last = o.Begin
		}
	}
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if o := &ops[i]; o.Kind == wire.NetworkBegin && o.Outcome == wire.Received && o.Mode > 1 {
			if w := atLeast(first, o.Mode-1); w == noOp && o.Begin > last || w != noOp && ops[w].Begin <= o.Begin {
				continue // a Write that the program did not live to tell of may have been behind the last one
			}
			return false
		}
	}
	return true
}
