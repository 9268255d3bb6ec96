package gotrace

import (
	"slices"
	"strings"
	"unsafe"

	exp "golang.org/x/exp/trace"

	"tracerec/trace/wire"
)

// frame is a level of a call path: a function, and where in it; or what the program calls a region or a task.
type frame struct {
	region, line uint32
	user         *user // the latter; nil of functions
}

// stack is a stack of a goroutine.
type stack struct {
	path    []frame // from the root on, without what the runtime does at both ends
	brief   []frame // the same, without what is inside the function of a library that the innermost one of the program calls: for samples, each of which is elsewhere in that
	start   uint32  // region of the function that the goroutine was started with
	system  bool    // the goroutine is one of the runtime, or writes the trace
	awaits  string  // what it is called if it waits for the network
	leaf    place   // where in the program it is, as recordings have it: at the call of a function that passes data on
	wait    wait    // what it waits for, if it does
	deed    deed    // what it does to others, if it does
	relocks bool    // what it waits for is the lock that Cond.Wait gave back

	operations []known // at its leaf
}

// known is an operation at the leaf of a stack, and its region.
type known struct {
	name   string
	region uint32
}

// place is a place in the program.
type place struct {
	function, file string
	line           uint32
}

// wait is an operation in which a goroutine blocks.
type wait struct {
	kind wire.Kind // None: not known
	name string
	mode uint32
}

// deed is what ends the waits of others.
type deed uint8

const (
	unknownDeed deed = iota // for channels: closes; the runtime leaves itself out of that stack
	sends
	receives
	selects
	takes // selects, only to receive
	unlocks
	unlocksShared
	finishes // by Done
	signals
	broadcasts
	interrupts // closes, or sets a deadline, which is over
)

var (
	recvWait     = wait{wire.RecvBegin, "recv", 0}
	sendWait     = wait{wire.SendBegin, "send", 0}
	selectWait   = wait{wire.SelectBegin, "select", 0}
	foreverWait  = wait{wire.SelectBegin, wire.Forever, 0}
	lockWait     = wait{wire.LockBegin, "lock", wire.Exclusive}
	fdLockWait   = wait{wire.LockBegin, wire.FDLock, wire.Exclusive}
	sharedWait   = wait{wire.LockBegin, "rlock", wire.Shared}
	joinWait     = wait{wire.JoinBegin, "wait", 0}
	condWait     = wait{wire.CondBegin, "condwait", 0}
	onceWait     = wait{wire.OnceBegin, "once", 0}
	sleepWait    = wait{wire.SleepBegin, "sleep", 0}
	networkWait  = wait{wire.NetworkBegin, wire.Network, 0}
	pullWait     = wait{wire.RecvBegin, wire.Pull, 0}
	yieldWait    = wait{wire.RecvBegin, wire.Yield, 0}
	assistWait   = wait{wire.Assist, "", 0}
	runnableWait = wait{wire.Ready, "", 0}
)

// waitsIn says which functions wait, and for what.
var waitsIn = map[string]wait{
	"runtime.chanrecv": recvWait, "runtime.chanrecv1": recvWait, "runtime.chanrecv2": recvWait, "runtime.chansend": sendWait, "runtime.chansend1": sendWait,
	"runtime.selectgo": selectWait, "runtime.block": foreverWait,
	"sync.(*Mutex).Lock": lockWait, "internal/sync.(*Mutex).Lock": lockWait, "sync.(*RWMutex).Lock": lockWait, "sync.(*RWMutex).RLock": sharedWait,
	"sync.(*WaitGroup).Wait": joinWait, "sync.(*Cond).Wait": condWait, "sync.(*Once).Do": onceWait, "sync.(*Once).doSlow": onceWait,
	"time.Sleep": sleepWait, "internal/poll.(*fdMutex).rwlock": fdLockWait, "internal/poll.runtime_pollWait": networkWait, "internal/poll.(*pollDesc).wait": networkWait,
	"runtime.gcAssistAlloc": assistWait, "runtime.gcStart": assistWait,
}

// waitsFor says what reasons mean that the leaf of a stack need not tell.
var waitsFor = map[string]wait{
	"chan receive": recvWait, "chan send": sendWait, "select": selectWait, "sync": lockWait, "sync.(*Cond).Wait": condWait, "sleep": sleepWait, "network": networkWait,
	"GC mark assist wait for work": assistWait, "wait until GC ends": assistWait, "preempted": runnableWait,
}

// deedsIn says which functions end the waits of others. A select with a default and one other case is compiled to a function of its own.
var deedsIn = map[string]deed{
	"runtime.chanrecv": receives, "runtime.chanrecv1": receives, "runtime.chanrecv2": receives, "runtime.chansend": sends, "runtime.chansend1": sends,
	"runtime.selectnbrecv": receives, "runtime.selectnbsend": sends, "reflect.chanrecv": receives, "reflect.chansend0": sends,
	"runtime.selectgo": selects, "sync.(*Mutex).Unlock": unlocks, "internal/sync.(*Mutex).Unlock": unlocks, "sync.(*RWMutex).Unlock": unlocks,
	"sync.(*RWMutex).RUnlock": unlocksShared, "sync.(*WaitGroup).Done": finishes, "sync.(*WaitGroup).Add": finishes, "sync.(*Cond).Signal": signals,
	"sync.(*Cond).Broadcast": broadcasts, "internal/poll.(*pollDesc).evict": interrupts, "internal/poll.setDeadlineImpl": interrupts,
}

// endedWith returns what a goroutine must have waited for whom a deed woke.
func (d deed) endedWith() wait {
	switch d {
	case sends:
		return recvWait
	case receives:
		return sendWait
	case unlocks, unlocksShared:
		return lockWait
	case finishes:
		return joinWait
	case signals, broadcasts:
		return condWait
	case interrupts:
		return networkWait
	}
	return wait{}
}

// machinery says whether a function belongs to what the program calls to wait, and to wake others.
func machinery(function string) bool {
	end := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[end:], '.')
	if dot < 0 { // assembly of the runtime, such as memeqbody
		return function != ""
	}
	switch p := function[:end+dot]; p {
	case "runtime", "runtime/trace", "sync", "syscall", "internal/poll", "internal/sync", "internal/synctest":
		return true
	default:
		return function == "time.Sleep" || strings.HasPrefix(p, "internal/runtime/") || strings.HasPrefix(p, "internal/syscall/")
	}
}

// waitGroupGo is what goroutines are started with that WaitGroup.Go starts.
const waitGroupGo = "sync.(*WaitGroup).Go.func1"

// starters are functions of the runtime with which stacks of goroutines of the program begin; main is in the doInits while it initialises packages, coroutines are in the last three.
var starters = []string{"runtime.goexit", "runtime.main", "runtime.doInit", "runtime.doInit1", "runtime.corostart", "iter.Pull[...].func1", "iter.Pull2[...].func1"}

// puller is what a coroutine is called of which no stack is known.
const puller = "iter.Pull"

// system says whether a goroutine is one of the runtime, or writes the trace, by the function it was started with.
func system(start string) bool {
	return strings.HasPrefix(start, "runtime.") && !slices.Contains(starters, start) || strings.HasPrefix(start, "runtime/trace.")
}

// recentStacks is how many stacks can be found without a look into the map: those took a twentieth of an analysis.
const recentStacks = 1 << 9

// stack returns a stack of a goroutine, nil if there is none. Those of a generation are kept.
func (c *converter) stack(s exp.Stack) *stack {
	if s == exp.NoStack {
		return nil
	}
	r := &c.recent[numberOf(s)%recentStacks]
	if r.of == s {
		return r.known
	}
	known, ok := c.stacks[s]
	if !ok {
		known = c.newStack(s)
		c.stacks[s] = known
	}
	r.of, r.known = s, known
	return known
}

// numberOf returns the last word of a stack: its number in a table of the reader, which does not tell it.
func numberOf(s exp.Stack) uint64 {
	const size = unsafe.Sizeof(s)
	words := (*[size / 8]uint64)(unsafe.Pointer(&s))
	return words[len(words)-1]
}

// framesOf appends the frames of a stack to a list.
func framesOf(s exp.Stack, frames []exp.StackFrame) (list []exp.StackFrame, err error) {
	defer caught(&err)
	for f := range s.Frames() {
		frames = append(frames, f)
	}
	return frames, nil
}

func (c *converter) newStack(s exp.Stack) *stack {
	frames, err := framesOf(s, c.frames[:0])
	c.frames = frames
	if err != nil {
		c.damage = err
	}
	if err != nil || !slices.ContainsFunc(frames, func(f exp.StackFrame) bool { return f.Func != "" }) { // the runtime gives one without functions where the reader of the trace wakes others
		return nil
	}
	root := len(frames) - 1
	n := &stack{system: system(frames[root].Func), awaits: wire.Network}
	for root > 0 && slices.Contains(starters, frames[root].Func) {
		root--
	}
	n.start = c.function(&frames[root])
	leaf := 0 // the first that is not machinery
	for leaf < root && machinery(frames[leaf].Func) {
		leaf++
	}
	for i := range frames[:leaf+1] {
		n.see(frames[i].Func)
	}
	at := leaf
	for at < root && wire.Inside(frames[at].Func, frames[at].File) {
		n.awaits = wire.Through(frames[at].Func, n.awaits)
		at++
	}
	n.leaf = place{frames[at].Func, frames[at].File, uint32(frames[at].Line)}
	if frames[root].Func == waitGroupGo {
		root-- // goroutines that call different functions
	}
	own := 0 // how many levels lead to that of the program
	for i := root; i >= leaf; i-- {
		if !strings.HasSuffix(frames[i].Func, methodValue) {
			n.path = append(n.path, frame{region: c.function(&frames[i]), line: uint32(frames[i].Line)})
		}
		if wire.OfProgram(frames[i].Func, frames[i].File) {
			own = len(n.path)
		}
	}
	if n.brief = n.path; own > 0 {
		n.brief = n.path[:min(own+1, len(n.path))]
	}
	if n.relocks {
		n.path = append(n.path, frame{region: c.defined(operation{condWait.name, n.leaf})})
	}
	return n
}

// see takes what a function at the leaf, or the next one after it, tells. The first that tells something counts, but a Mutex within
// something else is that. Whatever the runtime waits for on behalf of the collector is that.
func (s *stack) see(function string) {
	switch w, ok := waitsIn[function]; {
	case !ok:
	case s.wait.kind == wire.None, w == assistWait, s.wait == lockWait && w != condWait:
		s.wait = w
	case s.wait == lockWait:
		s.relocks = true
	}
	switch {
	case s.deed == unknownDeed:
		s.deed = deedsIn[function]
	case s.deed == selects && wire.OnlyReceives(wire.ShortName(function)):
		s.deed = takes
	}
}

// methodValue ends the name of what the value of a method calls. Goroutines are started with it, but their stacks do not have it.
const methodValue = "-fm"

// function returns the region of a function.
func (c *converter) function(f *exp.StackFrame) uint32 {
	k := place{strings.TrimSuffix(f.Func, methodValue), f.File, 0}
	id, ok := c.functions[k]
	if !ok {
		name := wire.ShortName(k.function)
		if wire.GoWrapper(name) { // as recordings call it
			name = wire.Written(name) + wire.GoStatement
		}
		id = c.define(name, k)
		c.functions[k] = id
	}
	return id
}

// operation is a place at which something is done.
type operation struct {
	name string
	at   place
}

// operation returns the region of an operation at the leaf of a stack, which may be nil. Looking the place up costs much, so stacks know theirs.
func (c *converter) operation(name string, s *stack) uint32 {
	if s == nil {
		return c.defined(operation{name: name})
	}
	for i := range s.operations {
		if s.operations[i].name == name {
			return s.operations[i].region
		}
	}
	region := c.defined(operation{name, s.leaf})
	s.operations = append(s.operations, known{name, region})
	return region
}

// defined returns the region of an operation.
func (c *converter) defined(k operation) uint32 {
	id, ok := c.operations[k]
	if !ok {
		id = c.define(k.name, k.at)
		c.operations[k] = id
	}
	return id
}

// define defines a region. There are no more than an event can name.
func (c *converter) define(name string, at place) uint32 {
	if c.regions == wire.MaxID {
		return 0
	}
	c.regions++
	c.note(c.box.define(wire.Def{Type: wire.DefRegion, ID: c.regions, Name: name, Func: at.function, File: at.file, Line: at.line}))
	return c.regions
}
