package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/exchange/gotrace"
	"tracerec/exchange/otf2"
	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
	"tracerec/internal/size"
	"tracerec/report"
	"tracerec/report/inputs"
	"tracerec/trace"
)

// Recording says whether an input is something that was recorded, not a report: a directory, an OTF2 archive or a Go execution trace.
func Recording(input string) bool { return inputs.IsDir(input) || otf2.Is(input) || isGoTrace(input) }

// kindOf says in words of what kind a recording is: what is known of programs depends on it.
func kindOf(input string, h *report.Header) string {
	switch {
	case otf2.Is(input):
		return "OTF2 archive"
	case isGoTrace(input):
		return "Go execution trace"
	case h.States:
		return "recording"
	}
	return "recording without states of goroutines"
}

// Costed is an error for an input that does not say what recording it cost: only the directories that tracerec writes do.
func Costed(input string) error {
	if _, err := inputs.Stat(input); err != nil {
		return err
	}
	if !inputs.IsDir(input) || otf2.Is(input) {
		return fmt.Errorf("%s: only a trace directory of tracerec says what recording it cost", inputs.Called(input))
	}
	return nil
}

// isGoTrace says whether an input is a Go execution trace.
func isGoTrace(input string) bool {
	r, done, err := inputs.Open(input)
	if err != nil {
		return false
	}
	defer done()
	start := make([]byte, 16)
	n, _ := io.ReadFull(r, start)
	return gotrace.Is(start[:n])
}

// Open opens a recording as an archive with something in it; damage is what the archive does not tell of itself, nil for nothing.
func Open(input string) (a *trace.Archive, damage, err error) { return open(input, how{}) }

func open(input string, h how) (a *trace.Archive, damage, err error) {
	if inputs.Live(input) {
		if _, err = inputs.Stat(input); err != nil {
			return nil, nil, err
		}
	}
	part := h.window != (requests.Window{})
	switch {
	case part && !isGoTrace(input):
		err = errors.New(inputs.Called(input) + ": only of a Go execution trace a part of the time can be analyzed; see expert requests, or the timeline of expert view")
	case otf2.Is(input):
		a, err = openOTF2(input, h)
	case isGoTrace(input):
		a, damage, err = openGoTrace(input, h)
	default:
		damage = sessionfile.Unfinished(input)
		a, err = trace.Open(input)
	}
	if err == nil {
		err = notEmpty(a, inputs.Called(input))
	}
	if err != nil && damage != nil {
		err = damage // which explains it
	}
	if err != nil && a != nil {
		a.Close()
	}
	return a, damage, err
}

// clocksShare is the part of the memory that correcting clocks may take, before anything else is in it.
const clocksShare = 2

func openOTF2(input string, h how) (*trace.Archive, error) {
	a, err := otf2.Open(input)
	if err != nil {
		return nil, err
	}
	if h.recorded {
		a.KeepClocks()
	}
	if h.memory > 0 {
		a.CorrectWithin(h.memory / clocksShare)
	}
	t := a.Trace()
	if lacks := a.Lacks(); lacks > 0 {
		t.Close()
		return nil, fmt.Errorf("%s: --memory %s is too little to correct its clocks: --memory %s is enough, or --recorded-clocks", inputs.Called(input), new(size.Bytes(h.memory)), enough(clocksShare*lacks))
	}
	return t, nil
}

func openGoTrace(input string, h how) (a *trace.Archive, damage, err error) {
	r, done, err := inputs.Open(input)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	a, damage, err = gotrace.OpenPart(inputs.Called(input), r, h.window.From, h.window.End(), h.check(r.Size()))
	damage = cmp.Or(inputs.Damage(input), damage)
	if err == nil && damage == nil && events(a) == 0 {
		damage = errors.New(inputs.Called(input) + ": a Go execution trace in which no goroutine of the program did anything")
	}
	return a, damage, err
}

// check returns what refuses a Go execution trace of a size as soon as it is certain that the memory is too little, nil if any will do: to convert all of it takes long. Of a part, what is before that
// would be counted, too, which is not kept.
func (h how) check(bytes int64) func(gotrace.Sofar) error {
	if h.memory == 0 || h.window != (requests.Window{}) {
		return nil
	}
	return func(s gotrace.Sofar) error {
		least, none := analyzer.LeastOf(h.keeps, h.causes, s.Events, s.Locations, s.Objects, 0), analyzer.LeastOf(analyzer.Kept{}, false, 0, 0, 0, 0)
		if least <= h.memory {
			return nil
		}
		const more = 1.25 // the rest may have more of everything
		all := analyzer.LeastOf(h.keeps, h.causes || analyzer.Causing(s.Events, s.Locations), s.Events, s.Locations, s.Objects, 0) + int64(more*float64(least-none)*float64(max(0, bytes-s.Bytes))/float64(s.Bytes))
		return fmt.Errorf("--memory %s is too little for the %s of its first %s: --memory %s should be enough for all", new(size.Bytes(h.memory)), of(s.Locations, s.Objects, s.Events, h.keeps.Event),
			readable.RoughPercent(float64(s.Bytes)/float64(bytes)), enough(all))
	}
}

// of says what takes the memory for an analysis that keeps so much of each event.
func of(goroutines, objects, events, keeps int64) string {
	what := readable.Grouped(goroutines, 0) + " goroutines"
	if objects > goroutines { // which are locks and channels then: in execution traces each goroutine has one at most
		what += ", " + readable.Grouped(objects, 0) + " locks, channels and the like"
	}
	if keeps > 0 {
		what += " and " + readable.Grouped(events, 0) + " events"
	}
	return what
}
