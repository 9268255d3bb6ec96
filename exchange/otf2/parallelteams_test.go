package otf2

import (
	"fmt"
	"math"
	"slices"
)

// parallelTeam is a team that works.
type parallelTeam struct {
	master  *parallelThread
	threads []*parallelThread // the master is the first one
	outer   *parallelTeam     // of the master
	comm    uint64
	depth   map[*parallelThread]int // how many regions are open in it at least
}

// parallelLock is a lock, which is free from some time on.
type parallelLock struct {
	free  int64
	order uint64
}

// inTeams lets threads of a process do something with each other.
func (p *parallel) inTeams(q *parallelProcess) {
	if len(q.threads) == 1 {
		return
	}
	var works *parallelTeam // in which no other one works
	if n := len(q.teams); n > 0 {
		works = q.teams[n-1]
	}
	switch k := p.r.IntN(9); {
	case k < 3 && len(q.teams) < 3:
		p.fork(p.some(q, false))
	case k < 4:
		p.excludes(q, "!$omp critical", "!$omp critical")
	case k < 5:
		p.excludes(q, p.one("omp_set_lock", "omp_test_lock"), "omp_unset_lock")
	case works == nil:
	case k < 6:
		p.join(works)
	case k < 7:
		p.barrier(works, "!$omp barrier")
	case k < 8:
		for _, x := range works.threads {
			p.enter(x, "!$omp for")
			p.passes(x, 60)
		}
		p.barrier(works, "!$omp implicit barrier")
		for _, x := range works.threads {
			p.leave(x)
		}
	default:
		for _, x := range works.threads {
			p.function(x)
		}
	}
}

// fork lets a thread fork a team, of itself and some that are in none. These may still record that the one before has ended.
func (p *parallel) fork(x *parallelThread) {
	team := &parallelTeam{master: x, threads: []*parallelThread{x}, outer: x.team, depth: map[*parallelThread]int{}}
	for _, y := range x.process.threads {
		if len(y.open) == 0 && p.r.IntN(3) > 0 {
			team.threads = append(team.threads, y)
		}
	}
	if p.r.IntN(4) > 0 {
		x.now = p.latest(team.threads)
	}
	x.process.teams = append(x.process.teams, team)
	p.passes(x, 30)
	p.event(x, idThreadFork, openMP, uint64(len(team.threads)))
	forked := x.now
	var key []uint64
	for _, y := range team.threads {
		key = append(key, y.location())
	}
	if comm, known := p.teams[fmt.Sprint(key)]; known {
		team.comm = comm
	} else {
		team.comm = uint64(100 + len(p.members))
		p.teams[fmt.Sprint(key)] = team.comm
		p.members = append(p.members, key)
	}
	region := p.one("!$omp parallel @a.c:1", "!$omp parallel @b.c:2")
	for _, y := range team.threads {
		y.now, y.team = max(y.now, forked), team
		p.passes(y, 15)
		p.event(y, idThreadTeamBegin, team.comm)
		p.enter(y, region)
		team.depth[y] = len(y.open)
	}
}

// join lets a team end, in which no other one works. Some of its threads may record that later.
func (p *parallel) join(team *parallelTeam) {
	q, x := team.master.process, team.master
	for _, y := range team.threads {
		p.finishesAll(y)
		for len(y.open) > team.depth[y] {
			p.leave(y)
		}
	}
	p.barrier(team, "!$omp implicit barrier")
	for _, y := range team.threads {
		p.leave(y)
		p.passes(y, 5)
		p.event(y, idThreadTeamEnd, team.comm)
		y.team = nil
	}
	x.team = team.outer
	if p.r.IntN(4) > 0 {
		x.now = p.latest(team.threads)
	}
	p.passes(x, 20)
	p.event(x, idThreadJoin, openMP)
	q.teams = slices.DeleteFunc(q.teams, func(t *parallelTeam) bool { return t == team })
}

// barrier lets all threads of a team meet.
func (p *parallel) barrier(team *parallelTeam, region string) {
	for _, x := range team.threads {
		p.enter(x, region)
	}
	latest := p.latest(team.threads)
	for _, x := range team.threads {
		x.now = latest
		p.leave(x)
	}
}

// excludes lets threads of a process exclude each other.
func (p *parallel) excludes(q *parallelProcess, acquires, releases string) {
	number := p.r.IntN(2)
	if acquires == releases {
		number += 2
	}
	l := p.locks[[2]int{q.number, number}]
	if l == nil {
		l = &parallelLock{}
		p.locks[[2]int{q.number, number}] = l
	}
	for _, i := range p.r.Perm(len(q.threads)) {
		x := q.threads[i]
		if len(x.open) == 0 || p.r.IntN(4) == 0 {
			continue
		}
		p.enter(x, acquires)
		x.now = max(x.now, l.free)
		p.passes(x, 10)
		l.order++
		p.event(x, idThreadAcquireLock, openMP, uint64(number), l.order)
		if acquires == releases {
			p.enter(x, "!$omp critical sblock")
			p.passes(x, 40)
		}
		p.leave(x)
		if acquires != releases {
			p.passes(x, 40)
			p.enter(x, releases)
		}
		p.event(x, idThreadReleaseLock, openMP, uint64(number), l.order)
		l.free = x.now
		p.leave(x)
	}
}

// defineTeams defines the communicators of teams.
func (p *parallel) defineTeams(x *definer) {
	var all []uint64
	for _, q := range p.processes {
		for _, thread := range q.threads {
			all = append(all, thread.location())
		}
	}
	x.group(commLocations, openMP, all)
	for i, list := range p.members {
		members := make([]uint64, len(list))
		for k, location := range list {
			members[k] = uint64(slices.Index(all, location))
		}
		x.define("Comm", nil, uint64(100+i), 0, x.group(5, openMP, members), none, 0)
	}
}

// naiveTeam is one of the times that a team worked.
type naiveTeam struct {
	process, comm uint64
	n             int
}

// naiveFork is where and when a team was forked, and when it was joined.
type naiveFork struct {
	of       naiveTeam
	path     string
	from, to int64
}

// naiveWork is that a thread works in a team.
type naiveWork struct {
	fork   *naiveFork
	master bool
	in     *visit // of what the team executes
}

// findForks finds all teams.
func (x *naive) findForks() {
	for _, thread := range x.threads {
		var open []*naiveFork // nil: of another thread
		begun := map[uint64]int{}
		for _, e := range thread.events {
			n := len(open) - 1
			switch e.Spec.ID {
			case idThreadFork:
				open = append(open, &naiveFork{from: int64(e.Time)})
			case idThreadTeamBegin:
				if n < 0 || open[n] == nil || open[n].of.comm != 0 {
					open = append(open, nil)
				} else {
					open[n].of = naiveTeam{thread.location.Group, e.Values[0], begun[e.Values[0]]}
					x.forks[open[n].of] = open[n]
				}
				begun[e.Values[0]]++
			case idThreadTeamEnd:
				if open[n] == nil {
					open = open[:n]
				}
			case idThreadJoin:
				open[n].to = int64(e.Time)
				open = open[:n]
			}
		}
	}
}

// teams applies an event that is about teams, and says whether it is one.
func (x *naive) teams(thread *naiveThread, open []*visit, e *Event) bool {
	n := len(thread.works) - 1
	switch e.Spec.ID {
	case idThreadFork:
		thread.works = append(thread.works, &naiveWork{master: true})
	case idThreadTeamBegin:
		if n < 0 || thread.works[n].fork != nil {
			n++
			thread.works = append(thread.works, &naiveWork{})
		}
		w := thread.works[n]
		w.fork = x.forks[naiveTeam{thread.location.Group, e.Values[0], thread.begun[e.Values[0]]}]
		if thread.begun[e.Values[0]]++; w.master {
			w.fork.path = open[len(open)-1].path
		} else {
			x.idle(thread, w.fork.from)
		}
	case idThreadTeamEnd:
		if w := thread.works[n]; !w.master {
			thread.works, thread.ended = thread.works[:n], w.in.end
		}
	case idThreadJoin:
		thread.works = thread.works[:n]
	default:
		return false
	}
	return true
}

// executes notes that a thread enters a region, which may be what a team executes: that lasts from the fork to the join, or as long as the thread does something else before, or is in it behind that.
func (thread *naiveThread) executes(v *visit) {
	if n := len(thread.works) - 1; n >= 0 && thread.works[n].in == nil {
		w := thread.works[n]
		w.in, v.work = v, w
		v.team, v.path = w.fork.of, w.fork.path+" > "+v.name
		v.works = v.begin
		v.begin = max(thread.ended, w.fork.from)
	}
}

// goesOn returns when a thread does something again behind the work in a team, of which it has just left the last region, and never if it has forked the team itself.
func (thread *naiveThread) goesOn(left int) int64 {
	if next := thread.events[left+1:]; !thread.works[len(thread.works)-1].master && len(next) > 1 {
		return int64(next[1].Time) // behind the end of the work
	}
	return math.MaxInt64
}

// management takes the time to begin and to end work in a team out of the time of a visit.
func (x *naive) management(v *visit) {
	if v.work != nil {
		x.waits("omp_fork", v, v.begin, v.works)
		x.waits("omp_management", v, v.rests, v.end)
	}
}

// idle finds what a thread did between teams.
func (x *naive) idle(thread *naiveThread, until int64) {
	from := max(x.bound(thread.location.Group, false), thread.ended)
	for t := from; t < until; t++ {
		at := naiveCell{"omp_idle_threads", "(idle)", thread.number}
		for _, f := range x.forks {
			if f.of.process == thread.location.Group && f.from <= t && t < f.to {
				at.metric, at.path = "omp_limited_parallelism", "(idle) > (team of others)"
			}
		}
		x.cells[at]++
	}
}

// bound returns when a process begins or ends.
func (x *naive) bound(process uint64, ends bool) int64 {
	var times []int64
	for _, thread := range x.threads {
		if n := len(thread.events); thread.location.Group == process {
			times = append(times, int64(thread.events[0].Time), int64(thread.events[n-1].Time))
		}
	}
	if ends {
		return slices.Max(times)
	}
	return slices.Min(times)
}

// barriers finds who waited for whom at barriers of teams: the n-th of each thread in a team are one.
func (x *naive) barriers() {
	type turn struct {
		team naiveTeam
		n    int
	}
	all, last := map[turn][]*naiveMember{}, map[*naiveThread]map[naiveTeam]int{}
	for _, v := range x.visits {
		if v.class != "omp_ebarrier" && v.class != "omp_ibarrier" {
			continue
		}
		if last[v.thread] == nil {
			last[v.thread] = map[naiveTeam]int{}
		}
		at := turn{v.team, last[v.thread][v.team]}
		last[v.thread][v.team]++
		all[at] = append(all[at], &naiveMember{at: v, begin: v.begin, end: v.end})
	}
	for _, members := range all {
		for _, m := range members {
			x.assembled(members, m, m.at.class+"_wait", "")
		}
	}
}

// locks finds who waited for whom that had a lock before.
func (x *naive) locks() {
	for _, v := range x.visits {
		for _, e := range v.events {
			if e.Spec.ID != idThreadAcquireLock {
				continue
			}
			for _, o := range x.visits {
				for _, f := range o.events {
					if f.Spec.ID == idThreadReleaseLock && o.thread.location.Group == v.thread.location.Group && f.Values[1] == e.Values[1] && f.Values[2]+1 == e.Values[2] {
						x.waits(map[string]string{"omp_critical": "omp_lock_contention_critical", "omp_lock_api": "omp_lock_contention_api"}[v.class], v, v.begin, int64(min(f.Time, e.Time)))
					}
				}
			}
		}
	}
}
