package sample

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"tracerec/internal/perfevent"
)

// totals counts what the whole process does: groups on all threads that exist when recording begins, which the
// threads that these start inherit. Its growth over a stretch of time bounds what any goroutine did in it, wherever that was.
//
// The present values are read when a bound is asked for, and by a reading that finds the last ones more than a millisecond old,
// so that the total known before a stretch is hardly older than the stretch.
type totals struct {
	places   []int // of the events in a reading, in the order of the groups
	counted  [MaxEvents]bool
	fds      []int // all
	leaders  []handle
	mu       sync.Mutex
	perMilli uint64
	when     atomic.Uint64 // ticks of the last refreshing
	version  atomic.Uint64 // odd: values are being stored
	values   [MaxEvents]atomic.Uint64
	why      error       // some events are not counted
	failed   atomic.Bool // the kernel let others have the counters: nothing is known any more
}

// openTotals returns totals that count as many of the events as they can, perhaps none.
func openTotals(attrs []perfevent.Attr, perMilli uint64) *totals {
	t := &totals{perMilli: max(perMilli, 1)}
	flags := uint64(perfevent.FlagInherit | perfevent.FlagInheritThread)
	if opens(inherited(attrs[:1], flags)) != 0 {
		flags = perfevent.FlagInherit // an older kernel: what children do counts as well, so bounds are wider
	}
	var fit []perfevent.Attr
	for i := range attrs { // one more at a time: those that find no counter have no bound
		if errno := opens(inherited(append(fit[:len(fit):len(fit)], attrs[i]), flags)); errno != 0 {
			t.why = explain(errno)
		} else {
			fit, t.places = append(fit, attrs[i]), append(t.places, i)
			t.counted[i] = true
		}
	}
	if len(fit) == 0 {
		t.failed.Store(true)
		return t
	}
	if err := t.open(inherited(fit, flags)); err != nil {
		t.close()
		t.counted, t.why = [MaxEvents]bool{}, err
		t.failed.Store(true)
		return t
	}
	var now [MaxEvents]uint64
	t.refresh(&now)
	return t
}

// inherited returns a group of events that is inherited as flags say, ready to be opened.
func inherited(attrs []perfevent.Attr, flags uint64) []perfevent.Attr {
	out := leaderFirst(attrs)
	out[0].Flags &^= perfevent.FlagPinned
	for i := range out {
		out[i].Flags |= flags
	}
	return out
}

// opens tells why a group cannot be opened on the calling thread, 0 if it can.
func opens(attrs []perfevent.Attr) syscall.Errno {
	fds := make([]int, len(attrs))
	_, errno := openGroup(attrs, 0, fds)
	if errno == 0 {
		closeAll(fds)
	}
	return errno
}

// open opens groups on all threads. A thread that an opened one starts meanwhile may count twice, which a bound stands.
func (t *totals) open(attrs []perfevent.Attr) error {
	known := map[int]bool{}
	for more := true; more; {
		more = false
		entries, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, e := range entries {
			tid, err := strconv.Atoi(e.Name())
			if err != nil || known[tid] {
				continue
			}
			known[tid], more = true, true
			fds := make([]int, len(attrs))
			lead, errno := openGroup(attrs, tid, fds)
			if errno != 0 {
				if _, err := os.Stat("/proc/self/task/" + e.Name()); err != nil {
					continue // it has ended
				}
				return explain(errno)
			}
			t.leaders, t.fds = append(t.leaders, lead), append(t.fds, fds...)
		}
	}
	return nil
}

// before returns the version of the last totals, which are of a time before now, or the present ones if fresh, and stores them in r
// if r has others; 0 if there are none. A reading in the midst of a refreshing keeps the totals that it has: older ones bound as well.
func (t *totals) before(now uint64, fresh bool, r *Reading) uint64 {
	if t.failed.Load() {
		return 0
	}
	if fresh {
		t.mu.Lock()
		t.read()
		t.mu.Unlock()
	} else if now-t.when.Load() > t.perMilli && t.mu.TryLock() {
		t.when.Store(now)
		t.read()
		t.mu.Unlock()
	}
	for range 100 {
		v := t.version.Load()
		if v == r.version {
			return v
		}
		t.copy(r)
		if v&1 == 0 && t.version.Load() == v {
			return v
		}
	}
	if r.version != 0 {
		return r.version
	}
	t.mu.Lock() // whoever stores them has lost the processor meanwhile
	defer t.mu.Unlock()
	t.copy(r)
	return t.version.Load()
}

// copy stores the last totals in r, beside those that it has.
func (t *totals) copy(r *Reading) {
	for _, p := range t.places {
		r.base[1-r.present][p] = t.values[p].Load()
	}
}

// refresh stores the present totals and reports whether they are known.
func (t *totals) refresh(dst *[MaxEvents]uint64) bool {
	if t.failed.Load() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read()
	for _, p := range t.places {
		dst[p] = t.values[p].Load()
	}
	return !t.failed.Load()
}

// read reads all groups. The caller holds mu.
func (t *totals) read() {
	var sum [MaxEvents]uint64
	for _, lead := range t.leaders {
		var b group
		if !readGroup(lead, len(t.places), &b) {
			t.failed.Store(true)
			return
		}
		for i := range t.places {
			sum[i] += b.values[i]
		}
	}
	t.version.Add(1)
	for i, p := range t.places {
		t.values[p].Store(sum[i])
	}
	t.version.Add(1)
}

// has tells whether the event at a place in a reading is counted.
func (t *totals) has(place int) bool { return t.counted[place] }

// lacks says why some are not.
func (t *totals) lacks() error { return t.why }

func (t *totals) close() {
	closeAll(t.fds)
	t.fds, t.leaders = nil, nil
}
