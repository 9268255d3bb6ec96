package wire

// Events of processes that pass messages, and of teams of threads. They are in traces of other formats only, and in no archive of this one. All of them
// tell something of the region that is open: it is a call of MPI, a barrier, or the like.
const (
	Held        Kind = 71 // a call ends in which it has a lock of a window, or waits for it; the id is a Hold, the word the object, of kind WindowLock
	Called      Kind = 72 // it ends now, and did what the events since its begin say; the id is a set of Calls, the word the object, of kind Messages
	Dispatched  Kind = 73 // it sends a message; the id is the number of the queue × 2, + 1 if the message is empty, the word its bytes
	Arrived     Kind = 74 // it has received a message; likewise
	Requested   Kind = 75 // it asks for a message, or begins a collective operation without waiting for it, which has the number that the id is
	Finished    Kind = 76 // what has this number is finished: a message that was sent, or what is received or met next
	Met         Kind = 77 // it was a collective operation; the id is a Meeting, the word the object, of kind Group
	Transferred Kind = 78 // it sends so many bytes as the word says to a collective operation (id 0), receives them from one (1), puts them into a window (2), or gets them from one (3)
	Pending     Kind = 79 // the message that was just sent has the number that the id is, and is not finished
	Acquired    Kind = 92 // it has acquired a lock; the id says as the how manieth, the word the object, of kind OrderedLock, and in its upper half the Acquisition
	Freed       Kind = 93 // it releases a lock that it acquired; likewise
	Commanded   Kind = 94 // it has to do with streams of a device, such as a GPU; the id is the number of the stream, the word the object, of kind Device, and in its upper half the Command
	MetLater    Kind = 95 // a collective operation is finished that it had asked for; like Met
	Accessed    Kind = 96 // it has accessed what another one has of a window; the word is an object: that of the window, and the id the number of the other one in its group; or, where the other one awaits the end of the accesses, Messages, and the id is that of the Dispatched by which it will be told
	Within      Kind = 97 // it was done in a barrier of a team, such as a task; the word is the object, of kind Group
	Present     Kind = 98 // it was a call of MPI, in which others make progress who access what the process has of a window; the id is its number among those who have the window, the word the object, of kind WindowLock
)

// Parallel says whether an event is one of these: what regions are together with it is an operation.
func (k Kind) Parallel() bool { return Held <= k && k <= Pending || Acquired <= k && k <= Present }

// Acquisition is how a lock was acquired.
type Acquisition = uint32

// The ways to acquire a lock.
const (
	ByNobody   Acquisition = iota // of a kind in which nobody waits
	ByCritical                    // by a critical section
	ByCall                        // by a call that locks
	ByMutex                       // by a call that locks a mutex
	ByCond                        // by a call that waits for a condition
)

// Command is what a region has to do with a stream of a device.
type Command = uint32

// What calls of threads do, and what streams do.
const (
	Launches     Command = iota // it gives the stream a kernel; told when it begins
	Hands                       // it gives the stream a copy, or some stream, 0, and may end before that is made; told when it begins
	Names                       // it is about this stream; told when it begins
	Synchronizes                // it has waited until the stream had executed all that it was given; of stream 0: all streams of the process
	Copies                      // it has copied, after the stream had executed all that it was given before; likewise
	Idled                       // the stream had nothing to execute until now
	Executed                    // it has executed a kernel
	Copied                      // it has copied
)

// States of a location that works for a team. Running ends them.
const (
	Forking Kind = 86 // its team begins to work, and it does not yet
	Joining Kind = 87 // it works no more, and its team ends
)

// Calls say what kind of call ended.
const (
	Polls       = 1 << iota // it does not wait for messages, but looks whether they are there
	SendsOne                // it ends when the one message is sent
	SendsOthers             // it ends when several messages are sent, or one of several
	Accesses                // it accesses windows of others, who must have posted them
	Awaits                  // it ends when others have completed their accesses
	Transfers               // it passes data to or from windows that it accesses
)

// Hold is what a call does about a lock of a window: a set of what follows, and whose part of the window it is about, as the number of that process among those who have the window (24 bits).
type Hold uint32

// The bits of a Hold.
const (
	HoldBegins   Hold = 1 << iota // it asks for it
	HoldEnds                      // it releases it
	HoldShared                    // others may have it, too
	HoldAccesses                  // it passes data; else it only synchronizes
	HoldAll                       // it is the lock of all parts at once; only a call that accesses is about one of them
	HoldFlushes                   // it waits until accesses are complete, with the lock of all parts those to all that were accessed
	HoldVague                     // likewise, but to one part, and it does not say to which; without HoldFlushes, nor of which window

	holdShift = 8
)

// HoldParts is how many parts a window has that a Hold can be about.
const HoldParts = 1 << (32 - holdShift)

// Part returns whose part of the window it is about.
func (h Hold) Part() uint32 { return uint32(h >> holdShift) }

// Of returns it about a part.
func (h Hold) Of(part uint32) Hold { return h | Hold(part)<<holdShift }

// NoMessage is the bytes of what is passed like a message but is none.
const NoMessage = 1<<64 - 1

// Objects that calls act on.
const (
	MessagesObject ObjectKind = 10 // all messages of the trace
	Group          ObjectKind = 11 // the processes of a communicator, or the threads of a team
	OrderedLock    ObjectKind = 12 // a lock of which is known who acquired it after whom
	Idleness       ObjectKind = 15 // of the threads of a process that are not in all of its teams
	WindowLock     ObjectKind = 14 // the locks of what processes have of a window for one-sided communication
	Device         ObjectKind = 13 // all streams of a process, on which a device executes what threads give it
)

// Meeting is what a location did in a collective operation: from the low end, what operation it is (5 bits), whether it is the root, sends, and receives, and
// its number in the group (24 bits).
type Meeting uint32

// The bits of a Meeting.
const (
	Root     Meeting = 1 << 5
	Sends    Meeting = 1 << 6
	Receives Meeting = 1 << 7

	meetingBits  = 5
	meetingShift = 8
)

// Operation returns what operation it is.
func (m Meeting) Operation() Meeting { return m & (1<<meetingBits - 1) }

// Number returns the number of the location in its group.
func (m Meeting) Number() uint32 { return uint32(m >> meetingShift) }

// Numbered returns it with a number in the group.
func (m Meeting) Numbered(n uint32) Meeting { return m | Meeting(n)<<meetingShift }

// The operations, by who waits for whom.
const (
	NoMeeting       Meeting = iota // of a kind that nobody waits in
	AllArrive                      // a barrier
	RootSends                      // all others wait for the root
	RootReceives                   // the root waits for all others
	AllExchange                    // each waits for all who send
	LowerSend                      // each waits for those with lower numbers
	AllBegin                       // the begin of the program, in which nobody waits, but the end takes time
	AllEnd                         // its end
	ExplicitBarrier                // of a team
	ImplicitBarrier                // of a team, at the end of what it does together
	AtCreate                       // of a window for one-sided communication
	AtFree                         // likewise
	AtFence                        // likewise, between phases of it
	TeamFork                       // a thread is the root of a team, and begins it; or its wait for the team ends
	TeamWithout                    // a thread has worked as the root of a team; or it was in none meanwhile
	BetweenArrive                  // a barrier of two groups, each waits for all of the other one; the root is who is in the second one
	BetweenExchange                // likewise, each waits for those who send in the other one
)
