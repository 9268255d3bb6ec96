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
	ExitFunction  = exitFunction
	EnterRun      = enterRun
)

// Thin stops recording a function.
func Thin(f *Function) { current.Load().thin(f) }

// TooMuch tells whether a function whose visits cost so many ns and are short if they take so many ticks costs too much.
func TooMuch(ns, short, ticks, cpu uint64) bool {
	return (&rate{ns: ns, short: short}).tooMuch(ticks, cpu)
}

// LookedAt is how many visits are looked at before they are judged, and one in how many is.
const LookedAt = lookedAt
