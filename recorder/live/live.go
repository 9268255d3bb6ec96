// Package live follows a recording in progress: what each region does now, in any of several metrics. It reads the
// measurement buffers beside the recorder and changes nothing in them, so that any number of viewers may come and go. It is
// the perfometer of "A Portable Programming Interface for Performance Evaluation on Modern Processors", for all regions and
// metrics at once.
//
// The view is not complete. It misses chunks that the recorder saves and gives back between two looks; each frame says how
// much was seen ([Frame.Seen]).
package live

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// Names of the metrics that every recording has. Counters follow under their own names.
const (
	executing = "executing" // ns in which goroutines executed the region itself
	waiting   = "waiting"   // ns in which goroutines were blocked in operations in the region
	visits    = "visits"    // times that the region was entered
)

// Key identifies a region.
type Key struct {
	Name string `json:"region"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Row is what a region did within one frame, exclusive along call paths.
type Row struct {
	Key
	Values []int64 `json:"values"` // by metric; of counters what is certain
	// Uncertain is by metric how much more it may be at most, unbounded if nobody knows: others may have run on the thread.
	Uncertain []int64 `json:"uncertain"`
}

// unbounded is how much more a counter may be of whose stretches some have no bound.
const unbounded = -1

// Frame is what was seen between two calls of monitor.Frame.
type Frame struct {
	Interval   int64    `json:"interval_ns"`
	Metrics    []string `json:"metrics"`
	Rows       []Row    `json:"regions"` // ascending (Name, File, Line); those that ever did something
	Processes  int      `json:"processes"`
	Goroutines int      `json:"goroutines"` // in a region at the end of the frame
	Seen       float64  `json:"seen"`       // part of the recorded chunks that were looked at in time, 1 is all
	Over       bool     `json:"over"`       // the recording has ended
}

// monitor follows one session. It is used by one goroutine at a time.
type monitor struct {
	dir     string // of the session
	names   map[string]bool
	procs   []*process
	metrics []string
	metric  map[string]int
	rows    []Row
	row     map[Key]int
	joined  int64 // when the view began, monotonic
	began   int64 // of the frame
	seen    uint64
	missed  uint64
}

// attach follows the recording whose buffers are in a session directory. Processes are found as they join.
func attach(session string) *monitor {
	m := &monitor{dir: session, names: map[string]bool{}, metric: map[string]int{}, row: map[Key]int{}, joined: now()}
	m.began = m.joined
	for _, name := range []string{executing, waiting, visits} {
		m.number(name)
	}
	return m
}

func now() int64 { return clock.Take(clock.Monotonic).Mono }

// number returns the index of a metric, which it adds when it is new.
func (m *monitor) number(name string) int {
	i, ok := m.metric[name]
	if !ok {
		i = len(m.metrics)
		m.metrics = append(m.metrics, name)
		m.metric[name] = i
		for r := range m.rows {
			m.rows[r].Values, m.rows[r].Uncertain = append(m.rows[r].Values, 0), append(m.rows[r].Uncertain, 0)
		}
	}
	return i
}

// rowOf returns the index of a region's row.
func (m *monitor) rowOf(k Key) int {
	i, ok := m.row[k]
	if !ok {
		i = len(m.rows)
		m.rows = append(m.rows, Row{k, make([]int64, len(m.metrics)), make([]int64, len(m.metrics))})
		m.row[k] = i
	}
	return i
}

// Shortest is the shortest time between two frames, and how often the buffers are looked at.
const Shortest = 20 * time.Millisecond

// Look reads what was recorded since the last look. Look often: every [Shortest] little is missed.
func (m *monitor) Look() {
	entries, _ := os.ReadDir(m.dir) // when the session is gone, so are its processes
	present := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		if present[name] = true; !strings.HasSuffix(name, shm.Suffix) || m.names[name] {
			continue
		}
		if f, err := shm.Follow(filepath.Join(m.dir, name)); err == nil { // else it is gone already, or no buffer
			m.names[name] = true
			p := newProcess(m, name, f)
			m.procs = append(m.procs, p)
			if f.Info().Start.Mono < m.joined { // what it did before is not of the view, but where its goroutines are
				p.look()
				m.forget()
			}
		}
	}
	m.procs = slices.DeleteFunc(m.procs, func(p *process) bool {
		p.look()
		if present[p.name] {
			return false
		}
		p.follower.Close()
		return true
	})
}

// forget clears what was charged since the last frame.
func (m *monitor) forget() {
	for i := range m.rows {
		clear(m.rows[i].Values)
		clear(m.rows[i].Uncertain)
	}
	m.seen, m.missed = 0, 0
}

// Frame looks, and returns what happened since the last frame.
func (m *monitor) Frame() Frame {
	m.Look()
	t := now()
	f := Frame{Interval: t - m.began, Metrics: slices.Clone(m.metrics), Processes: len(m.procs), Seen: 1}
	for _, p := range m.procs {
		f.Goroutines += p.chargeAll()
	}
	for i := range m.rows {
		r := &m.rows[i]
		f.Rows = append(f.Rows, Row{r.Key, slices.Clone(r.Values), slices.Clone(r.Uncertain)})
	}
	slices.SortFunc(f.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if all := m.seen + m.missed; all > 0 {
		f.Seen = float64(m.seen) / float64(all)
	}
	_, err := os.Stat(m.dir)
	f.Over = err != nil && len(m.procs) == 0
	m.began = t
	m.forget()
	return f
}

// Close ends the view.
func (m *monitor) Close() {
	for _, p := range m.procs {
		p.follower.Close()
	}
	m.procs = nil
}

// unknown is the region of which no definition was seen.
var unknown = wire.Def{Name: "(unknown region)"}
