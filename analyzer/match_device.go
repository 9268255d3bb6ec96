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
	launches, own []int32
}

// The roles of operations on streams, in the order in which they are sorted.
const (
	launching   = iota
	onStream    // what the stream itself does
	calling     // waits for it
	naming      // takes no part of its own
	deviceRoles // how many there are
)

var deviceRole = [...]int{wire.Launches: launching, wire.Names: naming, wire.Synchronizes: calling, wire.Copies: calling, wire.Idled: onStream, wire.Executed: onStream, wire.Copied: onStream}

func (o *Op) deviceRole() int {
	if int(o.Outcome) < len(deviceRole) {
		return deviceRole[o.Outcome]
	}
	return naming
}

// device matches what threads ask of the streams of a device with what these execute. A stream executes one thing after the other, in the order in which it was given
// them; that it has executed a kernel may be lost, so that numbers tell nothing: the launch of a kernel, looked at from the last one back, is the latest that began before
// the kernel ended and is of no later kernel.
//
// A stream that is idle waits for the begin of the launch. A kernel is queued from the begin of its launch until what its stream executed before has ended. A call that
// synchronizes waits for what ended last in it on the stream that it names, or on any stream. A call that copies waits for the last kernel that
// ended in it before a copy ended there. Of calls that call each other, the innermost waits.
func (m *Matcher) device(ops []Op) {
	x := deviceStreams{ops: ops, order: spill.Make[int32](m.store, len(ops))}
	defer spill.Free(m.store, x.order)
	x.sort(m.store)
	for i := range x.of {
		m.launched(&x.of[i])
	}
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
		x.of = append(x.of, deviceStream{x.order[from:bounds[onStream]], x.order[bounds[onStream]:bounds[calling]]})
		from = bounds[deviceRoles]
	}
}

// launched emits what a stream waited for, and counts what kernels waited for it.
func (m *Matcher) launched(s *deviceStream) {
	l := len(s.launches) - 1
	for k := len(s.own) - 1; k >= 0; k-- {
		if k%paced == 0 {
			m.store.Pace()
		}
		kernel := &m.ops[s.own[k]]
		if kernel.Outcome != wire.Outcome(wire.Executed) {
			continue
		}
		for l >= 0 && m.ops[s.launches[l]].Begin >= kernel.End {
			l--
		}
		if l < 0 {
			return
		}
		launch := s.launches[l]
		l--
		before := k - 1
		if before >= 0 && m.ops[s.own[before]].Outcome == wire.Outcome(wire.Idled) {
			m.meet(Launched, s.own[before], launch)
			before--
		}
		if before >= 0 {
			if queued := m.ops[s.own[before]].End - m.ops[launch].Begin; queued > 0 {
				m.queue(s.own[k], queued)
			}
		}
	}
}

// queue counts for how long a kernel was queued.
func (m *Matcher) queue(kernel int32, ns int64) {
	if m.tallies == nil {
		m.tallies = map[tallied]int64{}
	}
	m.tallies[tallied{Queued, m.ops[kernel].Path, m.ops[kernel].Loc}] += ns
}

// synchronized emits the waits of calls.
func (m *Matcher) synchronized(x *deviceStreams) {
	named, inner := noOp, noOp // the last operation that named a stream, and the last call
	for i := range m.ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &m.ops[i]
		if o.Outcome == wire.Outcome(wire.Names) {
			named = int32(i)
		}
		if o.deviceRole() != calling {
			continue
		}
		outer := inner != noOp && m.ops[inner].Loc == o.Loc && m.ops[inner].Begin >= o.Begin && m.ops[inner].End > o.Begin
		if inner = int32(i); outer {
			continue
		}
		number := o.Mode
		if n := named; number == 0 && n != noOp && m.ops[n].Loc == o.Loc && m.ops[n].Begin == o.Begin && m.ops[n].Path == o.Path {
			number = m.ops[n].Mode
		}
		if last := x.endedIn(o, number); last != noOp {
			m.point(HasExecuted, int32(i), last, o.Begin, m.ops[last].End, o.Begin)
		}
	}
}

// endedIn returns what a call waited for: of one stream or, with number 0, of all.
func (x *deviceStreams) endedIn(call *Op, number uint32) int32 {
	last := noOp
	for i := range x.of {
		own := x.of[i].own
		if len(own) == 0 || number != 0 && x.ops[own[0]].Mode != number {
			continue
		}
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
