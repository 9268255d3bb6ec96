//go:build linux

package linux

import (
	"encoding/binary"
	"slices"
	"syscall"
)

func putUint64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
func getUint64(b []byte) uint64    { return binary.LittleEndian.Uint64(b) }

// epoll watches files.
type epoll struct {
	watches []*watch // in the order in which they were added
}

// watch is a file that an epoll watches.
type watch struct {
	fd     uint64
	file   *open
	events uint32
	data   uint64
	last   uint32 // events reported, when only changes are,
	seen   uint64 // and changes of the file by then
}

// Flags of watches.
const (
	epollEdge    = 1 << 31
	epollOneShot = 1 << 30
)

func (*epoll) read([]byte) (int, errno)  { return 0, syscall.EINVAL }
func (*epoll) write([]byte) (int, errno) { return 0, syscall.EINVAL }
func (*epoll) close()                    {}
func (e *epoll) ready() uint32 {
	for _, w := range e.watches {
		if w.fresh() != 0 {
			return pollIn
		}
	}
	return 0
}

// fresh returns the events to report. Edge-triggered ones are reported when they come, and again when they were gone
// in between, or when more has come since: whoever uses them reads until there is no more.
func (w *watch) fresh() uint32 {
	if w.file.users == 0 {
		return 0
	}
	now := w.file.ready() & (w.events | pollErr | pollHup)
	if w.events&epollEdge != 0 {
		if changes(w.file.file) != w.seen {
			return now
		}
		return now &^ w.last
	}
	return now
}

// changes counts what others did to a file that may make it ready.
func changes(f file) uint64 {
	if c, ok := f.(interface{ changes() uint64 }); ok {
		return c.changes()
	}
	return 0
}

func epollCreate(t *thread, a [6]uint64) (int64, errno) {
	return t.p.files.add(&open{file: &epoll{}, flags: oReadWrite}, 0, a[0])
}

func epollControl(t *thread, a [6]uint64) (int64, errno) {
	const add, remove, modify = 1, 2, 3
	w := new(watch)
	if a[1] != remove {
		b, err := t.p.bytes(a[3], 16)
		if err != 0 {
			return 0, err
		}
		w.events, w.data = binary.LittleEndian.Uint32(b), getUint64(b[8:])
	}
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	f, err := t.p.files.get(a[2])
	if err != 0 {
		return 0, err
	}
	switch f.file.(type) {
	case *regular, *directory:
		return 0, syscall.EPERM
	}
	e, ok := o.file.(*epoll)
	if !ok || o == f || a[1] < add || a[1] > modify {
		return 0, syscall.EINVAL
	}
	w.fd, w.file = a[2], f
	e.watches = slices.DeleteFunc(e.watches, func(w *watch) bool { return w.file.users == 0 })
	at := slices.IndexFunc(e.watches, func(w *watch) bool { return w.fd == a[2] && w.file == f })
	switch {
	case a[1] == add && at >= 0:
		return 0, syscall.EEXIST
	case a[1] == add:
		e.watches = append(e.watches, w)
	case at < 0:
		return 0, syscall.ENOENT
	case a[1] == remove:
		e.watches = slices.Delete(e.watches, at, at+1)
		return 0, 0
	default:
		e.watches[at] = w
	}
	t.k.changed = true
	return 0, 0
}

// collect stores events that are ready, at most n.
func (t *thread) collect(e *epoll, at uint64, n int) (int64, errno) {
	found := int64(0)
	for _, w := range e.watches {
		if found >= int64(n) {
			break
		}
		events := w.fresh()
		if w.events&epollEdge != 0 && w.file.users > 0 {
			w.last, w.seen = w.file.ready()&(w.events|pollErr|pollHup), changes(w.file.file)
		}
		if events == 0 {
			continue
		}
		if err := t.p.putWords(at+uint64(16*found), uint64(events), w.data); err != 0 {
			return 0, err
		}
		if w.events&epollOneShot != 0 {
			w.events = 0
		}
		found++
	}
	return found, 0
}

func epollWait(t *thread, a [6]uint64) (int64, errno) {
	d := int64(int32(a[3]))
	if d > 0 {
		d *= 1e6
	}
	return t.epollWait(a, d)
}

func epollWait2(t *thread, a [6]uint64) (int64, errno) {
	d := int64(-1)
	if a[3] != 0 {
		var err errno
		if d, err = t.p.duration(a[3]); err != 0 {
			return 0, err
		}
	}
	return t.epollWait(a, d)
}

func (t *thread) epollWait(a [6]uint64, d int64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	e, ok := o.file.(*epoll)
	if !ok || int32(a[2]) <= 0 {
		return 0, syscall.EINVAL
	}
	n, err := t.collect(e, a[1], int(int32(a[2])))
	if n > 0 || err != 0 || d == 0 {
		return n, err
	}
	t.block(d, func() (int64, bool) {
		n, err := t.collect(e, a[1], int(int32(a[2])))
		return result(n, err), n > 0 || err != 0
	}, 0)
	return 0, 0
}

// ppoll waits for one of several files.
func ppoll(t *thread, a [6]uint64) (int64, errno) {
	if a[1] > maxFiles {
		return 0, syscall.EINVAL
	}
	d := int64(-1)
	if a[2] != 0 {
		var err errno
		if d, err = t.p.duration(a[2]); err != 0 {
			return 0, err
		}
	}
	attempt := func() (int64, errno) {
		b, err := t.p.room(a[0], 8*a[1])
		if err != 0 {
			return 0, err
		}
		n := int64(0)
		for ; len(b) > 0; b = b[8:] {
			fd, events := int32(binary.LittleEndian.Uint32(b)), uint32(binary.LittleEndian.Uint16(b[4:]))
			now := uint32(0)
			if fd >= 0 {
				if o, err := t.p.files.get(uint64(fd)); err != 0 {
					now = 32 // no such file
				} else {
					now = o.ready() & (events | pollErr | pollHup)
				}
			}
			binary.LittleEndian.PutUint16(b[6:], uint16(now))
			if now != 0 {
				n++
			}
		}
		return n, 0
	}
	n, err := attempt()
	if n > 0 || err != 0 || d == 0 {
		return n, err
	}
	t.block(d, func() (int64, bool) {
		n, err := attempt()
		return result(n, err), n > 0 || err != 0
	}, 0)
	return 0, 0
}

// pselect only sleeps: Go's runtime does so for want of anything finer.
func pselect(t *thread, a [6]uint64) (int64, errno) {
	if a[1]|a[2]|a[3] != 0 {
		return 0, syscall.ENOSYS
	}
	d := int64(-1)
	if a[4] != 0 {
		var err errno
		if d, err = t.p.duration(a[4]); err != 0 {
			return 0, err
		}
	}
	t.block(d, nil, 0)
	return 0, 0
}
