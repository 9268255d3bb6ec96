package instrument

import (
	"encoding/binary"
	"runtime"
	"strings"
	"unsafe"

	"tracerec/trace/wire"
)

// The names of goroutines: those of the functions that the user wrote.

// runtimeEntries are names of what the runtime, or a timer of Go's library, starts of its own accord, by the function.
var runtimeEntries = map[string]string{
	"context.WithDeadlineCause.func2": "context deadline",

	"runtime.runFinalizers": "finalizers",
	"runtime.runfinq":       "finalizers",
	"runtime.runCleanups":   "cleanups",
	"runtime.corostart":     "coroutine",
}

// entryOf returns the region of a function that a goroutine begins with.
func (se *session) entryOf(pc uintptr) uint32 {
	if e := se.sites.find(uint64(pc)); e != nil {
		return e.value.region
	}
	def := entryAt(pc)
	if strings.HasPrefix(def.Func, "runtime.") || strings.HasPrefix(def.Func, "runtime/trace.") {
		se.nowhere(idleSite, wire.Idle)
	}
	return se.define(uint64(pc), def, site{}).value.region
}

// These sites are at no address: where goroutines of the runtime have nothing to do, where the race detector sleeps when the program exits, where one waits for the timer that starts it, and where a coroutine waits to be pulled from first, or ends.
const (
	idleSite  = 1
	exitSite  = 2
	timerSite = 3
	yieldSite = 4

	handlerSites = 5 // of wire.Handlers, one after the other
)

// nowhere returns the region of what is at no place of the program.
func (se *session) nowhere(at uint64, name string) uint32 {
	if e := se.sites.find(at); e != nil {
		return e.value.region
	}
	return se.define(at, wire.Def{Type: wire.DefRegion, Name: name}, site{}).value.region
}

// asleep returns the region of sleeps for which no function was called: those of goroutines for which the runtime has nothing to do, or whose timer has not run down; what is as that of a stretch.
//
//go:norace
func (se *session) asleep(what uint32) uint32 {
	at := uint64(idleSite)
	if what>>8 != 0 {
		at = timerSite
	}
	if e := se.sites.find(at); e != nil {
		return e.value.region
	}
	return unknownRegion
}

// entryAt is the region of a function that a goroutine begins with. For a go statement with arguments, the compiler makes a function that
// calls the one in the statement.
func entryAt(pc uintptr) wire.Def {
	def := regionAt(pc)
	if pc == 0 {
		def.Name = "called from C"
		return def
	}
	if name, ok := runtimeEntries[def.Func]; ok {
		def.Name = name
	}
	if !isWrapper(def.Func) {
		return def
	}
	end := pc + 8
	for inCodeOf(end, pc) {
		end += 8
	}
	// Coarse steps first: to ask what was inlined is dear, and the goroutine waits.
	for _, step := range []uintptr{8, 2} {
		for at := pc; at < end && inCodeOf(at+1, pc); at += step {
			if inlined := inlinedAt(at); inlined.Function != "" {
				def.Func, def.Name, def.File, def.Line = inlined.Function, wire.ShortName(inlined.Function), inlined.File, uint32(inlined.Line)
				return def
			}
		}
		called := uintptr(0)
		for at := pc; at < end; at++ {
			switch target := calledAt(at); {
			case target == 0 || target == called:
			case called != 0:
				return def // it is not known which
			default:
				called = target
			}
		}
		if called != 0 {
			return regionAt(called)
		}
	}
	def.Name = wire.Written(def.Name) + wire.GoStatement // the value of a variable
	return def
}

// inCodeOf tells whether an address is in the code of the function that begins at entry.
func inCodeOf(pc, entry uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Entry() == entry
}

// isWrapper tells whether a function is one that the compiler made for a go statement, or for a method that stands as a value.
func isWrapper(name string) bool {
	return wire.GoWrapper(name) || strings.HasSuffix(name, "-fm")
}

// inlinedAt returns the function that was inlined at pc into a wrapper; without name if none was.
func inlinedAt(pc uintptr) (outermost runtime.Frame) {
	for frames, more := runtime.CallersFrames([]uintptr{pc + 1, 0}), true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "" && !isWrapper(f.Function) {
			outermost = f
		}
	}
	return outermost
}

// calledAt returns the function of the program that is called by an instruction at pc, 0 if there is none.
//
//go:nocheckptr
func calledAt(pc uintptr) uintptr {
	if runtime.GOARCH != "amd64" {
		return 0
	}
	code := *(*[5]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&pc)))
	if code[0] != 0xe8 { // call, with a distance
		return 0
	}
	target := pc + 5 + uintptr(int32(binary.LittleEndian.Uint32(code[1:])))
	if f := runtime.FuncForPC(target); f == nil || f.Entry() != target || strings.HasPrefix(f.Name(), "runtime.") {
		return 0
	}
	return target
}
