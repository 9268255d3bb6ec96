package otf2

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
)

// naiveCell is where a value of a metric belongs.
type naiveCell struct {
	metric, path string
	thread       int
}

// naive is what is found in the events of an archive by the definitions of the metrics, by looking at all of them again and again.
type naive struct {
	t       *testing.T
	a       *Archive
	threads []*naiveThread
	forks   map[naiveTeam]*naiveFork
	visits  []*visit // in the order of threads, and of their ends
	cells   map[naiveCell]int64
}

type naiveThread struct {
	number   int
	location *Location
	events   []Event
	visits   []*visit
	ended    int64          // when its last team had ended
	begun    map[uint64]int // how often it has worked in teams
	works    []*naiveWork   // in which teams
}

// visit is one time that a thread was in a region, and what it did there itself.
type visit struct {
	thread     *naiveThread
	name       string
	path       string
	class      string
	begin, end int64
	inner      int64 // in regions that it called
	events     []Event
	order      int        // of all visits
	team       naiveTeam  // in which it was
	work       *naiveWork // in a team that executes it
	works      int64      // since when
	rests      int64      // until when
}

// naiveClasses are the metrics of time in the regions of the programs, by the begin of their names; the first that fits counts.
var naiveClasses = [][2]string{
	{"MPI_Init", "mpi_init_exit"}, {"MPI_Finalize", "mpi_init_exit"}, {"MPI_Barrier", "mpi_sync_collective"}, {"MPI_Comm", "mpi_mgmt_comm"}, {"MPI_File", "mpi_mgmt_file"}, {"MPI_Wtime", "mpi"}, {"MPI_Type", "mpi"},
	{"MPI_Bcast", "mpi_collective"}, {"MPI_Gather", "mpi_collective"}, {"MPI_Scatter", "mpi_collective"}, {"MPI_Scan", "mpi_collective"}, {"MPI_Exscan", "mpi_collective"}, {"MPI_All", "mpi_collective"}, {"MPI_Reduce", "mpi_collective"},
	{"MPI_Ibarrier", "mpi_sync_collective"}, {"MPI_Ibcast", "mpi_collective"}, {"MPI_Igather", "mpi_collective"}, {"MPI_Iscatter", "mpi_collective"}, {"MPI_Iscan", "mpi_collective"}, {"MPI_Iexscan", "mpi_collective"},
	{"MPI_Iall", "mpi_collective"}, {"MPI_Ireduce", "mpi_collective"}, {"MPI_", "mpi_point2point"}, {"!$omp barrier", "omp_ebarrier"}, {"!$omp implicit barrier", "omp_ibarrier"}, {"!$omp critical sblock", "execution"}, {"!$omp critical", "omp_critical"}, {"omp_", "omp_lock_api"}, {"", "execution"},
}

// lookAt finds all values of an archive.
func lookAt(t *testing.T, a *Archive) *naive {
	x := &naive{t: t, a: a, forks: map[naiveTeam]*naiveFork{}, cells: map[naiveCell]int64{}}
	for _, l := range a.Locations {
		if l.Events == 0 {
			continue
		}
		x.threads = append(x.threads, &naiveThread{number: len(x.threads), location: l})
	}
	readAll(t, a, func(l *Location, e *Event) {
		for _, thread := range x.threads {
			if thread.location == l {
				own := *e
				own.Values = slices.Clone(e.Values)
				thread.events = append(thread.events, own)
			}
		}
	})
	for _, thread := range x.threads {
		x.cells[naiveCell{"visits", "(outside regions)", thread.number}] = 1
	}
	x.findForks()
	for range 4 { // until all call paths in which teams were forked are known
		for at := range x.cells {
			if strings.HasPrefix(at.path, "(idle)") {
				delete(x.cells, at)
			}
		}
		x.follow()
	}
	for _, v := range x.visits {
		x.add(v.class, v, v.end-v.begin-v.inner)
		x.add("visits", v, 1)
		x.management(v)
		if v.name == "MPI_File_open" {
			x.add("mpi_file_cops", v, 1)
		}
	}
	x.messages()
	x.collective()
	x.program()
	x.barriers()
	x.locks()
	return x
}

// add adds to a metric.
func (x *naive) add(metric string, v *visit, n int64) {
	x.cells[naiveCell{metric, v.path, v.thread.number}] += n
}

// waits takes a wait, or the like, out of the time of a visit: what there is of it between two times.
func (x *naive) waits(metric string, v *visit, from, to int64) {
	if from < to {
		x.add(metric, v, to-from)
		x.add(v.class, v, from-to)
	}
}

// follow finds the visits of all threads.
func (x *naive) follow() {
	x.visits = nil
	for _, thread := range x.threads {
		var open []*visit
		thread.begun, thread.ended, thread.works, thread.visits = map[uint64]int{}, -1, nil, nil
		for i, e := range thread.events {
			switch e.Spec.ID {
			case idEnter:
				v := &visit{thread: thread, name: x.a.NameOf(Regions, e.Values[0]), begin: int64(e.Time)}
				v.path = v.name
				if n := len(open); n > 0 {
					v.path, v.team = open[n-1].path+" > "+v.name, open[n-1].team
				}
				thread.executes(v)
				for _, c := range naiveClasses {
					if v.class == "" && strings.HasPrefix(v.name, c[0]) {
						v.class = c[1]
					}
				}
				open = append(open, v)
			case idLeave:
				n := len(open) - 1
				v := open[n]
				open, v.end = open[:n], int64(e.Time)
				if v.work != nil {
					v.rests, v.end = v.end, max(v.end, min(v.work.fork.to, thread.goesOn(i)))
				}
				if n > 0 {
					open[n-1].inner += v.end - v.begin
				}
				thread.visits = append(thread.visits, v)
			default:
				if !x.teams(thread, open, &e) {
					open[len(open)-1].events = append(open[len(open)-1].events, e)
				}
			}
		}
		if thread.events[0].Spec.ID == idThreadTeamBegin {
			x.idle(thread, x.bound(thread.location.Group, true))
		}
		x.visits = append(x.visits, thread.visits...)
	}
	for i, v := range x.visits {
		v.order = i
	}
}

// naiveMessage is the end of a message.
type naiveMessage struct {
	at    *visit
	event Event
	queue [4]uint64     // communicator, and the processes of who sends and receives, and the tag
	ends  *naiveMessage // the other one
	asked *visit        // received: in which it was asked for; sent: in which that was finished
}

// members returns the processes of a communicator, by rank, and if it is between two groups, those of the second one.
func (x *naive) members(comm uint64) (groups [][]uint64) {
	var ranks []uint64
	for _, r := range x.a.Records() {
		if r.Spec.Name == "Group" && r.Get("groupType") == 4 && r.Get("paradigm") == 4 {
			ranks = r.Each()
		}
	}
	processes := func(group uint64) (list []uint64) {
		for _, g := range x.a.Records() {
			if g.Spec.Name != "Group" || g.Values[0] != group {
				continue
			}
			for _, m := range g.Each() {
				for _, thread := range x.threads {
					if thread.location.ID == ranks[m] {
						list = append(list, thread.location.Group)
					}
				}
			}
		}
		return list
	}
	for _, c := range x.a.Records() {
		switch {
		case c.Spec.Name == "Comm" && c.Values[0] == comm:
			groups = append(groups, processes(c.Get("group")))
		case c.Spec.Name == "InterComm" && c.Values[0] == comm:
			groups = append(groups, processes(c.Get("groupA")), processes(c.Get("groupB")))
		}
	}
	return groups
}

// peer returns the process that a process calls by a rank: one of the other group, if there are two.
func (x *naive) peer(comm, process, rank uint64) uint64 {
	groups := x.members(comm)
	if len(groups) > 1 && slices.Contains(groups[0], process) {
		return groups[1][rank]
	}
	return groups[0][rank]
}

// find returns the messages that were sent and received, in the order of threads, and their partners: the first that was sent is the first that was asked for.
func (x *naive) find() (sent, received []*naiveMessage) {
	for _, thread := range x.threads {
		asked, pending := map[uint64]*visit{}, map[uint64]*naiveMessage{}
		for _, v := range thread.visits {
			for _, e := range v.events {
				switch e.Spec.ID {
				case idMpiSend, idMpiIsend:
					m := &naiveMessage{at: v, event: e, asked: v}
					m.queue = [4]uint64{e.Values[1], thread.location.Group, x.peer(e.Values[1], thread.location.Group, e.Values[0]), e.Values[2]}
					if sent = append(sent, m); e.Spec.ID == idMpiIsend {
						m.asked, pending[e.Values[4]] = nil, m
					}
				case idMpiRecv, idMpiIrecv:
					m := &naiveMessage{at: v, event: e, asked: v}
					m.queue = [4]uint64{e.Values[1], x.peer(e.Values[1], thread.location.Group, e.Values[0]), thread.location.Group, e.Values[2]}
					if received = append(received, m); e.Spec.ID == idMpiIrecv {
						m.asked = asked[e.Values[4]]
					}
				case idMpiIrecvRequest:
					asked[e.Values[0]] = v
				case idMpiIsendComplete:
					pending[e.Values[0]].asked = v
				}
			}
		}
	}
	byAsked := slices.Clone(received)
	slices.SortStableFunc(byAsked, func(m, o *naiveMessage) int { return m.asked.order - o.asked.order })
	for _, r := range byAsked {
		for _, s := range sent {
			if s.ends == nil && r.ends == nil && s.queue == r.queue {
				s.ends, r.ends = r, s
				require.Equal(x.t, s.event.Values[3], r.event.Values[3], "the size of a message")
			}
		}
	}
	return sent, received
}

// counted returns the metric in which a message counts.
func (m *naiveMessage) counted(with, without string) string {
	if m.event.Values[3] > 0 {
		return with
	}
	return without
}

// messages finds what has to do with messages.
func (x *naive) messages() {
	sent, received := x.find()
	for _, m := range sent {
		x.add(m.counted("comms_send", "syncs_send"), m.at, 1)
		x.add("bytes_sent", m.at, int64(m.event.Values[3]))
	}
	for _, m := range received {
		x.add(m.counted("comms_recv", "syncs_recv"), m.at, 1)
		x.add("bytes_rcvd", m.at, int64(m.event.Values[3]))
	}
	awaited := x.later()
	for _, v := range x.visits {
		behind := max(x.lateSender(v, received), x.lateReceiver(v, sent, received), v.begin)
		if a, waits := awaited[v]; waits && !strings.HasPrefix(v.name, "MPI_Test") {
			x.waits(a.metric, v, behind, min(a.until, v.end))
		}
	}
}

// lateSender finds whether a call waited for a message: for which of those that it received longest. It returns until when.
func (x *naive) lateSender(v *visit, received []*naiveMessage) int64 {
	var late *naiveMessage
	longest := int64(0)
	for _, m := range received {
		if m.at == v && m.ends != nil {
			if d := min(m.ends.at.begin, v.end) - v.begin; d > longest {
				late, longest = m, d
			}
		}
	}
	if late == nil || strings.HasPrefix(v.name, "MPI_Test") || late.ends.at.thread == v.thread {
		return 0
	}
	kind := "mpi_latesender"
	for _, m := range received {
		if m.at.thread == v.thread && m.at.order > v.order && m.ends != nil && m.ends.event.Time < late.ends.event.Time {
			if kind = "mpi_lswo_different"; m.ends.at.thread == late.ends.at.thread {
				kind = "mpi_lswo_same"
			}
			break
		}
	}
	x.waits(kind, v, v.begin, v.begin+longest)
	x.add(late.counted("comms_recv", "syncs_recv"), v, -1)
	if kind == "mpi_latesender" {
		x.add(late.counted("mpi_cls_count", "mpi_sls_count"), v, 1)
	} else {
		x.add(late.counted("mpi_clswo_count", "mpi_slswo_count"), v, 1)
	}
	return late.ends.at.begin
}

// lateReceiver finds whether a call waited until a message was asked for that it finished to send; if it finishes several, it must not have waited for one that it received. It returns until when.
func (x *naive) lateReceiver(v *visit, sent, received []*naiveMessage) int64 {
	switch v.name {
	case "MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Wait":
	case "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome":
		for _, m := range received {
			if m.at == v && m.ends != nil && m.ends.at.begin > v.begin {
				return 0
			}
		}
	default:
		return 0
	}
	var late *naiveMessage
	for _, m := range sent {
		if m.asked == v && m.ends != nil && m.ends.asked.thread != v.thread && m.ends.asked.begin > v.begin && m.ends.asked.begin < v.end &&
			(late == nil || m.ends.asked.begin > late.ends.asked.begin) {
			late = m
		}
	}
	if late == nil {
		return 0
	}
	kind := "mpi_latereceiver"
	for _, m := range received {
		if m.at.thread == late.ends.asked.thread && m.at.order < late.ends.asked.order && m.ends != nil && m.ends.event.Time > late.event.Time {
			kind = "mpi_latereceiver_wo"
		}
	}
	x.waits(kind, v, v.begin, late.ends.asked.begin)
	x.add(late.counted("mpi_clr_count", "mpi_slr_count"), v, 1)
	return late.ends.asked.begin
}

// notNaive begin the names of metrics that are computed of these.
var notNaive = []string{"delay", "critical_path", "critical_imbalance", "non_critical", "performance_impact", "imbalance", "overload", "underload", "intra_", "inter_", "mpi_wait_direct", "mpi_wait_indirect", "mpi_wait_propagating",
	"mpi_wait_terminal", "mpi_direct", "mpi_indirect", "mpi_propagating", "mpi_terminal", "omp_direct", "omp_indirect", "omp_propagating", "omp_terminal"}

// cellsOf returns the values of an analysis, but for metrics that are computed of others.
func cellsOf(e *report.Experiment) map[naiveCell]int64 {
	cells := map[naiveCell]int64{}
	for i, m := range e.Metrics {
		if slices.ContainsFunc(notNaive, func(prefix string) bool { return strings.HasPrefix(m.Name, prefix) }) {
			continue
		}
		for _, c := range e.Cells(i) {
			path := ""
			for at := int32(c.Path); at >= 0; at = e.Paths[at].Parent {
				path = " > " + e.Regions[e.Paths[at].Region].Name + path
			}
			cells[naiveCell{m.Name, path[3:], int(e.Locations[c.Location].Trace)}] += c.Value
		}
	}
	return cells
}

// unlike returns the cells in which two results differ.
func unlikeCells(want, got map[naiveCell]int64) (list []string) {
	for at, n := range want {
		if got[at] != n {
			list = append(list, fmt.Sprintf("%s of %s on %d: %d, not %d", at.metric, at.path, at.thread, got[at], n))
		}
	}
	for at, n := range got {
		if _, is := want[at]; !is && n != 0 {
			list = append(list, fmt.Sprintf("%s of %s on %d: %d, not 0", at.metric, at.path, at.thread, n))
		}
	}
	slices.Sort(list)
	return list
}

// TestParallelAgrees compares all values that are found in the archives of random programs that pass messages, meet and work in teams with those that follow from the definitions of the metrics, whatever the number of
// workers, the size of chunks and the memory.
func TestParallelAgrees(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 50
	}
	type run struct {
		workers int
		chunk   uint64
		memory  int64
	}
	found := map[string]int{}
	for seed := range uint64(n) {
		p := newParallel(seed)
		runs := []run{{1, 0, 0}, {4, 256, 0}}
		if seed%4 == 0 {
			runs = append(runs, run{2, 256, 1})
		}
		var want map[naiveCell]int64
		for _, run := range runs {
			a := p.write(t, run.chunk)
			if want == nil {
				want = lookAt(t, a).cells
			}
			x := a.Trace()
			require.Empty(t, x.Header().Notes, "such as that clocks were corrected")
			e, err := analyzer.Analyze(x, analyzer.Options{Patterns: patterns.All(), Workers: run.workers, Memory: run.memory})
			require.NoError(t, err)
			require.Empty(t, unlikeCells(want, cellsOf(e)), "seed %d, %+v", seed, run)
		}
		for at, k := range want {
			if k != 0 {
				found[at.metric]++
			}
		}
	}
	values := 0
	for _, m := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%6d values of %s", found[m], m)
		require.Greater(t, found[m], n/100, m)
		values += found[m]
	}
	require.Len(t, found, 59)
	t.Logf("%d values of %d programs", values, n)
}
