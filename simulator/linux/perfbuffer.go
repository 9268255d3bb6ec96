//go:build linux

package linux

import (
	"encoding/binary"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/internal/perfevent"
	"tracerec/simulator/memory"
)

// buffer is what an event has in memory that it shares with its user: a page that tells its state, and records.
type buffer struct {
	fd      int
	memory  []byte // the page, then the data
	object  uint64 // number of the mapping in guests
	keeps   bool   // records that were not read are not written over
	head    uint64
	woken   uint64 // head at the last wake-up by bytes
	watch   uint64 // bytes that make one
	records uint64 // since the last wake-up by records
	lost    uint64 // records since the last that there was room for
	wakes   bool   // there was a wake-up that nobody has taken
	users   int    // events that write to it
}

// Places in the page.
const (
	pageLock     = unsafe.Offsetof(unix.PerfEventMmapPage{}.Lock)
	pageIndex    = unsafe.Offsetof(unix.PerfEventMmapPage{}.Index)
	pageOffset   = unsafe.Offsetof(unix.PerfEventMmapPage{}.Offset)
	pageEnabled  = unsafe.Offsetof(unix.PerfEventMmapPage{}.Time_enabled)
	pageRunning  = unsafe.Offsetof(unix.PerfEventMmapPage{}.Time_running)
	pageWidth    = unsafe.Offsetof(unix.PerfEventMmapPage{}.Pmc_width)
	pageHead     = unsafe.Offsetof(unix.PerfEventMmapPage{}.Data_head)
	pageTail     = unsafe.Offsetof(unix.PerfEventMmapPage{}.Data_tail)
	pageDataFrom = unsafe.Offsetof(unix.PerfEventMmapPage{}.Data_offset)
	pageDataSize = unsafe.Offsetof(unix.PerfEventMmapPage{}.Data_size)
)

// newBuffer makes one of a page and so many bytes of data.
func newBuffer(k *Kernel, data uint64, keeps bool, watch uint64) (*buffer, errno) {
	size := memory.PageSize + data
	fd, err := unix.MemfdCreate("perf", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, syscall.ENOMEM
	}
	var b []byte
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		b, err = unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		unix.Close(fd)
		return nil, syscall.ENOMEM
	}
	if watch == 0 || watch > data {
		watch = data / 2
	}
	k.objects++
	putUint64(b[pageDataFrom:], memory.PageSize)
	putUint64(b[pageDataSize:], data)
	return &buffer{fd: fd, memory: b, object: anonymousObjects + k.objects, keeps: keeps, watch: watch, users: 1}, 0
}

func (r *buffer) release() {
	if r.users--; r.users > 0 {
		return
	}
	unix.Munmap(r.memory)
	unix.Close(r.fd)
}

// data returns what records are written to.
func (r *buffer) data() []byte { return r.memory[memory.PageSize:] }

// unread tells whether there is something that was not read.
func (r *buffer) unread() bool { return getUint64(r.memory[pageTail:]) != r.head }

// put writes a record, if there is room, after one of those for which there was none.
func (r *buffer) put(kind uint32, body, trailer []byte, id uint64) bool {
	const misc = 2 // of user mode
	size := uint64(len(r.data()))
	var b []byte
	record := func(kind uint32, body ...[]byte) {
		at := len(b)
		b = binary.LittleEndian.AppendUint32(b, kind)
		b = binary.LittleEndian.AppendUint16(b, misc)
		b = append(b, 0, 0)
		for _, p := range body {
			b = append(b, p...)
		}
		binary.LittleEndian.PutUint16(b[at+6:], uint16(len(b)-at))
	}
	if r.lost > 0 {
		lost := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, id), r.lost)
		record(perfevent.RecordLost, lost, trailer)
	}
	record(kind, body)
	used := r.head - getUint64(r.memory[pageTail:])
	if size == 0 || r.keeps && (used > size || uint64(len(b)) >= size-used+min(used, 1)) {
		r.lost++
		return false
	}
	for i, c := range b {
		r.data()[(r.head+uint64(i))%size] = c
	}
	r.lost = 0
	r.head += uint64(len(b))
	putUint64(r.memory[pageHead:], r.head)
	return true
}

// notify wakes those who wait for records, after one was written.
func (r *buffer) notify(k *Kernel, a *perfevent.Attr) {
	wake := false
	if !a.Is(perfevent.FlagWatermark) && a.Wakeup > 0 {
		if r.records++; r.records >= uint64(a.Wakeup) {
			r.records, wake = 0, true
		}
	}
	if r.head-r.woken > r.watch {
		r.woken, wake = r.head, true
	}
	if wake {
		r.wakes, k.changed = true, true
	}
}

// shown returns the buffer of an event, that of the one it was inherited from.
func (e *event) shown() *buffer {
	if e.parent != nil {
		return e.parent.buffer
	}
	return e.buffer
}

// ready tells of wake-ups for as long as there are records that were not read.
func (e *event) ready() uint32 {
	switch {
	case e.state == eventDead && len(e.children) == 0 && (e.buffer == nil || !e.buffer.unread()):
		return pollHup
	case e.state == eventDead && len(e.children) == 0:
		return pollHup | pollIn
	case e.buffer == nil:
		return pollHup
	case e.buffer.wakes && !e.buffer.unread():
		e.buffer.wakes = false
	case e.buffer.wakes:
		return pollIn
	}
	return 0
}

// showState tells the event's user its state in the page; nobody reads counters without the kernel.
func (e *event) showState() {
	if e.buffer == nil {
		return
	}
	page, t := e.buffer.memory, e.total()
	le := binary.LittleEndian
	le.PutUint32(page[pageLock:], le.Uint32(page[pageLock:])+2)
	le.PutUint32(page[pageIndex:], 0)
	putUint64(page[pageOffset:], t.count)
	putUint64(page[pageEnabled:], uint64(t.enabled))
	putUint64(page[pageRunning:], uint64(t.running))
	le.PutUint16(page[pageWidth:], uint16(e.perf.unit.Bits))
}

// add counts, and finds overflows. pc is that of the instruction by which they come.
func (e *event) add(n, pc uint64) {
	e.count += n
	if e.attr.Period == 0 {
		return
	}
	for e.left -= int64(n); e.left <= 0 && e.state == eventActive; {
		e.left += int64(e.attr.Period)
		e.overflow(pc)
	}
}

// expire finds the overflow of a clock: one, however many periods have passed.
func (e *event) expire() {
	const shortestPeriod = 10_000 // ns
	if e.attr.Period == 0 || e.left > 0 {
		return
	}
	period := max(int64(e.attr.Period), shortestPeriod)
	e.left += period * (1 + -e.left/period)
	if u := &e.perf.cpus[e.perf.at]; u.thread != nil {
		e.overflow(u.thread.hart.PC)
	}
}

// safe returns how many instructions can be executed without an overflow that nobody sees: none at all, or one by one.
func (e *event) safe() int64 {
	switch {
	case e.attr.Period == 0 || e.left > 1<<62:
	case e.isClock():
		return max(1, e.left)
	case e.code != 0:
		return max(1, (e.left-1)/int64(e.most))
	}
	return 1 << 62
}

// overflow tells the event's user.
func (e *event) overflow(pc uint64) {
	of := e
	if e.parent != nil {
		of = e.parent
	}
	ends := false
	if of.refresh > 0 {
		of.refresh--
		if ends = of.refresh == 0; ends {
			of.everywhere((*event).disable)
		}
	}
	if r := e.shown(); r != nil {
		body, trailer := e.sample(pc)
		if r.put(perfevent.RecordSample, body, trailer, of.id) {
			r.notify(e.perf.k, &of.attr)
		} else {
			of.lost++
		}
	}
	of.showState()
	of.owner.signal(e.perf.k, ends)
}

// sample returns what a sample holds, and what other records of the event end with.
func (e *event) sample(pc uint64) (body, trailer []byte) {
	u := &e.perf.cpus[e.perf.at]
	id, pid := e.id, uint64(0)
	if e.parent != nil {
		id = e.parent.id
	}
	if t := u.thread; t != nil {
		pid = uint64(t.p.id) | uint64(t.id)<<32
	}
	a, now := &e.attr, e.perf.k.cpus[e.perf.at].clock
	if a.Is(perfevent.FlagUseClock) && (a.Clock == 0 || a.Clock == 11) {
		now += boot
	}
	put := func(b *[]byte, bit uint64, words ...uint64) {
		if a.Sample&bit != 0 {
			for _, w := range words {
				*b = binary.LittleEndian.AppendUint64(*b, w)
			}
		}
	}
	put(&body, perfevent.SampleIdentifier, id)
	put(&body, perfevent.SampleIP, pc)
	put(&body, perfevent.SampleTID, pid)
	put(&body, perfevent.SampleTime, uint64(now))
	put(&body, perfevent.SampleAddress, 0)
	put(&body, perfevent.SampleID, id)
	put(&body, perfevent.SampleStream, e.id)
	put(&body, perfevent.SampleCPU, uint64(e.perf.at))
	put(&body, perfevent.SamplePeriod, a.Period)
	if a.Sample&perfevent.SampleRead != 0 {
		put(&body, perfevent.SampleRead, e.values()...)
	}
	put(&body, perfevent.SampleChain, 2, perfevent.ContextUser, pc)
	if a.Is(perfevent.FlagSampleIDAll) {
		put(&trailer, perfevent.SampleTID, pid)
		put(&trailer, perfevent.SampleTime, uint64(now))
		put(&trailer, perfevent.SampleID, id)
		put(&trailer, perfevent.SampleStream, e.id)
		put(&trailer, perfevent.SampleCPU, uint64(e.perf.at))
		put(&trailer, perfevent.SampleIdentifier, id)
	}
	return body, trailer
}

// owner is who gets signals about overflows.
type owner struct {
	asks   bool // for them
	kind   int  // of id: a thread, a process, a group
	id     int  // 0 nobody
	number int  // of the signal, 0 is SIGIO without anything about the event
	fd     uint64
}

// Kinds of owners.
const (
	ownerThread = iota
	ownerProcess
	ownerGroup
)

// signal tells of an overflow, or of the last one.
func (o *owner) signal(k *Kernel, last bool) {
	const sigIO = 29
	if !o.asks || o.id == 0 {
		return
	}
	s := signal{number: sigIO, code: 0x80}
	if o.number != 0 { // POLL_IN and POLL_HUP
		s = signal{number: o.number, code: 1, address: 0x41, value: o.fd}
		if last {
			s.code, s.address = 6, 0x18
		}
	}
	for _, p := range slices.Clone(k.all) {
		switch o.kind {
		case ownerThread:
			for _, t := range p.threads {
				if t.id == o.id {
					t.send(s)
				}
			}
		case ownerProcess:
			if p.id == o.id {
				p.signal(s)
			}
		case ownerGroup:
			if p.group == o.id {
				p.signal(s)
			}
		}
	}
}
