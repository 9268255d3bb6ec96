package analyzer

import (
	"cmp"
	"slices"
	"sort"

	"tracerec/internal/spill"
)

// readers are the functions with which goroutines begin that read from a connection or a pipe what others have asked for or written, or accept
// connections. Nothing tells who asked for what came, but it was not the reader.
var readers = map[string]bool{
	"net/http.(*persistConn).readLoop":                                true,
	"net/http.(*http2ClientConn).readLoop":                            true,
	"net/http/internal/http2.(*ClientConn).readLoop":                  true,
	"golang.org/x/net/http2.(*ClientConn).readLoop":                   true,
	"google.golang.org/grpc/internal/transport.(*http2Client).reader": true,
	"net/rpc.(*Client).input":                                         true,
	"github.com/nats-io/nats.go.(*Conn).readLoop":                     true,
	"testing.runExample.func1":                                        true, // what an example prints
	"net/http.(*Server).Serve":                                        true,
	"net/http.(*Server).ListenAndServe":                               true,
	"net/http.Serve":                                                  true,
	"net/http.ListenAndServe":                                         true,
	"net/http/httptest.(*Server).goServe.func1":                       true,
	"google.golang.org/grpc.(*Server).Serve":                          true,
}

// carriers are the functions with which goroutines begin that write to a connection, or make one, whenever others ask for it on a channel. They have nothing to do until then, and
// nobody waits for them: what those do who will ask is no delay of theirs.
var carriers = map[string]bool{
	"net/http.(*persistConn).writeLoop":   true,
	"database/sql.(*DB).connectionOpener": true,
}

// handsOnSignals says whether a goroutine with this function does nothing but hand on signals: they come from outside, so who waits for it waits for nobody in the trace.
func handsOnSignals(function string) bool {
	return function == "os/signal.loop" || function == "os/signal.NotifyContext.func1"
}

// pause is a stretch in which a location did nothing, but waited for nobody in the trace.
type pause struct {
	begin, end int64
	loc        uint32
}

// pauses are ascending by (location, end, begin).
type pauses []pause

// newPauses puts pauses in order, and leaves the lists empty.
func newPauses(store *spill.Store, lists []*list[pause]) pauses {
	n := 0
	for _, l := range lists {
		n += l.len()
	}
	all := pauses(spill.Make[pause](store, n)[:0])
	for _, l := range lists {
		for _, b := range l.blocks {
			store.Pace()
			all = append(all, b...)
		}
		*l = list[pause]{}
	}
	compared := 0
	slices.SortFunc(all, func(a, b pause) int {
		if compared++; compared%paced == 0 {
			store.Pace()
		}
		return cmp.Or(cmp.Compare(a.loc, b.loc), cmp.Compare(a.end, b.end), cmp.Compare(a.begin, b.begin))
	})
	return all
}

// until returns those of a location that ended behind a time, but not behind another one.
func (r pauses) until(loc uint32, behind, to int64) pauses {
	last := func(t int64) int {
		return sort.Search(len(r), func(i int) bool { return r[i].loc > loc || r[i].loc == loc && r[i].end > t })
	}
	first := last(behind)
	return r[first:max(first, last(to))]
}

// asker says whether the path leaves location loc, a reader on which it is up to t, in one of its waits for the network that ended behind
// another time, and where it goes on: at the last one that waited for it, where that had asked, or was about to.
func (w *walker) asker(loc uint32, behind, t int64) (by uint32, at int64, is bool) {
	if len(w.readings) == 0 || !w.s.reads(loc) {
		return loc, t, false
	}
	for _, r := range slices.Backward(w.readings.until(loc, behind, t)) {
		for back := w.taken.last(); back != nil; back = w.taken.last() {
			at, is = w.asked(*back, loc, r.end)
			if is && at < r.begin {
				break // the reader did something else meanwhile
			}
			by = w.back().loc
			if is {
				at = max(at, w.path.begin)
				w.segment(loc, at, t)
				return by, at, true
			}
		}
	}
	return loc, t, false
}

// asked returns where the path would go on at a waiter from a reader at the end of one of its waits: at the begin of a wait for that reader
// which the waiter is in then, else there, if it is known what the waiter did.
func (w *walker) asked(waiter taken, reader uint32, t int64) (at int64, is bool) {
	if begin := w.jumps.list[waiter.jump].begin; begin < t {
		return begin, true
	}
	if j := w.jumps.around(waiter.loc, t); j != nil {
		return j.begin, j.causer == reader
	}
	return t, w.s.locations[waiter.loc].begin < t
}

// reads says whether a location is a reader.
func (s *scan) reads(loc uint32) bool { return s.regions.reads[s.locations[loc].begun] }

// carries says whether a location is a carrier.
func (s *scan) carries(loc uint32) bool { return s.regions.carries[s.locations[loc].begun] }
