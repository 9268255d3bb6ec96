package instrument

import (
	"unsafe"

	"tracerec/trace/wire"
)

// UseUpIDs makes the session in progress have given out all numbers of regions and metrics.
func UseUpIDs() {
	se := current.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	se.regions, se.metrics = wire.MaxID, wire.MaxID
}

// Age makes the last event of the running goroutine older.
func Age(ticks uint64) {
	se := current.Load()
	se.slotOf(getg()).last -= ticks
}

// Blocks tells whether goroutines wait for the recorder when memory is used up.
func Blocks() bool { return current.Load().block.Load() }

// Least is what the cost of an event is found by.
var Least = least

// ShortName is wire.ShortName, for tests.
var ShortName = wire.ShortName

// RefusedInScratch is a refused reading while costOfEvent measures.
func RefusedInScratch() {
	s := &slot{pos: uintptr(unsafe.Pointer(&scratch))}
	(&session{}).putReading(s, 0, make([]uint64, 1))
}

// Function is a function that is made a region, and Visit an open one.
type (
	Function = function
	Visit    = visit
)

// EnterFunction and ExitFunction are what is inserted into it.
var (
	EnterFunction = enterFunction
	EnterAlways   = enterAlways
	EnterHandler  = enterHandler
	ExitFunction  = exitFunction
	EnterRun      = enterRun
	EnterMethod   = enterMethod
)

// Thin stops recording a function.
func Thin(f *Function) { current.Load().thin(f) }

// Looks returns how many visits of a function were looked at.
func (f *function) Looks() uint64 { return f.looks.Load() }

// Counted returns where visits of a function are counted, 0 if they are recorded, 1 if they are neither; CountVisit counts one.
func (f *function) Counted() uint64 { return f.counts }

var CountVisit = countVisit

// Rate is how often functions may be visited.
type Rate = rate

// NewRate returns one for visits that cost so many ns, and are long if they take long ticks.
func NewRate(ns, long, enough uint64) *Rate { return &rate{ns: ns, long: long, enough: enough} }

// TooMany returns the means of those functions that are not to be recorded any more, given how many visits of each were looked at, and their means.
func (r *rate) TooMany(counts, means []uint64, cpu uint64) (thinned []uint64) {
	var all []visits
	for i := range counts {
		all = append(all, visits{count: counts[i], mean: means[i]})
	}
	for _, v := range r.tooMany(all, cpu) {
		thinned = append(thinned, v.mean)
	}
	return thinned
}

// Left returns what recording might have cost.
func (r *rate) Left() int64 { return r.left }

// What the rule is made of.
const (
	LookedAt = lookedAt
	Share    = share
	Little   = little
	Spare    = spare
)

// WithTablesLocked does f while the running goroutine has the lock for what is added to the session in progress.
func WithTablesLocked(f func()) {
	se := current.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	f()
}

// Session is one recording; Current that in progress.
type Session = session

func Current() *Session { return current.Load() }

// FirstUse uses an object for the first time, at a place that is known, and returns its number.
func FirstUse(m *Mutex) uint32 { return current.Load().FirstUse(m) }

// FirstUse does so in a session, which may be over.
func (se *session) FirstUse(m *Mutex) uint32 { return m.object.at(se, wire.Mutex, 0, unknownRegion) }

// Apart is how many bytes there are from what says how many objects there are to their parts, how many a part takes, and how many its lock.
var Apart = [3]uintptr{unsafe.Offsetof(objects{}.parts) - unsafe.Offsetof(objects{}.defined) - 8, unsafe.Sizeof(objectsPart{}), unsafe.Sizeof(stripes[0])}
