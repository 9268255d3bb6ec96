// Package tracetext reads and writes the text form of an archive: tests use it for scenarios, and any
// archive can be shown in it.
//
// There is one item per line; # begins a comment; words with blanks are quoted as in Go. Times are absolute, in ns
// since the start of the experiment, which are the ticks of the clock as well.
//
//	channel ch cap 3                       # objects: channel, mutex, rwmutex, waitgroup, cond, once, barrier, waits
//	barrier b 4                            # … with its size
//	metric depth unit items                # optional, metrics may be used without
//	counterset task-clock faults           # names of the counters
//	process p2 parent main pid 7 start 50  # what follows belongs to it; lines before, to a process main
//	process p3 cost 17000 cpu 800          # what recording an event costs it, picoseconds; processor time that it used, ns
//	process p4 processors 2                # how many of its goroutines can run at once
//	args ./app -x                          # its command line
//	warning lost 3                         # a count of something that went wrong
//	exited 900 1                           # time and exit status
//	location w1                            # a stream; its events follow, ascending in time
//	  5 enter solve @file.go:12(main.f)    # @ is the call site, always optional
//	  10 send ch @a.go:10   12 blocked   30 leave
//
// Events, each behind its time:
//
//	begin NAME [by LOCATION]    create [LOCATION]      end
//	enter NAME                  exit [LEVELS]          leave [closed|panicked|failed|sent|received]
//	send CH     recv CH         close CH               select      chose none [N]  chose CH sent|received|closed
//	lock M [shared]             unlock M [shared]      sleep       blocked [timer]
//	wait WG     add WG N        done WG [N]            once O      oncerun         barrier B GENERATION
//	condwait C  signal C        broadcast C            sample METRIC VALUE         counters WHERE VALUE…
//	overhead NS                 lost EVENTS LEVELS     network
//	ready [woken|preempted|yielded|returned] [by LOCATION]                         running [on PROCESSOR]
//	syscall     assist          stopped                parked
//
// A nil object is written nil. LEVELS are those closed beyond the first (exit) or at all (lost). If a line has several
// events, an optional number counts as given only before another number or the end.
package tracetext

import (
	"bytes"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Parse returns the archive, a single segment with a resolution of 1 ns, that text describes. An error
// names line and word.
func Parse(text string) ([]byte, error) {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{Resolution: 1})
	if err != nil {
		return nil, err
	}
	if err := Write(w, text, 0); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Open parses text and opens the archive.
func Open(name, text string) (*trace.Archive, error) {
	b, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return trace.OpenReader(name, bytes.NewReader(b), int64(len(b)))
}

// objectNames are the words for kinds of objects; that of kind 0 is for those without definition.
var objectNames = [...]string{
	0: "object", wire.Channel: "channel", wire.Mutex: "mutex", wire.RWMutex: "rwmutex", wire.WaitGroup: "waitgroup",
	wire.Cond: "cond", wire.Once: "once", wire.Barrier: "barrier", wire.Stream: "stream", wire.Waits: "waits",
	wire.TimerChannel: "timer", wire.SignalChannel: "signals",
}

// outcomes are the words for how an operation ended; OK has none.
var outcomes = [...]string{wire.Closed: "closed", wire.Panicked: "panicked", wire.Failed: "failed", wire.Sent: "sent", wire.Received: "received"}

// causes are the words for why a location is ready to run.
var causes = [...]string{wire.Woken: "woken", wire.Preempted: "preempted", wire.Yielded: "yielded", wire.Returned: "returned"}

// kinds are the event kinds by name.
var kinds = func() map[string]wire.Spec {
	m := map[string]wire.Spec{}
	for _, s := range wire.Specs {
		if s.Kind != wire.Time {
			m[s.Name] = s
		}
	}
	return m
}()
