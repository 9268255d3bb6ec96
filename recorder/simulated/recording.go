//go:build linux

package simulated

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/trace"
)

// recording makes an archive of a run, of which the counters tell it where the execution goes.
type recording struct {
	counts   *count.Counters
	o        *Options
	filter   *filter
	readings *readings
	out      *trace.Writer
	images   map[[sha256.Size]byte]*image
	live     map[int]*process
	all      []*process // in the order in which they began

	turn    linux.Turn
	process *process  // of the turn
	thread  *thread   // of the turn
	began   bool      // the turn has
	now     *location // who is charged
	since   []uint64  // totals when that began
	err     error     // the first of the archive
}

// thread is what is known of a thread.
type thread struct {
	stopped  int64     // when its last turn ended
	called   bool      // by a system call
	at       *location // in which location
	creation creation
}

// creation is a goroutine that the runtime is making.
type creation struct {
	creator *location
	pc      uint64 // behind the go statement
	back    uint64 // where it will be made; 0 for none
}

// epoch is when virtual time begins, 2000-01-01T00:00:00Z: also the guest's clocks say so.
const epoch int64 = 946684800e9

// newRecording begins an archive in directory dir.
func newRecording(c *count.Counters, o *Options, dir string) (*recording, error) {
	f, err := newFilter(o.Filter)
	if err != nil {
		return nil, err
	}
	r := &recording{counts: c, o: o, filter: f, images: map[[sha256.Size]byte]*image{}, live: map[int]*process{}}
	if r.readings, err = newReadings(c, o.Machine, o.Events); err != nil {
		return nil, err
	}
	if r.out, err = trace.Create(dir, trace.Options{Resolution: 1, Wall: epoch}); err != nil {
		return nil, err
	}
	r.since = make([]uint64, len(r.readings.names))
	c.Follow(r)
	return r, nil
}

// clock returns the time of the thread whose turn it is, virtual ns.
func (r *recording) clock() int64 {
	if h := r.turn.Hart; h != nil {
		return int64(h.Retired + h.Ahead)
	}
	return 0
}

// Turn implements [count.Flow].
func (r *recording) Turn(t linux.Turn) {
	if r.thread != nil {
		r.thread.stopped, r.thread.at = r.clock(), r.now
		r.thread.called = r.turn.Memory != nil && calls(r.turn)
	}
	if r.process == nil || t.Process != r.turn.Process {
		r.process = r.processOf(t.Process)
	}
	if r.process.loading {
		r.process.loading = false
		r.process.args = arguments(t)
	}
	r.turn, r.began = t, false
	r.thread = r.process.threadOf(t.Thread)
}

// calls tells whether a turn ended with a system call.
func calls(t linux.Turn) bool {
	const ecall = 0x73
	b, ok := t.Memory.Bytes(t.Hart.PC-4, 4, 0)
	return ok && binary.LittleEndian.Uint32(b) == ecall
}

// arguments reads the command line of a process that has not executed anything.
func arguments(t linux.Turn) (args []string) {
	const most, longest = 1 << 12, 1 << 16
	n, _ := word(t, t.Hart.X[2])
	for i := range min(n, most) {
		at, _ := word(t, t.Hart.X[2]+8+8*i)
		var text []byte
		for ; len(text) < longest; at++ {
			b, ok := t.Memory.Bytes(at, 1, 0)
			if !ok || b[0] == 0 {
				break
			}
			text = append(text, b[0])
		}
		args = append(args, string(text))
	}
	return args
}

// word reads a word of the process's memory.
func word(t linux.Turn, at uint64) (uint64, bool) {
	b, ok := t.Memory.Bytes(at, 8, 0)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// Charged implements [count.Flow]: it finds the location of those who are charged, and ends what they waited for.
func (r *recording) Charged(before *count.Values, c count.Charge) {
	now := r.counts.Now()
	from, to := r.now, r.locate(c)
	if before != now || from != to {
		totals := r.readings.totals(before)
		if from != nil {
			for i, v := range totals {
				from.counted[i] += v - r.since[i]
			}
		}
		copy(r.since, totals)
		r.readings.switched(before, now)
		r.now = to
	}
	first := !r.began
	r.began = true
	if to.countsOnly {
		return
	}
	t := r.clock()
	if !to.begun {
		r.begin(to, t)
	}
	if first && r.thread.called && r.thread.at == to && t-r.thread.stopped > blocks {
		r.waited(to, r.thread.stopped, t)
	}
	if to.off {
		r.resume(to, t)
	}
	if c.Goroutine != 0 {
		to.low, _ = word(r.turn, c.G)
		to.high, _ = word(r.turn, c.G+8)
	}
	to.jumped = true
}

// blocks is how long a system call takes if it does not block, and some more, ns.
const blocks = 1000

// locate returns the location of those who are charged.
func (r *recording) locate(c count.Charge) *location {
	p := r.process
	if p.inherited && p.image.table != nil {
		return p.countsOnly("(fork)")
	}
	switch c.Domain {
	case count.Goroutine:
		if p.image.isSystem(c.Start) {
			return p.countsOnly("(runtime)")
		}
		l := p.goroutines[c.Goroutine]
		if l == nil {
			l = p.newLocation(c.Goroutine)
			l.start, p.goroutines[c.Goroutine] = c.Start, l
		}
		return l
	case count.Runtime:
		return p.countsOnly("(runtime)")
	case count.Collector:
		return p.countsOnly("(garbage collector)")
	case count.Signal:
		return p.countsOnly("(signal handlers)")
	case count.Measurement:
		return p.countsOnly("(measurement)")
	}
	if p.image.table != nil {
		return p.countsOnly("(start)")
	}
	l := p.natives[c.Thread]
	if l == nil {
		l = p.newLocation(uint64(len(p.natives) + 1))
		l.high, p.natives[c.Thread] = ^uint64(0), l
	}
	return l
}

// Loaded implements [linux.Lifecycle].
func (r *recording) Loaded(id int, content []byte) {
	p := r.processOf(id)
	r.gone(id)
	if p.image != nil {
		r.chargeSoFar()
		p.endAll(r.clock())
		p.goroutines, p.natives = map[uint64]*location{}, map[int]*location{}
		p.sites, p.objects = map[siteKey]uint32{}, map[objectKey]uint32{}
		p.used = map[uint64]int64{}
	}
	sum := sha256.Sum256(content)
	if p.image = r.images[sum]; p.image == nil {
		p.image = newImage(content, r.filter)
		r.images[sum] = p.image
	}
	p.inherited, p.loading = false, true
}

// Forked implements [linux.Lifecycle].
func (r *recording) Forked(parent, child int) {
	p, c := r.processOf(parent), r.processOf(child)
	c.image, c.parent, c.args, c.inherited = p.image, parent, p.args, true
	if l := r.now; l != nil && !l.countsOnly && p.image.table == nil { // it goes on where its parent is
		n := c.newLocation(1)
		n.high = l.high
		c.natives[child] = n
		n.frames = append(n.frames, l.frames...)
	}
}

// Ended implements [linux.Lifecycle].
func (r *recording) Ended(id, thread int) {
	p := r.processOf(id)
	switch l := p.natives[thread]; {
	case thread == 0:
		status := r.exiting(id)
		r.gone(id)
		r.finish(p, status)
	case l != nil && r.live[id] != nil:
		r.chargeSoFar()
		l.end(r.clock())
		delete(p.natives, thread)
	}
}

// exiting returns the exit status with which a process ends that makes the call to, -1 if it ends otherwise.
func (r *recording) exiting(id int) int {
	const exit, exitGroup = 93, 94
	h := r.turn.Hart
	if r.turn.Process != id || r.turn.Memory == nil || !calls(r.turn) || h.X[17] != exit && h.X[17] != exitGroup {
		return -1
	}
	return int(h.X[10] & 0xff)
}

// gone says that the memory that a process had is no more.
func (r *recording) gone(id int) {
	if r.turn.Process == id {
		r.turn.Memory = nil
	}
}

// chargeSoFar gives those who are charged what they did so far.
func (r *recording) chargeSoFar() {
	totals := r.readings.totals(r.counts.Now())
	if r.now != nil {
		for i, v := range totals {
			r.now.counted[i] += v - r.since[i]
		}
	}
	copy(r.since, totals)
}

// finish ends a process, with its exit status, -1 unknown.
func (r *recording) finish(p *process, status int) {
	if p.over {
		return
	}
	r.chargeSoFar()
	p.over, p.status = true, status
	p.finish(r.clock())
	delete(r.live, p.id)
}

// close ends the archive. Status is that of the first process, failure what ended the run before it ended.
func (r *recording) close(status int, failure error, result *Result) error {
	for i, p := range r.all {
		for _, u := range result.Unsupported {
			if i == 0 {
				p.remarks[u.What+" is not supported and failed with "+u.Error] = u.Times
			}
		}
		if i == 0 && failure == nil {
			p.status = status
		}
		if failure != nil && !p.over {
			p.remarks[fmt.Sprintf("the run ended before the program (%v); instructions until then", failure)] = result.Instructions
		}
		r.finish(p, p.status)
	}
	for _, p := range r.all {
		r.note(p.exited())
	}
	r.note(r.out.Close())
	return r.err
}

// note keeps the first error of the archive.
func (r *recording) note(err error) {
	r.err = errors.Join(r.err, err)
}
