package analyzer

import (
	"cmp"
	"slices"
	"sort"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// deviceStreams is what is known of the streams of a device: the operations on them, by stream, role and begin.
type deviceStreams struct {
	ops   []Op
	order []int32
	of    []deviceStream
}

// deviceStream is a stream of a device, by the places of its operations.
type deviceStream struct {
	number               uint32
	launches, hands, own []int32
	calls                []int32
}

// The roles of operations on streams, in the order in which they are sorted.
const (
	launching   = iota
	handing     // gives copies
	onStream    // what the stream itself does
	calling     // waits for it
	naming      // takes no part of its own
	deviceRoles // how many there are
)

var deviceRole = [...]int{wire.Launches: launching, wire.Hands: handing, wire.Names: naming, wire.Synchronizes: calling, wire.Copies: calling, wire.Idled: onStream, wire.Executed: onStream, wire.Copied: onStream}

func (o *Op) deviceRole() int {
	if int(o.Outcome) < len(deviceRole) {
		return deviceRole[o.Outcome]
	}
	return naming
}

// device matches what threads ask of the streams of a device with what these execute. A stream executes one thing after the other, in the order in which it was given
// them; that it has executed a kernel may be lost, so that numbers tell nothing: the launch of a kernel, looked at from the last one back, is the latest that began before
// the kernel ended and is of no later kernel. A copy on a stream to which no call is said to
// give copies is of the latest call that copies while it is made; if there is none, it is matched as kernels are, with calls that name no stream and need not block.
//
// A stream that is idle waits for the begin of the launch. A kernel or copy is queued from the begin of its launch until what its stream executed before has ended. A call that
// synchronizes waits for what ended last in it on the stream that it names, or on any stream. A call that copies waits for the last kernel that
// ended in it before a copy ended there. Of calls that call each other, the innermost waits.
func (m *Matcher) device(ops []Op) {
	x := deviceStreams{ops: ops, order: spill.Make[int32](m.store, len(ops))}
	defer spill.Free(m.store, x.order)
	x.sort(m.store)
	m.launched(&x)
	m.synchronized(&x)
}

// sort puts the operations in order and divides them among streams.
func (x *deviceStreams) sort(store *spill.Store) {
	for i := range x.order {
		if i%paced == 0 {
			store.Pace()
		}
		x.order[i] = int32(i)
	}
	looks := 0
	slices.SortFunc(x.order, func(i, j int32) int {
		if looks++; looks%paced == 0 {
			store.Pace()
		}
		a, b := &x.ops[i], &x.ops[j]
		return cmp.Or(cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.deviceRole(), b.deviceRole()), cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(i, j))
	})
	for from := 0; from < len(x.order); {
		number := x.ops[x.order[from]].Mode
		var bounds [deviceRoles + 1]int
		for role := range bounds {
			bounds[role] = from + sort.Search(len(x.order)-from, func(k int) bool {
				o := &x.ops[x.order[from+k]]
				return o.Mode > number || o.Mode == number && o.deviceRole() >= role
			})
		}
		x.of = append(x.of, deviceStream{number, x.order[from:bounds[handing]], x.order[bounds[handing]:bounds[onStream]], x.order[bounds[onStream]:bounds[calling]], x.order[bounds[calling]:bounds[naming]]})
		from = bounds[deviceRoles]
	}
}

// launched emits what streams waited for, and counts what kernels waited for them. Calls that copy need not say on which stream.
func (m *Matcher) launched(x *deviceStreams) {
	var hands, copies, calls []int32 // copies of streams of which none is said to be given any
	for i := range x.of {
		s := &x.of[i]
		m.given(s.own, s.launches, wire.Executed)
		calls = m.only(calls, s.calls, wire.Copies)
		switch {
		case s.number == 0:
			hands = s.hands
		case len(s.hands) > 0:
			m.given(s.own, s.hands, wire.Copied)
		default:
			copies = m.only(copies, s.own, wire.Copied)
		}
	}
	x.byBegin(copies)
	x.byBegin(calls)
	copies, hands = m.during(copies, calls, hands)
	m.given(copies, hands, wire.Copied)
	spill.Free(m.store, copies)
	spill.Free(m.store, calls)
}

// only appends those of the operations that are what is meant.
func (m *Matcher) only(to, list []int32, what wire.Command) []int32 {
	for _, i := range list {
		if m.ops[i].Outcome == wire.Outcome(what) {
			to = spill.Append(m.store, to, i)
		}
	}
	return to
}

func (x *deviceStreams) byBegin(list []int32) {
	slices.SortFunc(list, func(i, j int32) int {
		return cmp.Or(cmp.Compare(x.ops[i].Begin, x.ops[j].Begin), cmp.Compare(i, j))
	})
}

// during finds copies that were made while a call lasted that copies, by the latest such call; it returns the other copies, and those of the calls that gave some copy which gave no such one.
func (m *Matcher) during(copies, calls, hands []int32) (others, left []int32) {
	gave := spill.Make[bool](m.store, len(m.ops))
	defer spill.Free(m.store, gave)
	others, left = copies[:0], hands[:0]
	for k, c := range copies {
		if k%paced == 0 {
			m.store.Pace()
		}
		at := sort.Search(len(calls), func(i int) bool { return m.ops[calls[i]].Begin >= m.ops[c].End }) - 1
		if at < 0 || m.ops[calls[at]].End <= m.ops[c].Begin {
			others = append(others, c)
			continue
		}
		gave[calls[at]] = true
		m.gave(c, calls[at])
	}
	for _, h := range hands {
		same := int(h)+1 < len(m.ops) && m.ops[h+1].Loc == m.ops[h].Loc && m.ops[h+1].Path == m.ops[h].Path && m.ops[h+1].Begin == m.ops[h].Begin
		if !same || !gave[h+1] { // a call that waits, too, follows what it gives
			left = append(left, h)
		}
	}
	return others, left
}

// given finds which calls gave what streams executed or copied; both are in the order of their begin.
func (m *Matcher) given(own, calls []int32, what wire.Command) {
	c := len(calls) - 1
	for k := len(own) - 1; k >= 0; k-- {
		if k%paced == 0 {
			m.store.Pace()
		}
		o := &m.ops[own[k]]
		if o.Outcome != wire.Outcome(what) {
			continue
		}
		for c >= 0 && m.ops[calls[c]].Begin >= o.End {
			c--
		}
		if c < 0 {
			return
		}
		m.gave(own[k], calls[c])
		c--
	}
}

// gave emits that a stream was idle until a call gave it something, and counts how long that was queued.
func (m *Matcher) gave(what, call int32) {
	before := what - 1 // the operations of a stream follow each other
	same := func() bool { return before >= 0 && m.ops[before].Loc == m.ops[what].Loc }
	if same() && m.ops[before].Outcome == wire.Outcome(wire.Idled) {
		m.meet(Launched, before, call)
		before--
	}
	if same() {
		if queued := m.ops[before].End - m.ops[call].Begin; queued > 0 {
			m.adds(Queued, what, queued)
		}
	}
}

// synchronized emits the waits of calls.
func (m *Matcher) synchronized(x *deviceStreams) {
	named, call, on := noOp, noOp, uint32(0) // the last operation that named a stream; the last call, and its stream
	waits := func() {
		if call == noOp {
			return
		}
		if last := x.endedIn(&m.ops[call], on); last != noOp {
			m.point(HasExecuted, call, last, m.ops[call].Begin, m.ops[last].End, m.ops[call].Begin)
		}
	}
	for i := range m.ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &m.ops[i]
		if o.deviceRole() == naming {
			named = int32(i)
		}
		if o.deviceRole() != calling {
			continue
		}
		if call != noOp && o.Loc == m.ops[call].Loc && o.Begin < m.ops[call].End && o.Begin <= m.ops[call].Begin {
			continue // it has called the last one
		}
		if call != noOp && (o.Loc != m.ops[call].Loc || o.Begin >= m.ops[call].End) {
			waits()
		}
		call, on = int32(i), o.Mode
		if n := named; on == 0 && n != noOp && m.ops[n].Loc == o.Loc && m.ops[n].Begin == o.Begin && m.ops[n].Path == o.Path {
			on = m.ops[n].Mode
		}
	}
	waits()
}

// endedIn returns what a call waited for: of one stream or, with number 0, of all.
func (x *deviceStreams) endedIn(call *Op, number uint32) int32 {
	last, list := noOp, x.of
	if number != 0 {
		at := sort.Search(len(list), func(i int) bool { return list[i].number >= number })
		if at == len(list) || list[at].number != number {
			return noOp
		}
		list = list[at : at+1]
	}
	for i := range list {
		own := list[i].own
		copied := call.Outcome != wire.Outcome(wire.Copies)
		for k := sort.Search(len(own), func(k int) bool { return x.ops[own[k]].End > call.End }) - 1; k >= 0 && x.ops[own[k]].End > call.Begin; k-- {
			o := &x.ops[own[k]]
			if o.Outcome == wire.Outcome(wire.Idled) || !copied && o.Outcome != wire.Outcome(wire.Copied) {
				continue
			}
			if copied && (call.Outcome != wire.Outcome(wire.Copies) || o.Outcome == wire.Outcome(wire.Executed)) {
				if last == noOp || o.End > x.ops[last].End {
					last = own[k]
				}
				break
			}
			copied = true
		}
	}
	return last
}
