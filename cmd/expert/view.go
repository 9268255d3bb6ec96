package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"tracerec/analyzer/timeline"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/web"
	"tracerec/trace"
)

// viewOptions are choices about what a browser is shown.
type viewOptions struct {
	external string   // second report
	trace    string   // trace directory that the report was made from
	sources  []string // directories with sources
}

func newView() *cobra.Command {
	address := ""
	o := viewOptions{}
	cmd := &cobra.Command{
		Use:   "view INPUT",
		Short: "Show a report in the browser",
		Long: `view shows INPUT, a report or a trace directory, in the browser: metrics, call
paths and goroutines as linked trees, the findings in words, and the timeline of
the longest waits. It prints an address to open there and serves it until
interrupted. Only programs on this machine that know the address can see it,
and nothing is requested from any other machine.

A metric of INPUT can be given in per cent of the same metric in another report
(--external). A timeline needs the trace: INPUT is a trace directory, or --trace
names the one of a report. For a trace directory, source code is shown from
where the program was built. A report may come from anybody, so the directories
that it names are never opened: its source is shown only from below --source.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := web.Listen(address) // first, as it fails fast
			if err != nil {
				return err
			}
			defer l.Close()
			limitMemory(cmd)
			in, err := openReport(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			r, closing, err := webReport(cmd, in, o)
			if err != nil {
				return err
			}
			defer closing()
			s, err := web.NewServer(r, l)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			fmt.Fprintln(cmd.OutOrStdout(), s.URL())
			return s.Serve(ctx)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "http", "", "`address` of this machine to serve at, HOST:PORT or PORT (default any free port)")
	flags.StringVar(&o.external, "external", "", "`report` to give values in per cent of")
	flags.StringVar(&o.trace, "trace", "", "`directory` of the trace that the report was made from")
	addSource(cmd, &o.sources)
	addInput(cmd)
	addWaits(cmd)
	return cmd
}

// addSource adds the flag that says where source may be read.
func addSource(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "source", nil, "`directory` with the program's source; may be repeated")
}

// webReport prepares a report for the browser. The function returned ends the use of the files.
func webReport(cmd *cobra.Command, in *reportInput, o viewOptions) (r *web.Report, closing func(), err error) {
	var close closers
	defer func() {
		if err != nil {
			close.all()
		}
	}()
	r = &web.Report{Title: filepath.Base(in.Name), File: in.Name, Experiment: in.Experiment, Stat: in.Stat, Roots: o.sources, Recorded: in.Sources}
	if e := in.run(); e != nil && e.Header.Program != "" {
		r.Title = filepath.Base(e.Header.Program)
	}
	if r.Model, r.Problems, err = display(in.Cube); err != nil {
		return nil, nil, err
	}
	if err = in.properties(); err != nil {
		return nil, nil, err
	}
	if o.external != "" {
		other, err := openReport(cmd, o.external)
		if err != nil {
			return nil, nil, err
		}
		close.add(func() { other.Close() })
		model, _, err := display(other.Cube)
		if err != nil {
			return nil, nil, err
		}
		r.External = &web.External{File: other.Name, Model: model}
	}
	if err := close.timeline(r, in, o.trace); err != nil {
		return nil, nil, err
	}
	return r, close.all, nil
}

// closers are what is to be done in the end.
type closers []func()

func (c *closers) add(f func()) { *c = append(*c, f) }

func (c *closers) all() {
	for _, f := range *c {
		f()
	}
}

// timeline opens the trace of a report: the one that was analyzed, or that the user names.
func (c *closers) timeline(r *web.Report, in *reportInput, named string) error {
	dir := in.Trace
	if named != "" {
		dir = named
	}
	switch {
	case dir == "":
		return nil
	case in.run() == nil:
		return errors.New("--trace: the report does not say what it was made from")
	}
	a, err := trace.Open(dir)
	if err == nil {
		c.add(func() { a.Close() })
		var reader *timeline.Reader
		if reader, err = timeline.New(a, in.Experiment); err == nil {
			r.Timeline = reader
			return nil
		}
		err = fmt.Errorf("%s: %w", dir, err)
	}
	if named == "" {
		r.Problems = append(r.Problems, "There is no timeline: "+err.Error())
		return nil
	}
	return err
}

// display makes the model of a report as it wants to be shown, else as it was measured, with the reason.
func display(c *cube.Cube) (m *query.Model, problems []string, err error) {
	if m, err = query.Display(c); err != nil {
		problems = []string{"The metrics are shown as they were measured, not as the report wants them to be shown: " + err.Error()}
		m, err = query.New(c)
	}
	return m, problems, err
}
