package patterns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// told is a random program of processes that pass messages and meet at barriers, with all that is to be known of its meetings.
type told struct {
	*threads
	r          *rand.Rand
	now        []int64
	in         [][]string // by process and ns: the region
	encounters []toldEncounter
	meetings   []toldMeeting
}

type toldEncounter struct {
	loc             int
	at, wait, spent int64
	region          string
	meeting         int
}

type toldMeeting struct {
	causes  string // metric
	causer  int    // location
	members []int
}

// spend lets a process be in a region, of which an event may come before it is over.
func (x *told) spend(loc int, d int64, region string) {
	for range d {
		x.in[loc] = append(x.in[loc], region)
	}
	x.now[loc] += d
}

func (x *told) work(loc int) {
	for range x.r.IntN(3) {
		region := []string{"a", "b", "c"}[x.r.IntN(3)]
		x.enter(loc, x.now[loc], region)
		x.spend(loc, 1+x.r.Int64N(30), region)
		x.leave(loc, x.now[loc])
		x.spend(loc, 1, "main")
	}
}

func (x *told) meet(causes string, causer int, all ...toldEncounter) {
	m := toldMeeting{causes: causes, causer: causer}
	for _, e := range all {
		e.meeting = len(x.meetings)
		m.members = append(m.members, len(x.encounters))
		x.encounters = append(x.encounters, e)
	}
	x.meetings = append(x.meetings, m)
}

// together lets some meet, the first so many.
func (x *told) together(region, causes string, as wire.Meeting, some int) {
	last, first, ends := 0, int64(0), make([]int64, some)
	for loc, t := range x.now[:some] {
		if t > x.now[last] {
			last = loc
		}
	}
	for loc := range ends {
		ends[loc] = x.now[last] + 1 + x.r.Int64N(3)
		if loc == 0 || ends[loc] < first {
			first = ends[loc]
		}
	}
	name := map[string]string{"MPI_Barrier": " mpi_sync_collective"}[region]
	if name == "" {
		name = " mpi_init_exit"
	}
	var all []toldEncounter
	latest := x.now[last]
	for loc, t := range x.now[:some] {
		x.meets(loc, t, ends[loc], region+name, as)
		if some < len(x.now) {
			met := &x.events[loc][len(x.events[loc])-2]
			met.Word += uint64(some) // an object of these
		}
		wait := latest - t
		if as == wire.AllBegin {
			wait = 0
		}
		all = append(all, toldEncounter{loc: loc, at: t, wait: wait, spent: first - t, region: region})
		x.spend(loc, ends[loc]-t, region)
		x.spend(loc, 1, "main")
	}
	x.meet(causes, last, all...)
}

// message passes a message, which its sender leaves behind, or hands over.
func (x *told) message() {
	n := len(x.now)
	from := x.r.IntN(n)
	to := (from + 1 + x.r.IntN(n-1)) % n
	x.work(from)
	x.work(to)
	sent, asked := x.now[from], x.now[to]
	ends, received := sent+1+x.r.Int64N(3), max(sent, asked)+1+x.r.Int64N(4)
	if x.r.IntN(2) == 0 {
		ends = max(sent, asked) + 1 + x.r.Int64N(3)
	}
	queue := uint32(from*n + to)
	x.sends(from, sent, ends, queue)
	x.receives(to, asked, received, queue)
	sender := toldEncounter{loc: from, at: sent, spent: ends - sent - max(0, ends-received), region: "MPI_Send"}
	receiver := toldEncounter{loc: to, at: asked, spent: received - asked - max(0, received-ends), region: "MPI_Recv"}
	switch {
	case sent > asked:
		receiver.wait = sent - asked
		x.meet("delay_latesender", from, sender, receiver)
	case asked > sent && ends > asked:
		sender.wait = asked - sent
		x.meet("delay_latereceiver", to, sender, receiver)
	}
	x.spend(from, ends-sent, "MPI_Send")
	x.spend(to, received-asked, "MPI_Recv")
	x.spend(from, 1, "main")
	x.spend(to, 1, "main")
}

func tell(seed uint64) *told {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 2 + r.IntN(3)
	x := &told{threads: processes(n), r: r, now: make([]int64, n), in: make([][]string, n)}
	for loc := range n {
		x.enter(loc, 0, "main")
		x.work(loc)
	}
	for range n {
		x.source.Definitions.Objects = append(x.source.Definitions.Objects, trace.Object{Kind: wire.Group, Region: trace.NoRegion})
	}
	x.together("MPI_Init", "", wire.AllBegin, n)
	for range 5 + r.IntN(15) {
		if r.IntN(4) == 0 {
			x.together("MPI_Barrier", "delay_barrier", wire.AllArrive, 2+r.IntN(n-1))
		} else {
			x.message()
		}
	}
	x.together("MPI_Finalize", "", wire.AllEnd, n)
	for loc, t := range x.now {
		x.leave(loc, t)
	}
	return x
}

// last returns the encounters of two processes in the last meeting of both before one of the first, -1 if there is none.
func (x *told) last(mine, theirs int) (int, int) {
	for i := mine - 1; i >= 0; i-- { // they are in the order of the program
		a := x.encounters[i]
		if a.loc != x.encounters[mine].loc || a.meeting == x.encounters[mine].meeting {
			continue
		}
		for _, k := range x.meetings[a.meeting].members {
			if x.encounters[k].loc == x.encounters[theirs].loc {
				return i, k
			}
		}
	}
	return -1, -1
}

// waits returns the encounters of a process between two of its encounters.
func (x *told) waits(from, to int) (list []int) {
	for i := from + 1; i < to; i++ {
		if x.encounters[i].loc == x.encounters[to].loc && x.encounters[i].meeting != x.encounters[to].meeting && x.encounters[i].wait > 0 {
			list = append(list, i)
		}
	}
	return list
}

// profile returns what a process did between two of its encounters, by region.
func (x *told) profile(from, to int) map[string]int64 {
	p := map[string]int64{}
	e, begin := x.encounters[to], int64(0)
	if from >= 0 {
		begin = x.encounters[from].at
	}
	for t := begin; t < e.at; t++ {
		p[x.in[e.loc][t]]++
	}
	for _, i := range x.waits(from, to) {
		p[x.encounters[i].region] -= x.encounters[i].wait
	}
	if from >= 0 {
		p[x.encounters[from].region] = max(0, p[x.encounters[from].region]-x.encounters[from].spent)
	}
	return p
}

// because is why a process waits: what the causer did too much, its waits, and the sum of both.
type because struct {
	excess map[string]int64
	waits  []int
	waited int64
	all    float64
}

func (x *told) because(causer, waiter int) (b because) {
	from, theirs := x.last(causer, waiter)
	b.excess = map[string]int64{}
	p, q := x.profile(from, causer), x.profile(theirs, waiter)
	for region, d := range p {
		if d -= q[region]; d > 0 {
			b.excess[region] = d
			b.all += float64(d)
		}
	}
	b.waits = x.waits(from, causer)
	for _, i := range b.waits {
		b.waited += x.encounters[i].wait
	}
	b.all += float64(b.waited)
	return b
}

// each tells of all waits.
func (x *told) each(tell func(m *toldMeeting, causer, waiter int, b because)) {
	for k := range x.meetings {
		m := &x.meetings[k]
		if m.causes == "" {
			continue
		}
		causer := 0
		for _, i := range m.members {
			if x.encounters[i].loc == m.causer {
				causer = i
			}
		}
		for _, i := range m.members {
			if i != causer && x.encounters[i].wait > 0 {
				if b := x.because(causer, i); b.all > 0 {
					tell(m, causer, i, b)
				}
			}
		}
	}
}

// share returns how much of all that caused a wait counts.
func (x *told) share(m *toldMeeting, waiter int, b because) float64 {
	share := float64(x.encounters[waiter].wait) / b.all
	if m.causes != "delay_barrier" {
		share = min(1, share)
	}
	return share
}

// costs returns what the wait of an encounter costs later.
func (x *told) costs(encounter int) map[string]float64 {
	sum := map[string]float64{}
	x.each(func(m *toldMeeting, _, waiter int, b because) {
		for _, i := range b.waits {
			if i != encounter {
				continue
			}
			d := float64(x.encounters[i].wait)
			sum[m.causes] += d * x.share(m, waiter, b)
			for causes, later := range x.costs(waiter) {
				sum[causes] += d * later / b.all
			}
		}
	})
	return sum
}

// The metrics by which waits are divided, by the one of their causes.
var (
	indirect  = map[string]string{"delay_latesender": "mpi_wait_indirect_latesender", "delay_latereceiver": "mpi_wait_indirect_latereceiver", "delay_barrier": "mpi_indirect_barrier"}
	spreading = map[string]string{"delay_latesender": "mpi_wait_propagating_ls", "delay_latereceiver": "mpi_wait_propagating_lr", "delay_barrier": "mpi_propagating_barrier"}
)

// causes returns what follows from the definitions of the metrics, looked up for each wait and ns, as "metric region location".
func (x *told) causes() map[string]float64 {
	want, spreads := map[string]float64{}, map[int]float64{}
	x.each(func(m *toldMeeting, causer, waiter int, b because) {
		loc, e := x.encounters[causer].loc, x.encounters[waiter]
		share, costs := x.share(m, waiter, b), x.costs(waiter)
		for region, d := range b.excess {
			want[fmt.Sprint(m.causes, " ", region, " ", loc)] += share * float64(d)
			for causes, later := range costs {
				want[fmt.Sprint(causes, "_longterm ", region, " ", loc)] += later / b.all * float64(d)
			}
		}
		if indirect[m.causes] != "" {
			want[fmt.Sprint(indirect[m.causes], " ", e.region, " ", e.loc)] += min(share*float64(b.waited), float64(e.wait))
			for _, i := range b.waits {
				if of := x.meetings[x.encounters[i].meeting].causes; of == "delay_barrier" || m.causes != "delay_barrier" { // waits for messages make others wait for messages
					spreads[i] = max(spreads[i], min(1, share)*float64(x.encounters[i].wait))
				}
			}
		}
	})
	for i, d := range spreads {
		e := x.encounters[i]
		if metric := spreading[x.meetings[e.meeting].causes]; metric != "" {
			want[fmt.Sprint(metric, " ", e.region, " ", e.loc)] += d
		}
	}
	return want
}

// TestDelaysAgree compares the causes of waits in random programs with their definitions.
func TestDelaysAgree(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(300) {
		x := tell(seed)
		want := x.causes()
		e := x.analyze(t, 1+int(seed%7))
		for _, metric := range []string{"delay_barrier", "delay_barrier_longterm", "delay_latesender", "delay_latesender_longterm", "delay_latereceiver", "delay_latereceiver_longterm",
			"mpi_wait_indirect_latesender", "mpi_wait_indirect_latereceiver", "mpi_wait_propagating_ls", "mpi_wait_propagating_lr", "mpi_indirect_barrier", "mpi_propagating_barrier"} {
			for _, c := range e.Cells(e.MetricIndex(metric)) {
				at := fmt.Sprint(metric, " ", e.Regions[e.Paths[c.Path].Region].Name, " ", e.Locations[c.Location].Trace)
				require.InDelta(t, want[at], c.Value, 0.501, "seed %d: %s", seed, at)
				delete(want, at)
				found[metric]++
			}
		}
		for at, v := range want {
			require.Less(t, v, 0.501, "seed %d: %s", seed, at)
		}
	}
	require.Len(t, found, 12)
	for metric, n := range found {
		require.Greater(t, n, 50, metric)
	}
}
