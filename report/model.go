// Package report is the result of an analysis: severities over metric, call path and location, and
// the findings that follow from them.
package report

import (
	"time"

	"tracerec/metric"
	"tracerec/report/cube"
)

// Experiment is one measured run with everything found out about it: a cube, and what a cube cannot say. It is immutable once built, and
// the same input gives the same Experiment, value for value and in the same order.
type Experiment struct {
	Cube *cube.Cube // the trees, and all severities: see Fill
	Sidecar

	// The trees of the cube, by number.
	Metrics   []metric.Metric // parents before children, siblings in display order
	Regions   []Region
	Paths     []CallPath // parents before children
	Locations []Location

	Waits *cube.Member // who ended the waits, a WaitIndex, for windows of the trace; nil if it was not wanted

	Merged bool // made of several reports: why anybody waits is not known, counts are means, and call paths have the places that they have in the cube

	numbers *numbers // nil: all severities are zero
}

// Sidecar is what a cube has no place for. It lies beside it in a report file, as the member expert.json. Numbers of metrics, call paths and
// locations are those in the cube.
type Sidecar struct {
	Header     Header           `json:"header"`
	Origin     Origin           `json:"origin"`
	Split      Split            `json:"critical_path"`                  // of the critical path, by what its goroutines did
	PathCounts []Count          `json:"critical_path_counts,omitempty"` // on the critical path, in the order of the metrics
	Lost       Lost             `json:"lost"`                           // of all processes
	OnPath     []int64          `json:"on_path"`                        // by metric: ns during which the critical path is on the causers of waits of this metric or its descendants, counted once
	Groups     []Group          `json:"groups"`
	Stats      []Stats          `json:"statistics"` // by metric; Count 0 where there are no instances
	Findings   []Finding        `json:"findings"`
	NeverEnded []NeverEnded     `json:"never_ended"`
	Operations []OperationSplit `json:"critical_path_operations,omitempty"` // Split of the time in operations but sleeps, ascending by (Path, Group); behind the groups, which they are checked by
	Starts     []Start          `json:"starts,omitempty"`                   // by piece of the trace: its chunks in order, and their locations; nil unknown
	Warnings   []string         `json:"warnings"`                           // lost, repaired, dropped, unmatched: whatever makes the numbers less than exact
	Verdict    Verdict          `json:"verdict,omitzero"`                   // reports of earlier versions have none
	Requests   []Requests       `json:"requests,omitempty"`                 // that the program answered, by name: all together first, then those that took most time together

	// What was made of the counters. The hierarchies are among the metrics.
	Ratios     []Ratio           `json:"ratios,omitempty"`
	Properties []PropertyFinding `json:"properties,omitempty"`        // largest number of events first
	Unlisted   []string          `json:"unlisted_counters,omitempty"` // counters that no hierarchy shows
	Notes      []string          `json:"notes,omitempty"`             // what could not be derived, and what is incomplete
}

// Header says what was measured.
type Header struct {
	Program    string   `json:"program"`
	Args       []string `json:"args"`
	Wall       int64    `json:"wall_ns"`            // start to end of the root process, ns
	Begin      int64    `json:"begin_ns,omitempty"` // start of the root process, ns since the start of the experiment
	Span       int64    `json:"span_ns"`            // start of the root process to the end of the last one, ns
	PathPID    int      `json:"path_pid"`           // process whose critical path this is, 0 unknown
	Focus      int64    `json:"focus_ns"`           // length of the critical path, ns
	Of         string   `json:"focus_of,omitempty"` // whose critical path it is, as "goroutine 7", if one was chosen, and not that of the run
	Time       int64    `json:"time_ns"`            // sum of lifetimes, ns
	Processes  int      `json:"processes"`
	Recordings int      `json:"recordings,omitempty"` // of them, if one was recorded in several windows; each is told like a process of its own
	Goroutines int      `json:"goroutines"`
	Events     uint64   `json:"events"`
	Lost       uint64   `json:"lost_events"`               // Experiment.Lost.Events
	CPUTime    int64    `json:"cpu_ns"`                    // processor time that the processes with events used, user and system, 0 unknown
	Load       *Load    `json:"load,omitempty"`            // of the process whose critical path this is; nil unknown
	States     bool     `json:"states,omitempty"`          // it is recorded when goroutines ran, and what else they did outside of operations
	Threads    bool     `json:"threads,omitempty"`         // what is called goroutines here are threads, and regions are all that was recorded: those of an archive of another format
	Streams    int      `json:"gpu_streams,omitempty"`     // so many of them are no threads but streams of GPUs
	Exit       int      `json:"exit_status"`               // of the root process, -1 unknown
	Asleep     bool     `json:"asleep,omitempty"`          // all goroutines of the root process that are recorded had ended or were waiting when it ended, goroutine 1 among them, and nothing is lost
	Uncaused   bool     `json:"causes_left_out,omitempty"` // what causes waits was not looked for: there is too much
	Cut        bool     `json:"cut,omitempty"`             // the recording is not complete: what goroutines did last may be missing
	Damaged    uint64   `json:"damaged_events,omitempty"`  // that were recorded, and cannot be read any more
	Resolution int64    `json:"resolution_ns"`
	// RecordingCost is how much of Time went into recording at least, ns, see trace.Process. It is part of execution, not taken out of anything. 0 if unknown.
	RecordingCost int64     `json:"recording_cost_ns,omitempty"`
	CPU           Processor `json:"cpu,omitzero"`        // the zero value: unknown
	Frequency     uint64    `json:"cpu_hertz,omitempty"` // clock rate of its cycles, 0 unknown
	// Processors is how many goroutines could run at once, as GOMAXPROCS and the system had it when recording began; 0 if unknown, or if
	// several processes have events.
	Processors int `json:"processors,omitempty"`
}

// Processor is what the program ran on. It converts to spec.CPU.
type Processor struct {
	Arch     string `json:"arch"`   // GOARCH
	Vendor   string `json:"vendor"` // in its own words: GenuineIntel
	Family   int    `json:"family"`
	Model    int    `json:"model"`
	Stepping int    `json:"stepping"`
	Name     string `json:"name"` // in the maker's words
}

// Origin says where the numbers come from, so that more can be looked up there.
type Origin struct {
	Kind      string    `json:"kind"`         // of what was analyzed, in words without an article; "" unknown
	Trace     string    `json:"trace"`        // absolute name of the trace directory, "" unknown
	Sources   []string  `json:"source_roots"` // directories below which the program's source lies, absolute
	Start     time.Time `json:"start"`        // of the recording
	Processes []Process `json:"processes"`    // Location.Process is an index
}

// Process is a process that was recorded.
type Process struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Lost    Lost   `json:"lost"`
	Unended bool   `json:"unended,omitempty"` // it is not known how it ended, and is of the one that was launched
}

// Lost is what a recording lacks.
type Lost struct {
	Events      uint64  `json:"events"`       // that were dropped while recording
	EventsShare float64 `json:"events_share"` // of all that there were
	TimeShare   float64 `json:"time_share"`   // of the goroutines' lives, at least: the stretches in which events were dropped
}

// much tells whether so much is lost that it must be said before all else.
func (l *Lost) much() bool { return l.EventsShare >= 0.01 }

// Region is a user region or the call site of an operation.
type Region struct {
	Name, Func, File string
	Line             int
	Operation        bool // a leaf such as send or lock, not a user region
}

// CallPath is one node of the call tree.
type CallPath struct {
	Parent int32 // index in Paths, -1 for a root
	Region uint32
}

// Location is a goroutine, or several of one group collapsed into one.
type Location struct {
	Process int
	Group   int32
	Name    string // "worker[3]"
	GoID    uint64
	Count   int    // goroutines collapsed into it, 1 normally
	Trace   uint32 // number in the trace, of the first that were collapsed
	Stream  bool   // of a GPU
}

// Group is a set of goroutines with the same role: the same function started from the same call path.
type Group struct {
	Name    string `json:"name"`            // function of the goroutine, "main" for the root: "worker"
	Begun   string `json:"begun,omitempty"` // that function, of goroutines that have the names of the tests or benchmarks that they run; Name is then what these begin with: "Test*"
	Creator int32  `json:"creator"`         // call path that started them, -1 unknown
	Count   int    `json:"count"`
}

// Split divides the critical path up by what the goroutines that it was on did. The times, ns, add up to Header.Focus.
type Split struct {
	Execution   int64 `json:"execution_ns"`    // in no recorded operation, or at work in one
	Runnable    int64 `json:"runnable_ns"`     // released or created, and not running yet
	Waiting     int64 `json:"waiting_ns"`      // for others that could not be followed
	Sleep       int64 `json:"sleep_ns"`        // in sleeps
	External    int64 `json:"external_ns"`     // for what is not in the trace
	NotRecorded int64 `json:"not_recorded_ns"` // nobody is known to have been active, or events of who was were lost
	ByTime      int   `json:"by_time"`         // steps of the path that no wait and no creation led to, but only the time
}

// Load tells when the processors of a process were busy: when its goroutines ran on four fifths of them at least.
type Load struct {
	Running int64 `json:"running_ns"` // time in which goroutines ran, summed over them, but never more than the processors have
	Busy    int64 `json:"busy_ns"`    // time in which its processors were busy
	Lacking int64 `json:"lacking_ns"` // time in which goroutines were ready to run meanwhile, summed over them
}

// OperationSplit divides the time of the critical path in an operation, in a state outside of these, or of starting, recording cost apart, on the goroutines of a group, ns.
type OperationSplit struct {
	Path        uint32 `json:"path"`
	Group       int32  `json:"group"`
	Execution   int64  `json:"execution,omitempty"` // these mean what they mean in Split
	Runnable    int64  `json:"runnable,omitempty"`
	Waiting     int64  `json:"waiting,omitempty"`
	External    int64  `json:"external,omitempty"`
	Yielded     int64  `json:"yielded,omitempty"`      // the part of Runnable in which they had given up their processors
	NotRecorded int64  `json:"not_recorded,omitempty"` // events of them were lost
	Taken       int64  `json:"taken,omitempty"`        // how many of the waits there the path was led on by: it came from who was waited for
}

// Start says where a location was when a piece of its trace began, so that the piece can be read alone.
type Start int32

const (
	Outside Start = -1 // the location was in no region and no operation
	Unknown Start = -2 // the piece cannot be read without that before it: what its events close depends on selects left unsaid, or the location did not run
)

// Within returns the Start of a location that was in a call path, and whether its innermost operation was blocked.
func Within(path int32, blocked bool) Start {
	s := Start(path << 1)
	if blocked {
		s |= 1
	}
	return s
}

// Path returns the call path, -1 for Outside.
func (s Start) Path() int32 { return int32(s >> 1) }

// Blocked says whether the innermost operation of the call path was blocked.
func (s Start) Blocked() bool { return s >= 0 && s&1 != 0 }

// Cell is one severity, without those of the metrics and call paths below.
type Cell struct {
	Path, Location uint32
	Value          int64
}

// Instance is one occurrence of a wait state.
type Instance struct {
	Path       uint32 `json:"path"`
	Location   uint32 `json:"location"`
	Begin      int64  `json:"begin"` // ns since the start of the experiment
	End        int64  `json:"end"`
	Waited     int64  `json:"waited"`      // ns that count as the wait state: from Begin to End, less what is another one's, such as the wake-up
	Causer     int32  `json:"causer"`      // location, -1 nobody
	CauserPath int32  `json:"causer_path"` // -1 unknown

	// Locations may be several goroutines; these are the numbers of the very ones in the trace.
	Trace       uint32 `json:"trace"`
	CauserTrace int32  `json:"causer_trace"` // -1 nobody
}

// Stats describes the instances of one wait state (EXPERT's "most severe instances" and box plot), or the samples of one
// metric of the program.
type Stats struct {
	Sampled bool       `json:"sampled,omitempty"` // samples, in the unit of the metric; else ns
	Count   uint64     `json:"count"`
	Sum     int64      `json:"sum"`
	Min     int64      `json:"min"`
	Max     int64      `json:"max"`
	Mean    int64      `json:"mean"`
	Q25     int64      `json:"q25"`
	Median  int64      `json:"median"`
	Q75     int64      `json:"q75"`
	Worst   []Instance `json:"worst,omitempty"` // longest first, at most ten
}

// Finding is one conclusion: what was waited for, and why, wherever in the program it was waited for. What Line says is the sum over its
// lines, Critical the union over time; Metric, Path and Group are those of the first line.
type Finding struct {
	Line
	Object Object `json:"object,omitzero"`  // the zero value: none
	Busy   Busy   `json:"busy,omitzero"`    // the zero value: not known to be
	Advice string `json:"advice,omitempty"` // instead of the metric's
	Lines  []Line `json:"lines,omitempty"`  // where it was waited for, ranked by cost; nil: only there where the finding says
	// Meanwhile divides Critical by what the causers were doing, largest first. Only the first findings have it.
	Meanwhile []PathTime `json:"meanwhile,omitempty"`
	// Awaited is for how many ns somebody waited for the causers, of each causer once. It consists of Critical, of what Onward says, and of
	// time in which the causers did something else that was not on the critical path. Only the first findings have it.
	Awaited int64    `json:"awaited,omitempty"`
	Onward  []Onward `json:"onward,omitempty"` // largest first
	// HeadOfLine is for how many ns of Severity a goroutine that serves several in turn waited for one of them while others waited for it; or these others waited.
	HeadOfLine int64 `json:"head_of_line,omitempty"`
	// Convoy is for how many ns of Severity goroutines waited in a convoy: whoever got the lock had waited for it, and let one go on who was there before; none had it
	// for half as long as they waited, and they had got it before in this way.
	Convoy int64 `json:"convoy,omitempty"`
	// Served is for how many ns requests of a service were in the finding's waits, all together.
	Served int64 `json:"served,omitempty"`
	// Counted is what the causers counted during Critical, in the order of the metrics. Only the first findings have it.
	Counted []Count `json:"counted,omitempty"`
}

// Busy says that everybody who could have ended a finding's waiting had something else to do, or that those who waited had nothing to do.
type Busy struct {
	Workers int  `json:"workers,omitempty"` // so many goroutines, all of their group
	Places  int  `json:"places,omitempty"`  // so many places of a semaphore were taken
	Taken   bool `json:"taken,omitempty"`   // all that is taken from a channel and given back was, such as connections

	// On the contrary, those who waited are workers of a pool, of whom no more than so many were busy at once, but for a hundredth of the time in which any was.
	Of     int `json:"of,omitempty"` // all of them
	AtOnce int `json:"at_once,omitempty"`
}

// Explained is how many findings, the first ones, are told what happened meanwhile.
const Explained = 5

// Line is a wait state at a call path, over the goroutines of one group.
type Line struct {
	Metric    int      `json:"metric"` // index in Metrics
	Path      uint32   `json:"path"`
	Group     int32    `json:"group"`
	Severity  int64    `json:"severity"`          // ns waited, summed over locations
	Touched   int64    `json:"touched,omitempty"` // of Severity: waits of whose waiter or causer events are missing meanwhile, or on channels on which others are not recorded
	Critical  int64    `json:"critical"`          // ns of wall time during which the critical path ran on the causers of these waits
	Instances uint64   `json:"instances"`
	Locations []uint32 `json:"locations,omitempty"` // waiting locations, largest severity first
	Causers   []Causer `json:"causers,omitempty"`   // largest first
}

// AllLines returns where a finding's waiting was: reports of earlier versions say it by the finding itself.
func (f *Finding) AllLines() []Line {
	if len(f.Lines) == 0 {
		return []Line{f.Line}
	}
	return f.Lines
}

// Object is what a finding is about: a lock, a channel …, or several that the program does not tell apart.
type Object struct {
	Name  string `json:"name"` // as the program calls it: "DB.metalock", "" unknown
	Type  string `json:"type"` // "mutex"
	File  string `json:"file"` // of its first use, "" unknown
	Line  int    `json:"line"`
	Count int    `json:"count"` // how many there are
	// Waited is for how many of several the finding's waiting was, and Most how long it was for the one that has most, ns. 0: not known.
	Waited int   `json:"waited,omitempty"`
	Most   int64 `json:"most,omitempty"`
}

// PropertyFinding is a performance property above counters at a call path: a number of events that is too large for what it is measured by.
// It is no time and is never added to time.
type PropertyFinding struct {
	Property string `json:"property"` // poor_cache_utilisation
	Title    string `json:"title"`
	Path     uint32 `json:"path"`
	Part     int64  `json:"part"`      // events, without those of the call paths below, of all locations
	Of       int64  `json:"of"`        // what they are compared with: other events, or time in ns
	PartName string `json:"part_name"` // as in a specification
	OfName   string `json:"of_name"`
	Words    string `json:"words"`            // what it means, with {share}, {part} … in place of numbers
	Shared   bool   `json:"shared,omitempty"` // the counters are of the whole process, so others may have contributed
	Advice   string `json:"advice"`
	Kinds    []Kind `json:"kinds,omitempty"` // what Part consists of, where that was measured, largest first
}

// Kind is a kind of the events of a property: "for want of capacity".
type Kind struct {
	Words string `json:"words"`
	Part  int64  `json:"part"`
}

// Count is what was counted by a counter in some time, as far as there are samples of it. There is none of a counter that was not sampled.
type Count struct {
	Metric  int    `json:"metric"` // index in Metrics, of the counter
	AtLeast int64  `json:"at_least"`
	AtMost  *int64 `json:"at_most"` // nil: not known
}

// PathTime is time at a call path.
type PathTime struct {
	Path uint32 `json:"path"`
	Time int64  `json:"time"` // ns
}

// Onward is time that causers of a finding waited themselves, off the critical path, while they were waited for.
type Onward struct {
	PathTime       // where
	Group    int32 `json:"group"` // for whom
}

// Causer is who a finding's waits were spent waiting for.
type Causer struct {
	Group     int32    `json:"group"` // -1 nobody in the trace
	Path      int32    `json:"path"`  // where it was when it let the waiter go (locks: where it had acquired, or released what another had acquired), -1 unknown
	Severity  int64    `json:"severity"`
	Locations []uint32 `json:"locations,omitempty"` // largest severity first
	Mattering int      `json:"mattering,omitempty"` // the first of them that have 99 % of it together; 0 all
}

// mattering returns those of a causer's locations that have nearly all of its severity: of five that had a lock, one may have had it for a second, and the others for a microsecond.
func (c *Causer) mattering() []uint32 {
	if c.Mattering > 0 {
		return c.Locations[:c.Mattering]
	}
	return c.Locations
}

// NeverEnded is a goroutine that was still blocked when the trace ended.
type NeverEnded struct {
	Path       uint32 `json:"path"`
	Location   uint32 `json:"location"`
	Since      int64  `json:"since"`  // ns
	Object     string `json:"object"` // "channel first used at …, capacity 3", "timer of one of its cases", "" for a nil channel and for what is not in the trace
	Holder     int32  `json:"holder"` // location that holds the lock it waits for, -1 none
	HolderPath int32  `json:"holder_path"`
}
