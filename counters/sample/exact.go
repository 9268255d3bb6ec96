package sample

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"tracerec/internal/perfevent"
)

// hookTable is how this package and a patched scheduler (package autoinst/exact) find each other. Layout and meaning are
// part of both.
type hookTable struct {
	version uint64        // hookVersion in a patched program, else 0
	inG     uintptr       // offset of goroutineSums in a goroutine's descriptor
	inM     uintptr       // offset of threadGroup in a thread's descriptor
	mInG    uintptr       // offset of the pointer to the thread's descriptor in the goroutine's
	session atomic.Uint64 // 0: off; else the scheduler counts
	attrs   uintptr       // what to count: count structures of size bytes, a group
	count   uint64
	size    uint64
}

// hookVersion is the version of hookTable and the structures below.
const hookVersion = 3

// goroutineSums is what the scheduler keeps for each goroutine.
type goroutineSums struct {
	switches uint64 // stepped whenever it is taken off a thread or put on one
	epoch    uint64 // stepped when something could not be counted
	sum      [MaxEvents]uint64

	// Of a coroutine (iter.Pull). What it counts is that of whoever resumes it, but for what it counts in its own regions.
	coro      uintptr           // 0: it is none
	inside    uint64            // 1: in a region
	accounted [MaxEvents]uint64 // how much of sum was handed on, or is its own
	owed      [MaxEvents]uint64 // before its region, to be handed on
	broken    uint64            // epoch that the others know of
}

// account notes a reading of a coroutine, in a region, or where the outermost one begins or ends.
func (s *goroutineSums) account(values *[MaxEvents]uint64, outside bool) {
	if s.inside == 0 {
		for i, v := range values {
			s.owed[i] += v - s.accounted[i]
		}
		s.inside = 1
	} else if outside {
		s.inside = 0
	}
	s.accounted = *values
}

// threadGroup is what the scheduler keeps for each thread.
type threadGroup struct {
	session uint64
	lead    handle // its layout is part of the table's version
	on      uint64 // 1: base was read when the present goroutine was put on
	base    [MaxEvents]uint64
}

// hooks is the table of the patched runtime. In other programs the runtime has none, and it is this one, all zero.
//
//go:linkname hooks runtime.tracerecHooks
var hooks hookTable

var (
	exactAttrs   []perfevent.Attr // kept for the scheduler
	exactSession uint64
)

// openExact tells a patched scheduler to count, and reports whether there is one.
func openExact(attrs []perfevent.Attr) bool {
	if hooks.version != hookVersion {
		return false
	}
	exactAttrs = leaderFirst(attrs)
	hooks.attrs = uintptr(unsafe.Pointer(&exactAttrs[0]))
	hooks.count, hooks.size = uint64(len(attrs)), uint64(unsafe.Sizeof(exactAttrs[0]))
	exactSession++
	hooks.session.Store(exactSession)
	return true
}

func closeExact() { hooks.session.Store(0) }

// readExact stores what the calling goroutine has counted in all its life: what the scheduler added up, and what the thread counted
// since it put the goroutine on. A goroutine that runs since before the recording has to be put on first.
func (s *Set) readExact(g unsafe.Pointer, dst []uint64, outside bool) int {
	own := (*goroutineSums)(unsafe.Add(g, hooks.inG))
	for range 8 {
		switches := atomic.LoadUint64(&own.switches)
		m := *(*unsafe.Pointer)(unsafe.Add(g, hooks.mInG))
		thread := (*threadGroup)(unsafe.Add(m, hooks.inM))
		if atomic.LoadUint64(&thread.on) == 0 || thread.session != hooks.session.Load() {
			runtime.Gosched()
			continue
		}
		var b group
		if !readGroup(thread.lead, len(exactAttrs), &b) {
			return 1
		}
		for i := range exactAttrs {
			b.values[i] += own.sum[i] - thread.base[i]
		}
		epoch := own.epoch
		if atomic.LoadUint64(&own.switches) == switches {
			if own.coro != 0 {
				own.account(&b.values, outside)
			}
			dst[0] = 1 + epoch
			s.store(dst, b.values[:])
			return 1 + len(s.names)
		}
	}
	return 1
}
