package analyzer

import (
	"tracerec/internal/spill"
	"tracerec/trace"
)

// mostPerEvent is what an event costs at most, bytes: those of a lock that everybody wants. An archive that needs less
// than may be resident by this measure needs no file.
const mostPerEvent = 100

// mostCauses is what it costs at most to look for what causes waits, unless that is forced, bytes.
const mostCauses = 200 * causesEncounters

// NewStore returns memory for what grows with the number of events of an archive, under a limit for the process, 0 for none; shared says that
// others have as much in it as the analysis, causes that [Options.Causes] is set.
func NewStore(a *trace.Archive, limit int64, shared, causes bool) (*spill.Store, error) {
	n := events(a) * mostPerEvent
	if shared {
		n *= 2
	}
	if Causing(events(a), int64(len(a.Definitions().Locations))) {
		n += mostCauses
	}
	if limit == 0 || n < limit/2 && !causes {
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

// Kept is how many bytes of the heap somebody keeps for each event and each location.
type Kept struct{ Event, Location int64 }

// And adds up what two keep.
func (k Kept) And(o Kept) Kept { return Kept{k.Event + o.Event, k.Location + o.Location} }

// Least returns how many bytes of memory the analysis of an archive takes whatever the limit: for goroutines, objects and chunks, and for what
// others keep. causes says that [Options.Causes] is set.
func Least(a *trace.Archive, keeps Kept, causes bool) int64 {
	d := a.Definitions()
	causes = causes || Causing(events(a), int64(len(d.Locations)))
	return LeastOf(keeps, causes, events(a), int64(len(d.Locations)), int64(len(d.Objects)), int64(len(a.Chunks())))
}

// LeastOf is Least of an archive with so many of everything. causes says that what causes waits is looked for.
func LeastOf(keeps Kept, causes bool, events, locations, objects, chunks int64) int64 {
	each := perLocation + keeps.Location
	if causes {
		each += perCausing
	}
	return keeps.Event*events + program + each*locations + perObject*objects + perChunk*chunks
}

// What things take that are in memory always, bytes: measured, rounded up.
const (
	program     = 96 << 20
	perLocation = 800
	perCausing  = 1 << 10 // besides, of a location whose waits have causes
	perObject   = 128
	perChunk    = 1 << 10
)

// margin is how much may be touched between two looks at what is resident, bytes.
const margin = 32 << 20
