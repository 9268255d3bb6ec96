// Package wire is the vocabulary of an experiment: the kinds of events, what each of them carries, and how an
// event is laid out as 64-bit words in a measurement buffer. Only the table [Specs] describes
// event kinds; encoders, decoders, checkers, dumps and documents read it.
//
// The package is a leaf. It is linked into measured programs and imports nothing of the project.
package wire

import "strings"

// Kind numbers an event kind. The numbers are part of the format: they are explicit, never reused, and
// 0 is no event (a zero word ends the used part of a buffer).
type Kind uint8

// Event kinds. An operation (send, lock, wait …) is a leaf of the call path: its begin event opens a
// level like Enter, [Blocked] marks a failed attempt to finish at once, and [Leave], [Chose], [Passed] or [Reached] closes the level.
const (
	None Kind = 0

	Time     Kind = 1 // absolute time: the delta of the next event starts here
	Enter    Kind = 2
	Exit     Kind = 3
	Lost     Kind = 4 // events were dropped here; closes recorded levels that ended meanwhile
	Overhead Kind = 5 // the goroutine waited for the recorder, such as for buffer memory, ending at this event's time

	TaskLeft Kind = 6 // an open region is a task that does not end with it: it ends by a TaskEnd with the same number, or not at all; says how many regions are within it
	TaskEnd  Kind = 7 // a task ends that is left, perhaps by another location, before this or after it

	Create Kind = 8  // this location starts another one
	Begin  Kind = 9  // first event of a location that was started by instrument.Go
	End    Kind = 10 // the location ends

	Blocked Kind = 12 // the operation in progress could not finish at once; stamp taken after the try; says whether a timer may end it
	Leave   Kind = 13 // the operation in progress ends
	Chose   Kind = 14 // the select in progress ends; says which object and direction
	Passed  Kind = 15 // the send or receive in progress ends: its value was the one with this number that went through the channel

	SendBegin   Kind = 16
	RecvBegin   Kind = 17
	SelectBegin Kind = 18
	Close       Kind = 19

	LockBegin Kind = 24
	Release   Kind = 25

	JoinBegin Kind = 32 // WaitGroup.Wait
	Add       Kind = 33 // WaitGroup.Add with a positive delta
	Done      Kind = 34 // WaitGroup.Done, or Add with a negative delta

	CondBegin Kind = 40
	Signal    Kind = 41
	Broadcast Kind = 42

	OnceBegin Kind = 48
	OnceRun   Kind = 49 // the Once in progress runs its function here

	BarrierBegin Kind = 56
	SleepBegin   Kind = 60

	Sample   Kind = 64 // value of a user metric
	Counters Kind = 65 // values of the event set, belonging to the event that follows

	// 71–79: see parallel.go. 80–95 are for states.

	// States of a location, as the scheduler sees it. One lasts until the next state, whatever operation is open.
	Ready   Kind = 80 // it could run, but has no processor; says since when: by its time, by whom and why
	Running Kind = 81 // it runs, on a processor
	Syscall Kind = 82 // it is in a system call, or in code that is not Go
	Assist  Kind = 83 // it works for the garbage collector, or waits for that
	Stopped Kind = 84 // it could run, but the runtime has stopped all goroutines
	Parked  Kind = 85 // it waits for something that is not recorded

	NetworkBegin Kind = 88 // waits until a network connection, pipe or the like can be read or written
	Write        Kind = 89 // writes to a stream, up to the byte with this number
	Interrupt    Kind = 90 // ends waits for the network, which end with the same number
	Reached      Kind = 91 // the wait for the network in progress ends: a stream was read up to the byte before this number, or it was interrupted
)

// IDRole says what the 20-bit id of an event means.
type IDRole uint8

// The roles of an id.
const (
	NoID        IDRole = iota
	RegionID           // a region definition: a user region, or the call site of an operation
	LevelsID           // number of levels to close beyond the first (Exit) or at all (Lost), or of regions within it (TaskLeft)
	OutcomeID          // an Outcome
	MetricID           // a metric definition
	CountID            // number of value words that follow; only Counters has it
	ReasonID           // an OverheadReason
	CauseID            // a Cause
	ProcessorID        // 1 + the number of a processor of the Go scheduler, 0 not known
	TimerID            // [Timed] if the operation is a select, and one of its cases receives from a timer that runs; else 0, or not known
)

// Outcome is how an operation ended.
type Outcome uint8

const (
	OK       Outcome = 0 // sent, received, acquired, released from a wait
	Closed   Outcome = 1 // a receive saw the channel closed
	Panicked Outcome = 2 // the operation panicked (send on a closed channel)
	Failed   Outcome = 3 // a Try operation did not succeed; default case of a select
	Sent     Outcome = 4 // a select sent
	Received Outcome = 5 // a select received
)

// Lock modes, in the upper half of the object word of LockBegin and Release.
const (
	Exclusive uint32 = 0
	Shared    uint32 = 1
)

// AtOnce is beside the mode of a LockBegin, in measurement buffers only: the lock was acquired at once. Readers take it for one without, and a
// [Leave] at the same time. So what programs do most takes one call of the recorder instead of two.
const AtOnce uint32 = 1 << 31

// TakenAtOnce tells whether an event of kind k with these words is a lock that was acquired [AtOnce], and takes the mark off the word if so.
func TakenAtOnce(k Kind, words []uint64) bool {
	if k != LockBegin || words[0]>>63 == 0 {
		return false
	}
	words[0] &^= 1 << 63
	return true
}

// Timed is the id of a Blocked event of a select that ends when a timer has run down, if not before.
const Timed uint32 = 1

// Cause is why a location is ready to run.
type Cause uint8

// The causes.
const (
	Woken     Cause = 1 // its wait ended; the event says who ended it, if that was another location
	Preempted Cause = 2 // others took its processor; with its own location: several times, which are told as one, and before that it ran as long as between them, too
	Yielded   Cause = 3 // it gave its processor to others
	Returned  Cause = 4 // its system call ended, and its processor was taken meanwhile
)

// Spec describes one event kind.
type Spec struct {
	Kind  Kind
	Name  string   // name in dumps and text traces
	ID    IDRole   // meaning of the id
	Words []string // the 64-bit words behind the head
	Does  Effect   // what it does to the open levels of its location
	Since int      // format version that added it

	Object ObjectKind // the kind of object that it acts on, 0 for none; Mutex stands for all locks
}

// Effect is what an event does to the levels of the call path that are open, regions and operations. Package levels follows them.
type Effect uint8

// The effects.
const (
	Tells  Effect = iota // nothing: it says something of the operation in progress, or of the recording
	Acts                 // nothing, but its location is in no select any more: it does something else
	Opens                // the same, and opens a level
	Exits                // the same, and closes as many levels beyond the first as its id says
	Ends                 // the same, and closes all levels
	Leaves               // closes the innermost operation, with all regions in it
	Loses                // closes as many levels as its id says
)

// LeavesSelect says whether an event with this effect shows that its location is in no select any more.
func (e Effect) LeavesSelect() bool { return Acts <= e && e <= Ends }

// Specs lists every kind, ascending. "object/x" is a word whose low 32 bits are an object id and whose
// high 32 bits are x.
var Specs = []Spec{
	{Time, "time", NoID, []string{"ticks"}, Tells, 1, 0},
	{Enter, "enter", RegionID, nil, Opens, 1, 0},
	{Exit, "exit", LevelsID, nil, Exits, 1, 0},
	{Lost, "lost", LevelsID, []string{"events"}, Loses, 1, 0},
	{Overhead, "overhead", ReasonID, []string{"ticks"}, Tells, 1, 0},
	{TaskLeft, "taskleft", LevelsID, []string{"number"}, Tells, 4, 0},
	{TaskEnd, "taskend", NoID, []string{"number"}, Tells, 4, 0},
	{Create, "create", RegionID, []string{"location"}, Acts, 1, 0},
	{Begin, "begin", RegionID, []string{"creator"}, Tells, 1, 0},
	{End, "end", NoID, nil, Ends, 1, 0},
	{Blocked, "blocked", TimerID, nil, Tells, 1, 0}, // the id since version 3
	{Leave, "leave", OutcomeID, nil, Leaves, 1, 0},
	{Chose, "chose", OutcomeID, []string{"object/number"}, Leaves, 1, Channel}, // the number, 0 for none, since version 3; of a failed select, of how many tries in a row it stands
	{Passed, "passed", OutcomeID, []string{"number"}, Leaves, 3, 0},
	{SendBegin, "send", RegionID, []string{"object"}, Opens, 1, Channel},
	{RecvBegin, "recv", RegionID, []string{"object"}, Opens, 1, Channel},
	{SelectBegin, "select", RegionID, nil, Opens, 1, 0},
	{Close, "close", RegionID, []string{"object"}, Acts, 1, Channel},
	{LockBegin, "lock", RegionID, []string{"object/mode"}, Opens, 1, Mutex},
	{Release, "unlock", NoID, []string{"object/mode"}, Acts, 1, Mutex},
	{JoinBegin, "wait", RegionID, []string{"object"}, Opens, 1, WaitGroup},
	{Add, "add", NoID, []string{"object/delta"}, Acts, 1, WaitGroup},
	{Done, "done", NoID, []string{"object/delta"}, Acts, 1, WaitGroup},
	{CondBegin, "condwait", RegionID, []string{"object"}, Opens, 1, Cond},
	{Signal, "signal", RegionID, []string{"object"}, Acts, 1, Cond},
	{Broadcast, "broadcast", RegionID, []string{"object"}, Acts, 1, Cond},
	{OnceBegin, "once", RegionID, []string{"object"}, Opens, 1, Once},
	{OnceRun, "oncerun", NoID, nil, Tells, 1, 0},
	{BarrierBegin, "barrier", RegionID, []string{"object/generation"}, Opens, 1, Barrier},
	{SleepBegin, "sleep", RegionID, nil, Opens, 1, 0},
	{Sample, "sample", MetricID, []string{"value"}, Acts, 1, 0},
	{Counters, "counters", CountID, []string{"values…"}, Tells, 1, 0},
	{Ready, "ready", CauseID, []string{"location"}, Tells, 3, 0},
	{Running, "running", ProcessorID, nil, Tells, 3, 0},
	{Syscall, "syscall", NoID, nil, Tells, 3, 0},
	{Assist, "assist", NoID, nil, Tells, 3, 0},
	{Stopped, "stopped", NoID, nil, Tells, 3, 0},
	{Parked, "parked", NoID, nil, Tells, 3, 0},
	{NetworkBegin, Network, RegionID, nil, Opens, 3, 0},
	{Write, "write", RegionID, []string{"object/number"}, Acts, 3, Stream},
	{Interrupt, "interrupt", RegionID, []string{"object/number"}, Acts, 3, Stream},
	{Reached, "reached", OutcomeID, []string{"object/number"}, Leaves, 3, Stream},
}

// A head word is, from the low end: kind (8 bits), id (20 bits), time since the location's previous
// event in clock ticks (36 bits, 22 s at 3 GHz; a longer gap needs a Time event first).
const (
	KindBits  = 8
	IDBits    = 20
	DeltaBits = 36

	MaxID    = 1<<IDBits - 1
	MaxDelta = 1<<DeltaBits - 1
)

// Head packs a head word. The caller keeps id ≤ MaxID and delta ≤ MaxDelta.
func Head(k Kind, id uint32, delta uint64) uint64 {
	return uint64(k) | uint64(id)<<KindBits | delta<<(KindBits+IDBits)
}

// Unpack is the inverse of [Head].
func Unpack(head uint64) (k Kind, id uint32, delta uint64) {
	return Kind(head), uint32(head>>KindBits) & MaxID, head >> (KindBits + IDBits)
}

// ObjectWord packs an object id with its mode, delta or generation.
func ObjectWord(object, x uint32) uint64 { return uint64(object) | uint64(x)<<32 }

// specOf maps a kind to its row; kinds without a row have Kind None.
var specOf = func() (t [256]Spec) {
	for _, s := range Specs {
		t[s.Kind] = s
	}
	return t
}()

// SpecOf returns the description of k, and whether k is a known kind.
func SpecOf(k Kind) (Spec, bool) {
	s := specOf[k]
	return s, s.Kind == k && k != None
}

// effects maps kinds to what they do; kinds without a row do nothing.
var effects = func() (t [256]Effect) {
	for _, s := range Specs {
		t[s.Kind] = s.Does
	}
	return t
}()

// Does returns what events of kind k do to the open levels of their location.
func (k Kind) Does() Effect { return effects[k] }

// words maps kinds to the number of words behind the head: unknown, or as many as the id says.
var words = func() (t [256]int8) {
	for k := range t {
		t[k] = unknown
	}
	for _, s := range Specs {
		if t[s.Kind] = int8(len(s.Words)); s.ID == CountID {
			t[s.Kind] = counted
		}
	}
	return t
}()

const unknown, counted = -1, -2

// WordsOf returns the number of words behind the head of an event of kind k with this id, or -1 when k
// is not known.
func WordsOf(k Kind, id uint32) int {
	if n := words[k]; n != counted {
		return int(n)
	}
	return int(id)
}

func (k Kind) String() string {
	if s, ok := SpecOf(k); ok {
		return s.Name
	}
	return "unknown"
}

// Def is one definition on its way from the measured program to the archive. Only the fields named for
// its type are set.
type Def struct {
	Type   DefType
	ID     uint32     // region, object or metric id
	Name   string     // region: user's name, or the operation's ("send"); metric: its name
	Func   string     // region: function that contains it
	File   string     // region: source file
	Line   uint32     // region: line, 0 unknown
	Object ObjectKind // object
	Size   uint64     // object: channel capacity or barrier size
	Region uint32     // object: call site of its first use
	Unit   string     // metric: its unit; missing counter: why
	Names  []string   // counter set: event names in order of the values
}

// DefType tells definitions apart. Numbers are frozen.
type DefType uint8

// The types of definitions.
const (
	DefRegion   DefType = 1
	DefObject   DefType = 2
	DefMetric   DefType = 3
	DefCounters DefType = 4
	DefMissing  DefType = 5 // in measurement buffers only: recorders make a warning of it
)

// ObjectKind is what a synchronisation object is. Numbers are frozen.
type ObjectKind uint8

// The kinds of objects.
const (
	Channel   ObjectKind = 1
	Mutex     ObjectKind = 2
	RWMutex   ObjectKind = 3
	WaitGroup ObjectKind = 4
	Cond      ObjectKind = 5
	Once      ObjectKind = 6
	Barrier   ObjectKind = 7
	Stream    ObjectKind = 8 // what one end of a connection or pipe within the process writes and the other one reads; the interruptions of waits are one, too
	Waits     ObjectKind = 9 // whatever one goroutine waits for: the objects are not known, but who ended each wait is

	TimerChannel  ObjectKind = 16 // a channel to which a timer or ticker sends; nobody else does
	SignalChannel ObjectKind = 17 // a channel to which signals are sent
)

// IsChannel says whether objects of this kind are channels.
func (k ObjectKind) IsChannel() bool { return k == Channel || k == TimerChannel || k == SignalChannel }

// ProcessCounter begins the names of counters that count for a whole process. Their differences belong to no
// goroutine with certainty.
const ProcessCounter = "go:"

// CounterUnit returns the unit of a counter: "ns", "bytes" or "events".
func CounterUnit(name string) string {
	switch base, _, _ := strings.Cut(name, ":"); {
	case base == "task-clock", base == "cpu-clock":
		return "ns"
	case strings.HasSuffix(name, "-bytes"):
		return "bytes"
	}
	return "events"
}

// Object id 0 is no object: a nil channel. Location 0 is no location.
