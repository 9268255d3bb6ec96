package instrument

import (
	"hash/maphash"
	"runtime"
	"strings"
	"unsafe"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// unknownRegion is the region of places that could not be defined.
const unknownRegion uint32 = 0

// site is a place in the program: the region that was defined for a name at a return address.
type site struct {
	name   string
	region uint32
	inside bool   // the address lies in this package or one below: the place is further up
	awaits string // if so, what a wait for the network is called there
}

// called is what an operation is called that goes through the site.
func (s *site) called(name string) string {
	if name == wire.Network {
		return s.awaits
	}
	return name
}

var (
	framesLinked bool // return addresses can be read through frame pointers
	returnKnown  bool // the one that the function site wants can be read
)

var nameSeed = maphash.MakeSeed()

// site returns the region for name at the place in the program that called the function calling site. The place is kept by
// its return address. Contents of names are compared: the memory of a dynamic string may hold another by now.
//
//go:noinline
func (se *session) site(name string) uint32 {
	if returnKnown {
		if e := se.sites.find(uint64(returnPC())); e != nil && !e.value.inside && e.value.name == name {
			return e.value.region
		}
	}
	var pcs [16]uintptr
	switch {
	case framesLinked:
		returnPCs(&pcs)
	case se == nil: // findReturn asks
		for returnAt = 8; returnAt < searchedStack; returnAt += 8 {
			soughtReturn.tell(returnPC())
		}
		return unknownRegion
	default:
		runtime.Callers(2, pcs[:])
	}
	for _, pc := range pcs {
		if pc == 0 {
			return unknownRegion
		}
		e := se.siteAt(pc, name, 0)
		if !e.inside {
			return e.region
		}
		name = e.called(name)
	}
	return se.siteFurtherUp(name)
}

// siteFurtherUp is site for a place that has many calls below it, as that of a dial has.
//
//go:noinline
func (se *session) siteFurtherUp(name string) uint32 {
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		if e := se.siteAt(pc, name, 0); !e.inside {
			return e.region
		}
	}
	return unknownRegion
}

// siteOnLine is site for what is at another line than the place of the call.
//
//go:noinline
func (se *session) siteOnLine(name string, line uint32) uint32 {
	var pcs [16]uintptr
	if framesLinked {
		returnPCs(&pcs)
	} else {
		runtime.Callers(2, pcs[:])
	}
	for _, pc := range pcs {
		if pc == 0 {
			break
		}
		if e := se.siteAt(pc, name, line); !e.inside {
			return e.region
		}
	}
	return unknownRegion
}

// siteAt returns the site of a return address, with a name, and a line unless that is 0.
func (se *session) siteAt(pc uintptr, name string, line uint32) *site {
	for key := uint64(pc); ; key = maphash.String(nameSeed, name) + key*2 | 1 {
		e := se.sites.find(key)
		if e == nil {
			e = se.addSite(key, pc, name, line)
		}
		if e.value.inside || e.value.name == name {
			return &e.value
		}
	}
}

func (se *session) addSite(key uint64, pc uintptr, name string, line uint32) *entry[site] {
	def := wire.Def{Type: wire.DefRegion, Name: strings.Clone(name)}
	inside, awaits := true, wire.Network
	// Only with an address behind it are the functions inlined at pc told as well.
	for frames, more := runtime.CallersFrames([]uintptr{pc, 0}), true; more && inside; {
		var f runtime.Frame
		f, more = frames.Next()
		inside = f.Function == "" || isInside(f) // without a name it is no return address: frame pointers were lost
		awaits = wire.Through(f.Function, awaits)
		def.Func, def.File, def.Line = f.Function, f.File, uint32(f.Line)
	}
	def.Func = wire.Written(def.Func)
	if line != 0 {
		def.Line = line
	}
	return se.define(key, def, site{inside: inside, awaits: awaits})
}

// define puts a site into the table, and defines its region.
func (se *session) define(key uint64, def wire.Def, at site) *entry[site] {
	se.mu.Lock()
	defer se.mu.Unlock()
	if e := se.sites.find(key); e != nil {
		return e
	}
	at.name = def.Name
	e := &entry[site]{key, at}
	if !at.inside {
		e.value.region = se.newRegion(def)
	}
	se.sites.put(e, nil)
	return e
}

// newRegion defines a region. The caller holds mu.
func (se *session) newRegion(def wire.Def) uint32 {
	if se.regions == wire.MaxID {
		se.buffer.Count(shm.DefinitionsLost, 1)
		return unknownRegion
	}
	def.ID = se.regions + 1
	if !se.buffer.Define(def) {
		return unknownRegion
	}
	se.regions++
	return def.ID
}

// ownFiles begins the names of this package's files.
var ownFiles = func() string {
	_, file, _, _ := runtime.Caller(0)
	return file[:strings.LastIndexByte(file, '/')+1]
}()

// isInside tells whether a frame is no place in the program. A closure of this package that was inlined bears the name of the function it was inlined into; its file gives it away.
func isInside(f runtime.Frame) bool {
	return wire.Inside(f.Function, f.File) || strings.HasPrefix(f.Function, "tracerec/instrument.") || strings.HasPrefix(f.File, ownFiles) && !strings.HasSuffix(f.File, "_test.go")
}

// regionAt describes a function, given where its code begins.
func regionAt(pc uintptr) wire.Def {
	def := wire.Def{Type: wire.DefRegion, Name: "unknown"}
	if f := runtime.FuncForPC(pc); f != nil {
		def.Func = f.Name()
		def.Name = wire.ShortName(def.Func)
		file, line := f.FileLine(pc)
		def.File, def.Line = file, uint32(line)
	}
	return def
}

// entryPC returns where the code of f begins.
func entryPC(f func()) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// testFrames tells whether frame pointers give the same return addresses as the runtime's own search.
//
//go:noinline
func testFrames() bool {
	return getg() != nil && testFrame1(1) == 2
}

//go:noinline
func testFrame1(n int) int { return testFrame2(n) + 1 }

//go:noinline
func testFrame2(n int) int {
	var want [4]uintptr
	runtime.Callers(2, want[:]) // in testFrame1, testFrames …
	if testReturnPC() != want[0] || want[1] == 0 {
		return 0
	}
	var pcs [16]uintptr
	returnPCs(&pcs)
	if pcs[0] != want[0] || pcs[1] != want[1] || ownReturnPC() != want[0] {
		return 0
	}
	return n
}

//go:noinline
func testReturnPC() (pc uintptr) {
	var frame [4]uintptr
	pc = returnPC()
	runtime.Callers(0, frame[:0]) // makes this a function with a frame
	return pc
}
