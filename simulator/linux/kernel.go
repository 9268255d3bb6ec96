//go:build linux

// Package linux runs programs for Linux on RV64GC: it loads them, and answers their system calls itself. Time is virtual: it
// passes with the instructions that are executed, and skips when nothing can run. Threads take turns on virtual
// processors, in an order that depends only on the program, its input and a seed. So two runs are identical to
// the last instruction.
//
// An unknown system call gets ENOSYS, and [Kernel.Unsupported] reports it. [refused] lists the calls that deliberately get an
// error.
package linux

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"tracerec/simulator/memory"
	"tracerec/simulator/pmu"
	"tracerec/simulator/riscv"
)

// Options say what to run and on what.
type Options struct {
	Args []string // the first is the program's name for itself
	Env  []string
	Dir  string // the working directory, of the guest

	Mounts []Mount // what the guest sees of the host's files; nothing else
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	CPUs            int           // virtual processors; 0 is 1
	Seed            uint64        // of the schedule and of random numbers
	MaxInstructions uint64        // 0 is any number
	Timeout         time.Duration // of the host, 0 is any; nothing else depends on the host's time
	MaxTime         time.Duration // virtual, 0 is any
	Strict          bool          // what is not supported ends the run, see [Kernel.Unsupported]
	MaxMemory       uint64        // bytes that all processes together have mapped and may access, but files that they share; 0 is any number

	Pulse func(now time.Duration) // called before each turn with the virtual time, while nothing executes; nil for none

	Observer Observer   // of all threads; nil for none, which costs nothing
	PMU      *pmu.PMU   // of every processor, for perf_event_open; nil for none: the guest gets ENOSYS
	Counting pmu.Source // what the PMU counts; nil: the observer knows
	Services Services   // answers calls that Linux does not have; nil for none: the guest gets ENOSYS
}

// Services answers what guests ask of the simulator itself: BGLsim's call-through (Mindlin et al., "Obtaining Hardware Performance Metrics for
// the BlueGene/L Supercomputer", section 2). A guest asks by the system call number [CallThrough], which Linux does not have.
type Services interface {
	// Call answers a call of the thread whose turn it is: a value, or a negative errno. What it wants of the guest's memory is
	// in t.Memory.
	Call(t Turn, a [6]uint64) int64
}

// CallThrough is the number of the system call by which guests reach [Services]. Linux answers ENOSYS.
const CallThrough = 0x7452

// Lifecycle is implemented by observers and services that want to know of processes and threads.
type Lifecycle interface {
	// Loaded is called when a process begins to execute a program: the content of its file. A child that was forked executes
	// its parent's until then.
	Loaded(process int, program []byte)
	// Forked is called when a process got a child.
	Forked(parent, child int)
	// Ended is called when a thread has ended, and with thread 0 after the last one of a process.
	Ended(process, thread int)
}

// Observer is told what the threads of a run execute, in the order in which they take turns.
type Observer interface {
	riscv.Observer
	// Turn is called before a thread executes anything on a virtual processor. What is observed is its doing, until the next.
	Turn(t Turn)
}

// Turn says which thread executes where.
type Turn struct {
	Process, Thread, CPU int
	Memory               *memory.Space // of the process
	Hart                 *riscv.Hart   // the thread's registers
}

// Mount is a directory of the host as the guest sees it.
type Mount struct {
	Guest, Host string
	Write       bool
}

// Kernel is a run of a program with all its threads, and with the processes that it starts. It is used by one goroutine.
type Kernel struct {
	o       Options
	random  *rand.Rand
	fs      *fileSystem
	net     network
	first   *process
	all     []*process // that were not waited for, in the order in which they began
	cpus    []cpu
	cpu     *cpu // that does something
	ready   []*thread
	waiting []*thread // for files, in the order in which they began to
	changed bool      // a file may be ready that was not
	timers  timers
	timed   int // timers ever made
	waits   int // for futexes, ever begun
	nextID  int
	objects uint64 // shared memory, ever made
	done    uint64 // instructions
	breaks  []breakpoint
	broken  bool   // at one of them,
	brokeAt uint64 // this
	exited  bool
	status  int
	failure error
	inVain  []Unsupported
	perf    *perf // nil without a PMU

	interrupted atomic.Bool
}

// cpu is a virtual processor.
type cpu struct {
	clock  int64 // ns since the machine was started
	thread *thread
	left   int64 // instructions until another thread gets its turn
}

// thread is a thread of the guest.
type thread struct {
	k    *Kernel
	p    *process
	hart *riscv.Hart
	id   int

	stoppedAt uint64 // breakpoint, 0 none

	clearTID uint64 // address to clear and to wake at its end

	mask    uint64 // signals blocked
	saved   uint64 // mask before a call that changes it for its duration
	restore bool
	pending []signal
	stack   signalStack
	events  perfContext

	state   state
	since   int64                // ns, when it became ready to run
	retry   func() (int64, bool) // of a call that waits: does it now, or cannot
	fixed   bool                 // no signal ends the waiting
	restart bool                 // the call is made again after a signal, if the handler allows
	timer   *timer               // that ends the waiting
	futex   futexKey             // on which it waits,
	turn    int                  // in the order of those that wait,
	bits    uint32               // for which wakers
	number  uint64               // of the call
	first   uint64               // argument of the call, for a restart
}

type state uint8

const (
	running state = iota // or ready to
	blocked
	ended
)

// boot is when the guest's machine was started: 2000-01-01T00:00:00Z, ns. File times are that as well.
const boot int64 = 946684800e9

// ErrLimit is the error of a run that executed as many instructions as it may.
var ErrLimit = errors.New("instruction limit")

// ErrMemory is the error of a program that does not fit into [Options.MaxMemory] at its start. Later it is ENOMEM for the guest.
var ErrMemory = errors.New("memory limit")

// Fatal is an error of the guest that ends the run: something that the simulator does not do.
type Fatal struct {
	PC   uint64
	What string
}

func (f *Fatal) Error() string { return fmt.Sprintf("at %#x: %s", f.PC, f.What) }

// Turns of a thread on a processor, in instructions: from shortest to twice that, by chance.
const shortest = 20_000

// apart is how far, in ns, a processor gets ahead of another one that has something to execute as well: what one stores to memory,
// another may see that much too early by its time.
const apart = 1000

// callCost is what a system call takes of the virtual time, ns.
const callCost = 300

// Run executes the program until it ends and returns its exit status, 128+n when signal n ended it. The children that it
// leaves behind end with it.
func (k *Kernel) Run() (status int, err error) {
	deadline := time.Now().Add(k.o.Timeout)
	for n := 1; !k.exited && k.failure == nil; n++ {
		if k.step(); k.broken {
			k.broken = false
			return 0, ErrBreak
		}
		if k.interrupted.Load() {
			return 0, ErrInterrupted
		}
		if k.o.MaxTime > 0 && k.now() >= int64(k.o.MaxTime) || k.o.Timeout > 0 && n%64 == 0 && time.Now().After(deadline) {
			return 0, ErrTimeout
		}
	}
	return k.status, k.failure
}

// Instructions returns how many the program and its children executed.
func (k *Kernel) Instructions() uint64 {
	return k.done
}

// now returns the virtual time, ns since boot: that of the processor that does something.
func (k *Kernel) now() int64 {
	if k.cpu == nil {
		return 0
	}
	return k.cpu.clock
}

// tell lets the observer and the services know of a process or thread.
func (k *Kernel) tell(what func(l Lifecycle)) {
	l, ok := k.o.Observer.(Lifecycle)
	if ok {
		what(l)
	}
	if s, yes := k.o.Services.(Lifecycle); yes && (!ok || s != l) {
		what(s)
	}
}

// step lets the processor that is furthest behind do something.
func (k *Kernel) step() {
	c, number := &k.cpus[0], 0
	for i := range k.cpus {
		if k.cpus[i].clock < c.clock {
			c, number = &k.cpus[i], i
		}
	}
	k.cpu = c
	for len(k.timers) > 0 && k.timers[0].at <= c.clock {
		t := heap.Pop(&k.timers).(*timer)
		if t.fire != nil {
			t.fire()
		}
	}
	k.retryAll()
	if c.thread == nil && !k.dispatch(c) {
		k.idle(c)
		return
	}
	t := c.thread
	if !t.deliver() {
		return
	}
	budget := c.left
	if len(k.timers) > 0 {
		budget = min(budget, max(1, k.timers[0].at-c.clock))
	}
	for i := range k.cpus {
		if o := &k.cpus[i]; o != c && (o.thread != nil || len(k.ready) > 0) {
			budget = min(budget, o.clock+apart-c.clock)
		}
	}
	if most := k.o.MaxInstructions; most > 0 {
		done := k.Instructions()
		if done >= most {
			k.failure = ErrLimit
			return
		}
		budget = min(budget, int64(most-done))
	}
	before := t.hart.Retired
	if k.o.Pulse != nil {
		k.o.Pulse(time.Duration(c.clock))
	}
	if k.o.Observer != nil {
		k.o.Observer.Turn(Turn{t.p.id, t.id, number, t.p.space, t.hart})
	}
	pc := t.hart.PC
	if k.perf != nil {
		budget = k.perf.enter(number, t, budget)
	}
	t.hart.Ahead = uint64(c.clock) - before
	stop := t.run(uint64(budget))
	n := int64(t.hart.Retired - before)
	k.done += uint64(n)
	c.clock = int64(t.hart.Retired + t.hart.Ahead)
	c.left -= n
	if k.perf != nil {
		k.perf.ran(number, pc, n)
	}
	t.stopped(c, stop)
	if k.perf != nil {
		k.perf.afterStop(number)
	}
	k.retryAll()
	if t.state == running && c.left <= 0 && c.thread == t { // and its process was not stopped
		k.enqueue(t)
		c.thread = nil
	}
	if t.state != running {
		c.thread = nil
	}
}

// enqueue lets a thread wait for a processor, from now on: none whose time is before that will have it, so that a thread's time
// never goes back, nor is that of what it waited for after it.
func (k *Kernel) enqueue(t *thread) {
	t.since = max(t.since, k.now())
	if t.p.stopped != 0 {
		t.p.held = append(t.p.held, t)
		return
	}
	k.ready = append(k.ready, t)
}

// dispatch gives a processor the thread that is ready for the longest time.
func (k *Kernel) dispatch(c *cpu) bool {
	i := slices.IndexFunc(k.ready, func(t *thread) bool { return t.since <= c.clock })
	if i < 0 {
		return false
	}
	c.thread = k.ready[i]
	k.ready = slices.Delete(k.ready, i, i+1)
	c.thread.hart.Unreserve()
	c.left = shortest + k.random.Int64N(shortest)
	return true
}

// idle skips the time in which a processor has nothing to do.
func (k *Kernel) idle(c *cpu) {
	next := int64(-1)
	for i := range k.cpus {
		if o := &k.cpus[i]; o.thread != nil && (next < 0 || o.clock+1 < next) {
			next = o.clock + 1
		}
	}
	if len(k.timers) > 0 && (next < 0 || k.timers[0].at < next) {
		next = k.timers[0].at
	}
	for _, t := range k.ready {
		if next < 0 || t.since < next {
			next = t.since
		}
	}
	if next < 0 {
		k.failure = k.deadlock()
		return
	}
	c.clock = max(c.clock, next)
}

// stopped does what a thread asks for, or what its fault makes of it.
func (t *thread) stopped(c *cpu, stop riscv.Stop) {
	switch stop.Why {
	case riscv.Budget:
	case riscv.Syscall:
		if t.hart.X[17] != CallThrough { // which is no service of the guest's kernel
			c.clock += callCost
		}
		t.call()
	case riscv.MemoryFault:
		t.pageFault()
		code := int32(1) // not mapped
		if _, ok := t.p.space.Find(stop.Address); ok {
			code = 2 // not permitted
		}
		t.fault(signal{number: sigSEGV, code: code, address: stop.Address})
	case riscv.NoMemory:
		t.pageFault()
		t.fault(signal{number: sigBUS, code: 2, address: stop.Address})
	case riscv.IllegalInstruction:
		t.fault(signal{number: sigILL, code: 1, address: stop.Address})
	case riscv.Breakpoint:
		if t.atBreak() {
			return
		}
		t.fault(signal{number: sigTRAP, code: 1, address: stop.Address})
	case riscv.Misaligned:
		t.fault(signal{number: sigBUS, code: 1, address: stop.Address})
	}
}

// block lets the thread wait until retry succeeds or the time is over, at which expired says what the call returns. A negative
// duration is any.
func (t *thread) block(d int64, retry func() (int64, bool), expired int64) {
	t.state, t.retry = blocked, retry
	if retry != nil {
		t.k.waiting = append(t.k.waiting, t)
	}
	if d >= 0 {
		t.timer = t.k.after(d, func() { t.wake(expired) })
	}
}

// wake ends the waiting of a thread, whose call returns value.
func (t *thread) wake(value int64) {
	if t.state != blocked {
		return
	}
	t.state, t.retry, t.restart, t.fixed, t.futex = running, nil, false, false, futexKey{}
	if t.timer != nil {
		t.timer.fire = nil
		t.timer = nil
	}
	if i := slices.Index(t.k.waiting, t); i >= 0 {
		t.k.waiting = slices.Delete(t.k.waiting, i, i+1)
	}
	t.hart.X[10] = uint64(value)
	t.k.enqueue(t)
}

// retryAll tries calls again that wait for files, after something changed.
func (k *Kernel) retryAll() {
	for k.changed {
		k.changed = false
		for _, t := range slices.Clone(k.waiting) {
			if t.state != blocked || t.retry == nil {
				continue
			}
			v, ok := int64(0), true
			if !guarded(func() { v, ok = t.retry() }) {
				v = -int64(syscall.EFAULT)
			}
			if ok {
				t.wake(v)
			}
		}
	}
}

// timer is something to do at a time.
type timer struct {
	at   int64
	n    int // of those made, decides between equal times
	fire func()
}

// after makes a timer. To cancel it, clear fire.
func (k *Kernel) after(d int64, fire func()) *timer {
	k.timed++
	at := k.now() + d
	if at < 0 {
		at = 1<<63 - 1
	}
	t := &timer{at: at, n: k.timed, fire: fire}
	heap.Push(&k.timers, t)
	return t
}

// timers is a heap of timers.
type timers []*timer

func (h timers) Len() int { return len(h) }
func (h timers) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].n < h[j].n
}
func (h timers) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timers) Push(x any)   { *h = append(*h, x.(*timer)) }
func (h *timers) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
