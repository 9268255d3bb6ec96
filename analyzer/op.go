package analyzer

import "tracerec/trace/wire"

// Op is one operation of a location on a synchronisation object: the call-path leaf from its begin event
// to its Leave. Point events (close, unlock, done, signal …) are Ops with Begin == End.
type Op struct {
	Begin   int64 // ns
	Blocked int64 // when the first attempt had failed; NotBlocked if it finished at once, or if its kind does not say
	End     int64 // ns; of an operation that never ended, the end of the trace
	Object  uint32
	Loc     uint32 // location index
	Path    uint32 // call path, its leaf included
	Mode    uint32 // lock mode, Add/Done delta, barrier generation, location created
	Kind    wire.Kind
	Outcome wire.Outcome
	Open    bool // never ended
}

// NotBlocked is the Blocked time of an operation that finished at once.
const NotBlocked = int64(-1 << 63)

// Wait is one instance of a wait state: Op's location waited in [Begin, End) ⊆ [Op.Begin, Op.End] for Causer.
type Wait struct {
	Op         int32  // index of the waiting operation in the object's operations
	Metric     uint16 // which wait state, index in the metric list
	Begin, End int64
	// Causer is the location whose arrival ended the wait (or which held the lock during it), NoCauser
	// if nobody in the trace did; CauserPath is the call path in which it did, and Release the time at
	// which it let the waiter go on: the critical path goes from (Op, Release) to (Causer, Release).
	Causer     uint32
	CauserPath uint32
	Release    int64
	// From is where a critical wait starts to count; Begin, but later for joins (mean Done of the group).
	From int64
}

// NoCauser is the Causer of a wait that nobody in the trace ended.
const NoCauser = ^uint32(0)
