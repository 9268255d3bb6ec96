package sample

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// totals counts what the whole process does: groups on all threads that exist when recording begins, which the
// threads that these start inherit. Its growth over a stretch of time bounds what any goroutine did in it, wherever that was.
//
// The present values are read when a bound is asked for, and by a reading that finds the last ones more than a millisecond old,
// so that the total known before a stretch is hardly older than the stretch.
type totals struct {
	places   []int // of the events in a reading, in the order of the groups
	counted  [MaxEvents]bool
	fds      []int // leaders first, then all others
	groups   int   // number of leaders
	mu       sync.Mutex
	perMilli uint64
	when     atomic.Uint64 // ticks of the last refreshing
	version  atomic.Uint64 // odd: values are being stored
	values   [MaxEvents]atomic.Uint64
	why      error       // some events are not counted
	failed   atomic.Bool // the kernel let others have the counters: nothing is known any more
}

// openTotals returns totals that count as many of the events as they can, perhaps none.
func openTotals(attrs []perfAttr, perMilli uint64) *totals {
	t := &totals{perMilli: max(perMilli, 1)}
	flags := uint64(flagInherit | flagInheritThread)
	if fds, err := openGroup(attrs[:1], 0, flags); err != nil {
		flags = flagInherit // an older kernel: what children do counts as well, so bounds are wider
	} else {
		closeAll(fds)
	}
	var fit []perfAttr
	for i := range attrs { // one more at a time: those that find no counter have no bound
		fds, err := openGroup(append(fit[:len(fit):len(fit)], attrs[i]), 0, flags)
		if err != nil {
			t.why = err
		} else {
			closeAll(fds)
			fit, t.places = append(fit, attrs[i]), append(t.places, i)
			t.counted[i] = true
		}
	}
	if len(fit) == 0 {
		t.failed.Store(true)
		return t
	}
	if err := t.open(fit, flags); err != nil {
		t.close()
		t.counted, t.why = [MaxEvents]bool{}, err
		t.failed.Store(true)
		return t
	}
	var now [MaxEvents]uint64
	t.refresh(&now)
	return t
}

// open opens groups on all threads. A thread that an opened one starts meanwhile may count twice, which a bound stands.
func (t *totals) open(attrs []perfAttr, flags uint64) error {
	known := map[int]bool{}
	var leaders, others []int
	defer func() { t.fds = append(leaders, others...) }()
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
			fds, err := openGroup(attrs, tid, flags)
			if err != nil {
				if _, err := os.Stat("/proc/self/task/" + e.Name()); err != nil {
					continue // it has ended
				}
				return err
			}
			leaders, others = append(leaders, fds[0]), append(others, fds[1:]...)
			t.groups++
		}
	}
	return nil
}

// before returns the version of the last totals, which are of a time before now, or the present ones if fresh, and stores them in r
// if r has others; 0 if there are none.
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
		for _, p := range t.places {
			r.base[1-r.present][p] = t.values[p].Load()
		}
		if v&1 == 0 && t.version.Load() == v {
			return v
		}
	}
	return 0
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
	for _, fd := range t.fds[:t.groups] {
		var b group
		if !readGroup(int64(fd), &b) {
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
	t.fds, t.groups = nil, 0
}
