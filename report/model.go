// Package report is the result of an analysis: severities over metric, call path and location, and
// what was concluded from them.
package report

import (
	"tracerec/metric"
)

// Experiment is one measured run with everything found out about it. It is immutable once built, and
// the same input gives the same Experiment, value for value and in the same order.
type Experiment struct {
	Header     Header
	Metrics    []metric.Metric // parents before children, siblings in display order
	Regions    []Region
	Paths      []CallPath // parents before children
	Locations  []Location
	Groups     []Group
	Severity   [][]Cell // by metric index: stored values, exclusive along all trees, ascending (Path, Location)
	Critical   [][]Cell // by metric index: the part on the critical path of a wait state's severities; nil otherwise
	OnPath     []int64  // by metric index: ns during which the critical path is on the causers of waits of this metric or its descendants, counted once
	Stats      []Stats  // by metric index; Count 0 where there are no instances
	Findings   []Finding
	NeverEnded []NeverEnded
	Warnings   []string // lost, repaired, dropped, unmatched: whatever makes the numbers less than exact
}

// Header says what was measured.
type Header struct {
	Program    string   `json:"program"`
	Args       []string `json:"args"`
	Wall       int64    `json:"wall_ns"`  // start to end of the root process, ns
	Span       int64    `json:"span_ns"`  // start of the root process to the end of the last one, ns
	PathPID    int      `json:"path_pid"` // process whose critical path this is, 0 unknown
	Focus      int64    `json:"focus_ns"` // length of the critical path, ns
	Time       int64    `json:"time_ns"`  // sum of lifetimes, ns
	Processes  int      `json:"processes"`
	Goroutines int      `json:"goroutines"`
	Events     uint64   `json:"events"`
	Lost       uint64   `json:"lost_events"`
	Exit       int      `json:"exit_status"` // of the root process, -1 unknown
	Resolution int64    `json:"resolution_ns"`
	// RecordingCost estimates how much of Time went into recording, ns: events × what one costs at least, as measured when
	// recording began. It is part of execution, not taken out of anything. 0 if unknown.
	RecordingCost int64 `json:"recording_cost_ns,omitempty"`
}

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

// Location is a goroutine, or several of one group folded into one.
type Location struct {
	Process int
	Group   int32
	Name    string // "worker[3]"
	GoID    uint64
	Count   int // goroutines folded into it, 1 normally
}

// Group is a set of goroutines with the same role: the same function started from the same call path.
type Group struct {
	Name    string // function of the goroutine, "main" for the root: "worker"
	Creator int32  // call path that started them, -1 unknown
	Count   int
}

// Cell is one stored severity.
type Cell struct {
	Path, Location uint32
	Value          int64
}

// Instance is one occurrence of a wait state.
type Instance struct {
	Path, Location uint32
	Begin, End     int64 // ns since the start of the experiment
	Causer         int32 // location, -1 nobody
	CauserPath     int32 // -1 unknown
}

// Stats describes the instances of one wait state (EXPERT's "most severe instances" and box plot), or the samples of one
// metric of the program.
type Stats struct {
	Sampled                bool // samples, in the unit of the metric; else ns
	Count                  uint64
	Sum, Min, Max          int64
	Mean, Q25, Median, Q75 int64
	Worst                  []Instance // longest first, at most ten
}

// Finding is one conclusion: a wait state at a call path, over the goroutines of one group.
type Finding struct {
	Metric    int // index in Metrics
	Path      uint32
	Group     int32
	Severity  int64 // ns waited, summed over locations
	Critical  int64 // ns of wall time during which the critical path ran on the causers of these waits
	Instances uint64
	Locations []uint32 // waiting locations, largest severity first
	Causers   []Causer // largest first
	// Meanwhile divides Critical by what the causers were doing, largest first. Only the first findings have it.
	Meanwhile []PathTime
}

// PathTime is time at a call path.
type PathTime struct {
	Path uint32
	Time int64 // ns
}

// Causer is who a finding's waits were spent waiting for.
type Causer struct {
	Group     int32 // -1 nobody in the trace
	Path      int32 // where it was when it let the waiter go (locks: where it had acquired), -1 unknown
	Severity  int64
	Locations []uint32 // largest severity first
}

// NeverEnded is a goroutine that was still blocked when the trace ended.
type NeverEnded struct {
	Path, Location uint32
	Since          int64  // ns
	Object         string // "channel first used at …, capacity 3", "" for a nil channel
	Holder         int32  // location that holds the lock it waits for, -1 none
	HolderPath     int32
}
