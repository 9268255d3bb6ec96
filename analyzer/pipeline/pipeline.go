// Package pipeline turns a trace directory or an OTF2 archive into its result, for all commands: it opens the archive, analyzes it with all patterns, gives
// objects the names that the program's source gives them, makes hierarchies and ratios of its counters, and finds the source.
package pipeline

import (
	"fmt"
	"io"
	"path/filepath"

	"tracerec/analyzer"
	"tracerec/exchange/otf2"
	"tracerec/internal/sessionfile"
	"tracerec/internal/size"
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
	Specs    []*spec.Spec // of the counters; nil: those that are shipped for the recorded processor
	Limited  bool         // the user chose Memory: if it is too little, that is an error
	Terminal io.Writer    // shows how far the analysis is until it is done; nil: nothing does
}

// Recording says whether a path names something that was recorded, not a report: a directory, or an OTF2 archive.
func Recording(path string) bool { return inputs.IsDir(path) || otf2.Is(path) }

// Open opens a trace directory or an OTF2 archive.
func Open(path string) (*trace.Archive, error) {
	if !otf2.Is(path) {
		return trace.Open(path)
	}
	a, err := otf2.Open(path)
	if err != nil {
		return nil, err
	}
	return a.Trace(), nil
}

// Analyze analyzes a trace directory, or what else Open opens. use, if not nil, gets the archive, which is open until it returns, with the result. What is wrong with a
// recording that can be analyzed all the same is among the warnings of the result.
func Analyze(dir string, o Options, use func(*trace.Archive, *report.Experiment) error) (*report.Experiment, error) {
	unfinished := sessionfile.Unfinished(dir)
	a, err := Open(dir)
	if err == nil {
		defer a.Close()
		err = recorded(a, dir)
	}
	if err != nil && unfinished != nil {
		return nil, unfinished // which explains it
	}
	if err != nil {
		return nil, err
	}
	if least := analyzer.Least(a); o.Limited && o.Memory < least {
		// Whole steps, so that the number is easy to type and stays what it is.
		const step = 64 << 20
		enough := size.Bytes((least + step - 1) / step * step)
		return nil, fmt.Errorf("%s: --memory %s is too little for its %d goroutines: --memory %s is enough", dir, new(size.Bytes(o.Memory)), len(a.Definitions().Locations), &enough)
	}
	o.Patterns, o.Name = patterns.All(), namesOf(a)
	e, err := o.watched(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if unfinished != nil {
		e.Warnings = append([]string{unfinished.Error()}, e.Warnings...)
	}
	if e.Origin.Trace, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	e.Origin.Sources = sourceRoots(e.Regions)
	if err = Derive(e, o.Specs); err == nil && use != nil {
		err = use(a, e)
	}
	return e, err
}

// watched analyzes an archive in front of who watches.
func (o *Options) watched(a *trace.Archive) (*report.Experiment, error) {
	if all := events(a); o.Terminal != nil {
		o.Progress = func(n uint64) { fmt.Fprintf(o.Terminal, "\ranalyzing %d %% of %d events", 100*n/all, all) }
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

// recorded returns an error if there is nothing in the archive to analyze.
func recorded(a *trace.Archive, dir string) error {
	if events(a) > 0 {
		return nil
	}
	if damage := a.Problems(); len(damage) > 0 {
		return fmt.Errorf("no events left to analyze: %w", damage[0])
	}
	if !a.Header().Complete {
		return fmt.Errorf("%s: no events left to analyze: the end of the archive is missing", dir)
	}
	return fmt.Errorf("%s: no events recorded; put instrument.Region and the like into the program (see README.md) "+
		"and record it with tracerec", dir)
}

// events returns the number of events in an archive.
func events(a *trace.Archive) (n uint64) {
	for _, c := range a.Chunks() {
		n += uint64(c.Events)
	}
	return n
}
