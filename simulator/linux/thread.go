//go:build linux

package linux

import (
	"slices"
	"syscall"

	"tracerec/simulator/riscv"
)

// Flags of clone.
const (
	cloneVM       = 0x100
	cloneShares   = 0xe00 // directory, files, handlers
	cloneVfork    = 0x4000
	cloneThread   = 0x10000
	cloneSetTLS   = 0x80000
	cloneParentID = 0x100000
	cloneClearID  = 0x200000
	cloneChildID  = 0x1000000
)

// maxThreads is how many threads a process may have.
const maxThreads = 4096

// clone makes a thread or a process.
func clone(t *thread, a [6]uint64) (int64, errno) {
	flags, p := a[0], t.p
	switch {
	case flags&cloneThread == 0:
		var err errno
		if p, err = t.fork(flags); err != 0 {
			return 0, err
		}
	case flags&cloneVM == 0:
		return 0, syscall.EINVAL
	case len(p.threads) >= maxThreads:
		return 0, syscall.EAGAIN
	}
	h := riscv.NewHart(p.code)
	h.X, h.F, h.PC = t.hart.X, t.hart.F, t.hart.PC
	h.Flags, h.Rounding = t.hart.Flags, t.hart.Rounding
	h.X[10] = 0
	if a[1] != 0 {
		h.X[2] = a[1]
	}
	if flags&cloneSetTLS != 0 {
		h.X[4] = a[3]
	}
	n := p.newThread(h)
	n.mask = t.mask
	t.inherit(n, flags&cloneThread != 0)
	if flags&cloneVM == 0 {
		n.stack = t.stack
	}
	if flags&cloneParentID != 0 {
		if err := t.p.putWord32(a[2], uint32(n.id)); err != 0 {
			return 0, err
		}
	}
	if flags&cloneChildID != 0 {
		if err := p.putWord32(a[4], uint32(n.id)); err != 0 {
			return 0, err
		}
	}
	if flags&cloneClearID != 0 {
		n.clearTID = a[4]
	}
	t.k.enqueue(n)
	if flags&cloneVfork != 0 && p != t.p {
		p.vfork = t
		t.block(-1, nil, 0)
		t.fixed = true
	}
	return int64(n.id), 0
}

func setTIDAddress(t *thread, a [6]uint64) (int64, errno) {
	t.clearTID = a[0]
	return int64(t.id), 0
}

// exitThread ends the calling thread, and with the last one the process.
func exitThread(t *thread, a [6]uint64) (int64, errno) {
	t.state = ended
	t.leaveEvents()
	t.p.retired += t.hart.Retired
	t.p.threads = slices.DeleteFunc(t.p.threads, func(o *thread) bool { return o == t })
	t.k.tell(func(l Lifecycle) { l.Ended(t.p.id, t.id) })
	if t.clearTID != 0 && t.p.putWord32(t.clearTID, 0) == 0 {
		t.p.wakeFutex(t.p.futexAt(t.clearTID), 1, ^uint32(0))
	}
	if len(t.p.threads) == 0 {
		t.p.exit(int(a[0]&0xff) << 8)
	}
	return 0, 0
}

func schedYield(t *thread, _ [6]uint64) (int64, errno) {
	for i := range t.k.cpus {
		if c := &t.k.cpus[i]; c.thread == t {
			c.left = 0
		}
	}
	return 0, 0
}

// getCPU says on which virtual processor the thread runs; there are no nodes.
func getCPU(t *thread, a [6]uint64) (int64, errno) {
	number := slices.IndexFunc(t.k.cpus, func(c cpu) bool { return c.thread == t })
	for i, v := range []uint32{uint32(number), 0} {
		if a[i] != 0 {
			if err := t.p.putWord32(a[i], v); err != 0 {
				return 0, err
			}
		}
	}
	return 0, 0
}

// schedGetaffinity says that the thread may run on all virtual processors.
func schedGetaffinity(t *thread, a [6]uint64) (int64, errno) {
	if a[1] < 8 {
		return 0, syscall.EINVAL
	}
	return 8, t.p.putWords(a[2], 1<<min(t.k.o.CPUs, 63)-1)
}

// Operations on futexes; the flags for private ones and the clock are ignored.
const (
	futexWait       = 0
	futexWake       = 1
	futexRequeue    = 3
	futexCmpRequeue = 4
	futexWaitBits   = 9
	futexWakeBits   = 10
	futexOps        = 127
)

func futex(t *thread, a [6]uint64) (int64, errno) {
	op, value, bits := a[1]&futexOps, uint32(a[2]), ^uint32(0)
	if op == futexWaitBits || op == futexWakeBits {
		if bits = uint32(a[5]); bits == 0 {
			return 0, syscall.EINVAL
		}
	}
	if a[0]%4 != 0 {
		return 0, syscall.EINVAL
	}
	at := t.p.futexAt(a[0])
	switch op {
	case futexWait, futexWaitBits:
		return t.futexWait(a, value, bits, op == futexWaitBits)
	case futexWake, futexWakeBits:
		return t.p.wakeFutex(at, int(int32(value)), bits), 0
	case futexRequeue, futexCmpRequeue:
		now, err := t.p.word32(a[0])
		if err != 0 {
			return 0, err
		}
		if op == futexCmpRequeue && now != uint32(a[5]) {
			return 0, syscall.EAGAIN
		}
		n := t.p.wakeFutex(at, int(int32(value)), bits)
		for _, o := range t.p.waiters(at) {
			if a[3] == 0 {
				break
			}
			o.futex = t.p.futexAt(a[4])
			a[3]--
			n++
		}
		return n, 0
	}
	return 0, syscall.ENOSYS
}

// futexWait waits until the futex is woken, unless it holds another value already.
func (t *thread) futexWait(a [6]uint64, value, bits uint32, absolute bool) (int64, errno) {
	now, err := t.p.word32(a[0])
	if err != 0 {
		return 0, err
	}
	if now != value {
		return 0, syscall.EAGAIN
	}
	d := int64(-1)
	if a[3] != 0 {
		if d, err = t.p.duration(a[3]); err != 0 {
			return 0, err
		}
		if absolute {
			clock := t.k.now()
			if a[1]&256 != 0 { // the time of day
				clock += boot
			}
			d = max(0, d-clock)
		}
	}
	t.k.waits++
	t.block(d, nil, -int64(syscall.ETIMEDOUT))
	t.futex, t.turn, t.bits = t.p.futexAt(a[0]), t.k.waits, bits
	return 0, 0
}

// futexKey says which futex an address is: the same one in all processes that share the memory.
type futexKey struct {
	image  *image // of private memory
	object uint64 // of shared
	at     uint64
}

func (p *process) futexAt(at uint64) futexKey {
	if r, ok := p.space.Find(at); ok && r.Object != 0 {
		return futexKey{nil, r.Object, r.Offset + at - r.Begin}
	}
	return futexKey{p.image, 0, at}
}

// waiters returns the threads that wait on a futex, the longest first.
func (p *process) waiters(at futexKey) []*thread {
	var list []*thread
	for _, o := range p.k.all {
		for _, t := range o.threads {
			if t.state == blocked && t.futex == at {
				list = append(list, t)
			}
		}
	}
	slices.SortFunc(list, func(a, b *thread) int { return a.turn - b.turn })
	return list
}

// wakeFutex wakes up to n threads and returns how many.
func (p *process) wakeFutex(at futexKey, n int, bits uint32) (woken int64) {
	for _, t := range p.waiters(at) {
		if woken >= int64(n) {
			break
		}
		if t.bits&bits != 0 {
			t.wake(0)
			woken++
		}
	}
	return woken
}
