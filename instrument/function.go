package instrument

import (
	"hash/maphash"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// What follows is for functions that package autoinst/regions has made regions. Their files reach it by its symbols.

// regionsOn is not 0 while functions have to say that they run.
//
//go:linkname regionsOn
var regionsOn uint32

// setRegions is not seen by the race detector: functions read regionsOn without further ado.
//
//go:norace
func setRegions(on uint32) { regionsOn = on }

// function is what is known of a function. It lies in a table of the function's file, zero until it is first entered; the file has its size.
type function struct {
	counts uint64        // 0: visits are recorded. Else address of their counts: then the function calls countVisit; or uncounted
	id     atomic.Uint64 // session number and region
	looks  atomic.Uint64 // visits that were looked at, see rate
	ticks  atomic.Uint64 // that these took
}

// uncounted is in place of an address when enough visits were counted.
const uncounted = 1

// count says where visits are counted; nil: they are recorded. Functions read it without further ado, too.
//
//go:norace
func (f *function) count(to *shm.Counts) { f.counts = uint64(uintptr(unsafe.Pointer(to))) }

// visit is an open region of a function. Its files have its layout.
type visit struct {
	Span
	of *function // nil unless the visit is looked at
}

//go:linkname enterFunction
//go:noinline
//go:norace
func enterFunction(f *function) visit {
	se := current.Load()
	if se == nil {
		return visit{}
	}
	id := f.id.Load()
	if uint32(id>>32) != se.number {
		id = se.defineFunction(f)
	}
	v := visit{Span: se.enter(wire.Enter, uint32(id))}
	if v.stamp*0x9E3779B1 < 1<<32/lookedAt {
		v.of = f
	}
	return v
}

// enterAlways is enterFunction for one that handles requests, and tells what they are called: its visits are never too many.
//
//go:linkname enterAlways
//go:noinline
//go:norace
func enterAlways(f *function) visit {
	se := current.Load()
	if se == nil {
		return visit{}
	}
	id := f.id.Load()
	if uint32(id>>32) != se.number {
		id = se.defineFunction(f)
	}
	return visit{Span: se.enter(wire.Enter, uint32(id))}
}

// enterHandler enters the region of the type of such functions in which theirs are.
//
//go:linkname enterHandler
//go:noinline
//go:norace
func enterHandler(of uint32) visit {
	se := current.Load()
	if se == nil {
		return visit{}
	}
	return visit{Span: se.enter(wire.Enter, se.handler(of))}
}

// handler returns the region of a type of functions that handle requests.
func (se *session) handler(of uint32) uint32 {
	at := handlerSites + uint64(of)
	if e := se.sites.find(at); e != nil {
		return e.value.region
	}
	quiet(1)
	defer quiet(-1)
	function := wire.Handlers[of].Symbol()
	return se.define(at, wire.Def{Type: wire.DefRegion, Name: wire.ShortName(function), Func: function}, site{}).value.region
}

//go:linkname exitFunction
//go:noinline
//go:norace
func exitFunction(v visit) {
	if v.of != nil {
		v.look()
	}
	if v.slot != nil {
		v.exit()
	}
}

// defineFunction defines the region of the function that called enterFunction.
//
//go:noinline
func (se *session) defineFunction(f *function) uint64 {
	quiet(1)
	defer quiet(-1)
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	region := unknownRegion
	if of := runtime.FuncForPC(pcs[0] - 1); of != nil {
		region = se.entryOf(of.Entry())
	}
	id := uint64(se.number)<<32 | uint64(region)
	se.mu.Lock()
	defer se.mu.Unlock()
	if f.id.Swap(id) != id && current.Load() == se {
		f.looks.Store(0)
		f.ticks.Store(0)
		se.functions = append(se.functions, f)
	}
	return id
}

// Package testing, and net/http, enter regions with the names of what they run. A symbol can be declared once in a package: so there is one for each kind.

//go:linkname enterTest
//go:noinline
func enterTest(name string, of *uintptr) visit { return enterRun(name, of) }

//go:linkname enterBenchmark
//go:noinline
func enterBenchmark(name string, of *uintptr) visit { return enterRun(name, of) }

//go:linkname enterFuzz
//go:noinline
func enterFuzz(name string, of *uintptr) visit { return enterRun(name, of) }

//go:linkname enterExample
//go:noinline
func enterExample(name string, of *uintptr) visit { return enterRun(name, of) }

// enterRoute is the same for package net/http: a mux has found the pattern of a request.
//
//go:linkname enterRoute
//go:noinline
func enterRoute(pattern string, of *uintptr) visit { return enterRun(pattern, of) }

// enterRun enters a region with a name for a function that is about to be called.
func enterRun(name string, of *uintptr) visit {
	se := current.Load()
	if se == nil || name == "" || name == "Main" { // which is what testing calls those that run all tests and benchmarks
		return visit{}
	}
	return se.enterNamed(name, uint64(*of)*2, func() wire.Def { return regionAt(*of) })
}

// enterNamed enters a region with a name. Of several with one name, those with the same salt are one, which is defined by what is returned.
func (se *session) enterNamed(name string, salt uint64, region func() wire.Def) visit {
	announce() // before it is quiet: later operations would be those of another location
	quiet(1)
	defer quiet(-1)
	for key := maphash.String(nameSeed, name) + salt | 1; ; key = key*3 | 1 {
		e := se.sites.find(key)
		if e == nil {
			def := region()
			def.Name = strings.Clone(name)
			e = se.define(key, def, site{})
		}
		if e.value.name == name {
			return visit{Span: se.enter(wire.Enter, e.value.region)}
		}
	}
}

// enterMethod enters the region of a method of gRPC, /PACKAGE.SERVICE/METHOD, for an interceptor of that type.
//
//go:linkname enterMethod
//go:noinline
func enterMethod(method string, of uint32) visit {
	se := current.Load()
	if se == nil || method == "" {
		return visit{}
	}
	service := method[:max(0, strings.LastIndexByte(method, '/'))]
	method = method[1+max(strings.LastIndexByte(service, '.'), strings.LastIndexByte(service, '/')):]
	return se.enterNamed(method, uint64(of)*2, func() wire.Def { return wire.Def{Type: wire.DefRegion, Func: wire.Interceptors[of].Symbol()} })
}
