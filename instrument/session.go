package instrument

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"tracerec/counters/sample"
	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// current is the session in progress, nil when recording is off. It is the flag that every call loads.
var current atomic.Pointer[session]

// session is one recording of this process. What events refer to is defined per session, so all tables
// belong to it. A call that began under a session may finish under none or another one; the mapping of the buffer
// and the slots therefore stay for the life of the process.
type session struct {
	number      uint32 // from 1
	buffer      *shm.Buffer
	block       atomic.Bool // wait when the buffer is full
	second      uint64      // ticks in one
	tsc         bool        // events are stamped with the processor's counter
	states      bool        // the scheduler says what it does with goroutines
	start       uint64      // ticks
	counters    *sample.Set // nil: none
	refused     atomic.Bool // a reading of the counters was, and the archive told
	readingRoom uintptr     // words that a reading of the counters takes
	rate        rate        // of visits that functions may have

	mu        shm.BriefMutex // for additions to the tables
	functions []*function    // that were visited
	slots     table[slot]
	sites     table[site]
	chans     table[channel]
	objects   objects
	streams   streams
	byID      map[uint64]*slot // slots by goroutine id, where descriptors cannot be used
	slab      unsafe.Pointer   // slots not given out, with what is behind them
	slabLeft  int
	regions   uint32 // definitions given out
	before    uint32 // the last number of the sessions before where objects keep theirs; in this one it stands for no object
	metrics   uint32
}

var (
	sessionMu   sync.Mutex
	lastSession uint32
	lastObject  uint32 = 1 // of the sessions that have ended; 0 is that of what is new
)

// A program started by a recorder finds its orders in the environment.
func init() {
	text := os.Getenv(shm.Environment)
	if text == "" {
		return
	}
	c, err := shm.ParseConfig(text)
	if err == nil && c.Window {
		if !wanted(c) {
			go follow(c, false)
			return
		}
		go follow(c, true)
	}
	if err == nil {
		err = Attach(c)
	}
	if err != nil {
		tell(c.Dir, err)
	}
}

// tell says why this process is not recorded: to the recorder, for the program's output is its own. A recording that has ended,
// or whose directory is out of reach, asks nobody; its recorder knows.
func tell(session string, err error) {
	if session != "" {
		note := shm.Note{Command: strings.Join(os.Args, " "), Why: err.Error()}
		if failed := note.Leave(session); failed == nil || errors.Is(failed, fs.ErrNotExist) {
			return
		}
	}
	fmt.Fprintf(os.Stderr, "tracerec: process %d is not recorded: %v\n", os.Getpid(), err)
}

// Enabled tells whether events are being recorded.
func Enabled() bool { return current.Load() != nil }

// firstKind is the clock of the first session of the process: what descriptors of goroutines tell may be by that. sessionMu guards it.
var firstKind clock.Kind

// noStates says why what the scheduler does is not recorded by a clock, "" if it is.
func (se *session) noStates(kind clock.Kind) string {
	switch {
	case se.byID != nil:
		return "descriptors of goroutines are not known here"
	case kind != firstKind:
		return "the system keeps time by another clock than before"
	case !se.tsc && !quickClock():
		return "reading the system's clock takes long here"
	}
	return ""
}

// quickClock says whether the system's clock is read without asking the system, as the scheduler has to read it often.
func quickClock() bool {
	const batch, most = 8, 200 // ns for each
	least := ^uint64(0)
	for range 8 {
		from := clock.Now(clock.Monotonic)
		for range batch - 1 {
			clock.Now(clock.Monotonic)
		}
		least = min(least, clock.Now(clock.Monotonic)-from)
	}
	return least < batch*most
}

// Attach begins recording into a new buffer file in the session directory of c. It is for recorders in the
// same process; programs started by a recorder attach by themselves. It is an error when recording is on.
func Attach(c shm.Config) error {
	quiet(1)
	defer quiet(-1)
	sessionMu.Lock()
	defer sessionMu.Unlock()
	if current.Load() != nil {
		return errors.New("recording is on already")
	}
	prepare.Do(lookAround)
	kind := clock.Monotonic
	if !c.Portable {
		kind = clock.Best()
	}
	c.Frequency = c.FrequencyOf(kind)
	se := &session{number: lastSession + 1, before: lastObject, second: c.Frequency, tsc: kind != clock.Monotonic}
	se.block.Store(c.Block)
	var missing []sample.Missing
	if len(c.Counters) > 0 {
		perMilli := uint64(1e6)
		if se.tsc {
			perMilli = c.Frequency / 1000
		}
		set, err := sample.Open(c.Counters, perMilli)
		missing = set.Missing()
		for _, r := range set.Remarks() {
			missing = append(missing, sample.Missing{Why: r})
		}
		if err == nil { // otherwise the program is recorded without counters
			se.counters = set
			se.readingRoom = uintptr(1 + set.Words())
		}
	}
	se.slots.cells.Store(newCells[slot](8))
	se.sites.cells.Store(newCells[site](8))
	se.chans.cells.Store(newCells[channel](8))
	se.objects.prepare()
	se.streams.prepare()
	if c.Portable || goidOffset == 0 {
		se.byID = map[uint64]*slot{}
	}
	var err error
	cost := se.costOfEvent()
	se.rate.begin(cost, c.Frequency)
	if se.buffer, err = shm.Create(c, kind, cost); err != nil {
		return err
	}
	se.buffer.Define(wire.Def{Type: wire.DefRegion, ID: unknownRegion, Name: "unknown"})
	if se.counters != nil {
		se.buffer.Define(wire.Def{Type: wire.DefCounters, Names: se.counters.Names()})
	}
	for _, m := range missing {
		se.buffer.Define(wire.Def{Type: wire.DefMissing, Name: m.Name, Unit: m.Why})
	}
	if firstKind == 0 {
		firstKind = kind
	}
	if hooked && !c.NoStates {
		if why := se.noStates(kind); why != "" {
			se.buffer.Define(wire.Def{Type: wire.DefMissing, Unit: "states of goroutines are not recorded (" + why + ")"})
		} else {
			se.states = true
		}
	}
	lastSession++
	_, se.start = se.now()
	current.Store(se)
	setRegions(1)
	tellRuntime(se.number, se.states, !se.tsc)
	return nil
}

// Detach ends the recording that Attach began. Open regions end with it: their End does nothing. Calls in
// progress on other goroutines may still write an event or two.
func Detach() {
	quiet(1)
	defer quiet(-1)
	sessionMu.Lock()
	defer sessionMu.Unlock()
	setRegions(0)
	if se := current.Load(); se != nil {
		se.tellOlder()
	}
	tellRuntime(0, false, false)
	if se := current.Swap(nil); se != nil {
		se.recordAll()
		lastObject = se.before + uint32(min(se.objects.defined.Load(), uint64(1<<32-1-se.before-lateObjects))) + lateObjects
		se.buffer.Finish()
		if se.counters != nil {
			se.counters.Close()
		}
	}
}

// lateObjects is more than calls in progress define behind the end of a session.
const lateObjects = 1 << 10

// prepare guards what is found out about the runtime once per process.
var prepare sync.Once

func lookAround() {
	tellRuntime(0, false, false) // goroutines that start take over nothing from those that had their descriptors before
	goidOffset = findGoid()
	framesLinked = testFrames()
	returnKnown = framesLinked || findReturn()
	joinsVisible = testJoins()
	onceVisible = testOnce()
}

// now reads the session's clock, and the running goroutine's descriptor along with it.
//
//go:norace
func (se *session) now() (unsafe.Pointer, uint64) {
	if se.tsc {
		return here()
	}
	return getg(), clock.Now(clock.Monotonic)
}

// nowFenced is now after all that was done before: for stamps of operations that wait for others.
//
//go:norace
func (se *session) nowFenced() (unsafe.Pointer, uint64) {
	if se.tsc {
		return hereFenced()
	}
	return getg(), clock.Now(clock.Monotonic)
}
