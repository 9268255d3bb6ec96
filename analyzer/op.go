package analyzer

import "tracerec/trace/wire"

// Op is one operation of a location on a synchronisation object: the call-path leaf from its begin event
// to its Leave. Point events (close, unlock, done, signal …) are Ops with Begin == End. There is one Op for
// every two or three events of a trace, so it is kept at 40 bytes.
//
// A matching engine gets all operations of one object, ordered by (Loc, place of the begin event in the stream).
type Op struct {
	Begin   int64 // ns
	Blocked int64 // when the first attempt had failed; NotBlocked if it finished at once, or if its kind does not say
	End     int64 // ns; of an operation that never ended, the end of its location
	Loc     uint32
	Path    uint32 // call path, its leaf included (of unlock, add, done: the path they are called in); only good for passing on
	Mode    uint32 // lock mode, Add/Done delta, barrier generation; 1 for the Once operation that ran the function
	Kind    wire.Kind
	Outcome wire.Outcome
	Open    bool // never ended
}

// NotBlocked is the Blocked time of an operation that finished at once.
const NotBlocked = int64(-1 << 63)

// Wait is one instance of a wait state: Op's location waited in [Begin, End) ⊆ [Op.Begin, Op.End] for Causer.
//
// The waits of one operation are emitted one after the other, ascending, and do not overlap.
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
