//go:build tracerec_runtime

package instrument

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// The hooks of package autoinst/sync in the runtime and in package sync.

//go:linkname setHook runtime.tracerecSet
func setHook(recording uint32, states, monotonic bool, hook func(op uint64, object uintptr, arg uint64) uint64)

//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)

// announce makes sure that the begin of the running goroutine is recorded: the runtime tells of it before the first operation.
//
//go:linkname announce runtime.tracerecMay
func announce() bool

//go:linkname lifeAt runtime.tracerecLife
func lifeAt(at uintptr) (freed *uint32, stack bool)

// lifeOf returns the life of what is at an address, which the running goroutine uses.
//
//go:norace
func (se *session) lifeOf(at uintptr) (l life) {
	var stack bool
	if l.freed, stack = lifeAt(at); l.freed != nil {
		l.of = uint64(atomic.LoadUint32(l.freed))
	} else if stack {
		l.slot = se.slotOf(getg())
		l.of = l.slot.location
	}
	return l
}

// forEachOlder calls found with the function and what the runtime says of the wait of each goroutine that has waited since before the recording began.
//
//go:linkname forEachOlder runtime.tracerecOlder
func forEachOlder(found func(entry uintptr, waitsFor string))

//go:linkname mine runtime.tracerecMine
func mine() *goroutine

// tellRuntime tells the runtime which recording is in progress, 0 for none, whether it wants states, and whether its clock is the system's.
func tellRuntime(recording uint32, states, monotonic bool) {
	setHook(recording, states, monotonic, hook)
}

// goroutine is what the runtime keeps of a goroutine for the recorder, as its type tracerecState.
type goroutine struct {
	location uint64
	creator  uint64
	started  int64
	born     uint32
	told     uint32
	system   bool
	busy     int32
	number   uint32
	selects  bool
	_        uintptr

	slot       *slot // outside of the Go heap
	since, by  uint64
	_          uint64
	processor  uint32
	head, tail uint32
	_          uint32
	ring       [stretches]stretch
	_          uint32
	blocked    bool
	woke       uint64
	frame      uintptr
}

// quiet makes what the running goroutine, which it is, does part of an operation that package instrument records.
//
//go:norace
func (g *goroutine) quiet() { g.busy++ }

// loud is the reverse.
//
//go:norace
func (g *goroutine) loud() { g.busy, g.blocked = g.busy-1, false }

// waits says that it is recorded that it waits, until it is loud.
//
//go:norace
func (g *goroutine) waits() { g.blocked = true }

// passed returns the number of the value that went through a channel in the last operation; 0: it has none, or none did.
//
//go:norace
func (g *goroutine) passed() uint32 { return g.number }

// recorded says that package instrument records when the goroutine begins and ends.
//
//go:norace
func (g *goroutine) recorded(se *session, location, creator uint64) {
	g.location, g.creator, g.born, g.told = location, creator, se.number, se.number
}

// ends says that nothing that the goroutine does from now on is recorded.
//
//go:norace
func (g *goroutine) ends() { g.system = true }

// expects says whether a select comes next that package instrument records.
//
//go:norace
func (g *goroutine) expects(is bool) { g.selects, g.blocked = is, is }

// counted is what the runtime keeps of a channel, as its type tracerecChannel, with the capacity before it.
type counted struct {
	capacity uint64
	object
	taken atomic.Uint64
}

// The operations, as in the runtime and in package sync.
const (
	opBegin = iota
	opEnd
	opCreate
	opBlocked
	opLeave
	opMeet
	opChose
	opSend
	opRecv
	opSent
	opReceived
	opSawClosed
	opClose
	opSelect
	opSleep
	opNetwork
	opFinal

	opLock = iota
	opUnlock
	opRLock
	opWLock
	opRUnlock
	opWUnlock
	opAdd
	opWait
	opCondWait
	opSignal
	opBroadcast
	opOnce
	opOnceRun
	opTryLock
	opTryRLock
	opTryWLock
	opWrite // to a stream, up to the byte above: with the time of its begin
	opCloses
	opReached // with the number above the outcome
	opInterrupt
	opListens
	opDials
	opAccepts
	opMeetsServer
	opMeetsClient
	opPipe
	opTriedRecv // in vain, as often as tries says: with the time since which
	opTriedSelect
	opFDLock // of what is read from, or of what is written to, by a file or connection
	opFDUnlock
	opPull // with the number of the turn above
	opYield
	opLastYield
	opPulled
	opQuiesces
	opProcessors // how many goroutines can run at once from now on, while the world is stopped
	operations
)

// tries is how often what could not be done at once was tried when the runtime tells of it.
const tries = 1024

// timed is above an operation if it is to be measured how long it takes to record it.
const timed = 1 << 30

// waited is above an operation that ends and of which it is recorded that the goroutine waited.
const waited = 1 << 31

// token makes a number of a span of the running goroutine, which is not 0.
func (x Span) token() uint64 { return uint64(x.depth) | uint64(x.stamp)<<32 }

// spanOf is the reverse.
//
//go:norace
func (se *session) spanOf(token uint64) Span {
	g := getg()
	s := se.find(g)
	if s == nil {
		s = se.slotOf(g)
	}
	return Span{s, uint32(token), uint32(token >> 32)}
}

// hook records an operation of the running goroutine. Of an operation that takes time it returns the token by which its parts name it.
//
// It runs in the middle of that operation, or of what the runtime does: it may not wait for what the program does.
//
//go:norace
func hook(op uint64, object uintptr, arg uint64) uint64 {
	se := current.Load()
	if se == nil {
		return 0
	}
	if op&timed != 0 {
		return se.timed(op&^timed, object, arg)
	}
	switch op & 0xff {
	case opBegin:
		se.began(uintptr(arg))
	case opEnd:
		se.endLocation()
	case opCreate:
		return se.creates(op)
	case opBlocked:
		_, t := se.now()
		se.spanOf(arg).blockedInside(se, t, uint32(op>>8&0xff))
	case opLeave:
		se.spanOf(arg).leave(wire.Outcome(op>>8&0xff), true)
	case opMeet:
		se.meet(op, arg)
	case opChose:
		se.chose(op, object, arg)
	case opSelect:
		if op>>8 != 0 {
			return se.beginAt(op, wire.SelectBegin, wire.Forever)
		}
		return se.beginAt(op, wire.SelectBegin, "select")
	case opSleep:
		if op>>8 != 0 {
			return se.beginWithout(wire.SleepBegin, se.nowhere(exitSite, wire.LastSleep)).token()
		}
		return se.beginAt(op, wire.SleepBegin, "sleep")
	case opNetwork:
		return se.beginAt(op, wire.NetworkBegin, wire.Network)
	case opWrite, opCloses, opReached, opInterrupt, opListens, opDials, opAccepts, opMeetsServer, opMeetsClient, opPipe:
		return se.streamOperation(op, uint64(object), arg)
	case opFinal:
		se.final(*(*unsafe.Pointer)(unsafe.Pointer(&object)), uint32(op>>8), arg)
	case opProcessors:
		se.buffer.Processors(int(arg))
	case opOnceRun:
		se.pointInside(se.spanOf(arg))
	case opTriedRecv, opTriedSelect:
		se.tried(op, arg)
	case opPull, opYield, opLastYield:
		return se.switches(op, object)
	case opPulled:
		se.pulled(op, object, arg)
	case opSend, opRecv, opSent, opReceived, opSawClosed, opClose:
		return se.channelOperation(op, object, arg)
	default:
		return se.lockOperation(op, object, arg)
	}
	return 0
}

//go:noinline
//go:norace
func (se *session) meet(op, token uint64) {
	x := se.spanOf(token)
	g, t := se.met(x.slot, op&waited != 0)
	x.wentAt(se, g, t, wire.Outcome(op>>8&0xff), uint32(op>>32), true)
}

//go:noinline
func (se *session) chose(op uint64, channel uintptr, token uint64) {
	x, chosen := se.spanOf(token), se.channelAt(channel, "select")
	g, t := se.met(x.slot, op&waited != 0)
	x.choseAt(se, g, t, wire.Outcome(op>>8&0xff), chosen, uint32(op>>32))
}

// tried records that the running goroutine, since that time, tried in vain to do something at once, as a select that failed so many times. It does not
// if the goroutine did anything else meanwhile, or did not run all the time.
//
//go:noinline
//go:norace
func (se *session) tried(op, began uint64) {
	g, t := se.now()
	s := se.find(g)
	if s == nil || se.counters != nil || int64(began-s.last) < 0 {
		return
	}
	if of := s.goroutine(); se.states && of.head != of.tail {
		se.prepare(s, 0, t)
		return
	}
	if region := se.siteOf(op, "select"); region != unknownRegion {
		x := se.openSlow(g, began, wire.SelectBegin, region, 0)
		x.choseAt(se, g, max(t, s.last), wire.Failed, 0, tries)
	}
}

// met is the time at which an operation of the running goroutine ends: when the goroutine ran again if it waited in it, or made another one
// ready, else now.
//
//go:norace
func (se *session) met(s *slot, waited bool) (unsafe.Pointer, uint64) {
	if se.states {
		of := s.goroutine()
		t := of.woke
		if waited {
			t = of.since
		}
		if int64(t-s.last) > 0 {
			return s.g, t
		}
	}
	return se.nowFenced()
}

// blockedInside is blocked where the runtime holds locks, at the time t: it takes the room that the begin of the operation has reserved.
//
//go:noinline
//go:norace
func (x Span) blockedInside(se *session, t uint64, id uint32) {
	s := x.slot
	if s.pos+8 > s.limit() { // the begin was lost, too
		se.buffer.Count(shm.EventsLost, 1)
		if s.loss != nil {
			s.loss.Add(t)
		}
		return
	}
	s.put(wire.Blocked, id, max(s.last, min(t, s.last+wire.MaxDelta)))
}

// entries are functions of the runtime and of package sync that are never inlined, and through which an operation comes to the hook.
var entries = [operations]string{
	opSend: "runtime.chansend", opRecv: "runtime.chanrecv", opSent: "runtime.chansend", opReceived: "runtime.chanrecv", opSawClosed: "runtime.chanrecv",
	opClose: "runtime.closechan", opSelect: "runtime.selectgo", opSleep: "time.Sleep",
	opNetwork: "internal/poll.runtime_pollWait", opTriedRecv: "runtime.selectnbrecv", opTriedSelect: "runtime.selectgo",
	opLock: "internal/sync.(*Mutex).lockSlow", opRLock: "sync.runtime_SemacquireRWMutexR", opWLock: "sync.(*RWMutex).Lock",
	opFDLock: "internal/poll.(*fdMutex).rwlock",
	opAdd:    "sync.(*WaitGroup).Add", opWait: "sync.(*WaitGroup).Wait", opCreate: "runtime.newproc",
	opPull: "runtime.coroswitch", opYield: "runtime.coroswitch", opQuiesces: "internal/synctest.Wait",
}

// within is how many frames there are from the one that tells of an operation to that above its entry; 0: not known.
var within [operations]atomic.Int32

// frame returns the address to which the function returns that is so many frames above the one which tells of an operation of the running
// goroutine g, 0 if there is none. The frames are those of the runtime, and of functions that it calls inside.
//
//go:norace
//go:nosplit
//go:nocheckptr
func frame(g unsafe.Pointer, n int) uintptr {
	high := *(*uintptr)(unsafe.Add(g, 8)) // where the stack ends
	at := high - (*goroutine)(unsafe.Add(g, stateAt)).frame
	for ; n > 0; n-- {
		up := *(*uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
		if up <= at || up > high-16 {
			return 0
		}
		at = up
	}
	at += 8
	return *(*uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
}

// throughFile is above an operation that goes through a file, in the keys of sites.
const throughFile = 1 << 7

// siteOf returns the region for an operation at the place in the program that does it.
//
//go:noinline
func (se *session) siteOf(op uint64, name string) uint32 {
	op &= 0xff
	n := int(within[op].Load())
	if !framesLinked || n == 0 {
		learnEntry(op)
		return se.site(name)
	}
	g := getg()
	for range 6 {
		pc := frame(g, n)
		key := uint64(pc) | op<<56
		e := se.sites.find(key)
		if e == nil {
			if pc == 0 {
				break
			}
			e = se.siteFor(key, pc, name)
		}
		if !e.value.inside {
			return e.value.region
		}
		if through := e.value.called(name); through != name { // the same call may as well read from a connection
			name, op = through, op|throughFile
		}
		n++
	}
	return se.site(name)
}

// learnEntry finds out how far above the entry of an operation is.
//
//go:noinline
func learnEntry(op uint64) {
	if !framesLinked || entries[op] == "" {
		return
	}
	for n := range 16 {
		if f := runtime.FuncForPC(frame(getg(), n)); f != nil && f.Name() == entries[op] {
			if n++; op == opSend || op == opRecv {
				n++ // only functions of the runtime call these
			}
			within[op].Store(int32(n))
			return
		}
	}
}

// siteFor keeps the site at an address, for one operation, by a key of its own.
//
//go:noinline
func (se *session) siteFor(key uint64, pc uintptr, name string) *entry[site] {
	e := &entry[site]{key, *se.siteAt(pc, name, 0)}
	se.mu.Lock()
	defer se.mu.Unlock()
	se.sites.put(e, nil)
	return e
}

// mainGoid is the id of the goroutine that runs main.
const mainGoid = 1

//go:noinline
func (se *session) creates(op uint64) uint64 {
	location := se.buffer.NewLocation()
	se.recordCreate(se.siteOf(op, "go"), location)
	return location
}

// began records the begin of the running goroutine.
//
//go:noinline
//go:norace
func (se *session) began(function uintptr) {
	running, at := se.now()
	g := (*goroutine)(unsafe.Add(running, stateAt))
	if g.born != se.number { // it is older than the recording, or no goroutine of the program started it
		if goidAt(running) == mainGoid {
			s := se.slotOf(running)
			if g.location = s.location; se.states {
				se.runs(s, at, g.processor)
			}
			return
		}
		g.location, g.creator = se.buffer.NewLocation(), 0
	} else if g.location == 0 { // a timer did
		g.location = se.buffer.NewLocation()
		se.nowhere(timerSite, wire.Timer)
		if uint64(g.started) <= se.start { // which was set before the recording began
			from := se.start + 1
			g.started, g.ring[g.head%stretches].from = int64(from), from
		}
	}
	if t := uint64(g.started); t > se.start && t <= at {
		at = t
	} else {
		g.head = g.tail // what it did before is not part of its life
	}
	s, waited := se.beginLocationAt(running, at, g.location, g.creator, se.entryOf(function))
	if se.states {
		se.runs(s, at, g.processor)
	}
	se.heldUp(s, waited)
}

// countedIn returns what the runtime keeps of the channel at p: behind the number of values in its buffer.
func countedIn(p unsafe.Pointer) *counted { return (*counted)(unsafe.Add(p, 8)) }

// knownChannel returns the object id of the channel at p, 0 for nil, and whether it is defined.
func (se *session) knownChannel(p unsafe.Pointer) (id uint32, ok bool) {
	if p == nil {
		return 0, true
	}
	w := countedIn(p).word.Load()
	return uint32(w), uint32(w>>32) == se.number
}

func (se *session) newChannel(p unsafe.Pointer, capacity int, region uint32) uint32 {
	c := countedIn(p)
	return c.at(se, c.kind(), uint64(capacity), region)
}

// kind returns which kind of channel it is.
func (c *counted) kind() wire.ObjectKind {
	switch taken := c.taken.Load(); { // see tracerecSenders
	case taken>>63 != 0:
		return wire.TimerChannel
	case taken>>62 != 0:
		return wire.SignalChannel
	}
	return wire.Channel
}

// channelOperation records an operation on the channel that has this for the recorder.
func (se *session) channelOperation(op uint64, counted uintptr, began uint64) uint64 {
	k, name, outcome := wire.RecvBegin, "recv", wire.OK
	switch op & 0xff {
	case opSend, opSent:
		k, name = wire.SendBegin, "send"
	case opClose:
		k, name = wire.Close, "close"
	case opSawClosed:
		outcome = wire.Closed
	}
	region := se.siteOf(op, name)
	if region == unknownRegion { // one of the runtime's own
		return 0
	}
	object := se.channelAt(counted, name)
	switch op & 0xff {
	case opClose:
		se.point(k, region, object)
	case opSend, opRecv:
		return se.begin(k, region, object).token()
	default:
		se.beginFrom(began, k, region, object).went(outcome, uint32(op>>32), false)
	}
	return 0
}

// beginFrom is begin for an operation that began at that time, and ends now.
//
//go:norace
func (se *session) beginFrom(began uint64, k wire.Kind, id uint32, object uint64) Span {
	g, t := getg(), began
	s := se.slotOf(g)
	if s.pos+8*roomOfOperation > s.end || t-s.last > wire.MaxDelta {
		return se.openSlow(g, t, k, id, object)
	}
	s.put1(k, id, t, object)
	return s.opened(t)
}

// beginAt begins an operation without object, at the place in the program that began it.
func (se *session) beginAt(op uint64, k wire.Kind, name string) uint64 {
	region := se.siteOf(op, name)
	if region == unknownRegion { // one of the runtime's own
		return 0
	}
	return se.beginWithout(k, region).token()
}

// beginWithout begins an operation without object, like begin.
//
//go:norace
func (se *session) beginWithout(k wire.Kind, id uint32) Span {
	g, t := se.now()
	s := se.slotOf(g)
	if s.pos+8*roomOfOperation > s.end || t-s.last > wire.MaxDelta || se.counters != nil {
		return se.openSlow(g, t, k, id, 0)
	}
	s.put(k, id, t)
	return s.opened(t)
}

// channelAt returns the object id of the channel that has this for the recorder; 0 for none.
func (se *session) channelAt(at uintptr, operation string) uint64 {
	if at == 0 {
		return 0
	}
	c := (*counted)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
	return uint64(c.of(se, c.kind(), c.capacity, operation))
}

// lockOperation records an operation on the object at an address.
func (se *session) lockOperation(op uint64, at uintptr, arg uint64) uint64 {
	switch op & 0xff {
	case opLock, opTryLock:
		region := se.siteOf(op, "lock")
		return se.locks(arg, region, uint64(se.objectIn(at, wire.Mutex, region, "lock")))
	case opRLock, opTryRLock:
		region := se.siteOf(op, "rlock")
		return se.locks(arg, region, wire.ObjectWord(se.objectIn(at, wire.RWMutex, region, "rlock"), wire.Shared))
	case opWLock, opTryWLock:
		region := se.siteOf(op, "lock")
		return se.locks(arg, region, uint64(se.objectIn(at, wire.RWMutex, region, "lock")))
	case opUnlock:
		se.point(wire.Release, 0, uint64(se.objectAt(at, wire.Mutex, "unlock")))
	case opRUnlock:
		se.point(wire.Release, 0, wire.ObjectWord(se.objectAt(at, wire.RWMutex, "unlock"), wire.Shared))
	case opWUnlock:
		se.point(wire.Release, 0, uint64(se.objectAt(at, wire.RWMutex, "unlock")))
	case opAdd:
		if delta := int64(arg); delta > 0 {
			se.point(wire.Add, 0, wire.ObjectWord(se.wordAt(at, wire.WaitGroup, op, "add"), uint32(delta)))
		} else {
			se.point(wire.Done, 0, wire.ObjectWord(se.wordAt(at, wire.WaitGroup, op, "done"), uint32(-delta)))
		}
	case opWait:
		return se.begin(wire.JoinBegin, se.siteOf(op, "wait"), uint64(se.wordAt(at, wire.WaitGroup, op, "wait"))).token()
	case opQuiesces:
		return se.begin(wire.JoinBegin, se.siteOf(op, wire.BubbleWait), uint64(se.wordAt(at, wire.WaitGroup, op, wire.BubbleWait))).token()
	case opFDLock:
		return se.begin(wire.LockBegin, se.siteOf(op, wire.FDLock), uint64(se.wordAt(at, wire.Mutex, op, wire.FDLock))).token()
	case opFDUnlock:
		se.point(wire.Release, 0, uint64(se.wordAt(at, wire.Mutex, op, wire.FDLock)))
	case opCondWait:
		return se.begin(wire.CondBegin, se.siteOf(op, "condwait"), uint64(se.objectAt(at, wire.Cond, "condwait"))).token()
	case opSignal:
		se.point(wire.Signal, se.siteOf(op, "signal"), uint64(se.objectAt(at, wire.Cond, "signal")))
	case opBroadcast:
		se.point(wire.Broadcast, se.siteOf(op, "broadcast"), uint64(se.objectAt(at, wire.Cond, "broadcast")))
	case opOnce:
		return se.begin(wire.OnceBegin, se.siteOf(op, "once"), uint64(se.objectAt(at, wire.Once, "once"))).token()
	}
	return 1 // it was recorded
}

// locks records that a lock was acquired at once, or, if that is 0, that the running goroutine begins to.
//
//go:norace
func (se *session) locks(atOnce uint64, region uint32, lock uint64) uint64 {
	if atOnce == 0 {
		return se.begin(wire.LockBegin, region, lock).token()
	}
	se.locked(region, lock)
	return 1
}

// wordAt returns the object id of what has this word for it, a WaitGroup or a lock of a file or connection. What is made anew is zero there: so it lives as long as the object.
// Packages sync and poll hand out the address.
//
//go:norace
func (se *session) wordAt(word uintptr, kind wire.ObjectKind, op uint64, operation string) uint32 {
	p := (*uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&word)))
	if number := *p; number >= se.before {
		return number - se.before
	}
	region := se.siteOf(op, operation)
	first := firstUses(uint64(word))
	first.Lock()
	defer first.Unlock()
	if number := atomic.LoadUint32(p); number >= se.before {
		return number - se.before
	}
	id := se.newObject(kind, 0, region)
	atomic.StoreUint32(p, se.before+id)
	return id
}
