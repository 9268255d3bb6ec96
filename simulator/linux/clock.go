//go:build linux

package linux

import "syscall"

// duration reads a timespec, ns.
func (p *process) duration(at uint64) (int64, errno) {
	w, err := p.words(at, 2)
	if err != 0 {
		return 0, err
	}
	seconds, ns := int64(w[0]), int64(w[1])
	if seconds < 0 || ns < 0 || ns >= 1e9 {
		return 0, syscall.EINVAL
	}
	if seconds > 1<<32 {
		return 1 << 62, 0
	}
	return seconds*1e9 + ns, 0
}

func (p *process) putDuration(at uint64, ns int64) errno {
	return p.putWords(at, uint64(ns/1e9), uint64(ns%1e9))
}

// clock returns the time of the processor on which the thread runs: it never goes back for the thread.
func (t *thread) clock() int64 {
	for i := range t.k.cpus {
		if c := &t.k.cpus[i]; c.thread == t {
			return c.clock
		}
	}
	return t.k.now()
}

// time reads one of the clocks.
func (t *thread) time(clock uint64) (int64, errno) {
	switch clock {
	case 0, 5, 11: // realtime, realtime coarse, TAI
		return boot + t.clock(), 0
	case 1, 4, 6, 7: // monotonic, raw, coarse, boot time
		return t.clock(), 0
	case 2: // of the process
		return int64(t.p.instructions()), 0
	case 3: // of the thread
		return int64(t.hart.Retired), 0
	}
	return 0, syscall.EINVAL
}

func clockGettime(t *thread, a [6]uint64) (int64, errno) {
	now, err := t.time(a[0])
	if err != 0 {
		return 0, err
	}
	return 0, t.p.putDuration(a[1], now)
}

func clockGetres(t *thread, a [6]uint64) (int64, errno) {
	if _, err := t.time(a[0]); err != 0 || a[1] == 0 {
		return 0, err
	}
	return 0, t.p.putDuration(a[1], 1)
}

func gettimeofday(t *thread, a [6]uint64) (int64, errno) {
	now := boot + t.clock()
	return 0, t.p.putWords(a[0], uint64(now/1e9), uint64(now%1e9/1000))
}

func nanosleep(t *thread, a [6]uint64) (int64, errno) {
	d, err := t.p.duration(a[0])
	if err == 0 {
		t.block(d, nil, 0)
	}
	return 0, err
}

func clockNanosleep(t *thread, a [6]uint64) (int64, errno) {
	d, err := t.p.duration(a[2])
	if err != 0 {
		return 0, err
	}
	if a[1]&1 != 0 { // absolute
		now, err := t.time(a[0])
		if err != 0 {
			return 0, err
		}
		d = max(0, d-now)
	}
	t.block(d, nil, 0)
	return 0, 0
}
