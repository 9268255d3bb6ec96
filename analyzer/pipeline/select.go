package pipeline

import (
	"fmt"
	"time"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/report"
	"tracerec/report/inputs"
	"tracerec/trace"
)

// how says how a recording is opened.
type how struct {
	recorded bool            // with its own clocks
	memory   int64           // that the user lets the analysis have, bytes; 0: any
	keeps    analyzer.Kept   // Options.Keeps
	causes   bool            // Options.Causes
	window   requests.Window // only this part, the zero value for all
}

func (o *Options) how() how {
	h := how{recorded: o.Recorded, window: o.Selection.Window, keeps: o.Keeps, causes: o.Causes}
	if o.Limited {
		h.memory = o.Memory
	}
	return h
}

// narrow looks for the request that is selected, and selects the goroutine that serves it, in its time.
func (o *Options) narrow(input string) error {
	o.Goroutine = o.Selection.Goroutine
	if o.Selection.Request == "" {
		return nil
	}
	if !isGoTrace(input) {
		return fmt.Errorf("%s: only of a Go execution trace the time of a request can be analyzed; expert requests --request shows it step by step", inputs.Called(input))
	}
	f := &requests.Finder{Selection: o.Selection}
	all := *o
	all.Selection, all.Goroutine, all.Wait, all.Queued, all.Collect, all.Keeps, all.IndexWaits = requests.Selection{}, 0, f.Wait, f.Queued, f.Collect, f.Keeps(), false
	_, err := Analyze(input, all, func(a *trace.Archive, e *report.Experiment) error {
		if err := f.Find(a, e); err != nil {
			return fmt.Errorf("%s: %w", inputs.Called(input), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.Selection.Window = requests.Window{From: f.Path.Begin, To: f.Path.Begin + f.Path.Latency}
	o.Goroutine = f.Path.Goroutine
	return nil
}

// tell says what was selected. What waits at the end of a part goes on behind it.
func (o *Options) tell(e *report.Experiment) {
	var list []string
	s := &o.Selection
	round := func(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }
	if s.Window != (requests.Window{}) {
		e.NeverEnded = nil
		list = append(list, fmt.Sprintf("only what was between %v and %v after the start of the trace is analyzed", round(s.Window.From), round(min(s.Window.To, s.Window.From+e.Header.Span))))
	}
	if o.Goroutine != 0 {
		list = append(list, fmt.Sprintf("the critical path is that of goroutine %d, not of the run", o.Goroutine))
		if e.Header.Of = fmt.Sprintf("goroutine %d", o.Goroutine); s.Request != "" {
			e.Header.Of = "the request"
		}
		e.Judge()
	}
	e.Warnings = append(list, e.Warnings...)
}
