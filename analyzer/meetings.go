package analyzer

import (
	"cmp"
	"slices"
	"sync/atomic"

	"tracerec/internal/spill"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// encounter is that a location met others: where its work before ends, and what it waited for them.
type encounter struct {
	at    int64 // begin of the operation; of a fork, its time
	order int64 // of those at one time
	wait  int64
	rest  int64 // the part of the operation that is not for meeting the others, but own time to finish
	spent int64 // the other part, in its call path; unknownTime until the events are read again, which tell when its region ended
	path  uint32
	loc   uint32
	of    int32 // meeting
}

// meeting is that locations met. All waited for one of them.
type meeting struct {
	kind   PointKind // of the waits
	star   bool      // the others met the one, but not each other
	causer uint32    // location
	object uint32
	first  int32 // its encounters, ascending by location, from this one on in the list of members
	n      int32
}

// gathering collects meetings. The encounters of one follow those of the one before.
type gathering struct {
	encounters list[encounter]
	meetings   list[meeting]
	n, most    int // encounters: how many there are, and beyond how many no more are collected
}

// attend notes a meeting of operations. Each encounter is that of the operation in its call, which is another one if it has begun or ended elsewhere.
func (m *Matcher) attend(kind PointKind, star bool, causer int, all ...encounter) {
	if m.gathered == nil || m.gathered.n > m.gathered.most {
		return
	}
	m.gathered.n += len(all)
	for i := range all {
		m.gathered.encounters.add(all[i])
	}
	m.gathered.meetings.add(meeting{kind: kind, star: star, causer: all[causer].loc, n: int32(len(all)), object: m.object})
}

// attendAll notes a meeting of members, who wait for the last one. If they finish together, each needs as long as it stays behind the first one, once the last one has come.
func (m *Matcher) attendAll(kind PointKind, members []int32, last int32, together bool) {
	if m.gathered == nil {
		return
	}
	first, causer := m.ops[members[0]].End, 0
	for _, i := range members {
		first = min(first, m.ops[i].End)
	}
	all := m.attending[:0]
	for _, i := range members {
		o := &m.ops[i]
		e := encounter{at: o.Begin, order: o.End, wait: max(0, min(m.ops[last].Begin, o.End)-o.Begin) - m.busy[i], spent: unknownTime, path: o.Path, loc: o.Loc}
		if wire.Meeting(o.Mode).Operation() == wire.TeamFork {
			e.at, e.spent = o.End, 0
		}
		if together {
			e.rest = max(0, o.End-max(first, m.ops[last].Begin))
		}
		if kind == NoPoint {
			e.wait = 0
		}
		if i == last {
			causer = len(all)
		}
		all = append(all, e)
	}
	m.attending = all
	if kind == Forked {
		m.attend(NoPoint, false, causer, parted(m.ops, members, last)...)
	}
	m.attend(kind, false, causer, all...)
}

// parted returns the encounters in which members of a team, but the one that forks, began to be idle.
func parted(ops []Op, members []int32, root int32) (all []encounter) {
	at := ops[root].End
	for _, i := range members {
		if i != root {
			at = min(at, ops[i].Begin)
		}
	}
	for _, i := range members {
		all = append(all, encounter{at: at, order: at, path: ops[i].Path, loc: ops[i].Loc})
	}
	return all
}

// attendRoot notes that some met one, for whom they waited. Each needs as long as it stays behind the first of some to leave, once that one has come.
func (m *Matcher) attendRoot(kind PointKind, root int32, waiters, leaving []int32) {
	if m.gathered == nil || len(waiters) == 0 {
		return
	}
	first := endOfTime
	for _, i := range leaving {
		first = min(first, m.ops[i].End)
	}
	first = max(first, m.ops[root].Begin)
	all := m.attending[:0]
	for _, i := range append([]int32{root}, waiters...) {
		o := &m.ops[i]
		wait := max(0, min(m.ops[root].Begin, o.End)-o.Begin)
		all = append(all, encounter{at: o.Begin, order: o.End, wait: wait, rest: max(0, o.End-first), spent: unknownTime, path: o.Path, loc: o.Loc})
	}
	m.attending = all
	m.attend(kind, true, 0, all...)
}

// attendMessage notes that one who waited in a call from some time on met another one for a message, or the like: op and by are what they did about it.
func (m *Matcher) attendMessage(kind PointKind, x *messages, op, by int32, from int64) {
	if m.gathered == nil {
		return
	}
	mine, other := m.callOf(x, op), m.callOf(x, by)
	in := func(call *Op, i int32, behind int64) encounter {
		return encounter{at: call.Begin, order: m.ops[i].End, spent: min(call.End, behind) - call.Begin, path: call.Path, loc: call.Loc}
	}
	all := [...]encounter{in(other, by, mine.End), in(mine, op, other.End)}
	all[1].wait = min(other.Begin, mine.End) - from
	m.attend(kind, false, 0, all[:]...)
}

// attendTwo notes that the operation of a goroutine waited for another one in [begin, release). That one let it go on, or kept it waiting meanwhile: then they met at both ends.
func (m *Matcher) attendTwo(kind PointKind, o *Op, by, path uint32, begin, release int64) {
	if !kind.ofGoroutines() || o.Open { // who never went on was not let go
		return
	}
	other := encounter{at: release, order: release, path: path, loc: by}
	mine := encounter{at: begin, order: o.End, wait: release - begin, spent: release - begin, path: o.Path, loc: o.Loc}
	if kind.keeps() {
		m.attend(NoPoint, false, 0, encounter{at: begin, order: begin, path: path, loc: by}, encounter{at: begin, order: begin, path: o.Path, loc: o.Loc})
	}
	m.attend(kind, false, 0, other, mine)
}

// ofGoroutines says whether the causer is a goroutine that another one met alone, for which that waited.
func (k PointKind) ofGoroutines() bool {
	switch k {
	case Sent, Received, MadeRoom, Closed, WasDone, Signalled, Came:
		return true
	}
	return k.keeps()
}

// keeps says whether the causer kept the operation waiting all the time, instead of coming late.
func (k PointKind) keeps() bool {
	return k == HeldLock || k == WroteBefore || k == ReadBefore || k == RanOnce
}

// attendBarrier notes that goroutines met at a barrier.
func (m *Matcher) attendBarrier(group []stamped, latest int32) {
	if m.gathered == nil {
		return
	}
	all, causer := m.attending[:0], 0
	for i, e := range group {
		o := &m.ops[e.op]
		x := encounter{at: o.Begin, order: o.End, wait: min(m.ops[latest].Begin, o.End) - o.Begin, path: o.Path, loc: o.Loc}
		if o.Loc == m.ops[latest].Loc || o.Open {
			x.wait = 0
		}
		x.spent = x.wait
		if e.op == latest {
			causer = i
		}
		all = append(all, x)
	}
	m.attending = all
	m.attend(ArrivedLast, false, causer, all...)
}

// callOf returns the call of an operation, itself if that is not recorded.
func (m *Matcher) callOf(x *messages, i int32) *Op {
	if c := x.call[i]; c != noOp {
		return &m.ops[c]
	}
	return &m.ops[i]
}

// assembly is all meetings, and the encounters of each location in their order.
type assembly struct {
	encounters []encounter // by location
	first      []int32     // by location: its encounters
	meetings   []meeting
	members    []int32 // of meetings: encounters
}

// assemble puts meetings in order.
func (s *scan) assemble(workers []*matchWorker) *assembly {
	n, k := 0, 0
	for _, w := range workers {
		n += w.gathered.n
		k += w.gathered.meetings.len()
	}
	n, k = n+2*len(s.locations), k+len(s.locations)+2*len(s.defs.Processes) // creations or farewells
	a := &assembly{encounters: spill.Make[encounter](s.store, n)[:0], meetings: spill.Make[meeting](s.store, k)[:0], members: spill.Make[int32](s.store, n)}
	for _, w := range workers {
		at := int32(len(a.encounters))
		for _, b := range w.gathered.encounters.blocks {
			s.store.Pace()
			a.encounters = append(a.encounters, b...)
		}
		for x := range w.gathered.meetings.all() {
			if len(a.meetings)%paced == 0 {
				s.store.Pace()
			}
			for i := at; i < at+x.n; i++ {
				a.encounters[i].of = int32(len(a.meetings))
			}
			at += x.n
			a.meetings = append(a.meetings, *x)
		}
	}
	a.creations(s)
	a.farewells(s)
	a.sort(s)
	a.index(s)
	return a
}

// compare orders encounters of one location.
func (a *assembly) compare(x, y *encounter) int {
	switch { // cmp.Or would look up all of it
	case x.at != y.at:
		return cmp.Compare(x.at, y.at)
	case x.order != y.order:
		return cmp.Compare(x.order, y.order)
	case x.of != y.of:
		return cmp.Or(cmp.Compare(a.meetings[x.of].object, a.meetings[y.of].object), cmp.Compare(x.of, y.of))
	}
	return cmp.Compare(x.wait, y.wait) // whoever is waited for before who waits: a location may send itself a message
}

// sort puts the encounters of each location in order. They come object by object, so they are few pieces in order, which are merged.
func (a *assembly) sort(s *scan) {
	a.first = make([]int32, len(s.locations)+1)
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		a.first[a.encounters[i].loc+1]++
	}
	for i := 1; i < len(a.first); i++ {
		a.first[i] += a.first[i-1]
	}
	at, to := slices.Clone(a.first), spill.Make[encounter](s.store, len(a.encounters))
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		loc := a.encounters[i].loc
		to[at[loc]] = a.encounters[i]
		at[loc]++
	}
	spare := a.encounters
	a.encounters = to
	var next atomic.Int64
	parallel(s.workers, func(*scanner) {
		for loc := next.Add(1) - 1; loc < int64(len(s.locations)); loc = next.Add(1) - 1 {
			from, end := a.first[loc], a.first[loc+1]
			a.merge(s, to[from:end], spare[from:end])
		}
	})
	spill.Free(s.store, spare[:0])
}

// merge puts a list in order, with the help of a spare one as long: as long as there are several pieces in order, each two that follow each other become one.
func (a *assembly) merge(s *scan, list, spare []encounter) {
	var ends []int32 // of pieces
	for i := range list {
		if i%paced == 0 {
			s.store.Pace()
		}
		if i+1 == len(list) || a.compare(&list[i], &list[i+1]) > 0 {
			ends = spill.Append(s.store, ends, int32(i+1))
		}
	}
	from, to := list, spare
	for len(ends) > 1 {
		begin, n := int32(0), 0
		for k := 0; k < len(ends); k += 2 {
			middle, end := ends[k], ends[min(k+1, len(ends)-1)]
			a.join(s, to[begin:end], from[begin:middle], from[middle:end])
			begin, ends[n] = end, end
			n++
		}
		ends, from, to = ends[:n], to, from
	}
	if len(list) > 0 && &from[0] != &list[0] {
		spill.Copy(s.store, list, from)
	}
	spill.Free(s.store, ends)
}

// join merges two lists in order.
func (a *assembly) join(s *scan, to, x, y []encounter) {
	for i := range to {
		if i%paced == 0 {
			s.store.Pace()
		}
		if len(y) == 0 || len(x) > 0 && a.compare(&x[0], &y[0]) <= 0 {
			to[i], x = x[0], x[1:]
		} else {
			to[i], y = y[0], y[1:]
		}
	}
}

// creations lets goroutines that meet anybody meet their creators when they are created, and these theirs.
func (a *assembly) creations(s *scan) {
	if threads(s.defs) {
		return
	}
	met := make([]bool, len(s.locations))
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		e := &a.encounters[i]
		met[e.loc] = true
		if s.regions.signals[s.locations[a.meetings[e.of].causer].begun] {
			e.wait, e.spent = 0, 0 // for something external
		}
	}
	creator := func(loc int) int {
		if of := s.locations[loc].creator; s.locations[loc].seen && of != uint32(trace.NoLocation) && s.locations[of].seen {
			return int(of)
		}
		return -1
	}
	for loc := range s.locations {
		for of := creator(loc); met[loc] && of >= 0 && !met[of]; of = creator(of) {
			met[of] = true
		}
	}
	for loc := range s.locations {
		l := &s.locations[loc]
		if !met[loc] || creator(loc) < 0 {
			continue
		}
		for _, of := range [...]uint32{l.creator, uint32(loc)} {
			a.encounters = append(a.encounters, encounter{at: l.begin, order: l.begin, path: s.locations[of].own, loc: of, of: int32(len(a.meetings))})
		}
		a.meetings = append(a.meetings, meeting{causer: l.creator, n: 2, object: uint32(len(s.defs.Objects))})
	}
}

// farewells lets threads that are idle in the end wait for the one that forked the last team of their process.
func (a *assembly) farewells(s *scan) {
	type team struct {
		at      int64
		master  uint32
		workers map[uint32]bool
	}
	teams := make([]team, len(s.defs.Processes))
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		e := &a.encounters[i]
		if m := &a.meetings[e.of]; m.kind == Forked {
			t := &teams[s.defs.Locations[e.loc].Process]
			if t.workers == nil {
				t.workers, t.at = map[uint32]bool{}, unknownTime
			}
			if m.causer != e.loc {
				t.workers[e.loc] = true
			} else if e.at > t.at || e.at == t.at && e.loc < t.master {
				t.at, t.master = e.at, e.loc
			}
		}
	}
	for p := range teams {
		t := &teams[p]
		if len(t.workers) == 0 || t.at == unknownTime || t.workers[t.master] {
			continue
		}
		end := s.locations[t.master].end
		idle := end
		for loc := range t.workers {
			idle = min(idle, max(t.at, s.locations[loc].doing))
		}
		a.farewell(s, NoPoint, idle, t.master, t.workers)
		a.farewell(s, Forked, end, t.master, t.workers)
	}
}

// farewell adds a meeting of a thread with others.
func (a *assembly) farewell(s *scan, kind PointKind, at int64, master uint32, workers map[uint32]bool) {
	first := len(a.encounters)
	for loc := range uint32(len(s.locations)) {
		if workers[loc] || loc == master {
			e := encounter{at: at, order: endOfTime, path: s.locations[loc].own, loc: loc, of: int32(len(a.meetings))}
			if kind != NoPoint && loc != master {
				e.wait = 1 // however long it is: all that is done meanwhile causes it
			}
			a.encounters = append(a.encounters, e)
		}
	}
	a.meetings = append(a.meetings, meeting{kind: kind, causer: master, n: int32(len(a.encounters) - first), object: uint32(len(s.defs.Objects))})
}

// index notes where the encounters of meetings are.
func (a *assembly) index(s *scan) {
	for i := range a.meetings {
		if i%paced == 0 {
			s.store.Pace()
		}
		if i > 0 {
			a.meetings[i].first = a.meetings[i-1].first + a.meetings[i-1].n
		}
	}
	at := spill.Make[int32](s.store, len(a.meetings))
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		e := &a.encounters[i]
		m := &a.meetings[e.of]
		a.members[m.first+at[e.of]] = int32(i)
		at[e.of]++
	}
	spill.Free(s.store, at)
}
