package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/analyzer/timeline"
	"tracerec/report/query"
	"tracerec/report/web"
)

// soon is after how long view tells where the report will be, if it is not there yet.
const soon = time.Second

func newView() *cobra.Command {
	var (
		address, external, named string
		sources                  []string
	)
	cmd := &cobra.Command{
		Use:   "view INPUT",
		Short: "Show a report in the browser",
		Long: `view shows INPUT, a report or a trace directory, in the browser: the findings,
metrics, call paths and goroutines as linked trees, and the timeline of the
longest waits. It prints an address to open, and serves it until interrupted. As
long as a trace is being analyzed, the page says how far that is.
Only programs on this machine that know the address can see the page, and the
page requests nothing from any other machine.

--external shows metrics in per cent of the same metrics in another report. The
timeline needs the trace: INPUT is a trace directory, or --trace names the trace
of a report. For a trace directory, source code is shown from where the program
was built. A report may come from anybody, so view never opens the directories
that it names: it shows source only from --source directories.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := web.Listen(address) // first, as it fails fast
			if err != nil {
				return err
			}
			defer l.Close()
			s := web.NewServer(l)
			running, end := context.WithCancel(cmd.Context())
			defer end()
			served := make(chan error, 1)
			go func() { served <- s.Serve(running) }()
			tell := sync.OnceFunc(func() { fmt.Fprintln(cmd.OutOrStdout(), s.URL()) })
			defer time.AfterFunc(soon, tell).Stop() // the page says how far a long analysis is
			limitMemory(cmd)
			in, err := openWatched(cmd, args[0], pipeline.Options{Terminal: s})
			if err != nil {
				return err
			}
			defer in.Close()
			r, err := webReport(in, sources)
			if err != nil {
				return err
			}
			if external != "" {
				other, err := openReport(cmd, external)
				if err != nil {
					return err
				}
				defer other.Close()
				model, _, err := query.Display(other.Cube)
				if err != nil {
					return err
				}
				r.External = &web.External{File: other.Name, Model: model}
			}
			if t, err := timelineOf(in, named); err != nil && named != "" {
				return err
			} else if err != nil {
				r.Problems = append(r.Problems, "There is no timeline: "+err.Error())
			} else if t != nil {
				defer t.Close()
				r.Timeline = t
			}
			if err := s.Show(r); err != nil {
				return err
			}
			tell()
			ctx, stop := signal.NotifyContext(running, os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, end)
			return <-served
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "http", "", "`address` of this machine to serve at, HOST:PORT or PORT (default any free port)")
	flags.StringVar(&external, "external", "", "`report` to give values in per cent of")
	flags.StringVar(&named, "trace", "", "`directory` of the trace that the report was made from")
	addSource(cmd, &sources)
	addInput(cmd)
	addWaits(cmd)
	return cmd
}

// addSource adds the flag that says where source may be read.
func addSource(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "source", nil, "`directory` with the program's source; may be repeated")
}

// webReport prepares a report for the browser.
func webReport(in *reportInput, sources []string) (*web.Report, error) {
	r, err := web.NewReport(in.Name, in.Cube, in.Experiment)
	if err != nil {
		return nil, err
	}
	r.Stat, r.Roots, r.Recorded = in.Stat, sources, in.Sources
	return r, in.properties()
}

// timelineOf opens the trace of a report: the one that was analyzed, or that the user names; nil without.
func timelineOf(in *reportInput, named string) (*timeline.Reader, error) {
	dir := cmp.Or(named, in.Trace)
	switch {
	case dir == "":
		return nil, nil
	case in.run() == nil:
		return nil, errors.New("--trace: the report does not say what it was made from")
	}
	a, _, err := pipeline.Open(dir)
	if err != nil {
		return nil, err
	}
	return timeline.Of(a, dir, in.Experiment)
}
