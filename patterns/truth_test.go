package patterns_test

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// world is a channel with goroutines on it, simulated step by step, so that the truth is known: which
// receive got whose element. Operations are recorded as instrumented ones are: a stamp, an attempt, and if
// that fails a stamp and the real thing; between any two steps the goroutine may lose time.
type world struct {
	r        *rand.Rand
	capacity int
	unit     int64        // resolution of stamps
	step     func() int64 // time between two steps
	work     [2]int64     // longest time between operations of receivers and senders
	agenda   agenda
	buffer   []*actor // who sent the element
	sendOf   []int    // with buffer: which of their operations
	waiting  [2][]*actor
	lose     int            // one of so many operations is not recorded, 0 none
	received map[[2]int]int // (receiver, its operation) → sender's operation, numbered by sender
}

// actor is a goroutine that only sends or only receives.
type actor struct {
	loc     int
	sender  int // 1 if it sends
	left    int // operations still to do
	done    []analyzer.Op
	current analyzer.Op
}

type appointment struct {
	time  int64
	order int
	do    func(now int64)
}

type agenda []appointment

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].time, a[j].time), cmp.Compare(a[i].order, a[j].order)) < 0
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(appointment)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func (w *world) at(t int64, do func(int64)) {
	heap.Push(&w.agenda, appointment{t, w.r.Int(), do})
}

func (w *world) stamp(t int64) int64 { return t / w.unit * w.unit }

const perActor = 1 << 20

// begin lets a start its next operation at time t.
func (w *world) begin(a *actor, t int64) {
	if a.left == 0 {
		return
	}
	a.left--
	w.at(t, func(now int64) {
		kind := wire.RecvBegin
		if a.sender == 1 {
			kind = wire.SendBegin
		}
		a.current = analyzer.Op{Kind: kind, Loc: uint32(a.loc), Begin: w.stamp(now), Blocked: atOnce}
		w.at(now+w.step(), func(now int64) {
			if w.attempt(a, now) {
				return
			}
			now += w.step()
			w.at(now, func(now int64) {
				a.current.Blocked = w.stamp(now)
				w.at(now+w.step(), func(now int64) {
					if !w.attempt(a, now) {
						w.waiting[a.sender] = append(w.waiting[a.sender], a)
					}
				})
			})
		})
	})
}

// end lets the current operation of a end soon after t.
func (w *world) end(a *actor, t int64) {
	w.at(t+w.step(), func(now int64) {
		a.current.End = w.stamp(now)
		a.current.Path = uint32(len(a.done))
		a.done = append(a.done, a.current)
		w.begin(a, now+1+w.r.Int63n(w.work[a.sender]))
	})
}

// attempt performs a's operation at time t, if it can be done at once.
func (w *world) attempt(a *actor, t int64) bool {
	partner := func() (p *actor) {
		q := &w.waiting[1-a.sender]
		p, *q = (*q)[0], (*q)[1:]
		return p
	}
	id := func(a *actor) int { return a.loc*perActor + len(a.done) }
	some := len(w.waiting[1-a.sender]) > 0
	wake := func(p *actor) { w.end(p, t+1000+w.r.Int63n(3000)) }
	switch {
	case a.sender == 1 && some:
		p := partner()
		w.received[[2]int{p.loc, len(p.done)}] = id(a)
		wake(p)
	case a.sender == 1 && len(w.buffer) < w.capacity:
		w.buffer, w.sendOf = append(w.buffer, a), append(w.sendOf, id(a))
	case a.sender == 0 && len(w.buffer) > 0:
		w.received[[2]int{a.loc, len(a.done)}] = w.sendOf[0]
		w.buffer, w.sendOf = w.buffer[1:], w.sendOf[1:]
		if some {
			p := partner()
			w.buffer, w.sendOf = append(w.buffer, p), append(w.sendOf, id(p))
			wake(p)
		}
	case a.sender == 0 && some:
		p := partner()
		w.received[[2]int{a.loc, len(a.done)}] = id(p)
		wake(p)
	default:
		return false
	}
	w.end(a, t)
	return true
}

// result compares the matched receives with the truth.
type result struct {
	messages, wrong   int
	truth, late       int64 // late_sender
	impossible, found uint64
}

func (w *world) simulate(senders, receivers, each int) (res result) {
	w.received = map[[2]int]int{}
	var actors []*actor
	for i := range senders + receivers {
		a := &actor{loc: i, left: each}
		if i < senders {
			a.sender, a.left = 1, each*receivers/senders
		}
		actors = append(actors, a)
		w.begin(a, w.r.Int63n(5000))
	}
	for len(w.agenda) > 0 {
		next := heap.Pop(&w.agenda).(appointment)
		next.do(next.time)
	}
	var list []analyzer.Op
	for _, a := range actors {
		for i, o := range a.done {
			if w.lose == 0 || (a.loc+i+1)%w.lose != 0 {
				list = append(list, o)
			}
		}
	}
	counts := (&analyzer.Matcher{All: true}).Match(wire.Channel, uint64(w.capacity), list, func(points []analyzer.SynchPoint) {
		for _, p := range points {
			if p.Kind != analyzer.Sent {
				continue
			}
			r := list[p.Op]
			from := w.received[[2]int{int(r.Loc), int(r.Path)}]
			res.messages++
			if from != int(p.Causer)*perActor+int(p.CauserPath) {
				res.wrong++
			}
			if real := actors[from/perActor].done[from%perActor]; r.Blocked != atOnce {
				res.truth += max(0, min(real.Begin, r.End)-r.Begin)
				res.late += max(0, p.Release-r.Begin)
			}
		}
	})
	res.impossible, res.found = counts.Impossible, counts.Messages
	return res
}

// shapes of traffic: senders, receivers, capacity, work of receivers and senders.
var shapes = [][5]int{
	{1, 1, 0, 3000, 3000}, {1, 1, 16, 3000, 3000}, {4, 4, 0, 9000, 9000}, {4, 4, 4, 9000, 9000}, {8, 8, 64, 9000, 20000},
	{4, 1, 0, 3000, 9000}, {1, 4, 1, 30000, 2000}, {16, 16, 0, 200000, 200000}, {16, 16, 8, 200000, 200000},
}

// With exact stamps matching is exact.
func TestMatchingIsExactWithExactStamps(t *testing.T) {
	for _, s := range shapes {
		w := &world{r: rand.New(rand.NewSource(1)), capacity: s[2], unit: 1, work: [2]int64{int64(s[3]) << 20, int64(s[4]) << 20}, step: func() int64 { return 0 }}
		got := w.simulate(s[0], s[1], 2000)
		require.Equal(t, 2000*s[1], got.messages, "%v", s)
		require.Zero(t, got.wrong, "%v", s)
		require.Zero(t, got.impossible, "%v", s)
		require.EqualValues(t, got.messages, got.found, "%v", s)
	}
}

// With quantised stamps and goroutines that lose time anywhere, few are matched wrongly, and waiting times
// stay right.
func TestMatchingOfNoisyStamps(t *testing.T) {
	for _, s := range shapes {
		r := rand.New(rand.NewSource(2))
		step := func() int64 {
			if r.Intn(500) == 0 {
				return r.Int63n(20000) // the processor was taken away
			}
			return 20 + r.Int63n(40)
		}
		w := &world{r: r, capacity: s[2], unit: 64, work: [2]int64{int64(s[3]), int64(s[4])}, step: step}
		got := w.simulate(s[0], s[1], 5000)
		name := fmt.Sprintf("%v: %+v", s, got)
		t.Log(name)
		require.Less(t, float64(got.wrong), 0.15*float64(got.messages), name)
		require.InEpsilon(t, float64(got.truth), float64(got.late), 0.04, name)
		require.Less(t, float64(got.impossible), 0.01*float64(got.messages), name)
	}
}

// A missing operation must not shift all that follow.
func TestMatchingRecoversFromLosses(t *testing.T) {
	for _, s := range shapes {
		w := &world{r: rand.New(rand.NewSource(3)), capacity: s[2], unit: 64, work: [2]int64{int64(s[3]), int64(s[4])},
			step: func() int64 { return 30 }, lose: 200}
		got := w.simulate(s[0], s[1], 5000)
		name := fmt.Sprintf("%v: %+v", s, got)
		t.Log(name)
		require.Less(t, float64(got.wrong), 0.25*float64(got.messages), name)
		require.InEpsilon(t, float64(got.truth), float64(got.late), 0.05, name)
	}
}
