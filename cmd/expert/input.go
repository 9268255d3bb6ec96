package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/analyzer/requests"
	"tracerec/internal/command"
	"tracerec/internal/readable"
	"tracerec/internal/size"
	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/inputs"
	"tracerec/report/tracestat"
	"tracerec/trace"
)

// addInput adds the flags that open obeys: they say how a trace directory is analyzed.
func addInput(cmd *cobra.Command) {
	cmd.Flags().Var(new(size.Bytes), "memory", "most memory for a trace (default half of all)")
	cmd.Flags().Bool("recorded-clocks", false, "do not correct clocks of an OTF2 archive")
	n := report.DefaultLocations
	cmd.Flags().Var((*command.Rows)(&n), "locations", "most goroutines to tell apart")
	cmd.Flags().StringArray("spec", nil, "counters by this specification: a `NAME` or file")
	cmd.Flags().Bool("causes", false, "find what caused waits in large recordings, too")
	addLive(cmd)
}

// addWaits adds the flag for commands that show timelines, or write the report from which others do.
func addWaits(cmd *cobra.Command) {
	cmd.Flags().Bool("no-waits", false, "do not store who ended each wait, for timelines")
}

// wantsWaits says whether a command that analyzes a trace keeps who ended each wait.
func wantsWaits(cmd *cobra.Command) bool {
	flags := cmd.Flags()
	return flags.Lookup("no-waits") != nil && !noWaits(cmd) && (flags.Lookup("output") == nil || flags.Changed("output"))
}

// noWaits says whether who ended each wait is not to be kept, not even of a report that knows it.
func noWaits(cmd *cobra.Command) bool { return flagged(cmd, "no-waits") }

// flagged says whether a command has a flag, and it is set.
func flagged(cmd *cobra.Command, name string) bool {
	set, err := cmd.Flags().GetBool(name)
	return err == nil && set
}

// addSelection adds the flags that say which part of a trace is looked at.
func addSelection(cmd *cobra.Command, s *requests.Selection, window, goroutine, request string) {
	cmd.Flags().Var(&s.Window, "window", window)
	cmd.Flags().Uint64Var(&s.Goroutine, "goroutine", 0, goroutine)
	cmd.Flags().StringVar(&s.Request, "request", "", request)
}

// limitMemory obeys the flag --memory and returns it.
func limitMemory(cmd *cobra.Command) int64 {
	spill.Collect()
	flag := cmd.Flags().Lookup("memory")
	if flag == nil {
		return 0
	}
	return spill.Limit(int64(*flag.Value.(*size.Bytes)))
}

// reportInput is a report that a command was given.
type reportInput struct {
	Name string // as the user gave it
	Cube *cube.Cube
	// Experiment is what expert found out beside the numbers, nil if the report is not one of expert, or is made of several and has no counters.
	Experiment *report.Experiment
	Trace      string          // trace that was analyzed here and now, else "": where a report says that its trace is, is never followed
	Stat       *tracestat.Stat // Scalasca's statistics of wait states, nil if there are none
	Sources    []string        // directories with the program's source, if a trace was analyzed; no report is believed
}

// Close closes the file. Rows of the cube that were not read are lost.
func (in *reportInput) Close() error { return in.Cube.Close() }

// open opens an input, told apart by its content: a report file of expert or of another tool, or a trace, which is analyzed. The cube of
// what was analyzed, or derived again because the user wants it, has only numbers: see openReport.
func open(cmd *cobra.Command, input string, o pipeline.Options) (in *reportInput, err error) {
	in = &reportInput{Name: inputs.Called(input)}
	if _, err = inputs.Stat(input); err != nil {
		return nil, err
	}
	if pipeline.Recording(input) {
		if in.Experiment, err = analyzeTrace(cmd, input, o, nil); err != nil {
			return nil, err
		}
		in.Cube, in.Trace, in.Sources = in.Experiment.Cube, input, in.Experiment.Origin.Sources
		return in, nil
	}
	if o.Selection != (requests.Selection{}) {
		return nil, errPart(in.Name)
	}
	if in.Cube, err = inputs.Cube(input); err != nil {
		return nil, err
	}
	in.Experiment, err = report.Read(in.Cube)
	switch again := len(specs(cmd)) > 0; {
	case again && (errors.Is(err, report.ErrForeign) || err == nil && in.Experiment.Merged):
		err = noSpec(in.Name)
	case errors.Is(err, report.ErrForeign):
		if in.Stat, err = inputs.Statistics(in.Cube, input); err != nil { // the report itself is none the worse for it
			in.Cube.Problems, err = append(in.Cube.Problems, err.Error()), nil
		}
	case err == nil && again:
		if err = in.load(); err == nil {
			err = derive(cmd, in.Experiment)
		}
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	if in.Experiment != nil && noWaits(cmd) {
		in.Experiment.Waits = nil
	}
	return in, nil
}

// errPart is the error of who wants a part of a report.
func errPart(name string) error {
	return fmt.Errorf("%s: a report is of the whole run: a part is chosen when the trace is analyzed", name)
}

// run returns the experiment of one run, nil if the report is of several, or not one of expert.
func (in *reportInput) run() *report.Experiment {
	if in.Experiment != nil && in.Experiment.Merged {
		return nil
	}
	return in.Experiment
}

// requests returns the requests that the report knows of.
func (in *reportInput) requests() []report.Requests {
	if e := in.run(); e != nil {
		return e.Requests
	}
	return nil
}

// openReport is open for who needs the whole report.
func openReport(cmd *cobra.Command, input string) (*reportInput, error) {
	return openWatched(cmd, input, pipeline.Options{})
}

// openWatched is openReport for a command that says itself how a trace is analyzed.
func openWatched(cmd *cobra.Command, input string, o pipeline.Options) (*reportInput, error) {
	in, err := open(cmd, input, o)
	if err != nil || in.Experiment == nil || in.Trace == "" && len(specs(cmd)) == 0 {
		return in, err
	}
	if in.Experiment, err = in.Experiment.Collapse(locations(cmd)); err == nil {
		in.Cube, err = in.Experiment.Report(command.Version())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input, err)
	}
	return in, nil
}

// load reads all numbers of a report, so that what is wrong with it shows.
func (in *reportInput) load() error {
	err := in.Cube.Load()
	if damage := (*cube.FormatError)(nil); errors.As(err, &damage) {
		return damage // the first
	}
	return err
}

// warn says what makes the numbers of a report less than exact, to who is shown nothing but numbers.
func (in *reportInput) warn(cmd *cobra.Command) {
	if in.Experiment == nil {
		return
	}
	for _, w := range in.Experiment.Warnings {
		if !strings.HasPrefix(w, in.Name) {
			w = in.Name + ": " + w
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "expert: "+w)
	}
}

// analyzeTrace analyzes a trace as the flags say, and hands it and the result to use, if that is not nil.
func analyzeTrace(cmd *cobra.Command, input string, p pipeline.Options, use func(*trace.Archive, *report.Experiment) error) (e *report.Experiment, err error) {
	p.Memory, p.Locations, p.IndexWaits = limitMemory(cmd), cmp.Or(p.Locations, locations(cmd)), wantsWaits(cmd)
	p.Causes = flagged(cmd, "causes")
	p.Limited, p.Recorded = cmd.Flags().Changed("memory"), flagged(cmd, "recorded-clocks")
	if p.Specs, err = chosenSpecs(cmd); err != nil {
		return nil, err
	}
	if w := cmd.ErrOrStderr(); readable.Terminal(w) && p.Terminal != nil {
		p.Terminal = io.MultiWriter(w, p.Terminal)
	} else if readable.Terminal(w) {
		p.Terminal = w
	}
	return pipeline.Analyze(input, p, use)
}

// locations returns the flag --locations.
func locations(cmd *cobra.Command) int {
	if flag := cmd.Flags().Lookup("locations"); flag != nil {
		return int(*flag.Value.(*command.Rows))
	}
	return report.DefaultLocations
}
