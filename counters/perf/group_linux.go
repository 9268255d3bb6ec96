package perf

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/goid"
	"tracerec/internal/perfevent"
)

// bundle is one group of the kernel: events that are read with one call.
type bundle struct {
	on  target
	pmu string // of its members that need counters of a processor; only such of one PMU fit into a group
	fds []int  // the leader first
	to  []int  // where in the set the members' values go
	own *claim // to the thread's counters, nil if the leader is not pinned
}

// group is a set of open events: one bundle, unless they are of several PMUs, threads or processors.
type group struct {
	sys       *system
	n         int
	multiplex bool // every bundle is one event, read with its times
	registers bool // some take debug registers
	bundles   []bundle
	words     []uint64 // what the kernel writes
	here      here     // set when the group counts for the thread that opened it
	pages     [][]byte // of the events, when they can be read without the kernel
	fast      *bundle  // the only one of a group that counts for the thread that opened it, nil in other cases
}

// bundleFor returns the bundle that e can join, nil if none.
func (g *group) bundleFor(e *Encoded, t target) *bundle {
	if g.multiplex {
		return nil
	}
	for i := range g.bundles {
		b := &g.bundles[i]
		if b.on == t && (e.pmu == "" || e.pmu == b.pmu) {
			return b
		}
	}
	return nil
}

// start enables all events and looks whether they count.
func (g *group) start(onExec bool) error {
	most := 0
	for i := range g.bundles {
		most = max(most, len(g.bundles[i].fds))
	}
	g.words = make([]uint64, header(g.multiplex)+most)
	if onExec {
		return nil
	}
	if err := g.control(unix.PERF_EVENT_IOC_ENABLE); err != nil {
		return err
	}
	return g.fetchAll()
}

// header returns how many words precede the values.
func header(times bool) int {
	if times {
		return 3 // number of events, time enabled, time running
	}
	return 2 // number of events, time enabled
}

// Pausable reports whether others can use all that the group takes while it is paused. Watchpoints do not give their debug registers back.
func (g *group) Pausable() bool { return !g.registers }

// Pause stops counting. The events keep their values.
func (g *group) Pause() error {
	err := g.control(unix.PERF_EVENT_IOC_DISABLE)
	g.each((*claim).pause)
	return err
}

// each calls f with all claims of the group.
func (g *group) each(f func(*claim)) {
	for _, b := range g.bundles {
		if b.own != nil {
			f(b.own)
		}
	}
}

// Resume counts on, also where nothing was paused. The error says that the group is of no use any more: another thread has got the number of
// one that is gone, or the counters have been taken.
func (g *group) Resume() error {
	refused := false
	g.each(func(c *claim) { refused = refused || !c.resume() })
	if refused {
		g.each((*claim).pause)
		return fmt.Errorf("perf_event: %w: events opened later would lose their counters", substrate.ErrBusy)
	}
	if err := g.control(unix.PERF_EVENT_IOC_ENABLE); err != nil {
		return err
	}
	if err := g.fetchAll(); err != nil {
		return readError(err)
	}
	switch g.here.tid {
	case 0:
		return nil
	case unix.Gettid():
	default:
		return g.joinable()
	}
	enabled := g.words[1] // between two system calls of the thread itself its time passes, if it is the thread of the events
	if err := g.fetchAll(); err != nil {
		return readError(err)
	}
	if g.words[1] == enabled {
		return g.gone()
	}
	return nil
}

// joinable tries whether the group is of the thread that has its number now: others cannot join it.
func (g *group) joinable() error {
	a := &perfevent.Attr{Type: perfevent.Software, Size: perfevent.Size, Config: perfevent.Dummy, Flags: perfevent.FlagDisabled | perfevent.FlagExcludeKernel}
	fd, err := g.sys.open(a, g.here.tid, -1, g.bundles[0].fds[0], perfevent.OpenCloseExec)
	if err != nil {
		return g.gone()
	}
	return unix.Close(fd)
}

func (g *group) gone() error {
	return fmt.Errorf("perf_event: %w: thread %d has ended, and another thread has its number", substrate.ErrGone, g.here.tid)
}

// control asks the kernel for something for all leaders, on which the others depend. A member that is enabled by itself while its leader runs
// is not put on its counter before the thread is next scheduled, if it is of another PMU (Linux 6.18).
func (g *group) control(request uintptr) error {
	for i := range g.bundles {
		if errno := g.sys.ioctl(g.bundles[i].fds[0], request, 0); errno != 0 {
			return errno
		}
	}
	return nil
}

// errTaken is what the kernel says by an empty reading: a pinned event found no free counter.
var errTaken = errors.New("the event is not counted")

// fetch reads a bundle into g.words.
func (g *group) fetch(b *bundle) error {
	return g.sys.readGroup(b.fds[0], g.words[:header(g.multiplex)+len(b.fds)])
}

// fetchAll reads all bundles, and tells when one does not count.
func (g *group) fetchAll() error {
	for i := range g.bundles {
		if err := g.fetch(&g.bundles[i]); err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads a group of the kernel that has just so many words.
func (s *system) readGroup(fd int, words []uint64) error {
	size := uintptr(len(words)) * unsafe.Sizeof(words[0])
	for {
		switch n, errno := s.read(fd, &words[0], size); {
		case errno == unix.EINTR:
		case errno != 0:
			return errno
		case n == 0:
			return errTaken
		case n != size:
			return io.ErrUnexpectedEOF
		default:
			return nil
		}
	}
}

// Read stores the events' values. The usual case is spelled out here: calls cost twice around a system call (see bareRead).
func (g *group) Read(dst []uint64) (where uint64, err error) {
	if g.fast == nil || len(dst) != len(g.fast.to) {
		return g.readSlowly(dst)
	}
	me := goid.G()
	interval := g.here.interval
	if !g.here.witness.Undisturbed(me, interval) { // not the goroutine that was found on the thread, undisturbed since
		return g.readSlowly(dst)
	}
	if bareRead(g.fast.fds[0], &g.words[0], len(g.words)) != len(g.words) {
		return g.readSlowly(dst)
	}
	for k, to := range g.fast.to {
		dst[to] = g.words[2+k]
	}
	if !g.here.witness.Undisturbed(me, interval) {
		return 0, nil
	}
	return g.here.unlessLost(interval), nil
}

// readSlowly reads any group in any situation.
func (g *group) readSlowly(dst []uint64) (where uint64, err error) {
	if g.bundles == nil || len(dst) != g.n {
		return 0, g.misuse(dst)
	}
	if g.here.tid == 0 {
		return 0, g.readAll(dst, nil, nil)
	}
	return g.readHere(dst)
}

// readAll adds up the values of all bundles, and the times where wanted.
func (g *group) readAll(dst, enabled, running []uint64) error {
	clear(dst)
	head := header(g.multiplex)
	for i := range g.bundles {
		b := &g.bundles[i]
		if err := g.fetch(b); err != nil {
			return readError(err)
		}
		for k, to := range b.to {
			dst[to] += g.words[head+k]
			if enabled != nil {
				enabled[to] += g.words[1]
				running[to] += g.words[2]
			}
		}
	}
	return nil
}

func (g *group) misuse(dst []uint64) error {
	if g.bundles == nil {
		return fmt.Errorf("perf_event: %w: the group is closed", substrate.ErrUnsupported)
	}
	return fmt.Errorf("perf_event: %w: %d values for a group of %d events", substrate.ErrUnsupported, len(dst), g.n)
}

// readError says why a reading failed.
func readError(err error) error {
	switch {
	case err == errTaken:
		return fmt.Errorf("perf_event: %w: the kernel gave the counter to another user; count fewer events or multiplex", substrate.ErrBusy)
	case errors.Is(err, unix.ENODEV), errors.Is(err, unix.ESRCH):
		return fmt.Errorf("perf_event: %w: %w", substrate.ErrGone, err)
	}
	return fmt.Errorf("perf_event: the kernel refused to read the counters: %w", err)
}

// Close releases the events.
func (g *group) Close() error {
	errs := []error{g.unmapPages()}
	g.each((*claim).drop)
	for _, b := range g.bundles {
		for _, fd := range b.fds {
			errs = append(errs, unix.Close(fd))
		}
	}
	g.bundles, g.fast = nil, nil
	return errors.Join(errs...)
}

// timed is a group whose events take turns.
type timed struct {
	group
	enabled, running []uint64
}

// Read stores the events' values, as they were counted, and keeps the times.
func (t *timed) Read(dst []uint64) (uint64, error) {
	if t.bundles == nil || len(dst) != t.n {
		return 0, t.misuse(dst)
	}
	clear(t.enabled)
	clear(t.running)
	return 0, t.readAll(dst, t.enabled, t.running)
}

// Times stores the times up to the last Read, in ns.
func (t *timed) Times(enabled, running []uint64) {
	copy(enabled, t.enabled)
	copy(running, t.running)
}
