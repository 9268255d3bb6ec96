package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/exchange/perfetto"
	"tracerec/exchange/pprof"
	"tracerec/report"
	"tracerec/report/query"
	"tracerec/report/table"
	"tracerec/report/web"
	"tracerec/trace"
)

// exporting is an export.
type exporting struct {
	cmd *cobra.Command
	selection
	output string
}

func newExport() *cobra.Command {
	x := exporting{}
	to := newFormat("pprof", "perfetto", "csv", "html", "cubex")
	cmd := &cobra.Command{
		Use:   "export INPUT --to FORMAT -o OUTPUT",
		Short: "Write a report or trace for other tools",
		Long: `export writes INPUT, a report or a trace directory, for other tools:
  pprof     a profile with a sample type per metric, for go tool pprof
  perfetto  a trace with regions, waits, and arrows from cause to effect, to be
            opened at ui.perfetto.dev; INPUT must be a trace directory, or a
            report whose trace is still there
  csv       every severity, as expert dump prints it
  html      the browser of expert view with its data, in one file
  cubex     the report, for CUBE and the other commands of expert`,
		Example: `  expert export trace.dir --to pprof -o waits.pb.gz
  go tool pprof -top -sample_index=late_sender waits.pb.gz`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !cmd.Flags().Changed("to"):
				return errors.New("--to is missing: " + to.usage())
			case x.output == "":
				return errors.New("-o is missing: the name of the file to be written")
			}
			x.cmd = cmd
			if to.value == "perfetto" {
				return x.perfetto(args[0])
			}
			return x.with(cmd, args[0], func(in *reportInput, m *query.Model) error {
				switch to.value {
				case "pprof":
					return x.pprof(in, m)
				case "csv":
					return x.csv(in, m)
				case "html":
					return x.html(in)
				}
				return in.Cube.Save(x.output)
			})
		},
	}
	cmd.Flags().Var(to, "to", to.usage())
	cmd.Flags().StringVarP(&x.output, "output", "o", "", "`file` to write")
	cmd.Flags().Lookup("to").DefValue = "" // it must be given
	x.add(cmd)
	return cmd
}

// note says what there is to say about an export.
func (x *exporting) note(notes []string) {
	for _, n := range notes {
		fmt.Fprintf(x.cmd.ErrOrStderr(), "expert: %s\n", n)
	}
}

func (x *exporting) pprof(in *reportInput, m *query.Model) error {
	list, err := table.Metrics(m, x.metrics)
	if err != nil {
		return err
	}
	o := pprof.Options{Metrics: list, Program: filepath.Base(in.Name)}
	if e := in.Experiment; e != nil {
		o.Duration = e.Header.Span
		if e.Header.Program != "" {
			o.Program = filepath.Base(e.Header.Program)
		}
		if !e.Origin.Start.IsZero() {
			o.Start = e.Origin.Start.UnixNano()
		}
	}
	return writeFile(x.output, func(w io.Writer) error {
		notes, err := pprof.Write(w, m, o)
		x.note(notes)
		return err
	})
}

func (x *exporting) csv(in *reportInput, m *query.Model) error {
	list, err := table.Metrics(m, x.metrics)
	if err != nil {
		return err
	}
	self := x.self
	if !x.cmd.Flags().Changed("self") {
		self = in.Experiment != nil
	}
	return writeFile(x.output, func(w io.Writer) error {
		notes, err := table.Dump(w, m, table.DumpOptions{Metrics: list, Self: self, Format: table.CSV})
		x.note(notes)
		return err
	})
}

func (x *exporting) html(in *reportInput) error {
	r, closing, err := webReport(x.cmd, in, viewOptions{})
	if err != nil {
		return err
	}
	defer closing()
	return writeFile(x.output, func(w io.Writer) error { return web.WriteHTML(w, r) })
}

// perfetto analyzes the trace, for its waits and messages, and writes it.
func (x *exporting) perfetto(input string) error {
	dir, err := x.trace(input)
	if err != nil {
		return err
	}
	var links perfetto.Links
	_, err = withTrace(x.cmd, dir, analyzer.Options{Wait: links.Wait, Message: links.Message}, func(a *trace.Archive, e *report.Experiment) error {
		return writeFile(x.output, func(w io.Writer) error {
			problems, err := perfetto.Write(w, a, e, &links)
			for _, p := range problems {
				x.note([]string{p.Error()})
			}
			x.note(e.Warnings)
			return err
		})
	})
	return err
}

// trace returns the trace directory of an input.
func (x *exporting) trace(input string) (string, error) {
	if isDir(input) {
		return input, nil
	}
	in, err := openReport(x.cmd, input)
	if err != nil {
		return "", err
	}
	defer in.Close()
	switch {
	case in.Experiment == nil || in.Experiment.Origin.Trace == "":
		return "", fmt.Errorf("%s: a report without a trace; perfetto shows traces: give the trace directory", input)
	case in.Trace == "":
		return "", fmt.Errorf("%s: its trace %s is gone; perfetto shows traces: give the directory where it is now", input,
			in.Experiment.Origin.Trace)
	}
	return in.Trace, nil
}

// writeFile writes a file, which appears only when it is complete.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
