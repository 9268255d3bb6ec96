package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/metric"
)

// Sentences words what was found, for whoever lays it out. Names are safe to print; words that belong on one line are joined by
// no-break spaces.
type Sentences struct{ p page }

// StillWaiting is a wait that had not ended when the trace did, of one or more goroutines.
type StillWaiting struct {
	Text       string
	Path       uint32
	Since      int64    // the earliest of them began, ns since the start of the experiment
	Locations  []uint32 // who waits
	Idle       bool     // they wait for a timer, or for work, as they did before, or as they did when the trace of a running program began; or no longer than requests that did end
	HolderPath int32    // where the lock that they wait for was acquired, -1 unknown

	ends       []*NeverEnded
	hold       hold
	paths      []uint32 // where they wait, each once
	awaits     string   // the part of Text that says for what
	object     string   // that they wait for
	killed     bool     // their process may have been
	amid       bool     // they are in the middle of something, so not idle
	throughout bool     // all of them did nothing else in the trace
}

// Sentences returns a view of the experiment in words. It is used by one goroutine at a time.
func (e *Experiment) Sentences() *Sentences {
	return &Sentences{page{e: e, files: e.shortFiles(), said: map[string]int{}}}
}

// Finding tells who waited how long, where, and for whom.
func (s *Sentences) Finding(f *Finding) string { return s.p.sentence(f) }

// Headline names a finding: "Lock competition: DB.metalock".
func (s *Sentences) Headline(f *Finding) string { return s.p.headline(f) }

// Meanwhile tells what the causers of a finding did while they were waited for, and for how many ns that was; nil if that is not known.
func (s *Sentences) Meanwhile(f *Finding) (list []Doing, ns int64) { return s.p.doing(f), f.awaited() }

// Counted tells what was counted, "" if nothing was.
func (s *Sentences) Counted(list []Count) string { return s.p.counted(list) }

// CriticalPath divides the critical path by what its goroutines did, and tells what of it is a guess, "" if nothing is.
func (s *Sentences) CriticalPath() (parts []OnPath, byTime string) { return s.p.parts(), s.p.byTime() }

// Property tells how many events there are too many at a call path.
func (s *Sentences) Property(f *PropertyFinding) string { return s.p.property(f) }

// Requests returns what a table shows of the requests that were answered, for all together and for each name, and what is to be said below it; nil if there are none.
func (s *Sentences) Requests() (rows []RequestRow, notes []string) {
	if len(s.p.e.Requests) == 0 {
		return nil, nil
	}
	return requestRows(s.p.e.Requests, math.MaxInt), s.p.ofRequests()
}

// Causer names those of a causer who matter, one by its name, several as "worker ×7": as the sentence of its finding does.
func (s *Sentences) Causer(c *Causer) string { return s.p.who(c.Group, c.mattering()) }

// Location names a location.
func (s *Sentences) Location(l uint32) string { return s.p.name(l) }

// StillWaiting lists the waits that never ended, equal ones together.
func (s *Sentences) StillWaiting() []StillWaiting { return s.p.stillWaiting() }

// Idle tells of those of StillWaiting who were idle, "" if nobody was.
func (s *Sentences) Idle() string {
	_, idle := s.p.neverEnded()
	return s.p.idleText(idle)
}

// Lead sums the experiment up for somebody who sees such a report for the first time.
func (s *Sentences) Lead() []string {
	p, e := &s.p, s.p.e
	h := &e.Header
	var lead []string
	if v := e.Verdict; v.Text != "" {
		lead = append(lead, v.Text)
	}
	for _, text := range p.deadlocks() {
		if !slices.Contains(lead, text) {
			lead = append(lead, text)
		}
	}
	program := elide(clean(goName(h.Program[strings.LastIndexByte(h.Program, '/')+1:])), nameWidth)
	if program == "" {
		program = "The program"
	}
	workers := glue(count(int64(h.Goroutines-h.Streams), h.worker()))
	if h.Streams > 0 {
		workers += " and " + glue(count(int64(h.Streams), "GPU stream"))
	}
	lead = append(lead, fmt.Sprintf("%s ran for %s. Its %s existed for %s in total.", program, glue(seconds(h.Wall)), workers, glue(seconds(h.Time))))
	var waited int64
	for i := range e.Metrics {
		if m := &e.Metrics[i]; m.Kind == metric.WaitState && !s.belowWait(i) {
			waited += e.Total(i)
		}
	}
	if h.Time > 0 && waited > 0 {
		lead = append(lead, fmt.Sprintf("%s of that time, they waited for each other or for something outside the trace.",
			glue(percent(waited, h.Time))))
	}
	return lead
}

// belowWait says whether a metric is part of a wait state.
func (s *Sentences) belowWait(of int) bool {
	for parent := s.p.e.Metrics[of].Parent; parent != ""; {
		i := s.p.e.MetricIndex(parent)
		if i < 0 {
			return false
		}
		if s.p.e.Metrics[i].Kind == metric.WaitState {
			return true
		}
		parent = s.p.e.Metrics[i].Parent
	}
	return false
}
