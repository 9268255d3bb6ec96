package otf2

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"tracerec/internal/readable"
	"tracerec/trace/wire"
)

// Clocks of different machines may differ, so that messages seem to arrive before they are sent. If any does, all clocks are corrected by a controlled logical clock (Rabenseifner; Becker,
// Rabenseifner, Wolf): whoever takes something then does so no earlier than it is given. After such a jump, a clock loses what it gained again, so slowly that durations stay what they are; what is
// before the jump is stretched towards it, but no further than those who take what is given there allow. Processes have one clock each, with all of their threads.

// Of a jump of a clock, the time after it takes back one part in so many of the time that has passed, and the time before is stretched by one part in so many.
const (
	takesBack = 100_000
	stretches = 100
)

// mostContacts is how many events are kept to correct clocks, of which each needs less than perContact bytes.
const (
	mostContacts = 2 << 20
	perContact   = 200
)

// contact is that a process gives something to others, or takes something of them.
type contact struct {
	time     int64  // ticks since the begin, as recorded
	shift    int64  // ticks that are added to it
	more     int64  // what the pass that goes on adds to that
	object   uint64 // what it is about: twice the communicator, or twice the queue of messages + 1
	exchange uint32
	takes    bool
	acts     bool // else it only counts: it has nothing to give or take
}

// exchanged is what was given and taken together: a message, or the data of a collective operation.
type exchanged struct {
	givers   int32 // that are left
	latest   int64 // when the last of them gives
	earliest int64 // when the first one takes
}

// knot is how much is added to the times of a clock at one time; in between, it is interpolated.
type knot struct{ time, shift int64 }

// clocks are the clocks of processes while they are corrected.
type clocks struct {
	contacts  [][]contact // by process
	exchanges []exchanged
	unclear   map[uint64]bool  // objects of which is not known what belongs together
	next      []int            // by process: its next contact
	jumps     []knot           // by process: the last time that it had to be moved
	blocked   map[uint32][]int // processes, by exchange
	waits     []uint32         // by process: the exchange + 1 among whose blocked processes it is, 0 if it is not
}

// Correction is how clocks were corrected.
type Correction struct {
	Taken         int               // messages and parts of collective operations that were taken
	Before, After int               // those that were taken before they were given
	Clocks        int               // those that were changed
	Largest       int64             // the most that was added to a time, ticks
	knots         map[uint64][]knot // by location group
}

// contact notes what an event of a location gives or takes.
func (v *survey) contact(s *source, l *Location, e *Event) {
	if s.a.correction != nil || len(s.Definitions.Processes) < 2 || s.noted.Add(1) > min(s.a.contacts, mostContacts) {
		return
	}
	t := s.since(e.Time)
	switch e.Spec.ID {
	case idMpiCollectiveBegin:
		v.began = t
	case idMpiCollectiveEnd:
		if what, object, ok := s.met(l, e); ok {
			v.contacts = append(v.contacts, contact{time: min(v.began, t), object: uint64(object) << 1, acts: gives(what) && v.began != 0},
				contact{time: t, object: uint64(object) << 1, acts: takes(what), takes: true})
		}
		v.began = 0
	default:
		if q, ok := s.queueOf(l, e); ok {
			v.contacts = append(v.contacts, contact{time: t, object: uint64(v.queues[q])<<1 | 1, acts: true, takes: e.Spec.ID == idMpiRecv || e.Spec.ID == idMpiIrecv})
		}
	}
}

// gives says whether others may need what a location brings into a collective operation.
func gives(what wire.Meeting) bool {
	switch what.Operation() {
	case wire.AllArrive:
		return true
	case wire.AllExchange, wire.RootReceives:
		return what&wire.Sends != 0
	case wire.RootSends:
		return what&wire.Root != 0 && what&wire.Sends != 0
	}
	return false
}

// takes says whether a location needs what others bring into it.
func takes(what wire.Meeting) bool {
	switch what.Operation() {
	case wire.AllArrive:
		return true
	case wire.AllExchange:
		return what&wire.Receives != 0
	case wire.RootReceives:
		return what&wire.Root != 0 && what&wire.Receives != 0
	case wire.RootSends:
		return what&wire.Root == 0 && what&wire.Receives != 0
	}
	return false
}

// correct finds out whether clocks have to be corrected, and how; nil if they need not be.
func (s *source) correct(all []survey) *Correction {
	n := s.noted.Load()
	if s.a.met = 0; n > s.a.contacts && n <= mostContacts {
		s.a.met = n
		return nil
	}
	if n > mostContacts {
		s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("whether clocks let messages arrive before they are sent was not looked at: there are more than %d", mostContacts/2))
		return nil
	}
	c := &clocks{contacts: make([][]contact, len(s.Definitions.Processes)), blocked: map[uint32][]int{}, unclear: map[uint64]bool{}}
	c.gather(s, all)
	c.number()
	r := &Correction{knots: map[uint64][]knot{}}
	if r.Taken, r.Before = c.backwards(); r.Before == 0 {
		return nil
	}
	// Where several things happen at one time, one pass may not be enough.
	const mostPasses = 10
	passes := 1
	for r.After = r.Before; r.After > 0; passes++ {
		c.forward()
		for p := range c.contacts {
			c.amortize(p)
		}
		left := r.After
		if _, r.After = c.backwards(); r.After >= left || passes == mostPasses {
			break
		}
	}
	for i := range all {
		group := s.a.owner(s.of[i].Group)
		if knots := knotsOf(c.contacts[s.Definitions.Locations[i].Process]); len(knots) > 0 && r.knots[group] == nil {
			r.knots[group] = knots
			r.Clocks++
			for _, k := range knots {
				r.Largest = max(r.Largest, k.shift)
			}
		}
	}
	return r
}

// gather takes what surveys have noted, by process. If several threads of a process use an object, their order is not known.
func (c *clocks) gather(s *source, all []survey) {
	type side struct {
		object  uint64
		process int
		takes   bool
	}
	users := map[side]int{}
	for i := range all {
		v := &all[i]
		p := s.Definitions.Locations[i].Process
		for _, x := range v.contacts {
			if x.object&1 != 0 {
				x.object = uint64(s.passing.queues[v.queued[x.object>>1-1]])<<1 | 1
			}
			at := side{x.object, p, x.takes}
			if user, is := users[at]; is && user != i {
				c.unclear[x.object] = true
			}
			users[at] = i
			c.contacts[p] = append(c.contacts[p], x)
		}
		v.contacts = nil
	}
}

// number finds the exchanges: the n-th time that anybody gives something into an object belongs to the n-th that anybody takes something out. Where some are missing, that is not known, so that
// these objects do not count.
func (c *clocks) number() {
	type side struct {
		object uint64
		takes  bool
	}
	type turn struct {
		object uint64
		n      uint32
	}
	known, counts := map[turn]uint32{}, map[uint64]uint32{}
	for _, list := range c.contacts {
		slices.SortStableFunc(list, func(x, y contact) int { return cmp.Compare(x.time, y.time) })
		own := map[side]uint32{}
		for i := range list {
			x := &list[i]
			at := turn{x.object, own[side{x.object, x.takes}]}
			own[side{x.object, x.takes}]++
			n, is := known[at]
			if !is {
				n = uint32(len(c.exchanges))
				known[at] = n
				c.exchanges = append(c.exchanges, exchanged{})
			}
			x.exchange = n
		}
		for at, n := range own {
			if all, is := counts[at.object]; is && all != n {
				c.unclear[at.object] = true
			}
			counts[at.object] = n
		}
	}
	for _, list := range c.contacts {
		for i := range list {
			list[i].acts = list[i].acts && !c.unclear[list[i].object]
		}
	}
}

// begin forgets all times of exchanges.
func (c *clocks) begin() {
	for i := range c.exchanges {
		c.exchanges[i] = exchanged{0, math.MinInt64, math.MaxInt64}
	}
	for _, list := range c.contacts {
		for i := range list {
			if x := &list[i]; x.acts && !x.takes {
				c.exchanges[x.exchange].givers++
			}
		}
	}
}

// backwards counts how much was taken, and how much of that before it was given.
func (c *clocks) backwards() (taken, before int) {
	c.begin()
	each := func(use func(x *contact, e *exchanged)) {
		for _, list := range c.contacts {
			for i := range list {
				if x := &list[i]; x.acts {
					use(x, &c.exchanges[x.exchange])
				}
			}
		}
	}
	each(func(x *contact, e *exchanged) {
		if !x.takes {
			e.latest = max(e.latest, x.time+x.shift)
		}
	})
	each(func(x *contact, e *exchanged) {
		if x.takes && e.givers > 0 {
			if taken++; x.time+x.shift < e.latest {
				before++
			}
		}
	})
	return taken, before
}

// forward moves clocks forward, so that nobody takes anything before it is given. If processes wait for each other, which only damage suggests, the first one does not.
func (c *clocks) forward() {
	c.begin()
	c.next, c.jumps, c.waits = make([]int, len(c.contacts)), make([]knot, len(c.contacts)), make([]uint32, len(c.contacts))
	ready, p := make([]int, len(c.contacts)), 0
	for i := range ready {
		ready[i] = i
	}
	for { // a process that is done stays so
		for len(ready) > 0 {
			p := ready[0]
			ready = append(ready[1:], c.advance(p, false)...)
		}
		for p < len(c.contacts) && c.next[p] == len(c.contacts[p]) {
			p++
		}
		if p == len(c.contacts) {
			return
		}
		ready = c.advance(p, true)
	}
}

// advance moves the clock of a process until it has to know when something is given, and returns the processes that had to know what it gives. If it is forced, it does without at first.
func (c *clocks) advance(p int, forced bool) (woken []int) {
	list := c.contacts[p]
	for ; c.next[p] < len(list); c.next[p]++ {
		x := &list[c.next[p]]
		e, t, jump := &c.exchanges[x.exchange], x.time+x.shift, &c.jumps[p]
		if x.acts && x.takes && e.givers > 0 && !forced {
			if c.waits[p] != x.exchange+1 {
				c.waits[p] = x.exchange + 1
				c.blocked[x.exchange] = append(c.blocked[x.exchange], p)
			}
			return woken
		}
		forced, c.waits[p] = false, 0
		x.more = max(0, jump.shift-max(0, t-jump.time)/takesBack)
		switch {
		case !x.acts:
		case x.takes:
			if late := e.latest - t; e.latest > t && late > x.more {
				x.more = late
				*jump = knot{t, late}
			}
			e.earliest = min(e.earliest, t+x.more)
		default:
			e.latest = max(e.latest, t+x.more)
			if e.givers--; e.givers == 0 {
				for _, q := range c.blocked[x.exchange] {
					if c.waits[q] == x.exchange+1 {
						woken = append(woken, q)
					}
				}
				delete(c.blocked, x.exchange)
			}
		}
	}
	return woken
}

// amortize stretches what is before the jumps of a process, so far that nothing is given after it is taken.
func (c *clocks) amortize(p int) {
	list := c.contacts[p]
	for i := len(list) - 2; i >= 0; i-- {
		x, next := &list[i], &list[i+1]
		t := x.time + x.shift
		ramp := next.more - (next.time+next.shift-t)/stretches
		if e := &c.exchanges[x.exchange]; x.acts && !x.takes && e.earliest != math.MaxInt64 {
			ramp = min(ramp, e.earliest-t)
		}
		x.more = max(x.more, ramp)
	}
	for i := range list {
		list[i].shift, list[i].more = list[i].shift+list[i].more, 0
	}
}

// knotsOf returns how a clock has to be changed, none if it is right.
func knotsOf(list []contact) (knots []knot) {
	if len(list) == 0 || !slices.ContainsFunc(list, func(x contact) bool { return x.shift > 0 }) {
		return nil
	}
	knots = append(knots, knot{list[0].time - stretches*list[0].shift, 0})
	for _, x := range list {
		if last := &knots[len(knots)-1]; last.time == x.time {
			last.shift = max(last.shift, x.shift)
		} else {
			knots = append(knots, knot{x.time, x.shift})
		}
	}
	return knots
}

// bent is a clock that was corrected.
type bent struct {
	knots []knot
	at    int // of the last time asked for
}

// shift returns what is added to a time.
func (b *bent) shift(t int64) int64 {
	n := len(b.knots)
	if n == 0 {
		return 0
	}
	if k := b.at; k > 0 && (t < b.knots[k-1].time || k < n && t >= b.knots[k].time) || k == 0 {
		b.at = sort.Search(n, func(i int) bool { return b.knots[i].time > t })
	}
	switch b.at {
	case 0:
		return 0
	case n:
		return b.knots[n-1].shift
	}
	from, to := b.knots[b.at-1], b.knots[b.at]
	part := float64(t-from.time) / float64(to.time-from.time)
	return from.shift + int64(math.Round(float64(to.shift-from.shift)*part))
}

// KeepClocks lets all times be those that were recorded, also where messages arrive before they are sent, or kernels begin before they are launched. It has to be called before anything is read.
func (a *Archive) KeepClocks() { a.correction, a.streams = &Correction{}, &streamClocks{} }

// CorrectWithin limits the memory in which clocks are corrected, bytes; see [Archive.Lacks]. It has to be called before anything is read.
func (a *Archive) CorrectWithin(bytes int64) { a.contacts = bytes / perContact }

// Lacks returns how many bytes it takes to correct the clocks, if that is more than they may take: then they are as recorded. Else it is 0.
func (a *Archive) Lacks() int64 { return a.met * perContact }

// withClocks returns the archive with clocks that are corrected.
func (a *Archive) withClocks(r *Correction) *Archive {
	b := *a
	b.correction = r
	b.Clock.Length += uint64(r.Largest)
	return &b
}

// clockOf returns how the clock of a location was corrected. What was created by a process, as a GPU's streams are, has its clock.
func (a *Archive) clockOf(l *Location) bent {
	if a.correction == nil {
		return bent{}
	}
	group := l.Group
	if d := a.Find(LocationGroups, group); d != nil && a.correction.knots[group] == nil {
		group = d.Get("creatingLocationGroup")
	}
	return bent{knots: a.correction.knots[group]}
}

// said says for people how clocks were corrected.
func (r *Correction) said(c *Clock) string {
	left := "none does now"
	if r.After > 0 {
		left = fmt.Sprintf("%d still do", r.After)
	}
	return fmt.Sprintf("%d of %d messages arrived, or collective operations ended, before they could: the clocks of %s were corrected, by up to %s, and %s",
		r.Before, r.Taken, readable.Plural(r.Clocks, "process"), readable.Duration(int64(float64(r.Largest)/float64(c.Resolution)*1e9)), left)
}
