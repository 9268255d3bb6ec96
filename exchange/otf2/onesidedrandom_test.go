package otf2

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// oneSided is a random program of processes that communicate one-sidedly.
type oneSided struct {
	r     *rand.Rand
	comms [][]int         // the processes of communicators, by rank; the first one has all
	wins  []int           // the communicators of windows
	calls [][]*windowCall // of processes
	now   []int64         // likewise

	merged [][]*windowCall // what will happen next
}

// windowCall is a call of MPI. Times are ticks.
type windowCall struct {
	name           string
	process        int
	begin, at, end int64 // in between, what it did is recorded: collective operations end then
	window         int
	group          []int // processes of which it posts, starts, completes or awaits epochs; nil: it is about none
	target         int   // the process whose part of the window it is about, or one of these
	shared         bool
}

// The call is about no part, or about all.
const (
	noTarget  = -1
	allTarget = -2
)

// newOneSided makes such a program. Each process has a clock of its own, which is set to the latest one now and then: so processes wait for each other, or come late, or have bad clocks. No two of
// them do something at one time.
func newOneSided(seed uint64) *oneSided {
	r := rand.New(rand.NewPCG(seed, 16))
	n := 2 + r.IntN(4)
	p := &oneSided{r: r, comms: [][]int{r.Perm(n)}, calls: make([][]*windowCall, n), merged: make([][]*windowCall, n), now: make([]int64, n)}
	for range r.IntN(3) {
		p.comms = append(p.comms, p.some(p.comms[0]))
	}
	for range 1 + r.IntN(3) {
		p.wins = append(p.wins, r.IntN(len(p.comms)))
	}
	for w := range p.wins {
		p.together("MPI_Win_create", w)
	}
	p.happen(p.merged)
	for range 3 + r.IntN(10) {
		p.step(r.IntN(len(p.wins)))
		if first := p.merged; r.IntN(2) == 0 {
			p.merged = make([][]*windowCall, n)
			p.step(r.IntN(len(p.wins)))
			p.merge(first)
		}
		p.happen(p.merged)
	}
	for w := range p.wins {
		p.together("MPI_Win_free", w)
	}
	p.happen(p.merged)
	return p
}

// step lets processes do something with a window.
func (p *oneSided) step(w int) {
	steps := []func(w int){p.fenced, p.fenced, p.exposed, p.exposed, p.locked, p.locked, p.lockedWhole, p.lockedWhole, p.others}
	steps[p.r.IntN(len(steps))](w)
}

// merge lets each process do what it does among what it does with another window; with the same one, behind it.
func (p *oneSided) merge(first [][]*windowCall) {
	for i, then := range p.merged {
		same := slices.ContainsFunc(then, func(c *windowCall) bool {
			return slices.ContainsFunc(first[i], func(d *windowCall) bool { return c.window == d.window })
		})
		var list []*windowCall
		for a, b := first[i], then; len(a)+len(b) > 0; {
			if len(a) > 0 && (same || len(b) == 0 || p.r.IntN(2) == 0) {
				list, a = append(list, a[0]), a[1:]
			} else {
				list, b = append(list, b[0]), b[1:]
			}
		}
		p.merged[i] = list
	}
}

// happen lets calls happen, one after the other in each process.
func (p *oneSided) happen(calls [][]*windowCall) {
	if p.r.IntN(3) > 0 {
		for i := range p.now {
			p.now[i] = slices.Max(p.now)
		}
	}
	for i, list := range calls {
		for _, c := range list {
			begin := p.now[i] + p.r.Int64N(20)
			end := begin + p.r.Int64N(30)
			if p.r.IntN(4) == 0 || c.name == "MPI_Win_fence" {
				end += p.r.Int64N(90)
			}
			tick := func(t int64) int64 { return t*int64(len(p.calls)) + int64(i) } // no process has those of another one
			c.begin, c.at, c.end = tick(begin), tick(begin+p.r.Int64N(end-begin+1)), tick(end)
			p.now[i] = end + 1
		}
		p.calls[i], calls[i] = append(p.calls[i], list...), nil
	}
}

// some returns one or more of some processes, in any order.
func (p *oneSided) some(of []int) []int {
	list := slices.Clone(of)
	p.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+p.r.IntN(len(list))]
}

func (p *oneSided) members(window int) []int { return p.comms[p.wins[window]] }

// call lets a process make a call behind its last one.
func (p *oneSided) call(process int, name string, window int) *windowCall {
	c := &windowCall{name: name, process: process, window: window, target: noTarget}
	p.merged[process] = append(p.merged[process], c)
	return c
}

func (p *oneSided) together(name string, window int) {
	for _, i := range p.members(window) {
		p.call(i, name, window)
	}
}

// access lets a process access what another one has of a window.
func (p *oneSided) access(process, window, target int) {
	p.call(process, []string{"MPI_Put", "MPI_Get", "MPI_Accumulate"}[p.r.IntN(3)], window).target = target
}

func (p *oneSided) fenced(w int) {
	p.together("MPI_Win_fence", w)
	for range p.r.IntN(2 * len(p.members(w))) {
		m := p.members(w)
		p.access(m[p.r.IntN(len(m))], w, m[p.r.IntN(len(m))])
	}
	p.together("MPI_Win_fence", w)
}

// exposed lets some processes access what others have of a window, who post it and await the end. Groups may have members that do not have the window.
func (p *oneSided) exposed(w int) {
	targets, origins := p.some(p.members(w)), p.some(p.members(w))
	with := func(group []int) []int {
		if list := p.some(p.comms[0]); p.r.IntN(8) == 0 && !slices.ContainsFunc(list, func(i int) bool { return slices.Contains(p.members(w), i) }) {
			return append(list, group...)
		}
		return group
	}
	for _, t := range targets {
		p.call(t, "MPI_Win_post", w).group = with(origins)
	}
	for _, o := range origins {
		p.call(o, "MPI_Win_start", w).group = with(targets)
	}
	for _, o := range origins {
		for range p.r.IntN(4) {
			p.access(o, w, targets[p.r.IntN(len(targets))])
		}
		p.call(o, "MPI_Win_complete", w).group = targets
	}
	for _, t := range targets {
		if p.r.IntN(4) == 0 {
			p.call(t, "MPI_Win_test", w)
			p.call(t, "MPI_Win_test", w).group = origins
		} else {
			p.call(t, "MPI_Win_wait", w).group = origins
		}
	}
}

// locked lets processes lock what others have of a window, sometimes two at a time.
func (p *oneSided) locked(w int) {
	for _, i := range p.some(p.members(w)) {
		targets := p.some(p.members(w))
		targets = targets[:min(len(targets), 1+p.r.IntN(2))]
		for _, t := range targets {
			c := p.call(i, "MPI_Win_lock", w)
			c.target, c.shared = t, p.r.IntN(2) == 0
		}
		for range p.r.IntN(5) {
			if t := targets[p.r.IntN(len(targets))]; p.r.IntN(3) > 0 {
				p.access(i, w, t)
			} else {
				p.call(i, "MPI_Win_flush", w)
			}
		}
		for _, t := range targets {
			p.call(i, "MPI_Win_unlock", w).target = t
		}
	}
}

// lockedWhole lets processes lock what all have of a window. A flush of one part is one of a part that was accessed.
func (p *oneSided) lockedWhole(w int) {
	for _, i := range p.some(p.members(w)) {
		p.call(i, "MPI_Win_lock_all", w).target = allTarget
		accessed := false
		for range p.r.IntN(7) {
			if m := p.members(w); p.r.IntN(5) > 1 {
				p.access(i, w, m[p.r.IntN(len(m))])
				accessed = true
			} else if p.r.IntN(2) == 0 || !accessed {
				p.call(i, "MPI_Win_flush_all", w)
			} else {
				p.call(i, "MPI_Win_flush", w)
			}
		}
		p.call(i, "MPI_Win_unlock_all", w).target = allTarget
	}
}

// others are calls that have nothing to do with windows; of the first kind none makes progress for others.
func (p *oneSided) others(w int) {
	for i := range p.calls {
		if p.r.IntN(2) == 0 {
			p.call(i, []string{"MPI_Wtime", "MPI_Probe"}[p.r.IntN(2)], w)
		}
	}
}

// write writes the archive of the program, in chunks of a size.
func (p *oneSided) write(t *testing.T, chunk uint64) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, Anchor{EventChunk: chunk})
	require.NoError(t, err)
	x := &oneSidedWriter{oneSided: p, definer: definer{w: w}, regions: map[string]uint64{}}
	x.region(0, "main")
	x.processes(commLocations, upTo(len(p.calls)))
	for i, members := range p.comms {
		x.define("Comm", nil, uint64(10+i), 0, x.processes(5, members), none, 0)
	}
	for i, c := range p.wins {
		x.define("RmaWin", nil, uint64(20+i), 0, uint64(10+c), 0)
	}
	last := int64(0)
	for i, calls := range p.calls {
		if x.to, err = w.Events(uint64(i)); err != nil {
			require.NoError(t, err)
		}
		x.event(0, idEnter, 0)
		for _, c := range calls {
			x.call(c)
			last = max(last, c.end)
		}
		x.event(last, idLeave, 0)
		require.NoError(t, x.to.Close())
		x.define("LocationGroup", nil, uint64(i), 0, 1, 0, none)
		x.define("Location", nil, uint64(i), 0, 1, x.to.Events(), uint64(i))
	}
	x.define("ClockProperties", nil, 1e9, 0, uint64(last), none)
	require.NoError(t, w.Close())
	a, err := Open(name)
	require.NoError(t, err)
	return a
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

type oneSidedWriter struct {
	*oneSided
	definer
	to      *EventWriter
	regions map[string]uint64
}

// processes defines a group of processes, whose locations have the same numbers.
func (x *oneSidedWriter) processes(kind uint64, members []int) uint64 {
	return x.group(kind, mpi, numbers(members))
}

func (x *oneSidedWriter) event(t int64, id uint8, values ...uint64) {
	x.to.Write(&Event{Record: Record{SpecOf(Events, id), values, nil}, Time: uint64(t)})
}

// call writes the events of a call, as Score-P does.
func (x *oneSidedWriter) call(c *windowCall) {
	region, known := x.regions[c.name]
	if !known {
		region = uint64(len(x.regions) + 1)
		x.regions[c.name] = region
		x.region(region, c.name)
	}
	x.event(c.begin, idEnter, region)
	at, window := c.at, uint64(20+c.window)
	rank := uint64(max(slices.Index(x.members(c.window), c.target), 0))
	if c.target == allTarget {
		rank = none
	}
	shared := uint64(0)
	if c.shared {
		shared = 1
	}
	switch c.name {
	case "MPI_Win_create", "MPI_Win_free", "MPI_Win_fence":
		x.event(at, idRmaCollectiveEnd, 0, 0, window, none, 0, 0)
	case "MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_test":
		if c.group != nil {
			x.event(at, idRmaGroupSync, 0, window, x.processes(5, c.group))
		}
	case "MPI_Put":
		x.event(at, idRmaPut, window, rank, 8, 1)
	case "MPI_Get":
		x.event(at, idRmaGet, window, rank, 8, 1)
	case "MPI_Accumulate":
		x.event(at, idRmaAtomic, window, rank, 0, 8, 0, 1)
	case "MPI_Win_lock", "MPI_Win_lock_all":
		x.event(at, idRmaRequestLock, window, rank, 0, shared)
	case "MPI_Win_unlock", "MPI_Win_unlock_all":
		x.event(at, idRmaReleaseLock, window, rank, 0)
	}
	x.event(c.end, idLeave, region)
}
