//go:build linux

package simulated

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tracerec/recorder"
)

// Archive is what was recorded.
type Archive struct {
	Dir       string
	Aside     string // where an older archive of that name went, "" if there was none
	Events    []string
	Processes int
	Locations int // goroutines, and what else was counted apart
	Functions int // that became regions
	Records   uint64
	Bytes     int64
	Frequent  []Frequent // functions that were not recorded all the time, the most frequent first
	Idle      []string   // patterns of the filter that no function's name fits
	Messages  []string   // how the recording of an instrumented program went; each one line
}

// Frequent is a function that was counted in its callers from some call on: see [Options.Frequent].
type Frequent struct {
	Function          string
	Recorded, Skipped uint64 // calls
}

// session is a recording and what it is to become.
type session struct {
	*recording
	archive *Archive
	undo    func() error
}

// begin prepares the recording of a run.
func begin(o *Options, r *Result) (*session, error) {
	aside, undo, err := recorder.Prepare(o.Output)
	if err != nil {
		return nil, err
	}
	rec, err := newRecording(r.Counters, o, o.Output)
	if err != nil {
		return nil, errors.Join(err, undo())
	}
	return &session{rec, &Archive{Dir: o.Output, Aside: aside, Events: rec.readings.names}, undo}, nil
}

// finished ends the recording, failure being how the run did, and says what was recorded.
func (s *session) finished(r *Result, failure error) error {
	if s.turn.Hart == nil { // nothing was executed
		return errors.Join(failure, s.out.Close(), s.undo())
	}
	status, ended := r.Status, failure
	if r.Break != "" {
		status, ended = -1, fmt.Errorf("break at %s", r.Break)
	}
	err := s.close(status, ended, r)
	a := s.archive
	a.Processes = len(s.all)
	a.Bytes, a.Records = s.out.Size()
	for _, p := range s.all {
		a.Locations += int(p.locations)
	}
	for _, i := range s.images {
		for _, f := range i.functions {
			if f.visits > 0 {
				a.Functions++
			}
			if f.skipped > 0 {
				a.Frequent = append(a.Frequent, Frequent{f.name, f.visits, f.skipped})
			}
		}
	}
	slices.SortFunc(a.Frequent, func(x, y Frequent) int {
		return cmp.Or(-cmp.Compare(x.Skipped, y.Skipped), cmp.Compare(x.Function, y.Function))
	})
	a.Idle = s.filter.idle()
	r.Archive = a
	return errors.Join(failure, err)
}
