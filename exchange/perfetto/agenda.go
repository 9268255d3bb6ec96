package perfetto

import "tracerec/trace"

// entry is something to be done at a time, before or after the events of that time.
type entry struct {
	time  int64
	late  bool // after the events
	what  task
	loc   trace.LocationID
	arg   uint64
	order uint64 // in which entries came
}

// task says what is to be done.
type task uint8

const (
	waitBegins  task = iota // arg: index of the wait
	waitEnds                // arg: index of the wait
	wakes                   // arg: flow that ends here, 0 none
	leads                   // arg: flow that begins at the next event of this time
	leadsTo                 // arg: flow that ends at the next operation of this time
	arrives                 // arg: flow that ends here
	processEnds             // arg: process
)

// agenda is what is to be done, by time: a heap.
type agenda struct {
	list  []entry
	count uint64
}

func (e *entry) before(f *entry) bool {
	if e.time != f.time {
		return e.time < f.time
	}
	if e.late != f.late {
		return f.late
	}
	return e.order < f.order
}

func (a *agenda) add(e entry) {
	e.order = a.count
	a.count++
	a.list = append(a.list, e)
	for i := len(a.list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.list[i].before(&a.list[parent]) {
			return
		}
		a.list[i], a.list[parent] = a.list[parent], a.list[i]
		i = parent
	}
}

// due says whether there is something to be done before the events of time t.
func (a *agenda) due(t int64) bool {
	return len(a.list) > 0 && (a.list[0].time < t || a.list[0].time == t && !a.list[0].late)
}

// next takes the first entry off.
func (a *agenda) next() entry {
	first, n := a.list[0], len(a.list)-1
	a.list[0] = a.list[n]
	a.list = a.list[:n]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < n; c++ {
			if a.list[c].before(&a.list[least]) {
				least = c
			}
		}
		if least == i {
			return first
		}
		a.list[i], a.list[least] = a.list[least], a.list[i]
		i = least
	}
}
