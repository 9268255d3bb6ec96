package sample

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// threads holds one group of perf events per thread, opened when the thread reads for the first time.
// Counters run freely and are read with one system call.
type threads struct {
	events []Event
	attrs  []perfAttr
	mu     sync.Mutex // opening and growing
	table  atomic.Pointer[threadTable]
	fds    []int // every descriptor, for close; guarded by mu
}

// threadTable is open-addressed by thread id; entries are only ever added. It is replaced by one twice
// as large when half full.
type threadTable struct {
	entries []threadEntry
	used    int
}

type threadEntry struct {
	tid  atomic.Int64
	fd   atomic.Int64
	last atomic.Uint64 // time running at the last reading
}

// perfAttr is struct perf_event_attr of the kernel, its first published size.
type perfAttr struct {
	typ, size              uint32
	config, period         uint64
	sampleType, readFormat uint64
	flags                  uint64
	wakeup, bpType         uint32
	config1                uint64
}

const (
	formatRunning     = 1 << 1 // PERF_FORMAT_TOTAL_TIME_RUNNING
	formatGroup       = 1 << 3 // PERF_FORMAT_GROUP
	flagDisabled      = 1 << 0
	flagExcludeKernel = 1 << 5
	flagExcludeHV     = 1 << 6
	ioctlEnable       = 0x2400 // PERF_EVENT_IOC_ENABLE
	enableGroup       = 1      // PERF_IOC_FLAG_GROUP
	openCloseOnExec   = 1 << 3 // PERF_FLAG_FD_CLOEXEC
)

func openThreads(events []Event) (*threads, error) {
	t := &threads{events: events}
	t.table.Store(&threadTable{entries: make([]threadEntry, 64)})
	for _, e := range events {
		a, err := usable(e)
		if err != nil {
			return nil, err
		}
		a.readFormat = formatGroup | formatRunning
		t.attrs = append(t.attrs, a)
	}
	return t, nil
}

// usable finds the widest way in which the kernel lets the calling thread count e.
func usable(e Event) (perfAttr, error) {
	a := perfAttr{typ: uint32(e.perfType), config: e.config, flags: flagExcludeHV}
	a.size = uint32(unsafe.Sizeof(a))
	fd, errno := perfOpen(&a, -1)
	if (errno == syscall.EACCES || errno == syscall.EPERM) && !e.needsKernel {
		a.flags |= flagExcludeKernel
		fd, errno = perfOpen(&a, -1)
	}
	switch errno {
	case 0:
		syscall.Close(fd)
		return a, nil
	case syscall.EACCES, syscall.EPERM:
		return a, fmt.Errorf("counter %s: the kernel refuses it (perf_event_paranoid or seccomp): %w", e.Name, errno)
	case syscall.ENOENT, syscall.EOPNOTSUPP, syscall.ENODEV:
		return a, fmt.Errorf("counter %s: this machine does not have it: %w", e.Name, errno)
	}
	return a, fmt.Errorf("counter %s: perf_event_open: %w", e.Name, errno)
}

func perfOpen(a *perfAttr, group int) (int, syscall.Errno) {
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(a)), 0, ^uintptr(0), uintptr(group), openCloseOnExec, 0)
	return int(fd), errno
}

// gettid returns the calling thread.
func gettid() int64 {
	tid, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	return int64(tid)
}

// read stores the calling thread's values at the given positions of dst.
func (t *threads) read(tid int64, at []int, dst []uint64) bool {
	e := t.lookup(tid)
	if e == nil {
		if e = t.open(tid); e == nil {
			return false
		}
	}
	var b [2 + MaxEvents]uint64 // number of events, time running, values
	if !readGroup(e.fd.Load(), &b) {
		return false
	}
	// A thread that reads has run since its last reading. If its time stood still, the descriptor
	// belongs to a dead thread whose number the kernel has given away again.
	if b[1] == e.last.Load() {
		if e = t.reopen(tid, e); e == nil || !readGroup(e.fd.Load(), &b) {
			return false
		}
	}
	e.last.Store(b[1])
	for i, p := range at {
		dst[p] = b[2+i]
	}
	return true
}

func readGroup(fd int64, b *[2 + MaxEvents]uint64) bool {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(b)), unsafe.Sizeof(*b))
	return errno == 0 && n >= 24
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
	lead := t.openGroup(tid)
	if lead < 0 {
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
	lead := t.openGroup(tid)
	if lead < 0 {
		return nil
	}
	e.fd.Store(int64(lead))
	return e
}

// openGroup opens the events for the calling thread; the goroutine may have moved since tid was read.
func (t *threads) openGroup(tid int64) int {
	lead := -1
	for i := range t.attrs {
		a := t.attrs[i]
		if lead < 0 {
			a.flags |= flagDisabled // a member that joins a running group starts late: start all together
		}
		fd, errno := perfOpen(&a, lead)
		if errno != 0 {
			return -1
		}
		t.fds = append(t.fds, fd)
		if lead < 0 {
			lead = fd
		}
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(lead), ioctlEnable, enableGroup); errno != 0 || gettid() != tid {
		return -1
	}
	return lead
}

func (tab *threadTable) add(tid, fd int64, last uint64) *threadEntry {
	for i := int(tid); ; i++ {
		e := &tab.entries[i&(len(tab.entries)-1)]
		if e.tid.Load() == 0 {
			e.fd.Store(fd)
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
			n.add(e.tid.Load(), e.fd.Load(), e.last.Load())
		}
	}
	return n
}

func (t *threads) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, fd := range t.fds {
		syscall.Close(fd)
	}
	t.fds = nil
}
