package otf2

import (
	"slices"
	"strings"
)

// collectives are the collective operations by their numbers: their names, and who gives something to whom.
var collectives = []struct{ name, how string }{
	{"MPI_Barrier", "barrier"}, {"MPI_Bcast", "from"}, {"MPI_Gather", "to"}, {"MPI_Gatherv", "to"}, {"MPI_Scatter", "from"}, {"MPI_Scatterv", "from"}, {"MPI_Allgather", "all"}, {"MPI_Allgatherv", "all"}, {"MPI_Alltoall", "all"},
	{"MPI_Alltoallv", "unknown"}, {"MPI_Alltoallw", "unknown"}, {"MPI_Allreduce", "all"}, {"MPI_Reduce", "to"}, {"MPI_Reduce_scatter", "all"}, {"MPI_Scan", "lower"}, {"MPI_Exscan", "lower"}, {"MPI_Reduce_scatter_block", "all"},
}

// gathering is a collective operation.
type gathering struct {
	op, comm, root int
	list           []int // processes, by rank; what follows, too
	sent, received []uint64
	begins         []int64
	latest, given  int64 // when the last one begins it, and the last one that gives something
}

// gathers returns a collective operation of a communicator.
func (p *parallel) gathers(comm int) *gathering {
	op := p.r.IntN(len(collectives))
	if p.r.IntN(4) == 0 {
		op = 0
	}
	for p.first[comm] > 0 && collectives[op].how != "barrier" && collectives[op].how != "all" {
		op = p.r.IntN(len(collectives))
	}
	n, how := len(p.comms[comm]), collectives[op].how
	g := &gathering{op: op, comm: comm, root: p.r.IntN(n), list: p.comms[comm], sent: make([]uint64, n), received: make([]uint64, n), begins: make([]int64, n)}
	empty := how == "barrier" || p.r.IntN(6) == 0
	size := func(does bool) uint64 {
		if !does || empty || p.r.IntN(4) == 0 {
			return 0
		}
		return 1 + p.r.Uint64N(100)
	}
	for i := range g.list {
		g.sent[i], g.received[i] = size(how != "from"), size(how != "to" || i == g.root)
		if how == "from" && i == g.root && !empty {
			g.sent[i] = 1
		}
	}
	return g
}

// begun notes that a member begins it at some time.
func (g *gathering) begun(i int, t int64) {
	g.begins[i], g.latest = t, max(g.latest, t)
	if g.sent[i] > 0 {
		g.given = max(g.given, t)
	}
}

// values returns those of the event by which a member ends it.
func (g *gathering) values(i int) []uint64 {
	rank := uint64(none)
	if how := collectives[g.op].how; how == "from" || how == "to" {
		rank = uint64(g.root)
	}
	return []uint64{uint64(g.op), uint64(10 + g.comm), rank, g.sent[i], g.received[i]}
}

// ends lets a member come to its end, when it has what it needs.
func (p *parallel) ends(x *parallelThread, g *gathering, i int, together bool) {
	if how := collectives[g.op].how; together || how == "barrier" {
		x.now = max(x.now, g.latest)
	} else if g.received[i] > 0 && how != "lower" {
		x.now = max(x.now, g.given)
	}
}

// meet lets the processes of a communicator meet in a collective operation. They need not be in it at one time, unless somebody needs what others give.
func (p *parallel) meet(comm int) {
	g, together := p.gathers(comm), p.r.IntN(2) == 0
	for i, process := range g.list {
		x := p.processes[process].threads[0]
		p.enter(x, collectives[g.op].name)
		g.begun(i, x.now+p.while(2))
	}
	for i, process := range g.list {
		x := p.processes[process].threads[0]
		x.now = g.begins[i]
		p.event(x, idMpiCollectiveBegin)
		p.ends(x, g, i, together)
		p.passes(x, 20)
		p.event(x, idMpiCollectiveEnd, g.values(i)...)
		p.leave(x)
	}
}

// meetLater lets them begin one, and finish it later; some do nothing else before.
func (p *parallel) meetLater(comm int) {
	g := p.gathers(comm)
	name := collectives[g.op].name
	for i, process := range g.list {
		x := p.processes[process].threads[0]
		p.call(x, "MPI_I"+strings.ToLower(name[4:5])+name[5:], func() {
			g.begun(i, x.now)
			p.event(x, idNonBlockingRequest, x.asks)
		})
		x.requests = append(x.requests, &request{id: x.asks, later: g, member: i})
		x.asks++
	}
	for _, process := range g.list {
		if x := p.processes[process].threads[0]; p.r.IntN(3) > 0 {
			p.finish(x, p.one("MPI_Waitall", "MPI_Waitsome"), true, 1)
		}
	}
}

// naiveMember is what a process did in a collective operation.
type naiveMember struct {
	at             *visit
	begin, end     int64
	op, comm, root uint64
	sent, received uint64
	rank           int
	two, second    bool   // there are two groups, and it is in the second one
	ended          *visit // in which it was finished, if that is another one
}

// collective finds what has to do with collective operations.
func (x *naive) collective() {
	for _, members := range x.operations(idMpiCollectiveEnd) {
		x.meets(members)
	}
}

// operations returns the collective operations that end by a kind of event, and counts them: the n-th that each process begins in a communicator are one.
func (x *naive) operations(id uint8) (all [][]*naiveMember) {
	lists := map[uint64]map[*naiveThread][]*naiveMember{}
	for _, thread := range x.threads {
		asked := map[uint64]*visit{}
		for _, v := range thread.visits {
			for _, e := range v.events {
				if e.Spec.ID == idNonBlockingRequest {
					asked[e.Values[0]] = v
				}
				if e.Spec.ID != id {
					continue
				}
				m := &naiveMember{at: v, ended: v, end: int64(e.Time), op: e.Values[0], comm: e.Values[1], root: e.Values[2], sent: e.Values[3], received: e.Values[4]}
				if id == idNonBlockingComplete {
					m.at = asked[e.Values[5]]
				}
				m.begin = m.at.begin
				groups := x.members(m.comm)
				m.rank = slices.Index(groups[0], thread.location.Group)
				m.two, m.second = len(groups) > 1, m.rank < 0
				if lists[m.comm] == nil {
					lists[m.comm] = map[*naiveThread][]*naiveMember{}
				}
				lists[m.comm][thread] = append(lists[m.comm][thread], m)
				x.add("bytes_cout", v, int64(m.sent))
				x.add("bytes_cin", v, int64(m.received))
				x.add([]string{"syncs_coll", "comms_csrc", "comms_cdst", "comms_cxch"}[min(m.sent, 1)+2*min(m.received, 1)], v, 1)
			}
		}
	}
	for _, byThread := range lists {
		for n := 0; ; n++ {
			var members []*naiveMember
			for _, list := range byThread {
				slices.SortFunc(list, func(m, o *naiveMember) int { return m.at.order - o.at.order })
				if n < len(list) {
					members = append(members, list[n])
				}
			}
			if len(members) == 0 {
				break
			}
			all = append(all, members)
		}
	}
	return all
}

// naiveAwaited is until when a call has to wait for a collective operation that was begun before.
type naiveAwaited struct {
	metric string
	until  int64
	end    int64 // when it was finished
}

// later returns for which of the collective operations that do not block calls wait that finish them: of those of one call, for the one that takes longest.
func (x *naive) later() map[*visit]naiveAwaited {
	awaited := map[*visit]naiveAwaited{}
	for _, members := range x.operations(idNonBlockingComplete) {
		for _, m := range members {
			last := func(meant func(o *naiveMember) bool) int64 {
				t := int64(-1)
				for _, o := range members {
					if o != m && meant(o) {
						t = max(t, o.begin)
					}
				}
				return t
			}
			all := func(*naiveMember) bool { return true }
			sends := func(o *naiveMember) bool { return o.sent > 0 }
			root := func(o *naiveMember) bool { return uint64(o.rank) == m.root }
			other := func(o *naiveMember) bool { return o.second != m.second }
			a := naiveAwaited{end: m.end, until: -1}
			switch how := collectives[m.op].how; {
			case m.two && how == "barrier":
				a.metric, a.until = "mpi_ibarrier_wait", last(other)
			case m.two && m.received > 0:
				a.metric, a.until = "mpi_wait_inxn", last(func(o *naiveMember) bool { return other(o) && sends(o) })
			case m.two:
			case how == "barrier":
				a.metric, a.until = "mpi_ibarrier_wait", last(all)
			case how == "all" && !slices.ContainsFunc(members, func(o *naiveMember) bool { return o.end <= max(m.begin, last(all)) }):
				a.metric, a.until = "mpi_wait_inxn", last(all)
			case how == "all" && m.received > 0:
				a.metric, a.until = "mpi_wait_inxn", last(sends)
			case how == "from" && m.received > 0 && slices.ContainsFunc(members, func(o *naiveMember) bool { return root(o) && sends(o) }):
				a.metric, a.until = "mpi_late_ibcast", last(root)
			case how == "to" && root(m) && m.received > 0:
				a.metric, a.until = "mpi_early_ireduce", last(sends)
			case how == "lower":
				a.metric, a.until = "mpi_early_iscan", last(func(o *naiveMember) bool { return o.rank < m.rank && sends(o) })
			}
			if old, is := awaited[m.ended]; !is || a.until > old.until || a.until == old.until && a.end < old.end {
				awaited[m.ended] = a
			}
		}
	}
	return awaited
}

// meets finds who waited for whom in a collective operation.
func (x *naive) meets(members []*naiveMember) {
	last := func(meant func(m *naiveMember) bool) int64 {
		t := int64(-1)
		for _, m := range members {
			if meant(m) {
				t = max(t, m.begin)
			}
		}
		return t
	}
	sends := func(m *naiveMember) bool { return m.sent > 0 }
	for _, m := range members {
		root := func(o *naiveMember) bool { return uint64(o.rank) == m.root }
		other := func(o *naiveMember) bool { return o.second != m.second }
		switch how := collectives[m.op].how; {
		case m.two && how == "barrier":
			x.waits("mpi_barrier_wait", m.at, m.begin, min(last(other), m.end))
		case m.two && m.received > 0:
			x.waits("mpi_wait_nxn", m.at, m.begin, min(last(func(o *naiveMember) bool { return other(o) && sends(o) }), m.end))
		case m.two:
		case how == "barrier":
			x.assembled(members, m, "mpi_barrier_wait", "mpi_barrier_completion")
		case how == "all" && !slices.ContainsFunc(members, func(o *naiveMember) bool { return o.end <= last(func(*naiveMember) bool { return true }) }):
			x.assembled(members, m, "mpi_wait_nxn", "mpi_nxn_completion")
		case how == "all" && m.received > 0:
			x.waits("mpi_wait_nxn", m.at, m.begin, min(last(sends), m.end))
		case how == "from" && !root(m) && m.received > 0 && slices.ContainsFunc(members, func(o *naiveMember) bool { return root(o) && sends(o) }):
			x.waits("mpi_latebroadcast", m.at, m.begin, min(last(root), m.end))
		case how == "to" && root(m) && m.received > 0:
			x.waits("mpi_earlyreduce", m.at, m.begin, min(last(sends), m.end))
		case how == "lower":
			x.waits("mpi_earlyscan", m.at, m.begin, min(last(func(o *naiveMember) bool { return o.rank < m.rank && sends(o) }), m.end))
		}
	}
}

// assembled finds how long a member waited for all others, and how long it was in the operation when the first one had left.
func (x *naive) assembled(members []*naiveMember, m *naiveMember, waits, completes string) {
	latest, earliest := m.begin, m.end
	for _, o := range members {
		latest, earliest = max(latest, o.begin), min(earliest, o.end)
	}
	if len(members) == 1 {
		return
	}
	if waits != "" {
		x.waits(waits, m.at, m.begin, min(latest, m.end))
	}
	if completes != "" {
		x.waits(completes, m.at, max(earliest, min(latest, m.end)), m.end)
	}
}

// program finds how processes waited for each other when it began and ended.
func (x *naive) program() {
	var begins, ends []*naiveMember
	for _, v := range x.visits {
		if m := (&naiveMember{at: v, begin: v.begin, end: v.end}); strings.HasPrefix(v.name, "MPI_Init") {
			begins = append(begins, m)
		} else if v.name == "MPI_Finalize" {
			ends = append(ends, m)
		}
	}
	for i := range begins {
		x.assembled(begins, begins[i], "", "mpi_init_completion")
		x.assembled(ends, ends[i], "mpi_finalize_wait", "")
	}
}
