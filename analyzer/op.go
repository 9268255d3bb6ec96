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
	Mode    uint32 // lock mode, Add/Done delta, barrier generation, number of the value on its channel (0 unknown) or of the byte on its stream; 1 for the Once operation that ran the function, and for a select that never ended although a timer ran that ends it
	Kind    wire.Kind
	Outcome wire.Outcome
	Open    bool // never ended
}

// NotBlocked is the Blocked time of an operation that finished at once.
const NotBlocked = int64(-1 << 63)

// SynchPoint is where an operation met another one, that of the causer, and could go on. Synch points are all that matchers find, and all that wait
// states, the critical path and timelines know of who waited for whom.
//
// The synch points of one operation at which it waited are emitted one after the other, and these waits do not overlap.
type SynchPoint struct {
	Begin   int64 // from when on the operation had to wait, ns; within the operation
	Release int64 // when the causer let it go on, ns; not after the operation, but before Begin if that had come already
	From    int64 // from when on a wait counts as critical: Begin, but later for joins (mean Done of the group), and Release for the waits of package testing, those that Came ends, and those of carriers for something to do
	Op      int32 // index in the operations of the object
	// Causer is the location that let it go on (or which held the lock meanwhile), NoCauser if nobody in the trace did, and
	// CauserPath the call path in which it did: the critical path goes from (Op, Release) to (Causer, Release).
	Causer, CauserPath uint32
	Kind               PointKind
	Waits              bool // the operation waited in [Begin, Release), which is not empty
}

// NoCauser is the Causer of a wait that nobody in the trace ended.
const NoCauser = ^uint32(0)

// PointKind is what the causer of a synch point did.
type PointKind uint8

// The kinds of synch points.
const (
	NoPoint            PointKind = iota
	Sent                         // the value that the operation received; Begin is its begin, Release that of the send
	Received                     // took the value that it sent on a channel without buffer; Release is the begin of the receive
	MadeRoom                     // in the buffer for the value that it sent, by the receive as many values before as the buffer holds; likewise
	Closed                       // the channel from which it received
	HeldLock                     // that it acquired exclusively, and held it exclusively in [Begin, Release)
	WroteBefore                  // held the lock exclusively that it acquired shared, or waited for it, in [Begin, Release)
	ReadBefore                   // held the lock shared that it acquired exclusively, and was the last such at Release
	WasDone                      // as the last one of a WaitGroup
	Signalled                    // the condition
	RanOnce                      // the function of a Once, until Release
	ArrivedLast                  // at a barrier
	LeftFirst                    // the barrier, at Begin: the operation did so at Release; there is no causer
	DidNotCome                   // or is not recorded: the operation blocked at Begin and ended at Release
	CameOverNetwork              // what the operation, which blocked at Begin, waited for; there is no causer
	RanDown                      // of the timer, for which the operation waited from Begin to Release; there is no causer
	Came                         // over the network what it waited for, from the causer; or that interrupted it
	LateSenderRight              // sent the message that the call received; Begin is its begin, Release that of the call in which it was sent
	LateSenderOther              // likewise; another had sent one before it which the call might have received
	LateSenderSame               // likewise; it had itself
	ReceiverCame                 // asked for the message that the call sent
	ReceiverTookOthers           // likewise; it had received one before that was sent later
	ArrivedAtBarrier             // last, of a group of processes
	ArrivedAtExchange            // last, of those for whose data the call waited
	ArrivedAtFinalize            // last, at the end of the program
	ArrivedAtExplicit            // last, of a team of threads
	ArrivedAtImplicit            // likewise
	RootSent                     // the data that the call received
	SentToRoot                   // the last data that the root needed
	LowerSent                    // the last data of those with lower numbers
	ArrivedAtCreate              // last, to make a window
	ArrivedAtFree                // likewise, to free it
	ArrivedAtFence               // likewise, at a fence of it
	AccessedAtFence              // last what the operation has of the window that is fenced
	Posted                       // the window that the call accesses
	PostedToAccess               // likewise, in a call that passes data
	Completed                    // its access to the window
	CompletedLate                // likewise, and nobody had accessed the window since Begin
	AwaitedAtBarrier             // last, at a barrier that the call finishes, and which does not block
	AwaitedInExchange            // last, of those for whose data in such an operation the call waited
	AwaitedRoot                  // the data that the call waited for in such an operation, by beginning it as its root
	AwaitedByRoot                // the last data that the root waited for in the call, by beginning it
	AwaitedLower                 // likewise, the last of those with lower numbers
	UnlockedToSync               // the window that the call locks, or has locked, and which it had locked before
	UnlockedToAccess             // likewise, in a call that passes data
	PresentToSync                // in MPI, as the process that has what the call, which has the lock, is about
	PresentToAccess              // likewise, in a call that passes data
	Forked                       // the team that the thread works in from now on
	WorkedWithout                // in a team that it had forked, while the thread was in none
	FreedCritical                // the critical section, which it had acquired before
	FreedCall                    // likewise a lock
	FreedMutex                   // a mutex
	FreedCond                    // the mutex of a condition
	HasExecuted                  // all that the call waited for, as the stream of a device
	Launched                     // what the stream of a device executes next
	LeftBarrierFirst             // there is no causer of this and the next ones, see LeftFirst
	LeftExchangeFirst
	InitializedFirst
	pointKinds
)

// outside says whether the wait at such a point is for nobody in the trace, and was over when the operation ended.
func (k PointKind) outside() bool { return k == DidNotCome || k == CameOverNetwork || k == RanDown }

// Wait is one instance of a wait state: a synch point at which an operation waited.
type Wait struct {
	SynchPoint
	Metric  uint16 // which wait state, index in the metric list
	charged int64  // how much of it was charged to the metric, ns; once that is done
}
