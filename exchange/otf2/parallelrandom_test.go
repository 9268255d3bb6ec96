package otf2

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parallel is a random program of processes with threads, which pass messages and meet. It is made step by step: what a step does could have happened after all that those before it did, on clocks that are exact. Threads
// have times of their own in between, so that they wait for each other, or do not.
type parallel struct {
	r         *rand.Rand
	processes []*parallelProcess
	comms     [][]int                  // the processes of communicators, by rank; the first one has all
	first     map[int]int              // of communicators between two groups: how many are in the first one
	flying    map[flight][]int64       // when messages were sent that have not arrived, the first ones first
	sizes     map[flight][]uint64      // how large they are
	asked     map[flight][]*request    // who asked for messages that have not arrived, likewise
	flights   []flight                 // all of them, in the order of their first use
	teams     map[string]uint64        // communicators of teams, by their members
	members   [][]uint64               // of these, the numbers of locations
	tick      int64                    // of the clock: if it is long, much is at one time
	threaded  bool                     // all threads pass messages, not only the first ones
	regions   map[string]uint64        // by name
	names     []string                 // of regions
	locks     map[[2]int]*parallelLock // by process and number
}

type parallelProcess struct {
	number  int
	threads []*parallelThread // the first one is the master
	teams   []*parallelTeam   // that work, those within others behind them
}

// parallelThread is a thread, and what it has recorded.
type parallelThread struct {
	process  *parallelProcess
	number   int
	now      int64
	events   []Event
	open     []uint64 // regions
	team     *parallelTeam
	requests []*request
	asks     uint64 // how often it has made a request
}

// flight is where messages do not overtake each other.
type flight struct {
	comm     int
	from, to *parallelThread
	tag      uint64
}

// request is a message that is not finished, or that was asked for.
type request struct {
	id    uint64
	sends bool
	of    flight

	later  *gathering // it is no message, but this
	member int
}

// location is the number of a thread's location.
func (x *parallelThread) location() uint64 { return uint64(x.process.number) | uint64(x.number)<<32 }

// newParallel makes such a program.
func newParallel(seed uint64) *parallel {
	r := rand.New(rand.NewPCG(seed, 17))
	n := 2 + r.IntN(4)
	p := &parallel{r: r, comms: [][]int{r.Perm(n)}, first: map[int]int{}, flying: map[flight][]int64{}, sizes: map[flight][]uint64{}, asked: map[flight][]*request{}, teams: map[string]uint64{},
		tick: []int64{1, 1, 10}[r.IntN(3)], threaded: r.IntN(3) == 0, regions: map[string]uint64{}, locks: map[[2]int]*parallelLock{}}
	teams := r.IntN(3) > 0
	for i := range n {
		q := &parallelProcess{number: i}
		for k := range 1 + r.IntN(4) {
			if k == 0 || teams {
				q.threads = append(q.threads, &parallelThread{process: q, number: k})
			}
		}
		p.processes = append(p.processes, q)
	}
	for range r.IntN(3) {
		list := r.Perm(n)
		p.comms = append(p.comms, list[:1+r.IntN(n)])
	}
	if r.IntN(3) == 0 {
		p.first[len(p.comms)] = 1 + r.IntN(n-1)
		p.comms = append(p.comms, r.Perm(n))
	}
	for _, q := range p.processes {
		p.enter(q.threads[0], "main")
	}
	p.together(p.one("MPI_Init", "MPI_Init_thread"))
	for range 20 + r.IntN(100) {
		p.step()
	}
	for _, q := range p.processes {
		for len(q.teams) > 0 {
			p.join(q.teams[len(q.teams)-1])
		}
		x := q.threads[0]
		for p.finishesAll(x); len(x.open) > 1; {
			p.leave(x)
		}
	}
	p.together("MPI_Finalize")
	for _, q := range p.processes {
		p.leave(q.threads[0])
	}
	return p
}

// step lets something happen.
func (p *parallel) step() {
	q := p.processes[p.r.IntN(len(p.processes))]
	x := p.some(q, true)
	switch k := p.r.IntN(24); {
	case k < 2:
		p.function(p.some(q, false))
	case k < 6:
		p.sends(x)
	case k < 9:
		p.receives(x)
	case k < 11:
		p.asks(x)
	case k < 14:
		p.finishes(x)
	case k < 15:
		p.exchanges(x)
	case k < 16:
		p.meet(p.r.IntN(len(p.comms)))
	case k < 18:
		p.meetLater(p.r.IntN(len(p.comms)))
	case k < 19:
		p.call(x, p.one("MPI_Wtime", "MPI_Comm_rank", "MPI_Iprobe", "MPI_File_open", "MPI_Type_commit"), func() {})
	case k < 20:
		p.evens()
	default:
		p.inTeams(q)
	}
}

// evens lets all threads be at one time.
func (p *parallel) evens() {
	latest := int64(0)
	for _, q := range p.processes {
		latest = max(latest, p.latest(q.threads))
	}
	for _, q := range p.processes {
		for _, x := range q.threads {
			if len(x.open) > 0 {
				x.now = latest
			}
		}
	}
}

func (p *parallel) latest(threads []*parallelThread) (t int64) {
	for _, x := range threads {
		t = max(t, x.now)
	}
	return t
}

func (p *parallel) one(of ...string) string { return of[p.r.IntN(len(of))] }

// some returns a thread that works, and if asked for that, one that passes messages.
func (p *parallel) some(q *parallelProcess, passes bool) *parallelThread {
	if passes && !p.threaded {
		return q.threads[0]
	}
	for {
		if x := q.threads[p.r.IntN(len(q.threads))]; len(x.open) > 0 {
			return x
		}
	}
}

// while returns some time, in ticks of the clock.
func (p *parallel) while(most int64) int64 { return p.r.Int64N(most/p.tick+1) * p.tick }

// passes lets time pass for a thread.
func (p *parallel) passes(x *parallelThread, most int64) { x.now += p.while(most) }

func (p *parallel) event(x *parallelThread, id uint8, values ...uint64) {
	x.events = append(x.events, Event{Record: Record{SpecOf(Events, id), values, nil}, Time: uint64(x.now)})
}

func (p *parallel) enter(x *parallelThread, region string) {
	number, known := p.regions[region]
	if !known {
		number = uint64(len(p.names))
		p.regions[region] = number
		p.names = append(p.names, region)
	}
	p.passes(x, 15)
	p.event(x, idEnter, number)
	x.open = append(x.open, number)
}

func (p *parallel) leave(x *parallelThread) {
	p.passes(x, 15)
	n := len(x.open) - 1
	p.event(x, idLeave, x.open[n])
	x.open = x.open[:n]
}

// call lets a thread make a call, in which it does something.
func (p *parallel) call(x *parallelThread, name string, does func()) {
	p.enter(x, name)
	p.passes(x, 15)
	does()
	if p.r.IntN(4) == 0 {
		p.passes(x, 60)
	}
	p.leave(x)
}

// function lets a thread call a function, or return from one.
func (p *parallel) function(x *parallelThread) {
	if n := len(x.open); p.r.IntN(2) == 0 && n > 1 && (x.team == nil || n > x.team.depth[x]) {
		p.leave(x)
		return
	}
	p.enter(x, p.one("f", "g", "h"))
	if p.r.IntN(2) == 0 {
		p.passes(x, 100)
		p.leave(x)
	}
}

// together lets all processes begin or end.
func (p *parallel) together(name string) {
	latest := int64(0)
	for _, q := range p.processes {
		p.enter(q.threads[0], name)
		latest = max(latest, q.threads[0].now)
	}
	for _, q := range p.processes {
		q.threads[0].now = latest
		p.passes(q.threads[0], 20)
		p.leave(q.threads[0])
	}
}

// rank returns the rank of a process in a communicator, or in its group of two, negative if it is not in it.
func (p *parallel) rank(comm int, q *parallelProcess) int {
	rank := slices.Index(p.comms[comm], q.number)
	if first := p.first[comm]; rank >= first {
		return rank - first
	}
	return rank
}

// others returns to whom a process can send messages in a communicator.
func (p *parallel) others(comm int, q *parallelProcess) []int {
	list, first := p.comms[comm], p.first[comm]
	switch {
	case first == 0:
		return list
	case slices.Index(list, q.number) < first:
		return list[first:]
	}
	return list[:first]
}

// to returns where messages go from a thread, or where they come from.
func (p *parallel) to(x *parallelThread, from bool) flight {
	for {
		comm := p.r.IntN(len(p.comms))
		if p.rank(comm, x.process) < 0 {
			continue
		}
		others := p.others(comm, x.process)
		other := p.processes[others[p.r.IntN(len(others))]]
		f := flight{comm, x, p.some(other, true), p.r.Uint64N(2)}
		if from {
			f.from, f.to = f.to, f.from
		}
		f.tag += 100*uint64(f.from.number) + 10*uint64(f.to.number)
		if !slices.Contains(p.flights, f) {
			p.flights = append(p.flights, f)
		}
		return f
	}
}

// sent notes that a message is sent now, and returns how large it is.
func (p *parallel) sent(f flight) uint64 {
	size := uint64(0)
	if p.r.IntN(3) > 0 {
		size = 1 + p.r.Uint64N(1000)
	}
	p.flying[f], p.sizes[f] = append(p.flying[f], f.from.now), append(p.sizes[f], size)
	return size
}

// arrives notes that one of the messages that have not arrived arrives, and returns its size. Then it is later than when it was sent.
func (p *parallel) arrives(f flight, k int) uint64 {
	f.to.now = max(f.to.now, p.flying[f][k]+p.tick)
	p.passes(f.to, 10)
	size := p.sizes[f][k]
	p.flying[f], p.sizes[f] = slices.Delete(p.flying[f], k, k+1), slices.Delete(p.sizes[f], k, k+1)
	return size
}

// next returns which of them a thread receives that has not asked for it before: those before it are for others that were asked for.
func (p *parallel) next(f flight) int { return len(p.asked[f]) }

// event values of a message.
func (p *parallel) values(f flight, peer *parallelThread, size uint64) []uint64 {
	return []uint64{uint64(p.rank(f.comm, peer.process)), uint64(10 + f.comm), f.tag, size}
}

// sends lets a thread send a message, which is sometimes received at once. Some of those who send wait for that.
func (p *parallel) sends(x *parallelThread) {
	f := p.to(x, false)
	if p.r.IntN(3) == 0 {
		p.call(x, p.one("MPI_Isend", "MPI_Issend"), func() {
			p.event(x, idMpiIsend, append(p.values(f, f.to, p.sent(f)), x.asks)...)
		})
		x.requests = append(x.requests, &request{id: x.asks, sends: true, of: f})
		x.asks++
		return
	}
	p.enter(x, p.one("MPI_Send", "MPI_Ssend", "MPI_Bsend"))
	p.passes(x, 15)
	p.event(x, idMpiSend, p.values(f, f.to, p.sent(f))...)
	if y := f.to; x != y && len(y.open) > 0 && len(p.flying[f]) == p.next(f)+1 && p.r.IntN(2) == 0 {
		if p.r.IntN(2) == 0 {
			y.now = max(y.now, x.now+p.while(50))
		}
		p.enter(y, "MPI_Recv")
		x.now = max(x.now, y.now)
		p.event(y, idMpiRecv, p.values(f, x, p.arrives(f, p.next(f)))...)
		p.leave(y)
	}
	p.passes(x, 30)
	p.leave(x)
}

// ready returns the flights of messages that a thread can receive at once.
func (p *parallel) ready(x *parallelThread) (list []flight) {
	for _, f := range p.flights {
		if f.to == x && len(p.flying[f]) > p.next(f) {
			list = append(list, f)
		}
	}
	return list
}

// receives lets a thread receive a message that is sent already, or is sent meanwhile.
func (p *parallel) receives(x *parallelThread) {
	list := p.ready(x)
	if len(list) == 0 {
		return
	}
	f := list[p.r.IntN(len(list))]
	p.call(x, p.one("MPI_Recv", "MPI_Recv", "MPI_Mrecv"), func() { p.event(x, idMpiRecv, p.values(f, f.from, p.arrives(f, p.next(f)))...) })
}

// asks lets a thread ask for a message that may not be sent yet.
func (p *parallel) asks(x *parallelThread) {
	f := p.to(x, true)
	p.call(x, "MPI_Irecv", func() { p.event(x, idMpiIrecvRequest, x.asks) })
	r := &request{id: x.asks, of: f}
	x.requests, p.asked[f] = append(x.requests, r), append(p.asked[f], r)
	x.asks++
}

// finishes lets a thread wait until some of its requests are finished, or look whether they are.
func (p *parallel) finishes(x *parallelThread) {
	if len(x.requests) == 0 {
		return
	}
	name := p.one("MPI_Wait", "MPI_Wait", "MPI_Waitany", "MPI_Waitall", "MPI_Waitall", "MPI_Waitsome", "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome")
	several := slices.Contains([]string{"MPI_Waitall", "MPI_Waitsome", "MPI_Testall", "MPI_Testsome"}, name)
	p.finish(x, name, several, 2)
}

// finishesAll lets a thread wait for all requests for which there is a message.
func (p *parallel) finishesAll(x *parallelThread) {
	if len(x.requests) > 0 {
		p.finish(x, "MPI_Waitall", true, 1)
	}
}

// finish lets it finish one of each so many requests, or one at most.
func (p *parallel) finish(x *parallelThread, name string, several bool, each int) {
	tests := strings.HasPrefix(name, "MPI_Test")
	p.enter(x, name)
	p.passes(x, 15)
	list := slices.Clone(x.requests)
	if p.r.IntN(3) == 0 {
		p.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	for _, r := range list {
		if p.r.IntN(each) > 0 {
			continue
		}
		f := r.of
		at := slices.Index(p.asked[f], r)
		switch {
		case r.later != nil:
			p.ends(x, r.later, r.member, false)
			p.passes(x, 10)
			p.event(x, idNonBlockingComplete, append(r.later.values(r.member), r.id)...)
		case !r.sends && len(p.flying[f]) <= at && p.r.IntN(16) == 0:
			p.event(x, idMpiRequestCancelled, r.id)
			p.asked[f] = slices.Delete(p.asked[f], at, at+1)
		case r.sends:
			if len(p.flying[f]) > 0 && p.r.IntN(2) == 0 {
				p.passes(x, 100) // until somebody asks for it, maybe
			}
			p.event(x, idMpiIsendComplete, r.id)
		case len(p.flying[f]) > at:
			p.event(x, idMpiIrecv, append(p.values(f, f.from, p.arrives(f, at)), r.id)...)
			p.asked[f] = slices.Delete(p.asked[f], at, at+1)
		default:
			if tests {
				p.event(x, 20, r.id) // MpiRequestTest
			}
			continue
		}
		x.requests = slices.DeleteFunc(x.requests, func(o *request) bool { return o == r })
		if !several {
			break
		}
	}
	p.passes(x, 30)
	p.leave(x)
}

// exchanges lets a thread send a message and receive one that is sent already, or two threads exchange some.
func (p *parallel) exchanges(x *parallelThread) {
	f := p.to(x, false)
	y, back := f.to, flight{f.comm, f.to, f.from, f.tag%10 + 100*uint64(f.to.number) + 10*uint64(f.from.number)}
	if list := p.ready(x); len(list) > 0 {
		p.call(x, "MPI_Sendrecv", func() {
			p.event(x, idMpiSend, p.values(f, f.to, p.sent(f))...)
			g := list[p.r.IntN(len(list))]
			p.event(x, idMpiRecv, p.values(g, g.from, p.arrives(g, p.next(g)))...)
		})
		return
	}
	if x == y || len(y.open) == 0 || len(p.asked[f]) > 0 || len(p.asked[back]) > 0 {
		return
	}
	if !slices.Contains(p.flights, back) {
		p.flights = append(p.flights, back)
	}
	for _, g := range []flight{f, back} {
		p.enter(g.from, p.one("MPI_Sendrecv", "MPI_Sendrecv_replace"))
		p.event(g.from, idMpiSend, p.values(g, g.to, p.sent(g))...)
	}
	for _, g := range []flight{f, back} {
		p.event(g.to, idMpiRecv, p.values(g, g.from, p.arrives(g, 0))...)
		p.leave(g.to)
	}
}

// write writes the archive of the program, in chunks of a size.
func (p *parallel) write(t *testing.T, chunk uint64) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, Anchor{EventChunk: chunk})
	require.NoError(t, err)
	x := &definer{w: w}
	last := int64(0)
	for i, name := range p.names {
		x.region(uint64(i), name)
	}
	var masters []uint64
	for _, q := range p.processes {
		masters = append(masters, q.threads[0].location())
		last = max(last, p.latest(q.threads))
		x.define("LocationGroup", nil, uint64(q.number), 0, 1, 0, none)
	}
	for _, q := range p.processes {
		for _, thread := range q.threads {
			to, err := w.Events(thread.location())
			require.NoError(t, err)
			for i := range thread.events {
				to.Write(&thread.events[i])
			}
			require.NoError(t, to.Close())
			x.define("Location", nil, thread.location(), 0, 1, to.Events(), uint64(q.number))
		}
	}
	x.group(commLocations, mpi, masters)
	for i, list := range p.comms {
		if first := p.first[i]; first > 0 {
			x.define("InterComm", nil, uint64(10+i), 0, x.group(5, mpi, numbers(list[:first])), x.group(5, mpi, numbers(list[first:])), none, 0)
			continue
		}
		x.define("Comm", nil, uint64(10+i), 0, x.group(5, mpi, numbers(list)), none, 0)
	}
	p.defineTeams(x)
	x.define("ClockProperties", nil, 1e9, 0, uint64(last), none)
	require.NoError(t, w.Close())
	a, err := Open(name)
	require.NoError(t, err)
	return a
}
