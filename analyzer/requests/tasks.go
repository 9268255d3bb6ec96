package requests

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// told is what one event tells of a task that ends elsewhere than where it began: its number in the process, and the request as far as it is known.
type told struct {
	number  uint64
	process int
	request
}

func (x *told) compare(y *told) int {
	return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.number, y.number), cmp.Compare(x.begin, y.begin), cmp.Compare(x.loc, y.loc))
}

// task takes that a task ends elsewhere than in its region, and where. One within a request is none.
func (r *reader) task(l *life, loc uint32, e *trace.Event, t int64) {
	x := told{number: e.Word, process: r.defs.Locations[loc].Process, request: request{loc: loc, end: t}}
	switch at := l.open.Region(e.ID); {
	case e.Kind == wire.TaskEnd:
		r.ends = add(r.done.store, r.ends, x)
	case at >= 0 && at == l.serving:
		n := len(l.served) - 1
		x.begin = l.served[n].begin
		x.label = r.labels.number(label{kind: kindTask, name: r.paths.list[l.open.Levels[at].Of.path].route})
		l.served, l.serving = l.served[:n], -1
		r.left = add(r.done.store, r.left, x)
	}
}

// handed adds the tasks that ended elsewhere to all requests, which are in order again then. One whose end is not known is cut.
func (r *reader) handed(all []request) []request {
	if len(r.left) == 0 {
		return all
	}
	compare := func(x, y told) int { return x.compare(&y) }
	inOrder(r.done.store, r.left, compare)
	inOrder(r.done.store, r.ends, compare)
	ends := r.ends
	for i := range r.left {
		x := &r.left[i]
		for len(ends) > 0 && cmp.Or(cmp.Compare(ends[0].process, x.process), cmp.Compare(ends[0].number, x.number)) < 0 {
			ends = ends[1:]
		}
		q := x.request
		q.end, q.cut = r.end, true
		if len(ends) > 0 && ends[0].process == x.process && ends[0].number == x.number {
			q.end, q.cut = max(ends[0].end, q.begin), r.part && q.begin == r.begin
			if by := ends[0].loc; by != q.loc {
				q.loc, q.by = by, q.loc+1
			}
		}
		all = add(r.done.store, all, q)
	}
	inOrder(r.done.store, all, func(x, y request) int { return x.compare(&y) })
	return all
}

func (q *request) compare(x *request) int {
	return cmp.Or(cmp.Compare(q.loc, x.loc), cmp.Compare(q.begin, x.begin), cmp.Compare(q.end, x.end), cmp.Compare(q.label, x.label), cmp.Compare(q.by, x.by))
}

// ender is a goroutine that ends tasks which others began: they come to it at the ends of its waits at a place.
type ender struct {
	loc   uint32
	place int32
	tasks []ended // ascending by end
	many  bool    // it has several at once, which came one by one, such as a batch
}

// ended is a task that an ender ends. None of the waits is -1.
type ended struct {
	request
	got    int32 // the wait of the ender at whose end it came
	since  int32 // the last one before the end
	after  int64 // the end of the task before it, behind since; unknown if there is none
	before int64 // the end of the last task before since, or unknown
	first  int64 // the end of the first one behind since
	next   int64 // the begin of the next one that the same one began, if this one ends several at once
	sent   int64 // when it was taken, if the one that began it waited to send it; else unknown
}

// byEnd orders tasks of an ender.
func (x *ended) byEnd(y *ended) int {
	return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.begin, y.begin), x.compare(&y.request))
}

// enderOf returns what is known of a goroutine that ends tasks. The next question is mostly about the same.
func (w *walker) enderOf(loc uint32) *ender {
	if s := w.ender; s != nil && s.loc == loc {
		return s
	}
	s := &ender{loc: loc}
	for i := sort.Search(len(w.all), func(i int) bool { return w.all[i].loc >= loc }); i < len(w.all) && w.all[i].loc == loc; i++ {
		if q := &w.all[i]; q.by != 0 && !q.cut {
			s.tasks = add(w.r.done.store, s.tasks, ended{request: *q})
		}
	}
	inOrder(w.r.done.store, s.tasks, func(x, y ended) int { return x.byEnd(&y) })
	s.place = w.placeOf(loc, s.tasks[len(s.tasks)-1].end, s.tasks)
	if s.many = true; !w.assign(s) {
		s.many = false
		w.assign(s)
	}
	w.ender = s
	return s
}

// assign finds out at which end of a wait each task came. A wait before the first of several tasks that end one after the other, without a wait there in between, was for any of them:
// the first one from where that came, else from anybody who began none. The others were in a queue meanwhile.
func (w *walker) assign(s *ender) (several bool) {
	list := w.waits.of(s.loc)
	next, since, before := 0, int32(-1), unknown
	var came []int32            // since the end of the last task before these
	taken := map[uint32]int64{} // by who sent: the end of the last wait to send
	for i := 0; i < len(s.tasks); {
		for came = came[:0]; next < len(list) && list[next].end <= s.tasks[i].end; next++ {
			if w.arrives(&list[next], s.place) {
				since = int32(next)
				came = append(came, since)
			}
		}
		to := w.together(s, i, list[next:])
		follow(s.tasks[i:to], s.many)
		got, after, first := 0, unknown, s.tasks[i].end
		for alone := to-i == 1; i < to; i++ {
			x := &s.tasks[i]
			x.got, x.since, x.after, x.before, x.first = -1, since, after, before, first
			from := max(x.begin, taken[x.by])
			if !s.many {
				from = max(from, before, after)
			}
			if x.sent = w.sent(x, from); x.sent > x.next {
				x.sent = unknown
			} else if x.sent != unknown {
				taken[x.by] = x.sent + 1
			}
			if !s.many && after != unknown {
				came = nil // they were for the one before
			}
			if at := w.came(x, list, came, alone); at >= 0 {
				x.got = came[at]
				came = slices.Delete(came, at, at+1)
				got++
			}
			after = x.end
		}
		several, before = several || got > 1, after
	}
	return several
}

// together returns how many tasks have ended before the next wait at the place ends, after one of them.
func (w *walker) together(s *ender, task int, next []wait) int {
	limit := int64(math.MaxInt64)
	if i := slices.IndexFunc(next, func(x wait) bool { return w.arrives(&x, s.place) }); i >= 0 {
		limit = next[i].end
	}
	for task++; task < len(s.tasks) && s.tasks[task].end < limit; {
		task++
	}
	return task
}

// follow sets the begin of the next task of each one's goroutine, if there are several at once.
func follow(tasks []ended, several bool) {
	begins := map[uint32]int64{}
	for i := range slices.Backward(tasks) {
		x := &tasks[i]
		x.next = math.MaxInt64
		if next, is := begins[x.by]; several && is && next > x.begin {
			x.next = next
		}
		begins[x.by] = x.begin
	}
}

// came returns at which of some waits a task came: the first one that may be it or, if it is alone, the last; -1 for none.
func (w *walker) came(x *ended, list []wait, came []int32, alone bool) int {
	best := -1
	for at, i := range came {
		y := &list[i]
		direct := y.causer == x.by-1
		if x.sent != unknown && y.end > x.sent {
			break
		} else if y.end < x.begin {
			continue
		}
		switch {
		case direct && !alone && y.end <= x.next:
			return at
		case direct && !alone:
			return -1
		case direct, best < 0 && !w.begins[y.causer], alone && !w.begins[y.causer] && list[came[best]].causer != x.by-1:
			best = at
		}
	}
	return best
}

// arrives says whether a wait at a place was for a value or a signal of somebody.
func (w *walker) arrives(x *wait, place int32) bool {
	return w.hands(x) && w.pathAt(x) == place
}

// hands says whether at the end of a wait somebody may have handed a task on.
func (w *walker) hands(x *wait) bool {
	name := w.metrics[x.metric].Name
	return x.causer != analyzer.NoCauser && (name == metric.LateSender || name == metric.CondWait)
}

// pathAt returns the path of a wait.
func (w *walker) pathAt(x *wait) int32 {
	all := w.r.at(&w.r.lives[x.loc], x.begin)
	a, _, _ := all.next()
	return a.path
}

// mostWaits is how many waits are looked at to find out where a goroutine waits for tasks, or when it sent or got one.
const mostWaits = 1 << 12

// placeOf returns where a location waits for what it handed on, or ended, at a time: where it waited for those who began tasks or, if there is no such place, that which has
// most calls in common with what it did then, of several the first; -1 if it waits for nobody.
func (w *walker) placeOf(loc uint32, at int64, tasks []ended) int32 {
	if place, known := w.places[loc]; known {
		return place
	}
	list, votes, best, looked := w.waits.of(loc), map[int32]int{}, int32(-1), 0
	for i := range tasks {
		q := &tasks[i]
		from := sort.Search(len(list), func(i int) bool { return list[i].operation >= q.begin })
		for j := max(from-1, 0); j < len(list) && list[j].end <= q.end && looked < mostWaits; j++ {
			looked++
			if x := &list[j]; x.end >= q.begin && x.causer == q.by-1 && w.hands(x) {
				p := w.pathAt(x)
				if votes[p]++; best < 0 || votes[p] > votes[best] {
					best = p
				}
				break
			}
		}
	}
	if best < 0 {
		was := w.r.at(&w.r.lives[loc], at-1)
		a, _, _ := was.next()
		least := math.MaxInt
		for i := range list[:min(len(list), mostWaits)] {
			if x := &list[i]; w.hands(x) {
				if p := w.pathAt(x); p != best {
					if n := w.r.paths.shared(p, a.path); n < least {
						best, least = p, n
					}
				}
			}
		}
	}
	w.places[loc] = best
	return best
}

// shared returns how many calls two paths have in common.
func (p *paths) shared(a, b int32) int {
	for a != b && a >= 0 && b >= 0 {
		if p.list[a].depth >= p.list[b].depth {
			a = p.list[a].parent
		} else {
			b = p.list[b].parent
		}
	}
	if a < 0 || b < 0 {
		return 0
	}
	return p.list[a].depth
}

// gathering is that a goroutine has a task and waits for more of them at a place.
type gathering struct {
	path   int32
	metric string // of what it waits for in the end
}

// stage is a part of a task's latency, and who had it then.
type stage struct {
	loc      uint32
	from, to int64
	c        *cause
}

// carry divides the latency of a task that another goroutine ended by what those did who had it: from that one back to the one that began it. While somebody was busy with
// earlier ones, it waited to be received.
func (w *walker) carry(q *request) {
	s := w.enderOf(q.loc)
	x := &s.tasks[sort.Search(len(s.tasks), func(i int) bool { return s.tasks[i].byEnd(&ended{request: *q}) >= 0 })]
	loc, to, place := q.loc, q.end, s.place
	y, busy, gathers := w.reached(s, x)
	var way []stage // backwards
	part := func(loc uint32, from, to int64, c *cause) { way = append(way, stage{loc, from, to, c}) }
	for hops := 0; to > q.begin; hops++ {
		from := q.begin
		if y != nil {
			from = max(from, y.end)
		} else if born := w.r.lives[loc].runs[0].from; born > from {
			from = min(born, to)
		}
		own := min(max(busy, from), to)
		part(loc, own, to, nil)
		part(loc, from, own, &cause{w.extend(-1, metric.LateReceiver, place), noSite, nil})
		l := &w.r.lives[loc]
		switch {
		case from == q.begin:
			to = from
			continue
		case y != nil:
			if busy = from; own == from {
				busy = w.previous(y, place)
			}
			loc = y.causer
		case l.created:
			loc, busy = l.creator, unknown
		default:
			part(loc, q.begin, from, nil)
			to = q.begin
			continue
		}
		if to = from; loc == q.by-1 || w.begins[loc] || hops == deepest {
			part(q.by-1, q.begin, to, nil)
			break
		}
		place = w.placeOf(loc, to, nil)
		y = w.arrival(loc, q.begin, to, place)
	}
	for i, p := range slices.Backward(way) {
		if i == 0 {
			w.gathers = gathers
		}
		w.part(p.loc, p.from, p.to, p.c)
	}
	w.gathers = gathering{}
}

// reached returns the wait at whose end a task came to the one that ended it, or before whose end it had not come; nil if there is none. And until when that one was busy with
// others. It may have waited for more of them since: for those, or for a timer in the end.
func (w *walker) reached(s *ender, x *ended) (y *wait, busy int64, gathers gathering) {
	list := w.waits.of(s.loc)
	from := x.begin // since when it had it
	switch {
	case x.got >= 0:
		y, busy, from = &list[x.got], unknown, list[x.got].end
	case x.sent != unknown:
		y, from = &wait{end: x.sent, loc: s.loc, causer: x.by - 1}, x.sent
		if busy = x.after; s.many {
			busy = unknown
		}
	case s.many:
		from = max(x.before, x.begin)
		busy = from
	default:
		if x.since >= 0 && list[x.since].end >= x.begin {
			y = &list[x.since]
		}
		return y, x.after, gathers
	}
	if s.place < 0 {
		return y, busy, gathers
	}
	last := w.final(&turn{wait: &wait{loc: s.loc, end: from, kind: w.r.paths.list[s.place].kind}, path: s.place, until: x.first})
	if last.end <= from {
		return y, busy, gathers
	}
	gathers = gathering{s.place, cmp.Or(last.timer, metric.LateSender)}
	if y != nil {
		busy = unknown
	}
	return y, busy, gathers
}

// sent returns when a task that its goroutine waited to send was taken by the one that ended it, at a time or later; unknown if it did not wait.
func (w *walker) sent(x *ended, from int64) int64 {
	list := w.waits.of(x.by - 1)
	begin := sort.Search(len(list), func(i int) bool { return list[i].operation >= x.begin })
	for i := begin; i < min(len(list), begin+mostWaits) && list[i].end <= x.end; i++ {
		name := w.metrics[list[i].metric].Name
		if list[i].end >= from && list[i].causer == x.loc && (name == metric.LateReceiver || name == metric.FullBuffer) {
			return list[i].end
		}
	}
	return unknown
}

// part divides the part [from, to) of a task in which a location had it. Before it began, a timer may have run, if nobody created it.
func (w *walker) part(loc uint32, from, to int64, c *cause) {
	if from >= to {
		return
	}
	l := &w.r.lives[loc]
	alive, dead := l.during(from, to)
	all := w.r.of(l)
	a, _, _ := all.next()
	if p := &w.r.paths.list[a.path]; !l.created && p.kind == wire.SleepBegin && w.r.paths.region(p.region).Name == wire.Timer {
		w.emit(c, metric.Sleep, a.path, alive-from)
	} else {
		w.emit(c, metric.UnrecordedWait, -1, alive-from)
	}
	told := dead
	if c != nil {
		told = w.after(l, alive, dead)
	}
	if alive < told {
		w.walk(loc, alive, told, c)
	}
	if told < dead {
		queue := &w.links.list[c.chain]
		w.emit(nil, queue.metric, queue.path, dead-told)
	}
	w.emit(c, metric.UnrecordedWait, -1, to-dead)
}

// mostQueued is of how many things is told that somebody did while a task was in a queue: if there are very many tasks, each of them waits for what is done for all others.
const mostQueued = 1 << 13

// after returns when a location has done so many things in [from, to), to if these are fewer.
func (w *walker) after(l *life, from, to int64) int64 {
	all := w.r.at(l, from)
	for range mostQueued {
		if _, end, more := all.next(); !more || end >= to {
			return to
		} else if end > from {
			from = end
		}
	}
	return from
}

// arrival returns the last wait of a location at a place whose end is in [from, to], nil if there is none.
func (w *walker) arrival(loc uint32, from, to int64, place int32) *wait {
	list := w.waits.of(loc)
	last := sort.Search(len(list), func(i int) bool { return list[i].operation > to }) - 1
	for i := last; i >= max(0, last-mostWaits) && list[i].end >= from; i-- {
		if x := &list[i]; x.end <= to && w.arrives(x, place) {
			return x
		}
	}
	return nil
}

// previous returns the end of the last wait at the same place before one for the same location, unknown if there is none.
func (w *walker) previous(y *wait, place int32) int64 {
	list := w.waits.of(y.loc)
	last := sort.Search(len(list), func(i int) bool { return list[i].compare(y) >= 0 }) - 1
	for i := last; i >= max(0, last-mostWaits); i-- {
		if x := &list[i]; x.causer == y.causer && w.arrives(x, place) {
			return x.end
		}
	}
	return unknown
}
