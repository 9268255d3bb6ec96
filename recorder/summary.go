package recorder

import (
	"fmt"
	"os"
	"strings"

	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
	"tracerec/trace"
)

// buffersDir is the session directory within a trace directory, when shared memory had no room for it.
const buffersDir = "buffers"

// damagedSuffix ends the names of copies of damaged segments.
const damagedSuffix = ".damaged"

// Warnings of processes, beside those that they count themselves.
const (
	lostEvents    = "events lost"                               // events that it dropped
	memoryRefused = "buffer memory refused"                     // times the system gave no more for the buffer
	notRecorded   = "processes not recorded"                    // processes of the run; of the one that was launched
	cutOff        = "buffers cut off by others"                 // 1: what it recorded is lost
	stillRunning  = "still running at the end of the recording" // 1: what it did after that is missing
	endLost       = "end of the archive lost"                   // times that recover completed an archive without; of the last process
)

// A Total is what an archive amounts to.
type Total struct {
	Processes, Goroutines int
	Events                uint64
	Bytes                 int64  // of its files
	Lost                  uint64 // events dropped while recording
	Cut                   bool   // its end was lost before it was recovered
	Span                  int64  // from the start of the experiment to its last event, ns
}

// Measure returns what the archive a, opened from dir, amounts to.
func Measure(a *trace.Archive, dir string) (Total, error) {
	d := a.Definitions()
	t := Total{Processes: len(d.Processes), Goroutines: len(d.Locations)}
	for _, c := range a.Chunks() {
		t.Events += uint64(c.Events)
		t.Span = max(t.Span, c.Last)
	}
	for _, p := range d.Processes {
		t.Lost += p.Warnings[lostEvents]
		t.Cut = t.Cut || p.Warnings[endLost] > 0
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasPrefix(e.Name(), "segment-") && !strings.HasSuffix(e.Name(), damagedSuffix) {
			t.Bytes += info.Size()
		}
	}
	return t, err
}

// String reads "1,234 events of 5 goroutines, 2.41 KiB (2.00 bytes per event)".
func (t Total) String() string {
	s := readable.Plural(t.Events, "event") + " of " + readable.Plural(t.Goroutines, "goroutine")
	if t.Processes > 1 {
		s += " in " + readable.Plural(t.Processes, "process")
	}
	s += ", " + readable.Bytes(t.Bytes)
	if t.Events > 0 {
		s += fmt.Sprintf(" (%.2f bytes per event)", float64(t.Bytes)/float64(t.Events))
	}
	return s
}

// Unfinished returns an error if the recording of the archive in dir goes on or was cut off.
func Unfinished(dir string) error { return sessionfile.Unfinished(dir) }
