package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
)

// stamped is an operation, or something else with a number, with the time of one of its events.
type stamped struct {
	time int64
	op   int32
}

// merger goes through things in the order of their times, of equal times in that of their numbers. It merges
// the ascending runs it finds, of which there are as many as locations, and needs memory only for these.
type merger struct {
	store *spill.Store
	calls int
	time  func(i int32) (t int64, ok bool) // of those that are not ok there is no event
	heap  []mergeRun                       // by (time, at)
	group []stamped
}

// mergeRun is the rest of a run: [at, end).
type mergeRun struct {
	time    int64 // of at
	at, end int32
}

// start begins with n things.
func (m *merger) start(n int, time func(i int32) (t int64, ok bool)) {
	m.time, m.heap = time, m.heap[:0]
	last := int64(0)
	for i := range int32(n) {
		if i%paced == 0 {
			m.store.Pace()
		}
		t, ok := time(i)
		if !ok {
			continue
		}
		if k := len(m.heap); k == 0 || t < last {
			m.heap = append(m.heap, mergeRun{time: t, at: i})
		}
		m.heap[len(m.heap)-1].end, last = i+1, t
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
}

// next returns the next one, and false at the end.
func (m *merger) next() (e stamped, ok bool) {
	if len(m.heap) == 0 {
		return stamped{}, false
	}
	r := &m.heap[0]
	e = stamped{r.time, r.at}
	for ok = false; !ok; {
		if m.calls++; m.calls%paced == 0 {
			m.store.Pace()
		}
		if r.at++; r.at == r.end {
			*r = m.heap[len(m.heap)-1]
			m.heap = m.heap[:len(m.heap)-1]
			break
		}
		r.time, ok = m.time(r.at)
	}
	m.down(0)
	return e, true
}

// same returns all of the next time, none at the end. The result is valid until the next call.
func (m *merger) same() []stamped {
	m.group = m.group[:0]
	for len(m.heap) > 0 && (len(m.group) == 0 || m.heap[0].time == m.group[0].time) {
		e, _ := m.next()
		m.group = append(m.group, e)
	}
	return m.group
}

// down moves the run at i down to its place.
func (m *merger) down(i int) {
	h := m.heap
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].before(&h[c]) {
			c++
		}
		if !h[c].before(&h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

func (a *mergeRun) before(b *mergeRun) bool {
	return a.time < b.time || a.time == b.time && a.at < b.at
}

// paced is after how many elements of lists in a store that has to be paced.
const paced = 1 << 12

// sortStamped sorts by time; what has one time stays in order.
func sortStamped(store *spill.Store, list []stamped) {
	compared := 0
	slices.SortStableFunc(list, func(a, b stamped) int {
		if compared++; compared%paced == 0 {
			store.Pace()
		}
		return cmp.Compare(a.time, b.time)
	})
}

// fifo is a queue of operations.
type fifo struct {
	items []int32
	head  int
}

func (f *fifo) len() int       { return len(f.items) - f.head }
func (f *fifo) at(i int) int32 { return f.items[f.head+i] }
func (f *fifo) reset()         { f.items, f.head = f.items[:0], 0 }

func (f *fifo) push(op int32) {
	if len(f.items) == cap(f.items) && f.head > len(f.items)/2 { // half of it is free
		f.items, f.head = f.items[:copy(f.items, f.items[f.head:])], 0
	}
	f.items = append(f.items, op)
}

func (f *fifo) pop() int32 {
	op := f.items[f.head]
	if f.head++; f.head == len(f.items) {
		f.reset()
	}
	return op
}
