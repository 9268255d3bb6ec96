package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/analyzer/requests"
	"tracerec/internal/command"
	"tracerec/internal/readable"
	"tracerec/report"
)

func newAnalyze() *cobra.Command {
	top := 5
	format := command.NewFormat("text", "json")
	out, of := outputFile{texts: true}, requests.Selection{}
	cmd := &cobra.Command{
		Use:   "analyze INPUT",
		Short: "Explain where a recorded program waits",
		Long: `analyze reads INPUT: a trace directory, an OTF2 archive (its anchor file, or the
directory with that), a Go execution trace, or a report; - is standard input,
and http://HOST:PORT a Go program that serves net/http/pprof. It prints where
the program's time went, and the findings, ranked by what they cost. If a
recording is damaged, it analyzes the readable part and says so first; one that
is unfinished lacks what tracerec recover may still add to it. --window and
--request choose a part of a Go execution trace.

With -o it also writes a report, a .cubex file. This and the other commands can
use it without the trace. If there are more goroutines than --locations, those
of the largest groups are added up, with a message.

Counters are arranged in hierarchies. By default these are the specifications
shipped for the recorded processor; --spec names others, shipped ones or files.
Later ones override earlier ones.

Reports of other tools, and reports made from several, for example by expert
mean, have no critical path. Their wait states are ranked by their share of all
time. For a difference, analyze prints the changes, as expert diff does.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args[0]); err != nil {
				return err
			}
			in, err := open(cmd, args[0], pipeline.Options{Selection: of})
			if err != nil {
				return err
			}
			defer in.Close()
			if in.run() == nil {
				return in.explain(cmd, format.Value, top)
			}
			if err := in.load(); err != nil {
				return err
			}
			e, err := in.Experiment.Collapse(locations(cmd))
			if err == nil {
				err = save(cmd, e, &out)
			}
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if format.Value == "json" {
				return report.JSON(w, e)
			}
			return report.Text(w, e, report.TextOptions{Top: top, Color: readable.Colored(w), Name: in.Name})
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*command.Rows)(&top), "top", "most findings, and rows of each list")
	out.add(cmd, "write the report to this `FILE`, too")
	addSelection(cmd, &of, "only this time after the start, for instance 2s:3s", "with the critical path of goroutine `N`",
		"the time of `ONE` request: slowest, NUMBER, NAME:slowest")
	addInput(cmd)
	addWaits(cmd)
	return cmd
}

// save writes the report of an experiment, if it is wanted, and says where.
func save(cmd *cobra.Command, e *report.Experiment, out *outputFile) error {
	if !cmd.Flags().Changed("output") {
		return nil
	}
	c, err := e.Report(command.Version())
	if err != nil {
		return err
	}
	if err := out.write(cmd, c.Write); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "expert: wrote %s\n", out.path)
	return nil
}

// oneInput requires one argument.
func oneInput(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no INPUT; give a report, or the trace directory that tracerec wrote, for instance trace.dir")
	}
	if len(args) > 1 {
		return fmt.Errorf("one INPUT at a time, not %d", len(args))
	}
	return nil
}
