package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// messages is what is known of the messages of a trace, by operation.
type messages struct {
	partner []int32 // of a message: the other end, noOp unknown; of what was met later: the begin of the one waited for, noOp if that is nobody
	other   []int32 // sent: the operation that finished it, itself if it was finished at once; told of accesses that are complete: the last of them, itself if there was none; received: the one that asked for it, likewise; met later: that one, noOp unknown
	call    []int32 // the call that the operation belongs to
	later   int     // how many collective operations were met later
}

// lateMessages is how many late messages of a location are looked at again when others arrive that were sent before them.
const lateMessages = 100

// mostLooks is at how many operations is looked for them.
const mostLooks = 10 * lateMessages

// late is a wait for a message.
type late struct {
	call, recv, send int32
	then             awaited // what the call waited for after that
}

// calls finds who waited for messages, and for whom they had to be sent. All that calls of MPI did with messages are operations on one object; those of a
// call begin with it, and its own comes last. The k-th message that was sent into a queue is the k-th that was asked for of those that arrived out of it, and that is the k-th that arrived if it is not known of all when they were.
//
// The receiver of a message waits from the begin of its call to the begin of the one in which it was sent; of the messages that arrive in one call it waits for that for which
// it waits longest, and for none if it only looks. Such a message is in wrong order if any of the next messages of the location, while the wait is one of the last [lateMessages],
// was sent earlier.
//
// What is told about epochs of windows is passed likewise, without being a message.
//
// The sender of a message waits from the begin of the call that finishes it to the begin of the one that asked for it, if that came while it was in there. It is in wrong order if one of the last messages that
// the receiver had received then was sent later.
//
// What a call waits for collective operations is in match_later.go.
func (m *Matcher) calls(ops []Op) {
	n := len(ops)
	x := messages{partner: spill.Make[int32](m.store, n), other: spill.Make[int32](m.store, n), call: spill.Make[int32](m.store, n)}
	defer func() {
		spill.Free(m.store, x.partner)
		spill.Free(m.store, x.other)
		spill.Free(m.store, x.call)
	}()
	x.queues(ops, m.store)
	x.calls(ops, m.store)
	x.reorder(ops, m.store)
	m.later(&x)
	var recent []late
	looked := 0 // at the limit on memory, by the operations until then
	for from := 0; from < n; {
		if from >= looked+paced {
			m.store.Pace()
			looked = from
		}
		if ops[from].Loc != m.before(from) {
			m.toldLate(&x, recent)
			recent = recent[:0]
		}
		to := from
		for to < n && x.call[to] == x.call[from] && ops[to].Loc == ops[from].Loc {
			to++
		}
		switch c := x.call[from]; {
		case c == noOp:
		case ops[c].Mode&(wire.Accesses|wire.Awaits) != 0:
			m.epoch(&x, from, to)
		default:
			var late bool
			recent, late = m.received(&x, recent, from, to)
			until := m.sent(&x, from, to)
			if then := m.awaits(&x, from, to); then.met != noOp && late {
				last := &recent[len(recent)-1]
				then.from = max(until, m.ops[last.send].Begin)
				last.then = then
			} else if then.met != noOp {
				then.from = max(until, m.ops[c].Begin)
				m.waited(&x, then)
			}
		}
		from = to
	}
	m.toldLate(&x, recent)
}

// before returns the location of the operation before, NoCauser if there is none.
func (m *Matcher) before(i int) uint32 {
	if i == 0 {
		return NoCauser
	}
	return m.ops[i-1].Loc
}

// queues finds the partners of messages.
func (x *messages) queues(ops []Op, store *spill.Store) {
	type ends struct{ first, last int32 }
	queues, next := map[uint32]ends{}, x.other
	for i := range ops {
		if i%paced == 0 {
			store.Pace()
		}
		if x.partner[i], next[i] = noOp, noOp; ops[i].Kind != wire.Dispatched {
			continue
		}
		q, known := queues[ops[i].Mode>>1]
		if !known || q.first == noOp {
			q.first = int32(i)
		} else {
			next[q.last] = int32(i)
		}
		q.last = int32(i)
		queues[ops[i].Mode>>1] = q
	}
	for i := range ops {
		if i%paced == 0 {
			store.Pace()
		}
		if ops[i].Kind != wire.Arrived {
			continue
		}
		if q, ok := queues[ops[i].Mode>>1]; ok && q.first != noOp {
			x.partner[i], x.partner[q.first] = q.first, int32(i)
			q.first = next[q.first]
			queues[ops[i].Mode>>1] = q
		}
	}
}

// reorder finds the partners of messages that arrived in another order than that in which they were asked for.
func (x *messages) reorder(ops []Op, store *spill.Store) {
	asked, mixed, unknown := map[uint32]int32{}, map[uint32][]int32{}, map[uint32]bool{}
	arrivals := func(each func(i int32, queue uint32)) {
		for i := range ops {
			if i%paced == 0 {
				store.Pace()
			}
			if ops[i].Kind == wire.Arrived {
				each(int32(i), ops[i].Mode>>1)
			}
		}
	}
	arrivals(func(i int32, q uint32) {
		if last, is := asked[q]; is && x.other[i] < last {
			mixed[q] = nil
		} else {
			asked[q] = x.other[i]
		}
		if x.other[i] == i && i > 0 && ops[i-1].Kind == wire.Finished && x.other[i-1] == i-1 { // who asked is not recorded
			unknown[q] = true
		}
	})
	if len(mixed) == 0 {
		return
	}
	defer func() {
		for _, list := range mixed {
			spill.Free(store, list)
		}
	}()
	arrivals(func(i int32, q uint32) {
		if list, is := mixed[q]; is && !unknown[q] {
			mixed[q] = spill.Append(store, list, i)
		}
	})
	for _, list := range mixed {
		sent := spill.Make[int32](store, len(list))
		for k, i := range list {
			sent[k] = x.partner[i]
		}
		slices.SortFunc(list, func(i, j int32) int { return cmp.Or(cmp.Compare(x.other[i], x.other[j]), cmp.Compare(i, j)) })
		for k, i := range list {
			if x.partner[i] = sent[k]; sent[k] != noOp {
				x.partner[sent[k]] = i
			}
		}
		spill.Free(store, sent)
	}
}

// calls finds the call of each operation, and by the numbers of requests what belongs together.
func (x *messages) calls(ops []Op, store *spill.Store) {
	requests, accessed := map[uint32]int32{}, map[uint32]int32{}
	first, asked := 0, noOp
	for i := range ops {
		if i%paced == 0 {
			store.Pace()
		}
		o := &ops[i]
		if i > 0 && o.Loc != ops[i-1].Loc {
			clear(requests)
			clear(accessed)
			first, asked = i, noOp
		}
		x.call[i], x.other[i] = noOp, int32(i)
		switch o.Kind {
		case wire.Accessed:
			accessed[o.Mode] = int32(i)
		case wire.Dispatched:
			if by, ok := accessed[o.Mode]; ok {
				x.other[i] = by
				delete(accessed, o.Mode)
			}
		case wire.Requested:
			requests[o.Mode] = int32(i)
		case wire.Pending:
			if i > first && ops[i-1].Kind == wire.Dispatched {
				requests[o.Mode] = int32(i - 1)
				x.other[i-1] = noOp // nobody waits for it before it is finished
			}
		case wire.Finished:
			asked = noOp
			if r, ok := requests[o.Mode]; ok {
				delete(requests, o.Mode)
				if asked = r; ops[r].Kind == wire.Dispatched {
					x.other[r], x.other[i] = int32(i), r
					asked = noOp
				}
			}
		case wire.Arrived:
			if asked != noOp {
				x.other[i] = asked
			}
			asked = noOp
		case wire.MetLater:
			x.other[i] = asked
			x.later++
			asked = noOp
		case wire.Called:
			for k := first; k <= i; k++ {
				if ops[k].Begin == o.Begin {
					x.call[k] = int32(i)
				}
			}
			first, asked = i+1, noOp // what it finished without anything that came is over
		}
	}
}

// epoch looks at what others told a call about epochs of windows: it waits for the last of them that came while it lasted.
func (m *Matcher) epoch(x *messages, from, to int) {
	ops, call, last := m.ops, x.call[from], noOp
	m.paired(x, from, to)
	for i := from; i < to; i++ {
		if send := x.partner[i]; ops[i].Kind == wire.Arrived && send != noOp && ops[send].Loc != ops[call].Loc && ops[send].Begin < ops[call].End &&
			(last == noOp || ops[send].Begin > ops[last].Begin) {
			last = send
		}
	}
	if last == noOp || ops[last].Begin <= ops[call].Begin || ops[call].Mode&wire.Polls != 0 {
		return
	}
	kind := Posted
	switch how := ops[call].Mode; {
	case how&wire.Awaits != 0:
		kind = Completed
	case how&wire.Transfers != 0:
		kind = PostedToAccess
	}
	if kind != Completed {
		m.meet(kind, call, last)
		return
	}
	begin := ops[call].Begin
	until := min(m.accessedLast(x, from, to, begin), ops[last].Begin)
	m.point(Completed, call, last, begin, until, begin)
	m.point(CompletedLate, call, last, until, ops[last].Begin, until)
}

// accessedLast returns when the last of the accesses ended that are complete when a call ends, which awaits that, begin if that was before.
func (m *Matcher) accessedLast(x *messages, from, to int, begin int64) int64 {
	for i := from; i < to; i++ {
		if send := x.partner[i]; m.ops[i].Kind == wire.Arrived && send != noOp {
			if by := x.other[send]; by != noOp && by != send { // noOp: of a message that was never finished
				begin = max(begin, m.ops[by].End)
			}
		}
	}
	return begin
}

// paired counts with whom a call synchronizes that completes accesses or awaits that, and with whom for nothing.
func (m *Matcher) paired(x *messages, from, to int) {
	pairs, unneeded := int64(0), int64(0)
	for i := from; i < to; i++ {
		tells, told := int32(i), x.partner[i]
		if m.ops[i].Kind == wire.Arrived && m.ops[x.call[from]].Mode&wire.Awaits != 0 {
			tells, told = told, tells
		} else if m.ops[i].Kind != wire.Dispatched {
			continue
		}
		if tells == noOp || told != noOp && m.ops[told].Loc == m.ops[tells].Loc { // nobody is a pair with himself
			continue
		}
		if pairs++; x.other[tells] == tells {
			unneeded++
		}
	}
	m.adds(PairSyncs, x.call[from], pairs)
	m.adds(PairSyncsUnneeded, x.call[from], unneeded)
}

// received looks at the messages that arrived in a call, and says whether it waited for one, which is the last of the recent ones then.
func (m *Matcher) received(x *messages, recent []late, from, to int) ([]late, bool) {
	ops, call := m.ops, x.call[from]
	longest := late{call, noOp, noOp, awaited{met: noOp}}
	wait := int64(0)
	for i := from; i < to; i++ {
		if ops[i].Kind != wire.Arrived || x.partner[i] == noOp {
			continue
		}
		send := x.partner[i]
		m.count.Messages++
		for k := 0; k < len(recent); k++ {
			if l := recent[k]; ops[l.send].End > ops[send].End {
				kind := LateSenderOther
				if ops[l.send].Loc == ops[send].Loc {
					kind = LateSenderSame
				}
				m.toldLateAs(x, l, kind)
				recent = append(recent[:k], recent[k+1:]...)
				k--
			}
		}
		if d := min(ops[send].Begin, ops[call].End) - ops[call].Begin; d > wait {
			longest.recv, longest.send, wait = int32(i), send, d
		}
	}
	if longest.recv == noOp || ops[call].Mode&wire.Polls != 0 || ops[longest.send].Loc == ops[call].Loc {
		return recent, false
	}
	m.tally(LateCommSender, LateSyncSender, longest.recv)
	m.attendMessage(LateSenderRight, x, longest.recv, longest.send, ops[call].Begin)
	if recent = append(recent, longest); len(recent) > lateMessages {
		m.toldLateAs(x, recent[0], LateSenderRight)
		recent = append(recent[:0], recent[1:]...)
	}
	return recent, true
}

// toldLate emits waits that are in the right order.
func (m *Matcher) toldLate(x *messages, list []late) {
	for _, l := range list {
		m.toldLateAs(x, l, LateSenderRight)
	}
}

func (m *Matcher) toldLateAs(x *messages, l late, kind PointKind) {
	if kind != LateSenderRight {
		m.tally(LateCommSenderWrongOrder, LateSyncSenderWrongOrder, l.recv)
	}
	m.meet(kind, l.call, l.send)
	if l.then.met != noOp {
		m.waited(x, l.then)
	}
}

// sent looks at the messages that were finished in a call, and returns until when it waited for one, unknownTime if it did not.
func (m *Matcher) sent(x *messages, from, to int) (until int64) {
	ops, call := m.ops, x.call[from]
	if ops[call].Mode&(wire.SendsOne|wire.SendsOthers) == 0 {
		return unknownTime
	}
	longest, by, wait := noOp, noOp, int64(0)
	for i := from; i < to; i++ {
		send := int32(i)
		switch o := &ops[i]; {
		case o.Kind == wire.Finished && ops[x.other[i]].Kind == wire.Dispatched:
			send = x.other[i]
		case o.Kind != wire.Dispatched || x.other[i] != send:
			continue
		}
		recv := x.partner[send]
		if recv == noOp {
			continue
		}
		asked := x.other[recv]
		if begin := ops[asked].Begin; begin-ops[call].Begin > wait && begin < ops[call].End && ops[asked].Loc != ops[call].Loc {
			longest, by, wait = send, asked, begin-ops[call].Begin
		}
	}
	if longest == noOp || ops[call].Mode&wire.SendsOthers != 0 && m.waitedIn(x, from, to) {
		return unknownTime
	}
	m.tallyAt(LateCommReceiver, LateSyncReceiver, longest, call)
	done := longest
	if x.other[longest] != noOp {
		done = x.other[longest]
	}
	m.attendMessage(ReceiverCame, x, done, by, ops[call].Begin)
	kind := ReceiverCame
	if x.overtaken(ops, longest, by) {
		kind = ReceiverTookOthers
	}
	m.meet(kind, call, by)
	return ops[by].Begin
}

// overtaken says whether one of the last messages that a location had received when it asked for one was sent later than that.
func (x *messages) overtaken(ops []Op, send, asked int32) bool {
	left := lateMessages
	for i := asked - 1; i >= 0 && ops[i].Loc == ops[asked].Loc && left > 0 && asked-i < mostLooks; i-- {
		if ops[i].Kind != wire.Arrived || x.call[i] != noOp && ops[x.call[i]].Mode&(wire.Accesses|wire.Awaits) != 0 {
			continue
		}
		left--
		if s := x.partner[i]; s != noOp && ops[s].End > ops[send].End {
			return true
		}
	}
	return false
}

// waitedIn says whether a call waited for a message that arrived.
func (m *Matcher) waitedIn(x *messages, from, to int) bool {
	for i := from; i < to; i++ {
		if m.ops[i].Kind == wire.Arrived && x.partner[i] != noOp && m.ops[x.partner[i]].Begin > m.ops[x.call[from]].Begin {
			return true
		}
	}
	return false
}

// tally counts a message, by whether it was empty, in the call path of the operation.
func (m *Matcher) tally(comm, sync Tally, message int32) { m.tallyAt(comm, sync, message, message) }

func (m *Matcher) tallyAt(comm, sync Tally, message, at int32) {
	if m.ops[message].Mode&1 != 0 {
		comm = sync
	}
	m.adds(comm, at, 1)
}

// adds counts something in the call path of an operation.
func (m *Matcher) adds(what Tally, at int32, n int64) {
	if n == 0 {
		return
	}
	if m.tallies == nil {
		m.tallies = map[tallied]int64{}
	}
	m.tallies[tallied{what, m.ops[at].Path, m.ops[at].Loc}] += n
}
