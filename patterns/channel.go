package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// LateSender is a receive that was there before its send.
var LateSender = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.LateSender, Title: "Late sender", Parent: metric.Communication, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A receive waited because the matching send had not begun. The receiver could do nothing until the sender arrived.",
		Formula: "min(begin of the send, end of the receive) − begin of the receive, when positive; charged to the receive. It has a critical part only if its end mattered: if the critical path " +
			"is on the receiver later than ever on the sender, for a quarter of the time that was waited for it or more; if it goes from where it is on the sender last of all to a receiver of that kind; or if it goes to one from where it was last on the sender before the end of the wait, and is not back in less than a quarter of that time. " +
			"A worker that is idle until it is asked, and for whom nobody waits then, delays nothing",
		Advice: "Look at what the sender did before it sent: send earlier, split its work or give it less, or use more senders. A worker " +
			"that waits for its next task is idle by design; it matters only as far as it is on the critical path.",
	},
	BusyAdvice: busyAdvice("an earlier send"),
	Point:      analyzer.Sent,
	Roots:      goRoots,
	Paradigm:   analyzer.Goroutines,
}

// LateReceiver is a send on a channel without buffer that was there before its receive.
var LateReceiver = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.LateReceiver, Title: "Late receiver", Parent: metric.Communication, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A send on an unbuffered channel waited because the matching receive had not begun. The sender could not continue " +
			"until the receiver arrived.",
		Formula: "min(begin of the receive, end of the send) − begin of the send, when positive and the channel has no buffer; charged to the send",
		Advice: "Look at what the receiver did before it received: take work off it, or add receivers. With a buffer the sender can run ahead, which " +
			"helps only if the receivers keep up on average.",
	},
	BusyAdvice: busyAdvice("an earlier receive or a buffer"),
	Point:      analyzer.Received,
	Roots:      goRoots,
	Paradigm:   analyzer.Goroutines,
}

// FullBuffer is a send that found the buffer of its channel full.
var FullBuffer = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.FullBuffer, Title: "Full channel buffer", Parent: metric.Communication, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A send waited because the channel's buffer was full. The receiving side is slower than the sending side, at least for a while.",
		Formula: "with capacity c > 0, send number k waits for receive number k − c: min(begin of that receive, end of the send) − begin " +
			"of the send, when positive; charged to the send",
		Advice: "A larger buffer helps only against bursts. If the receivers are slower on average, make them faster, add more of them, or " +
			"accept that this is back-pressure that keeps memory bounded.",
	},
	BusyAdvice: busyAdvice("a larger buffer"),
	ForRoom:    true,
	Point:      analyzer.MadeRoom,
	Roots:      goRoots,
	Paradigm:   analyzer.Goroutines,
}

// LateClose is a receive that the closing of the channel released.
var LateClose = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.LateClose, Title: "Late close", Parent: metric.Communication, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A receive, often the last turn of a range loop, waited until the channel was closed. No more values came, " +
			"but the receiver could not know.",
		Formula: "min(close, end of the receive) − begin of the receive, when positive; charged to the receive. It has a critical part only if the critical path comes from who closed to the receiver then, " +
			"and if what is required of a late sender is true as well: many wait to be told to end",
		Advice: "If the sender had sent its last value long before, close the channel right after that value, before other work. If it " +
			"was still working on values to come, or waiting for others to finish, that took the time: look at what it did " +
			"meanwhile.",
	},
	Point:    analyzer.Closed,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}
