// Package timeline reads windows of a trace: what some locations did between two times, with their call paths, without loading the rest
// of the trace. It decompresses only chunks that hold events of these locations and times. The analysis of the trace says in which call path
// a location was at the beginning of a chunk (report.Experiment.Starts). Of a window with too many events to read in a moment, the package shows
// only that.
package timeline

import (
	"fmt"
	"sync"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
)

// Limits of a window.
const (
	maxEvents    = 4 << 20 // events shown in one window, one only decoded counts a third: an answer in a fraction of a second. Of more only samples are shown
	maxSamples   = 50_000  // of all rows
	maxLocations = 256     // rows
	maxSpans     = 20_000  // of a row …
	maxWindow    = 200_000 // … and of all
	maxDepth     = 64      // levels of a row
	maxArrows    = 20_000
	arrowPixels  = 3    // width of the shortest wait whose end is explained
	defaultWidth = 1600 // pixels
)

// Reader reads windows of the trace that an experiment was made from. It is safe for concurrent use.
type Reader struct {
	archive   *trace.Archive
	e         *report.Experiment
	locations []uint32 // by location of the trace: its place in the experiment, none if it is not there alone
	pieces    [][]piece
	starts    []report.Start
	states    bool                         // of goroutines are told
	waits     map[uint32]report.WaitReader // by location of the trace, not used
	decoders  sync.Pool                    // of *decoder
	limit     int                          // maxEvents, but in tests
}

// piece is a batch of a location's events.
type piece struct {
	chunk uint32 // index in Archive.Chunks
	batch uint32 // within the chunk
	start uint32 // index in Experiment.Starts
}

// decoder decodes one chunk at a time.
type decoder struct {
	*trace.Decoder
	buf trace.Buffer
}

const none = ^uint32(0)

// Of returns a reader of an archive, which must be the one that the experiment was made from. Closing it closes the archive; so does an error, which begins with the name.
func Of(a *trace.Archive, name string, e *report.Experiment) (*Reader, error) {
	r, err := New(a, e)
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// Close closes the trace. No window may be read afterwards.
func (r *Reader) Close() error { return r.archive.Close() }

// New returns a reader of an archive, which must be the one that the experiment was made from and stay open.
func New(a *trace.Archive, e *report.Experiment) (*Reader, error) {
	n := len(a.Definitions().Locations)
	r := &Reader{archive: a, e: e, locations: make([]uint32, n), pieces: make([][]piece, n), starts: e.Starts, states: e.MetricIndex(metric.Ready) >= 0, limit: maxEvents}
	for i := range r.locations {
		r.locations[i] = none
	}
	for i := range e.Locations {
		l := &e.Locations[i]
		if int(l.Trace) >= n || a.Definitions().Locations[l.Trace].GoID != l.GoID {
			return nil, fmt.Errorf("the report was not made from this trace: goroutine %d of %s is not there", l.GoID, l.Name)
		}
		r.locations[l.Trace] = uint32(i)
	}
	single := r.singled(n)
	start := uint32(0)
	for i, c := range a.Chunks() {
		for j, l := range c.Locations {
			if r.locations[l] != none || single[l] { // others are never asked for
				r.pieces[l] = append(r.pieces[l], piece{uint32(i), uint32(j), start})
			}
			start++
		}
	}
	if int(start) != len(r.starts) {
		r.starts = nil // made by an older version
	}
	waits, err := report.ReadWaits(e)
	if err != nil {
		return nil, err
	}
	if r.waits, err = waits.Locations(n); err != nil {
		return nil, err
	}
	r.decoders.New = func() any { return &decoder{Decoder: a.NewDecoder()} }
	return r, nil
}

// singled returns the goroutines of long waits, which may be shown instead of the first of those that are one location.
func (r *Reader) singled(n int) []bool {
	single := make([]bool, n)
	for i := range r.e.Stats {
		for _, in := range r.e.Stats[i].Worst {
			for _, g := range []int64{int64(in.Trace), int64(in.CauserTrace)} {
				if g >= 0 && g < int64(n) {
					single[g] = true
				}
			}
		}
	}
	return single
}

// goroutine returns which goroutine of a location is shown: of several, the one of the longest wait in the window.
func (r *Reader) goroutine(l uint32, begin, end int64) trace.LocationID {
	at, longest := r.e.Locations[l].Trace, int64(0)
	if r.e.Locations[l].Count <= 1 {
		return trace.LocationID(at)
	}
	for i := range r.e.Stats {
		for _, in := range r.e.Stats[i].Worst {
			d := min(in.End, end) - max(in.Begin, begin)
			switch {
			case d <= longest:
			case in.Location == l && int(in.Trace) < len(r.pieces):
				at, longest = in.Trace, d
			case in.Causer == int32(l) && in.CauserTrace >= 0 && int(in.CauserTrace) < len(r.pieces):
				at, longest = uint32(in.CauserTrace), d
			}
		}
	}
	return trace.LocationID(at)
}

// Window returns what happened on locations of the experiment. What is left out because there is too much is said in the window.
func (r *Reader) Window(q report.WindowRequest) (*report.Window, error) {
	if q.Begin >= q.End {
		return nil, fmt.Errorf("the window ends before it begins")
	}
	if q.Width <= 0 {
		q.Width = defaultWidth
	}
	w := &window{r: r, out: report.Window{Begin: q.Begin, End: q.End}, pixel: (q.End - q.Begin) / int64(q.Width),
		names: map[string]int{}, regions: make([]int, len(r.archive.Definitions().Regions)), created: map[trace.LocationID]creation{}, begun: map[trace.LocationID]int64{}, rows: map[trace.LocationID]*row{}}
	for i, l := range q.Locations {
		if int(l) >= len(r.e.Locations) {
			return nil, fmt.Errorf("there is no location %d", l)
		}
		if i == maxLocations {
			w.truncate("only the first %d of %d goroutines are shown", maxLocations, len(q.Locations))
			break
		}
		w.add(l, r.goroutine(l, q.Begin, q.End))
		if x := &r.e.Locations[l]; x.Count > 1 {
			w.truncate("%s stands for %d goroutines, of which one is shown", x.Name, x.Count)
		}
	}
	w.read()
	w.finish()
	return &w.out, nil
}
