package analyzer

import (
	"tracerec/internal/spill"
	"tracerec/trace"
)

// mostPerEvent is what an event costs at most, bytes: those of a lock that everybody wants. An archive that needs less
// than may be resident by this measure needs no file.
const mostPerEvent = 100

// NewStore returns memory for what grows with the number of events of an archive, under a limit for the process, 0 for none; shared says that
// others have as much in it as the analysis.
func NewStore(a *trace.Archive, limit int64, shared bool) (*spill.Store, error) {
	n := events(a)
	if shared {
		n *= 2
	}
	if limit == 0 || n < limit/mostPerEvent/2 {
		return spill.New(0, "")
	}
	return spill.New(max(limit-limit/8-margin, 1), "")
}

// events returns the number of events in an archive.
func events(a *trace.Archive) (n int64) {
	for _, c := range a.Chunks() {
		n += int64(c.Events)
	}
	return n
}

// Least returns how many bytes of memory the analysis of an archive takes whatever the limit: for goroutines, objects and chunks, and for what
// others keep of each event.
func Least(a *trace.Archive, keeps int64) int64 {
	d := a.Definitions()
	return LeastOf(keeps, events(a), int64(len(d.Locations)), int64(len(d.Objects)), int64(len(a.Chunks())))
}

// LeastOf is Least of an archive with so many of everything.
func LeastOf(keeps, events, locations, objects, chunks int64) int64 {
	return keeps*events + program + perLocation*locations + perObject*objects + perChunk*chunks
}

// What things take that are in memory always, bytes: measured, rounded up.
const (
	program     = 96 << 20
	perLocation = 800
	perObject   = 128
	perChunk    = 1 << 10
)

// margin is how much may be touched between two looks at what is resident, bytes.
const margin = 32 << 20
