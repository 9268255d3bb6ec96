// Package pipeline turns a trace (a directory, an OTF2 archive or a Go execution trace) into its result, for all commands: it opens the trace, analyzes it with all patterns, gives
// objects the names that the program's source gives them, makes hierarchies and ratios of its counters, and finds the source.
package pipeline

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/internal/size"
	"tracerec/internal/spill"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/composite"
	"tracerec/report/inputs"
	"tracerec/trace"
)

// Options say how to analyze. Of those of the analyzer, Patterns, Name and Progress are set by Analyze.
type Options struct {
	analyzer.Options
	// Selection is the part that is analyzed: the window of a Go execution trace, the critical path of a goroutine, or of a request in its time.
	Selection requests.Selection
	Specs     []*spec.Spec // of the counters; nil: those that are shipped for the recorded processor
	Recorded  bool         // times of OTF2 archives are those of the recording, also where messages arrive before they are sent
	Limited   bool         // the user chose Memory: if it is too little, that is an error
	Terminal  io.Writer    // shows how far the analysis is until it is done; nil: nothing does
}

// Analyze analyzes a trace. use, if not nil, gets the archive, which is open until it returns, with the result. What is wrong with a
// recording that can be analyzed all the same is among the warnings of the result.
func Analyze(input string, o Options, use func(*trace.Archive, *report.Experiment) error) (*report.Experiment, error) {
	if err := o.narrow(input); err != nil {
		return nil, err
	}
	if o.IndexWaits {
		o.Keeps.Event++ // the index
	}
	a, damage, err := open(input, o.how())
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if least := analyzer.Least(a, o.Keeps, o.Causes); o.Limited && o.Memory < least {
		d := a.Definitions()
		what := of(int64(len(d.Locations)), int64(len(d.Objects)), int64(events(a)), o.Keeps.Event)
		return nil, fmt.Errorf("%s: --memory %s is too little for its %s: --memory %s is enough", inputs.Called(input), new(size.Bytes(o.Memory)), what, enough(least))
	}
	o.Patterns, o.Name = patterns.All(), namesOf(a)
	var finder *requests.Finder
	withRequests := analyzer.Least(a, o.Keeps.And(new(requests.Finder).Keeps()), o.Causes)
	served := requests.Possible(a) && o.Goroutine == 0
	if served && o.Wait == nil && (o.Memory == 0 || withRequests <= o.Memory) {
		finder = &requests.Finder{Part: o.Selection.Window.From > 0 && o.Selection.Request == ""}
		o.Wait, o.Queued, o.Beside = finder.Wait, finder.Queued, func() { finder.Read(a) }
		collect := o.Collect
		o.Collect = func(store *spill.Store) {
			if finder.Collect(store); collect != nil {
				collect(store)
			}
		}
	}
	if o.Collect != nil {
		if o.Store, err = analyzer.NewStore(a, o.Memory, true, o.Causes); err != nil {
			return nil, fmt.Errorf("%s: %w", inputs.Called(input), err)
		}
		defer o.Store.Close()
		o.Collect(o.Store)
	}
	e, err := o.watched(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputs.Called(input), err)
	}
	if finder != nil {
		err = finder.Find(a, e)
		if err != nil {
			return nil, err
		}
	} else if served && o.Wait == nil {
		e.Warnings = append(e.Warnings, "requests are not looked for, as that may take more memory than there is: --memory "+enough(withRequests)+" is enough")
	}
	if damage != nil {
		e.Warnings = append([]string{damage.Error()}, e.Warnings...)
	}
	o.tell(e)
	if file := inputs.File(input); file != "" && o.Selection.Window == (requests.Window{}) { // whose timeline would be another one
		if e.Origin.Trace, err = filepath.Abs(file); err != nil {
			return nil, err
		}
	}
	e.Origin.Sources, e.Origin.Kind = sourceRoots(e.Regions), kindOf(input, &e.Header)
	if err = Derive(e, o.Specs); err == nil && use != nil {
		err = use(a, e)
	}
	return e, cmp.Or(o.Store.Err(), err)
}

// enough writes a number of bytes in whole steps, so that it is easy to type and stays what it is.
func enough(bytes int64) string {
	const step = 64 << 20
	return new(size.Bytes((bytes + step - 1) / step * step)).String()
}

// watched analyzes an archive in front of who watches.
func (o *Options) watched(a *trace.Archive) (*report.Experiment, error) {
	if o.Terminal != nil {
		o.Progress = func(step string, done, all uint64) { fmt.Fprintf(o.Terminal, "\r\x1b[K%s: %d %%", step, 100*done/all) }
		defer fmt.Fprint(o.Terminal, "\r\x1b[K")
	}
	return analyzer.Analyze(a, o.Options)
}

// Derive makes hierarchies, ratios and properties of the counters of an experiment, anew if it has some: by the specifications, or if these are nil
// by those that are shipped for its processor.
func Derive(e *report.Experiment, specs []*spec.Spec) (err error) {
	if specs == nil {
		if specs, err = spec.Choose(spec.CPU(e.Header.CPU)); err != nil {
			return err
		}
	}
	if err := composite.DeriveExperiment(e, specs...); err != nil {
		return err
	}
	return analyzer.FindProperties(e, patterns.Properties())
}

// notEmpty returns an error if there is nothing in the archive to analyze.
func notEmpty(a *trace.Archive, dir string) error {
	if events(a) > 0 {
		return nil
	}
	if damage := a.Problems(); len(damage) > 0 {
		return fmt.Errorf("no events left to analyze: %w", damage[0])
	}
	if !a.Header().Complete {
		return fmt.Errorf("%s: no events left to analyze: the end of the archive is missing", dir)
	}
	return fmt.Errorf("%s: no events recorded; tracerec run builds, records and analyzes a program", dir)
}

// events returns the number of events in an archive.
func events(a *trace.Archive) (n uint64) {
	for _, c := range a.Chunks() {
		n += uint64(c.Events)
	}
	return n
}
