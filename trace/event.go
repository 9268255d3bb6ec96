package trace

import (
	"math"

	"tracerec/trace/wire"
)

// Event is one decoded event of a location. What Word is depends on the kind:
//
//   - with an object: the low 32 bits are 1 + its index in Definitions.Objects, 0 for none (a nil channel);
//     the high 32 bits are mode, delta, generation or number as in the program (see [Event.Object])
//   - Create, Begin, Ready: 1 + the LocationID created, creating or waking, 0 for one that is not in the archive
//   - Overhead: a duration in ns
//   - Enter: 0, or Elsewhere
//   - Counters: where its values begin in the batch, see Batch.Values
//   - others: the word as the program wrote it
type Event struct {
	Time int64  // ns since the start of the experiment
	Word uint64 // the event's word, 0 if its kind has none; see below
	ID   uint32 // region, metric, outcome, levels or count, as wire.SpecOf(Kind).ID says; regions and metrics index Definitions
	Kind wire.Kind
}

// Elsewhere is the word of an Enter that is no visit: the region was entered on another location, for which this one works from now on. Only archives of
// other formats have it.
const Elsewhere = 1

// Batch holds consecutive events of one location, in order.
type Batch struct {
	Location LocationID
	Events   []Event
	// Values holds the words of all Counters events of the batch: those of event e are
	// Values[e.Word : e.Word+uint64(e.ID)]. The first is where the sample was taken (thread and scheduling
	// sequence, see counters/sample), the others follow the process's counter set.
	Values []uint64
}

// NoObject is the absence of an object.
const NoObject = ^uint32(0)

// Object returns the index in Definitions.Objects, or NoObject, of an event that has an object, and
// what goes with it: mode, delta, generation, or number of the value that went through a channel (0 unknown).
func (e Event) Object() (index, extra uint32) { return uint32(e.Word) - 1, uint32(e.Word >> 32) }

// Other returns the location that a Create made, that made the one of a Begin, or that a Ready was caused by; it may be NoLocation.
func (e Event) Other() LocationID { return LocationID(e.Word - 1) }

// CounterValues returns the values of e, an event of b; nil if it is no Counters event.
func (b *Batch) CounterValues(e Event) []uint64 {
	if e.Kind != wire.Counters {
		return nil
	}
	return b.Values[e.Word : e.Word+uint64(e.ID)]
}

// LocationID numbers the locations of an archive densely from 0, in the order of (process, number within it).
type LocationID uint32

// NoLocation is the absence of a location.
const NoLocation = ^LocationID(0)

// Definitions is everything an archive says about its events. Ids within events index these slices;
// process-local numbers were translated while reading.
type Definitions struct {
	Processes []Process
	Locations []Location
	Regions   []Region
	Objects   []Object
	Metrics   []Metric

	Topologies []Topology
}

// Process is one measured process.
type Process struct {
	PID       int
	Parent    int               // pid of its parent
	Args      []string          // command line
	Start     int64             // ns since the start of the experiment
	End       int64             // last instant at which it is known to have run
	Counters  []string          // names of the event set sampled with regions, in the order of the values; nil if none
	Exit      int               // exit status, -1 unknown (and 128+n for signal n)
	Warnings  map[string]uint64 // what the process counted: events lost, ends on the wrong goroutine, …
	Processor Processor         // what the process ran on
	Hertz     uint64            // the processor's cycles per second at its nominal rate; 0 unknown
	// Processors is how many of its goroutines could run at once, at last if that changed: GOMAXPROCS, but no more than the processors that
	// the system let it run on. 0 unknown.
	Processors int
	// States says that its events tell when goroutines ran, and what else they did outside of operations.
	States bool
	// Timers says that its events tell of selects that timers may end.
	Timers bool
	// EventCost is what recording one event cost the process, in picoseconds, as measured in it when it began; 0 unknown.
	EventCost uint64
	// Cost is what recording cost the process at least, as measured while it did, ns. 0 unknown.
	Cost int64
	// CPUTime is the processor time that the process used from when it began to record until it was last looked at: user and system
	// time of all its threads, ns. 0 unknown.
	CPUTime int64
}

// Processor identifies a model of processor, as counters and their specifications need it. The zero Processor is unknown.
type Processor struct {
	Arch     string // as GOARCH
	Vendor   string // GenuineIntel, AuthenticAMD, 0x41
	Family   int
	Model    int
	Stepping int
	Name     string // as it calls itself
}

// maxEventCost is the most that an event is believed to cost, picoseconds.
const maxEventCost = 1e9

// maxProcessors is the most that a process is believed to have.
const maxProcessors = 1 << 20

// EventsOf returns how many events each process has.
func (d *Definitions) EventsOf() []uint64 {
	events := make([]uint64, len(d.Processes))
	for i := range d.Locations {
		events[d.Locations[i].Process] += d.Locations[i].Events
	}
	return events
}

// RecordingCost returns what recording so many events cost the process at least, in ns: what was measured, or else an estimate.
func (p *Process) RecordingCost(events uint64) int64 {
	if p.Cost > 0 {
		return p.Cost
	}
	return RecordingCost(events, p.EventCost)
}

// RecordingCost estimates what recording so many events cost a process, in ns, from what one of them costs in picoseconds.
func RecordingCost(events, eventCost uint64) int64 {
	return int64(min(float64(events)*float64(eventCost)/1000, math.MaxInt64/2))
}

// Location is one ordered stream of events: a goroutine.
type Location struct {
	Process int    // index in Processes
	Number  uint64 // number within the process, 1 is the first to record
	GoID    uint64 // the runtime's goroutine id
	Events  uint64
	Name    string // in an archive of another format; goroutines have none
	Stream  bool   // it is no thread but executes what threads give to a device, such as a GPU; only in archives of other formats
}

// Topology is a grid on which locations lie, such as that of the processes of a program. Only archives of other formats have topologies.
type Topology struct {
	Name   string
	Dims   []Dim
	Places []Place
}

// Dim is one dimension of a topology.
type Dim struct {
	Name     string
	Size     int
	Periodic bool // the last place is beside the first one
}

// Place is where a location lies, by dimension. A location may have several places.
type Place struct {
	Location LocationID
	At       []int
}

// Region is a user region or the call site of an operation.
type Region struct {
	Name    string // the user's name, or the operation's: "send", "lock", …
	Func    string
	File    string
	Line    int
	Process int
	Class   string // name of the metric that time in it is; "" is for the analysis to say. Only archives of other formats have classes
	Counts  string // likewise, of the metric that counts its visits, "" if only visits does
	// Parallel says that a team of threads executes it. Only archives of other formats have such regions.
	Parallel bool
}

// Object is a channel, lock or other synchronisation object.
type Object struct {
	Kind    wire.ObjectKind
	Size    uint64 // channel capacity, barrier size
	Region  uint32 // call site of first use, index in Regions; NoRegion unknown
	Process int
}

// NoRegion is the absence of a region.
const NoRegion = ^uint32(0)

// Metric is a metric made by instrument.NewMetric.
type Metric struct {
	Name, Unit string
	Process    int
}
