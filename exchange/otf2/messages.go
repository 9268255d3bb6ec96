package otf2

import (
	"cmp"
	"slices"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// passing is what is known of processes that pass messages, and of teams.
type passing struct {
	classes []class                      // by region of package trace
	ranks   map[uint64]map[uint64]uint32 // by communicator and process (LocationGroup); nil: that of the process alone
	between map[uint64]between           // by communicator between two groups
	comms   map[uint64]uint32            // objects by communicator
	teams   map[team]uint32              // objects by team
	locks   map[lock]uint32              // objects
	windows map[uint64]uint32            // objects by window
	fences  map[uint64]uint32            // objects by window
	present [][]presence                 // by process
	idle    []uint32                     // objects by process, 0 none
	peers   map[uint64][]uint64          // processes by group, ascending by rank; in archives with windows
	queues  map[queue]uint32             // numbers
}

// between is a communicator between two groups, whose messages go from one to the other.
type between struct {
	ranks map[uint64]uint32 // by process; those of the second group behind those of the first one
	first uint32            // how many are in the first group
}

// The first objects of an archive.
const (
	allMessages  = 1
	allProcesses = 2
)

// queue is where messages do not overtake each other.
type queue struct {
	comm, process uint64 // of a communicator with one process; it has none otherwise. Or a window, and what is told of its epochs
	from, to, tag uint32
}

// classify finds out what regions are, and who is in which communicator.
func (s *source) classify() {
	d, p := &s.Definitions, &s.passing
	p.classes = make([]class, len(d.Regions))
	p.between = map[uint64]between{}
	p.comms, p.ranks, p.teams, p.queues, p.locks = map[uint64]uint32{}, map[uint64]map[uint64]uint32{}, map[team]uint32{}, map[queue]uint32{}, map[lock]uint32{}
	for i := range s.a.records {
		r := &s.a.records[i]
		if r.Spec.Self == Regions {
			if at := s.region(r.Values[0]); s.a.Find(Regions, r.Values[0]) == r {
				p.classes[at] = s.a.classOf(r)
				p.classes[at].plain = p.classes[at].isPlain() && len(s.device.streams) == 0 // else each call may be about one
				d.Regions[at].Class, d.Regions[at].Counts, d.Regions[at].Parallel = p.classes[at].name, p.classes[at].counts, s.a.parallel(r)
			}
		}
	}
	d.Objects = []trace.Object{{Kind: wire.MessagesObject, Region: trace.NoRegion}, {Kind: wire.Group, Region: trace.NoRegion}}
	s.device.objects(d)
	locations := s.ranked(mpi)
	s.classifyWindows(locations)
	for i := range s.a.records {
		switch r := &s.a.records[i]; {
		case r.Spec.Self != Comms || s.a.Find(Comms, r.Values[0]) != r:
		case r.Spec.Name == "InterComm":
			p.between[r.Values[0]] = s.between(r, locations)
			d.Objects = append(d.Objects, trace.Object{Kind: wire.Group, Region: trace.NoRegion})
			p.comms[r.Values[0]] = uint32(len(d.Objects))
		default:
			if g := s.a.Find(Groups, r.Get("group")); g != nil && g.Get("paradigm") == mpi {
				p.ranks[r.Values[0]] = s.ranks(g, locations)
				d.Objects = append(d.Objects, trace.Object{Kind: wire.Group, Region: trace.NoRegion})
				p.comms[r.Values[0]] = uint32(len(d.Objects))
			}
		}
	}
	p.fences = map[uint64]uint32{}
	for i := range s.a.records {
		if r := &s.a.records[i]; r.Spec.Self == RmaWins && s.a.Find(RmaWins, r.Values[0]) == r && p.ranks[r.Get("comm")] != nil {
			d.Objects = append(d.Objects, trace.Object{Kind: wire.Group, Region: trace.NoRegion})
			p.fences[r.Values[0]] = uint32(len(d.Objects))
		}
	}
}

const (
	commLocations = 4 // GroupType
	commSelf      = 6
	globalMembers = 1         // GroupFlags
	nowhere       = 1<<64 - 1 // an undefined number
)

// ranked returns the locations that members of the communicators of a paradigm are numbers of.
func (s *source) ranked(paradigm uint64) []uint64 {
	for i := range s.a.records {
		if r := &s.a.records[i]; r.Spec.Self == Groups && r.Get("groupType") == commLocations && r.Get("paradigm") == paradigm {
			return members(r)
		}
	}
	return nil
}

// members returns the members of a group.
func members(g *Record) []uint64 { return g.Values[len(g.Spec.Head) : len(g.Values)-len(g.Spec.Tail)] }

// locationOf returns the location that a member of a group of communicators is, nowhere if it is not defined.
func locationOf(g *Record, member uint64, ranked []uint64) uint64 {
	switch {
	case g.Get("groupFlags")&globalMembers != 0:
		return member
	case member >= uint64(len(ranked)):
		return nowhere
	}
	return ranked[member]
}

// ranks returns the ranks of processes in a group, nil if each process is alone in it.
func (s *source) ranks(g *Record, locations []uint64) map[uint64]uint32 {
	if g.Get("groupType") == commSelf {
		return nil
	}
	ranks := map[uint64]uint32{}
	for rank, member := range members(g) {
		if l := s.a.Find(Locations, locationOf(g, member, locations)); l != nil {
			ranks[l.Get("locationGroup")] = uint32(rank)
		}
	}
	return ranks
}

// between returns who is in a communicator between two groups.
func (s *source) between(comm *Record, locations []uint64) (b between) {
	b.ranks = map[uint64]uint32{}
	for i, group := range []string{"groupA", "groupB"} {
		g := s.a.Find(Groups, comm.Get(group))
		if g == nil || g.Get("paradigm") != mpi {
			continue
		}
		for process, rank := range s.ranks(g, locations) {
			b.ranks[process] = uint32(i)*b.first + rank
		}
		if i == 0 {
			b.first = uint32(len(members(g)))
		}
	}
	return b
}

// meets returns what a member does in a collective operation of two groups.
func (b *between) meets(what wire.Meeting, rank uint32, root uint64) wire.Meeting {
	const self = 1<<32 - 2 // the root is who says that; the others of its group have no part in the operation, and those of the other group say its rank
	second := rank >= b.first
	switch what {
	case wire.AllArrive:
		what = wire.BetweenArrive
	case wire.AllExchange:
		what = wire.BetweenExchange
	default:
		second = root == self
	}
	if second {
		what |= wire.Root
	}
	return what.Numbered(rank)
}

// queueOf returns the queue of a message of a location, and whether it has one.
func (s *source) queueOf(l *Location, e *Event) (q queue, ok bool) {
	peer, comm, tag := uint32(e.Values[0]), e.Values[1], uint32(e.Values[2])
	ranks, known := s.passing.ranks[comm]
	if b, is := s.passing.between[comm]; is {
		ranks, known = b.ranks, true
		if ranks[l.Group] < b.first {
			peer += b.first
		}
	}
	if !known {
		return q, false
	}
	rank := uint32(0)
	q = queue{comm: comm, tag: tag}
	if ranks == nil {
		q.process = l.Group
	} else if rank, ok = ranks[l.Group]; !ok {
		return q, false
	}
	if e.Spec.ID == idMpiSend || e.Spec.ID == idMpiIsend {
		q.from, q.to = rank, peer
	} else {
		q.from, q.to = peer, rank
	}
	return q, true
}

// number gives numbers to the queues that locations have named, and objects to teams.
func (s *source) number(all []survey) {
	for i := range all {
		for _, q := range all[i].queued {
			if _, known := s.passing.queues[q]; !known {
				s.passing.queues[q] = uint32(len(s.passing.queues))
			}
		}
	}
	s.numberLocks(all)
	s.numberWindows(all)
	teams := make([]team, 0, len(s.forks.of))
	for t := range s.forks.of {
		teams = append(teams, t)
	}
	slices.SortFunc(teams, func(x, y team) int { return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.comm, y.comm)) })
	for _, t := range teams {
		s.Definitions.Objects = append(s.Definitions.Objects, trace.Object{Kind: wire.Group, Region: trace.NoRegion, Process: t.process})
		s.passing.teams[t] = uint32(len(s.Definitions.Objects))
	}
	s.numberIdle()
}

// queued notes the queue of a message.
func (v *survey) message(s *source, l *Location, e *Event) {
	if q, ok := s.queueOf(l, e); ok {
		v.queue(q)
	}
	v.contact(s, l, e)
}

// queue notes a queue.
func (v *survey) queue(q queue) {
	if v.queues == nil {
		v.queues = map[queue]int{}
	}
	if v.queues[q] == 0 {
		v.queued = append(v.queued, q)
		v.queues[q] = len(v.queued)
	}
}

// passes appends what an event of MPI is in package trace. w stands where the event is.
func (s *source) passes(l *Location, e *Event, w *walk, to []trace.Event) []trace.Event {
	tell := func(kind wire.Kind, id uint32, word uint64) {
		w.last = max(w.last, s.since(e.Time))
		to = append(to, trace.Event{Time: w.last, Kind: kind, ID: id, Word: word})
	}
	message := func(kind wire.Kind) {
		if q, ok := s.queueOf(l, e); ok {
			id := s.passing.queues[q] << 1
			if e.Values[3] == 0 {
				id |= 1
			}
			tell(kind, id, e.Values[3])
		}
	}
	handed := func(q queue, kind wire.Kind) { tell(kind, s.passing.queues[q]<<1|1, wire.NoMessage) }
	switch e.Spec.ID {
	case idEnter:
		s.device.names(s, w, e, tell)
	case idMpiSend:
		message(wire.Dispatched)
	case idMpiIsend:
		message(wire.Dispatched)
		tell(wire.Pending, uint32(e.Values[4]), 0)
	case idMpiIrecvRequest, idNonBlockingRequest:
		tell(wire.Requested, uint32(e.Values[0]), 0)
	case idMpiIsendComplete, idMpiRequestCancelled:
		tell(wire.Finished, uint32(e.Values[0]), 0)
	case idMpiRecv:
		message(wire.Arrived)
	case idMpiIrecv:
		tell(wire.Finished, uint32(e.Values[4]), 0)
		message(wire.Arrived)
	case idMpiCollectiveEnd:
		s.collective(l, e, wire.Met, tell)
	case idNonBlockingComplete:
		tell(wire.Finished, uint32(e.Values[5]), 0)
		s.collective(l, e, wire.MetLater, tell)
	case idRmaGroupSync:
		s.epoch(l, e, w, handed)
	case idRmaPut, idRmaGet, idRmaAtomic:
		s.accesses(e, tell)
		s.holds(w, e)
		s.access(l, e, w, handed)
	case idRmaRequestLock, idRmaReleaseLock:
		s.holds(w, e)
	case idRmaCollectiveEnd:
		s.window(l, e, w, tell)
	case idThreadAcquireLock, idThreadReleaseLock, idOmpAcquireLock, idOmpReleaseLock:
		s.locked(e, w, tell)
	}
	return to
}

// collective tells what a location did in a collective operation, at once or since it has begun it.
func (s *source) collective(l *Location, e *Event, as wire.Kind, tell func(kind wire.Kind, id uint32, word uint64)) {
	what, object, ok := s.met(l, e)
	if !ok {
		return
	}
	for i, bytes := range e.Values[3:5] {
		if bytes > 0 {
			tell(wire.Transferred, uint32(i), bytes)
		}
	}
	tell(as, uint32(what), uint64(object))
}

// met returns what a location did in a collective operation of an object. Where it is alone in the communicator, nobody waits.
func (s *source) met(l *Location, e *Event) (what wire.Meeting, object uint32, ok bool) {
	if e.Values[0] >= uint64(len(meetings)) {
		return 0, 0, false
	}
	what = meetings[e.Values[0]]
	if b, is := s.passing.between[e.Values[1]]; is {
		rank, known := b.ranks[l.Group]
		if !known {
			return 0, 0, false
		}
		what = b.meets(what, rank, e.Values[2])
	} else if ranks, known := s.passing.ranks[e.Values[1]]; !known {
		return 0, 0, false
	} else if ranks == nil {
		what = wire.NoMeeting
	} else if what = what.Numbered(ranks[l.Group]); e.Values[2] == uint64(ranks[l.Group]) {
		what |= wire.Root
	}
	for i, flag := range []wire.Meeting{wire.Sends, wire.Receives} {
		if e.Values[3+i] > 0 {
			what |= flag
		}
	}
	return what, s.passing.comms[e.Values[1]], true
}

// accesses tells what a location puts into a window of MPI, and gets from it.
func (s *source) accesses(e *Event, tell func(kind wire.Kind, id uint32, word uint64)) {
	const puts, gets = 2, 3
	if window := s.a.Find(RmaWins, e.Values[0]); window == nil || s.passing.comms[window.Get("comm")] == 0 {
		return
	}
	switch e.Spec.ID {
	case idRmaPut:
		tell(wire.Transferred, puts, e.Values[2])
	case idRmaGet:
		tell(wire.Transferred, gets, e.Values[2])
	case idRmaAtomic:
		tell(wire.Transferred, puts, e.Values[3])
		tell(wire.Transferred, gets, e.Values[4])
	}
}

// window tells that a location was in a collective operation of a window.
func (s *source) window(l *Location, e *Event, w *walk, tell func(kind wire.Kind, id uint32, word uint64)) {
	window, n := s.a.Find(RmaWins, e.Values[2]), len(w.stack)
	if window == nil || n == 0 || w.stack[n-1].work || int(w.stack[n-1].region) >= len(s.passing.classes) {
		return
	}
	comm, what := window.Get("comm"), s.passing.classes[w.stack[n-1].region].meets
	if ranks := s.passing.ranks[comm]; ranks != nil && what != wire.NoMeeting {
		tell(wire.Met, uint32(what.Numbered(ranks[l.Group])), uint64(s.passing.fences[e.Values[2]]))
	}
}

// ends appends what it means that a region ends.
func (s *source) ends(region uint32, t int64, w *walk, to []trace.Event) []trace.Event {
	if int(region) >= len(s.passing.classes) {
		return to
	}
	tell := func(kind wire.Kind, id uint32, object uint32) {
		w.last = max(w.last, t)
		to = append(to, trace.Event{Time: w.last, Kind: kind, ID: id, Word: uint64(object)})
	}
	if s.barrier(w.around()) {
		if object := s.team(w); object != 0 {
			tell(wire.Within, 0, object)
		}
	}
	switch c := &s.passing.classes[region]; {
	case w.accesses:
		tell(wire.Called, wire.Accesses|wire.Transfers, allMessages)
		w.accesses = false
	case c.calls:
		tell(wire.Called, c.how, allMessages)
	case c.ends == wire.AllBegin, c.ends == wire.AllEnd:
		tell(wire.Met, uint32(c.ends), allProcesses)
	case c.ends != wire.NoMeeting:
		if object := s.team(w); object != 0 {
			tell(wire.Met, uint32(c.ends), object)
		}
	}
	return to
}

// barrier says whether a region is a barrier of a team.
func (s *source) barrier(region uint32) bool {
	return int(region) < len(s.passing.classes) && (s.passing.classes[region].ends == wire.ExplicitBarrier || s.passing.classes[region].ends == wire.ImplicitBarrier)
}

// team returns the object of the team in which a location works, 0 if that is not known.
func (s *source) team(w *walk) uint32 {
	for i := w.mark(len(w.stack)); i >= 0; i = w.mark(i) {
		if x := &w.stack[i]; x.work && x.known {
			return s.passing.teams[x.team]
		} else if x.work {
			break
		}
	}
	return 0
}
