package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/analyzer/pipeline"
	"tracerec/exchange/perfetto"
	"tracerec/exchange/pprof"
	"tracerec/internal/command"
	"tracerec/report"
	"tracerec/report/query"
	"tracerec/report/table"
	"tracerec/report/web"
	"tracerec/trace"
)

// exporting is an export.
type exporting struct {
	selection
	cmd *cobra.Command
	to  string
	out outputFile

	sources []string // directories with sources
}

func newExport() *cobra.Command {
	x := exporting{}
	to := command.NewFormat("pprof", "perfetto", "otf2", "csv", "html", "cubex")
	cmd := &cobra.Command{
		Use:   "export INPUT --to FORMAT -o OUTPUT",
		Short: "Write a report or trace for other tools",
		Long: `export writes INPUT, a report or a trace directory, for other tools:
  pprof     a profile with a sample type per metric, for go tool pprof
  perfetto  a trace with regions, waits, and arrows from cause to effect, to be
            opened at ui.perfetto.dev; INPUT must be a trace directory
  otf2      an archive in the Open Trace Format 2: OUTPUT is its anchor file,
            NAME.otf2; NAME.def and the directory NAME are made beside it; INPUT
            must be a trace
  csv       every severity, as expert dump prints it
  html      the page of expert view with its data, in one file, with source as
            expert view shows it: for a report only from --source directories
  cubex     the report, for CUBE and the other commands of expert`,
		Example: `  expert export trace.dir --to pprof -o waits.pb.gz
  go tool pprof -top -sample_index=late_sender waits.pb.gz`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			x.cmd, x.to = cmd, to.Value
			if err := x.check(to.Usage(), args[0]); err != nil {
				return err
			}
			switch x.to {
			case "perfetto":
				return x.perfetto(args[0])
			case "otf2":
				return x.otf2(args[0])
			}
			in, err := openReport(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			switch x.to {
			case "html":
				return x.html(in)
			case "cubex":
				return x.out.write(x.cmd, in.Cube.Write)
			}
			m, list, err := x.chosen(cmd, in)
			if err != nil {
				return err
			}
			if x.to == "pprof" {
				return x.pprof(in, m, list)
			}
			return x.csv(in, m, list)
		},
	}
	cmd.Flags().Var(to, "to", to.Usage())
	x.out.add(cmd, "`FILE` to write, - for standard output")
	cmd.Flags().Lookup("to").DefValue = "" // it must be given
	addSource(cmd, &x.sources)
	x.add(cmd)
	return cmd
}

// check looks for flags that are missing or do not go together.
func (x *exporting) check(formats, input string) error {
	flags := x.cmd.Flags()
	switch {
	case !flags.Changed("to"):
		return errors.New("--to is missing: " + formats)
	case !flags.Changed("output"):
		return errors.New("-o is missing: the name of the file to be written")
	}
	for _, f := range []struct{ name, formats string }{{"metrics", "pprof csv"}, {"stored", "pprof csv"}, {"self", "csv"}, {"source", "html"}} {
		if flags.Changed(f.name) && !strings.Contains(f.formats, x.to) {
			return fmt.Errorf("--%s does not go with --to %s", f.name, x.to)
		}
	}
	return x.out.check(x.cmd, input)
}

// note says what there is to say about an export.
func (x *exporting) note(notes []string) {
	for _, n := range notes {
		fmt.Fprintf(x.cmd.ErrOrStderr(), "expert: %s\n", n)
	}
}

func (x *exporting) pprof(in *reportInput, m *query.Model, list []*query.Metric) error {
	o := pprof.Options{Metrics: list, Program: filepath.Base(in.Name)}
	if e := in.run(); e != nil {
		o.Duration = e.Header.Span
		if e.Header.Program != "" {
			o.Program = filepath.Base(e.Header.Program)
		}
		if !e.Origin.Start.IsZero() {
			o.Start = e.Origin.Start.UnixNano()
		}
	}
	return x.out.write(x.cmd, func(w io.Writer) error {
		notes, err := pprof.Write(w, m, o)
		x.note(notes)
		return err
	})
}

func (x *exporting) csv(in *reportInput, m *query.Model, list []*query.Metric) error {
	return x.out.write(x.cmd, func(w io.Writer) error {
		notes, err := table.Dump(w, m, table.DumpOptions{Metrics: list, Self: x.parts(x.cmd, in), Format: table.CSV})
		x.note(notes)
		return err
	})
}

func (x *exporting) html(in *reportInput) error {
	r, err := webReport(in, x.sources)
	if err != nil {
		return err
	}
	return x.out.write(x.cmd, func(w io.Writer) error { return web.WriteHTML(w, r) })
}

// perfetto analyzes the trace, for its waits and messages, and writes it.
func (x *exporting) perfetto(input string) error {
	if err := x.needsTrace(input); err != nil {
		return err
	}
	var links perfetto.Links
	o := analyzer.Options{Wait: links.Wait, Message: links.Message, Collect: links.In, Locations: math.MaxInt32} // each has a track
	_, err := analyzeTrace(x.cmd, input, pipeline.Options{Options: o}, func(a *trace.Archive, e *report.Experiment) error {
		return x.out.write(x.cmd, func(w io.Writer) error {
			problems, err := perfetto.Write(w, a, e, &links)
			x.note(pipeline.Told(problems))
			x.note(e.Warnings)
			return err
		})
	})
	return err
}

// otf2 writes a trace as an OTF2 archive.
func (x *exporting) otf2(input string) error {
	if err := x.needsTrace(input); err != nil {
		return err
	}
	limit := limitMemory(x.cmd)
	if !x.cmd.Flags().Changed("memory") {
		limit = 0
	}
	notes, err := pipeline.WriteOTF2(x.out.path, input, limit)
	x.note(notes)
	return err
}

// needsTrace returns an error if an input is no trace. Where a report says that its trace is, may be anywhere: it is told, not followed.
func (x *exporting) needsTrace(input string) error {
	if pipeline.Recording(input) {
		return nil
	}
	in, err := openReport(x.cmd, input)
	if err != nil {
		return err
	}
	defer in.Close()
	where := ""
	if in.Experiment != nil && in.Experiment.Origin.Trace != "" {
		where = ", which it says was " + in.Experiment.Origin.Trace
	}
	return fmt.Errorf("%s: a report, which has no trace in it, and %s needs one: give the trace directory%s", in.Name, x.to, where)
}
