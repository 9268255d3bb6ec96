package perf

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// sampling is an event that tells of its overflows.
type sampling struct {
	from      *Substrate
	e         Encoded
	threshold uint64
	handle    func(substrate.Sample)
	fds       []int
	claims    []*claim
	rings     []*ring
	wake      int // eventfd: the reader is to end
	ended     chan struct{}
	tellsLost bool // a reading is followed by the number of samples that were lost

	// Of the reader, and of stop when it has ended:
	delivered, lost uint64
	throttled       bool
}

var _ substrate.Sampler = (*Substrate)(nil)

// Sample has the kernel tell of every threshold-th event: through buffers that a goroutine reads, without signals. Options
// are those of Open; the present process, with Inherit, is sampled on all its threads but the reader's, and the threshold
// is counted down in each thread, on each processor, for itself. The program counter lies within the instruction that
// caused a page fault or was caught by a watchpoint, and is the next one for clocks; of an event inside the kernel, it is
// where the program entered that. Times are of CLOCK_MONOTONIC.
func (s *Substrate) Sample(event string, threshold uint64, o substrate.Options, handle func(substrate.Sample)) (func() (uint64, error), error) {
	e, err := s.catalog.parse(event)
	if err != nil {
		return nil, err
	}
	if err := permits(&e, o); err != nil {
		return nil, err
	}
	if threshold == 0 || threshold >= 1<<63 {
		return nil, fmt.Errorf("%s: %w: a threshold of %d events is not possible", shown(event), substrate.ErrUnsupported, threshold)
	}
	p := &sampling{from: s, e: e, threshold: threshold, handle: handle, wake: -1, ended: make(chan struct{})}
	runtime.LockOSThread() // the calling thread may be the one that is sampled
	defer runtime.UnlockOSThread()
	tid, begin := make(chan int), make(chan bool)
	go p.read(tid, begin) // its thread is known before the others are listed
	reader := <-tid
	err = p.open(o, reader)
	begin <- err == nil
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return sync.OnceValues(p.stop), nil
}

// open opens the event for all that is to be sampled, except the reader's thread.
func (p *sampling) open(o substrate.Options, reader int) (err error) {
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("%s: %w: %s", shown(p.e.Name), substrate.ErrDescriptors, descriptors(unix.EMFILE))
	}
	return p.from.forTargets(o, func(targets []target) error {
		return p.openAll(slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.pid == reader }), o)
	}, func() { p.closeEvents() })
}

func (p *sampling) openAll(targets []target, o substrate.Options) error {
	for k, t := range targets {
		for i, cpu := range p.from.samplingCPUs(t) {
			t.cpu = cpu
			err := p.openOne(t, i, o)
			if errors.Is(err, unix.ESRCH) && (len(p.fds) > 0 || k < len(targets)-1) {
				break // one of several threads has ended, maybe the first
			}
			if err != nil {
				return p.explain(err, t)
			}
		}
	}
	for _, fd := range p.fds {
		if errno := p.from.sys.ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0); errno != 0 {
			return p.explain(errno, targets[0])
		}
		if _, err := p.readCounts(fd); err == errTaken {
			return p.explain(err, targets[0])
		}
	}
	return nil
}

// readCounts reads the count of an event, and how many of its samples were lost.
func (p *sampling) readCounts(fd int) (words [2]uint64, err error) {
	n := len(words)
	if !p.tellsLost {
		n--
	}
	err = p.from.sys.readGroup(fd, words[:n])
	return words, err
}

// samplingCPUs returns the processors on which a target is opened one by one: what is inherited by other threads can be
// written into a buffer of a processor only.
func (s *Substrate) samplingCPUs(t target) []int {
	if !t.inherit || t.cpu >= 0 {
		return []int{t.cpu}
	}
	online, _ := os.ReadFile("/sys/devices/system/cpu/online")
	if cpus := parseCPUs(strings.TrimSpace(string(online))); cpus != nil {
		return cpus
	}
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}

// openOne opens the event for one target, with the i-th ring, which is opened for the first of them.
func (p *sampling) openOne(t target, i int, o substrate.Options) error {
	a := attribute(&p.e)
	a.Flags |= perfevent.FlagDisabled | perfevent.FlagExcludeKernelChain | perfevent.FlagUseClock
	a.Period, a.Sample, a.Clock, a.Wakeup = p.threshold, sampleType, unix.CLOCK_MONOTONIC, 1
	a.Format = perfevent.FormatLost
	if t.inherit {
		a.Flags |= perfevent.FlagInherit | perfevent.FlagInheritThread
	}
	if p.e.pmu != "" && t.pid >= 0 {
		a.Flags |= perfevent.FlagPinned // to learn when the counters are taken
	}
	fd, err := p.from.openPermitted(a, &p.e, t, -1, o.Domain == 0)
	for _, older := range []func(){
		func() { a.Format = 0 },                            // before Linux 6.0
		func() { a.Flags &^= perfevent.FlagInheritThread }, // before Linux 5.13
	} {
		if err == unix.EINVAL {
			older()
			fd, err = p.from.openPermitted(a, &p.e, t, -1, o.Domain == 0)
		}
	}
	if err != nil {
		return err
	}
	p.tellsLost = a.Format != 0
	p.fds = append(p.fds, fd)
	if a.Flags&perfevent.FlagPinned != 0 {
		p.claims = append(p.claims, claimOn(t.pid))
	}
	if i < len(p.rings) {
		if errno := p.from.sys.ioctl(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, uintptr(p.rings[i].fd)); errno != 0 {
			return errno
		}
		return nil
	}
	r, err := openRing(fd)
	if err == nil {
		p.rings = append(p.rings, r)
	}
	return err
}

func (p *sampling) explain(err error, t target) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("%s: %w: its counter cannot report when it reaches a threshold", shown(p.e.Name), substrate.ErrUnsupported)
	}
	return p.from.explain(err, []Encoded{p.e}, &p.e, t)
}

// read hands samples over until it is woken by stop.
func (p *sampling) read(tid chan<- int, begin <-chan bool) {
	defer close(p.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tid <- unix.Gettid()
	if !<-begin {
		return
	}
	fds := []unix.PollFd{{Fd: int32(p.wake), Events: unix.POLLIN}}
	for _, r := range p.rings {
		fds = append(fds, unix.PollFd{Fd: int32(r.fd), Events: unix.POLLIN})
	}
	for fds[0].Revents == 0 {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		for i, r := range p.rings {
			r.drain(p.take)
			if fds[1+i].Revents&unix.POLLHUP != 0 { // the thread has ended: it would wake us all the time
				fds[1+i].Fd = -1
			}
		}
	}
}

// take handles one record.
func (p *sampling) take(kind uint32, body []byte) {
	r, ok := parseRecord(kind, body)
	if !ok {
		return
	}
	p.lost += r.lost
	p.throttled = p.throttled || r.throttled
	if !r.isSample {
		return
	}
	p.delivered++
	r.sample.Event, r.sample.Count = p.e.Name, p.threshold
	if p.e.Type == perfevent.Breakpoint && p.e.BPType != 4 && trapsAfter {
		r.sample.PC-- // the processor reports the instruction behind the one that was caught
		if len(r.sample.Stack) > 0 {
			r.sample.Stack[0]--
		}
	}
	p.handle(r.sample)
}

// trapsAfter is set where watchpoints trap after the access.
const trapsAfter = runtime.GOARCH == "amd64" || runtime.GOARCH == "386"

// stop ends the sampling, hands over the last samples and returns how many were lost.
func (p *sampling) stop() (lost uint64, err error) {
	var counted, told uint64
	for _, fd := range p.fds {
		p.from.sys.ioctl(fd, unix.PERF_EVENT_IOC_DISABLE, 0)
		if words, err := p.readCounts(fd); err == nil {
			counted, told = counted+words[0], told+words[1]
		}
	}
	if _, err = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return 0, err // cannot be: it takes as many as there are
	}
	<-p.ended
	p.lost = max(p.lost, told) // a record of it comes only before a later sample
	if all := counted / p.threshold; p.throttled && all > p.delivered {
		p.lost = max(p.lost, all-p.delivered) // the kernel does not tell how many it kept back
	}
	return p.lost, p.close()
}

func (p *sampling) close() error {
	err := p.closeEvents()
	if p.wake >= 0 {
		err = errors.Join(err, unix.Close(p.wake))
	}
	return err
}

func (p *sampling) closeEvents() error {
	var errs []error
	for _, r := range p.rings {
		errs = append(errs, r.close())
	}
	for _, fd := range p.fds {
		errs = append(errs, unix.Close(fd))
	}
	for _, c := range p.claims {
		c.drop()
	}
	p.rings, p.fds, p.claims = nil, nil, nil
	return errors.Join(errs...)
}
