package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/internal/session"
	"tracerec/internal/size"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

// addMemory adds the flag --memory, which withExperiment obeys.
func addMemory(cmd *cobra.Command) {
	cmd.Flags().Var(new(size.Bytes), "memory", "most memory to use, if possible; may read INPUT often")
}

// collect is how much garbage there may be, in per cent of what is in use, unless the environment says something
// else. What is in use are large blocks without pointers mostly, so collecting often costs little: 5 % of the time, for 40 %
// of the memory.
const collect = 25

// limitMemory obeys the flag --memory and returns how much of it the operations of a trace may take.
func limitMemory(cmd *cobra.Command) int64 {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collect)
	}
	limit := int64(*cmd.Flags().Lookup("memory").Value.(*size.Bytes))
	if limit == 0 {
		return 0
	}
	debug.SetMemoryLimit(limit)
	return max(1, limit/2) // the rest is for locations, waits and results
}

// withExperiment analyzes input and hands the result to write.
func withExperiment(cmd *cobra.Command, input string, write func(io.Writer, *report.Experiment) error) error {
	memory := limitMemory(cmd)
	unfinished := error(nil)
	if input != "" {
		unfinished = session.Unfinished(input)
	}
	a, err := open(input)
	if err == nil {
		defer a.Close()
		err = recorded(a, input)
	}
	if err != nil && unfinished != nil {
		return unfinished // which explains it
	}
	if err != nil {
		return err
	}
	show, done := progress(cmd.ErrOrStderr(), a)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Progress: show, Memory: memory})
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", input, err)
	}
	if unfinished != nil {
		e.Warnings = append([]string{unfinished.Error()}, e.Warnings...)
	}
	return write(cmd.OutOrStdout(), e)
}

// recorded returns an error if there is nothing in the archive to analyze.
func recorded(a *trace.Archive, input string) error {
	if events(a) > 0 {
		return nil
	}
	if damage := a.Problems(); len(damage) > 0 {
		return fmt.Errorf("no events left to analyze: %w", damage[0])
	}
	return fmt.Errorf("%s: no events recorded; put instrument.Region and the like into the program (see README.md) "+
		"and record it with tracerec", input)
}

// events returns the number of events in an archive.
func events(a *trace.Archive) (n uint64) {
	for _, c := range a.Chunks() {
		n += uint64(c.Events)
	}
	return n
}

// progress returns a function that shows how far the analysis is, nil if nobody watches, and one that takes it
// off the screen again.
func progress(w io.Writer, a *trace.Archive) (show func(uint64), done func()) {
	if !terminal(w) {
		return nil, func() {}
	}
	all := events(a)
	show = func(n uint64) { fmt.Fprintf(w, "\ranalyzing %d %% of %d events", 100*n/all, all) }
	return show, func() { fmt.Fprint(w, "\r\x1b[K") }
}

// open opens the input, told apart by its content: a trace directory, or something this version knows but
// cannot read.
func open(input string) (*trace.Archive, error) {
	if input == "" {
		return nil, errors.New("the name of the trace directory is empty")
	}
	info, err := os.Stat(input)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return trace.Open(input)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: neither a directory nor a file", input)
	}
	f, err := os.Open(input)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 16)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return nil, fmt.Errorf("%s: offset 0: %s", input, foreign(start[:n]))
}

var goTrace = regexp.MustCompile(`^go 1\.\d+ trace`)

// foreign says what a file is that starts in this way and is no trace directory.
func foreign(start []byte) string {
	switch {
	case goTrace.Match(start):
		return "a Go execution trace, which is not supported by this version"
	case len(start) > 6 && start[0] == 3 && bytes.Equal(start[2:7], []byte("OTF2\x00")):
		return "the anchor of an OTF2 archive, which is not supported by this version"
	}
	return "not a trace; give the directory that tracerec wrote"
}
