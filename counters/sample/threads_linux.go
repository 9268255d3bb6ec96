package sample

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"tracerec/internal/perfevent"
)

// threads holds one group of perf events per thread, opened when the thread reads for the first time.
// Counters run freely and are read with one system call.
type threads struct {
	attrs  []perfevent.Attr
	opened []perfevent.Attr // the same, as they are opened
	mu     sync.Mutex       // opening and growing
	table  atomic.Pointer[threadTable]
	fds    []int // every descriptor, for close; guarded by mu
	why    error // the first time that a thread's group could not be opened; guarded by mu
}

// threadTable is open-addressed by thread id; entries are only ever added. It is replaced by one twice
// as large when half full.
type threadTable struct {
	entries []threadEntry
	used    int
}

type threadEntry struct {
	tid  atomic.Int64
	lead atomic.Int64  // a handle
	last atomic.Uint64 // time running at a reading
}

// group is a reading of a group of events.
type group struct {
	enabled uint64 // for how long it has counted, in ns
	values  [MaxEvents]uint64
}

// formatReading is what readGroup reads.
const formatReading = perfevent.FormatEnabled | perfevent.FormatRunning | perfevent.FormatID | perfevent.FormatGroup

// attribute returns t as the kernel is asked for it, counting as much as possible.
func (t *Term) attribute() perfevent.Attr {
	a := t.Attr()
	a.Format = formatReading
	if !t.NoExclude {
		a.Flags |= perfevent.FlagExcludeHV
	}
	if limited(&a) {
		a.Flags |= perfevent.FlagPinned // all the time or not at all: never by turns with others
	}
	return a
}

// limited tells whether the event takes one of the processor's counters.
func limited(a *perfevent.Attr) bool {
	return a.Type != perfevent.Software && a.Type != perfevent.Tracepoint && a.Type != perfevent.Breakpoint
}

// probe is a group on the calling thread that finds out what can be counted together.
type probe struct{ fds []int }

func newProbe() *probe { return &probe{} }

// add opens the events of a counter beside those before, in the widest way that the kernel permits.
func (p *probe) add(terms []Term) (attrs []perfevent.Attr, err error) {
	had := len(p.fds)
	for i := range terms {
		t := &terms[i]
		a := t.attribute()
		if len(p.fds) == MaxEvents {
			p.cut(had)
			return nil, fmt.Errorf("at most %d kernel events can be read together", MaxEvents)
		}
		fd, errno := p.open(&a)
		if (errno == syscall.EACCES || errno == syscall.EPERM) && !t.Kernel && !t.NoExclude {
			a.Flags |= perfevent.FlagExcludeKernel
			fd, errno = p.open(&a)
		}
		if errno != 0 {
			p.cut(had)
			return nil, explain(errno)
		}
		p.fds = append(p.fds, fd)
		attrs = append(attrs, a)
	}
	return attrs, nil
}

func (p *probe) open(a *perfevent.Attr) (int, syscall.Errno) {
	b := *a
	lead := -1
	if len(p.fds) > 0 {
		lead = p.fds[0]
		b.Flags &^= perfevent.FlagPinned // said by the leader
	}
	return perfOpen(&b, 0, lead)
}

// cut closes all but the first n events.
func (p *probe) cut(n int) {
	closeAll(p.fds[n:])
	p.fds = p.fds[:n]
}

func (p *probe) close() { p.cut(0) }

func explain(errno syscall.Errno) error {
	switch errno {
	case syscall.EACCES, syscall.EPERM:
		return errors.New("the kernel does not permit it (perf_event_paranoid, or seccomp in a container)")
	case syscall.ENOENT, syscall.EOPNOTSUPP, syscall.ENODEV:
		return errors.New("this machine does not have it")
	case syscall.ENOSPC, syscall.EBUSY:
		return errors.New("all counters for it are in use")
	case syscall.EMFILE, syscall.ENFILE:
		return errors.New("out of file descriptors (ulimit -n)")
	case syscall.EINVAL:
		return errors.New("it cannot be read together with the others")
	}
	return fmt.Errorf("perf_event_open: %v", error(errno))
}

// gettid returns the calling thread.
func gettid() int64 {
	tid, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	return int64(tid)
}

func newThreads(attrs []perfevent.Attr) *threads {
	t := &threads{attrs: attrs, opened: leaderFirst(attrs)}
	t.table.Store(&threadTable{entries: make([]threadEntry, 64)})
	return t
}

// read reads the group of the thread tid, which is the calling one, and returns the group's leader.
func (t *threads) read(tid int64, b *group) (lead handle, ok bool) {
	e := t.lookup(tid)
	if e == nil {
		if e = t.open(tid); e == nil {
			return noEvent, false
		}
	}
	lead = handle(e.lead.Load())
	if !readGroup(lead, len(t.attrs), b) {
		return noEvent, false
	}
	// A thread that reads has run since an earlier reading. If its time stood still, the descriptor may
	// belong to a dead thread whose number the kernel has given away again.
	if b.enabled == e.last.Load() {
		if e = t.reopen(tid, e); e == nil {
			return noEvent, false
		}
		if lead = handle(e.lead.Load()); !readGroup(lead, len(t.attrs), b) {
			return noEvent, false
		}
	}
	e.last.Store(b.enabled)
	return lead, true
}

// readGroup reads a group of n events. It fails when the kernel gave its counters to others, be it for a while, or the program closed one.
func readGroup(lead handle, n int, b *group) bool {
	if !isEvent(lead.fd()) {
		return false
	}
	var read struct {
		n, enabled, running uint64
		events              [MaxEvents]struct{ value, id uint64 }
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(lead.fd()), uintptr(unsafe.Pointer(&read)), unsafe.Sizeof(read))
	if errno != 0 || read.n != uint64(n) || !lead.is(read.events[0].id) || read.running != read.enabled {
		return false
	}
	b.enabled = read.enabled
	for i := range n {
		b.values[i] = read.events[i].value
	}
	return true
}

func (t *threads) lookup(tid int64) *threadEntry {
	tab := t.table.Load()
	for i := int(tid); ; i++ {
		e := &tab.entries[i&(len(tab.entries)-1)]
		switch e.tid.Load() {
		case tid:
			return e
		case 0:
			return nil
		}
	}
}

func (t *threads) open(tid int64) *threadEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.lookup(tid); e != nil {
		return e // another goroutine of the thread was faster
	}
	lead := t.openGroup(tid)
	if lead == noEvent {
		return nil
	}
	tab := t.table.Load()
	if 2*(tab.used+1) > len(tab.entries) {
		tab = tab.grown()
		t.table.Store(tab)
	}
	return tab.add(tid, int64(lead), 0)
}

func (t *threads) reopen(tid int64, e *threadEntry) *threadEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if belongs(handle(e.lead.Load()).fd(), int(tid)) {
		return e
	}
	lead := t.openGroup(tid)
	if lead == noEvent {
		return nil
	}
	e.lead.Store(int64(lead))
	return e
}

// belongs tries whether a group is of the thread that has that number now: no event of another can join it. The time of a living thread
// stands still, too, for goroutines that have left it before they read: a second group for it would take debug registers until there are none.
func belongs(lead, tid int) bool {
	a := perfevent.Attr{Type: perfevent.Software, Size: perfevent.Size, Config: perfevent.Dummy, Format: formatReading,
		Flags: perfevent.FlagDisabled | perfevent.FlagExcludeKernel}
	fd, errno := perfOpen(&a, tid, lead)
	if errno == 0 {
		closeEvent(fd)
	}
	return errno == 0
}

// openGroup opens the events of a thread. It need not be the calling one any more, as the goroutine may have moved.
func (t *threads) openGroup(tid int64) handle {
	var fds [MaxEvents]int
	lead, errno := openGroup(t.opened, int(tid), fds[:])
	if errno != 0 {
		if t.why == nil {
			t.why = explain(errno)
		}
		return noEvent
	}
	t.fds = append(t.fds, fds[:len(t.opened)]...)
	return lead
}

// refused says why groups of threads could not be read.
func (t *threads) refused() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		return errors.New("the program closed their descriptors, or other users took the processor's counters or debug registers")
	}
	return t.why
}

// openGroup opens a group on a thread, 0 for the calling one, and starts it; attrs are in the form of leaderFirst. It leaves no garbage: where
// readings are refused, there may be no descriptor left, and then a collection ends the program if Go's network poller does not run yet.
func openGroup(attrs []perfevent.Attr, tid int, fds []int) (handle, syscall.Errno) {
	lead := -1
	for i := range attrs {
		fd, errno := perfOpen(&attrs[i], tid, lead)
		if errno != 0 {
			closeAll(fds[:i])
			return noEvent, errno
		}
		fds[i] = fd
		lead = fds[0]
	}
	h, errno := handleOf(lead)
	if errno == 0 {
		_, _, errno = syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(lead), perfevent.IoctlEnable, perfevent.WholeGroup)
	}
	if errno != 0 {
		closeAll(fds[:len(attrs)])
		return noEvent, errno
	}
	return h, 0
}

// leaderFirst returns events as they are opened as a group: the leader starts all together, for a member that joins a
// running group starts late, and says whether they are pinned.
func leaderFirst(attrs []perfevent.Attr) []perfevent.Attr {
	out := append([]perfevent.Attr(nil), attrs...)
	if len(out) == 0 {
		return nil
	}
	for i := range out {
		out[0].Flags |= out[i].Flags & perfevent.FlagPinned
		if i > 0 {
			out[i].Flags &^= perfevent.FlagPinned
		}
	}
	out[0].Flags |= perfevent.FlagDisabled
	return out
}

func (tab *threadTable) add(tid, lead int64, last uint64) *threadEntry {
	for i := int(tid); ; i++ {
		e := &tab.entries[i&(len(tab.entries)-1)]
		if e.tid.Load() == 0 {
			e.lead.Store(lead)
			e.last.Store(last)
			e.tid.Store(tid) // last: readers find a complete entry
			tab.used++
			return e
		}
	}
}

func (tab *threadTable) grown() *threadTable {
	n := &threadTable{entries: make([]threadEntry, 2*len(tab.entries))}
	for i := range tab.entries {
		if e := &tab.entries[i]; e.tid.Load() != 0 {
			n.add(e.tid.Load(), e.lead.Load(), e.last.Load())
		}
	}
	return n
}

func (t *threads) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	closeAll(t.fds)
	t.fds = nil
}
