package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/internal/readable"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/inputs"
)

func newDiff() *cobra.Command {
	top, out := 10, outputFile{texts: true}
	format := command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Print what changed from one report to another",
		Long:  algebra.DiffHelp,
		Args:  twoInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args...); err != nil {
				return err
			}
			in, done, err := openInputs(cmd, args)
			defer done()
			if err != nil {
				return err
			}
			r, err := algebra.Diff(in[0], in[1])
			if err != nil {
				return err
			}
			if out.path != "" {
				if err := out.write(cmd, r.Cube.Write); err != nil {
					return err
				}
			}
			x, err := algebra.ChangesOf(r.Cube)
			if err != nil {
				return err
			}
			x.Requests, x.Serve = algebra.RequestChanges(in[0].Requests, in[1].Requests), in[0].Serves && in[1].Serves
			o := algebra.TextOptions{Top: top, Notes: r.Notes, Repeatable: simulated(in)}
			if !o.Repeatable && (simulated(in[:1]) || simulated(in[1:])) {
				o.Notes = append(o.Notes, "warning: only one of the runs was simulated, and its times are another machine's")
			}
			if format.Value == "json" {
				return x.JSON(cmd.OutOrStdout(), o)
			}
			return x.Text(cmd.OutOrStdout(), o)
		},
	}
	out.add(cmd, "write the difference to this `FILE`, a report")
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*command.Rows)(&top), "top", "most rows of each list")
	addInput(cmd)
	return cmd
}

func newMerge() *cobra.Command {
	return newCombine("merge", "Unite reports with different metrics, processes or call paths", `merge makes one report of several, with all their metrics, call paths and
processes. What several of them measured is averaged. Use it for runs that
measured different counters: hierarchies and ratios are derived from the
counters of all runs, by --spec or the specifications shipped for their
processor. It prints how the runs differ.`, mergeRuns)
}

func newMean() *cobra.Command {
	return newCombine("mean", "Average reports of several runs", `mean computes the mean of several runs of a program, and keeps how they varied,
so that expert diff and expert check can distinguish a change from noise. It
prints mean, minimum, maximum, standard deviation and noise of each metric.
Noise is half the width of the 95 % confidence interval of the mean.`,
		func(_ *cobra.Command, in []algebra.Input) (*algebra.Result, error) { return algebra.Mean(in...) })
}

// newCombine makes a command that makes one report of several.
func newCombine(name, short, long string, combine func(*cobra.Command, []algebra.Input) (*algebra.Result, error)) *cobra.Command {
	out := outputFile{texts: true}
	format := command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use: name + " REPORT… -o OUT", Short: short, Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s; give two or more", readable.Plural(len(args), "report"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args...); err != nil {
				return err
			}
			in, done, err := openInputs(cmd, args)
			defer done()
			if err != nil {
				return err
			}
			r, err := combine(cmd, in)
			if err := saveResult(cmd, r, err, &out); err != nil {
				return err
			}
			x, err := algebra.Summarize(r.Cube)
			if err != nil || x == nil {
				return err
			}
			if format.Value == "json" {
				return x.JSON(cmd.OutOrStdout())
			}
			return x.Text(cmd.OutOrStdout())
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	out.require(cmd, "write the report to this `FILE`")
	addInput(cmd)
	return cmd
}

func newCut() *cobra.Command {
	out := outputFile{}
	o := algebra.CutOptions{}
	cmd := &cobra.Command{
		Use:   "cut REPORT -o OUT",
		Short: "Write a report of a part of the call tree",
		Long: `cut writes a report of a part of the call tree: everything below --root, except
what is below each --prune, whose values are added to the caller. PATH consists
of region names separated by slashes; outer names may be left out. solve is
every call of solve, /main/solve only the call from main at the top.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args...); err != nil {
				return err
			}
			in, done, err := openInputs(cmd, args)
			defer done()
			if err != nil {
				return err
			}
			if o.Root == "" && len(o.Prune) == 0 {
				return errors.New("neither --root nor --prune: nothing to cut")
			}
			r, err := algebra.Cut(in[0], o)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return saveResult(cmd, r, err, &out)
		},
	}
	cmd.Flags().StringVar(&o.Root, "root", "", "keep only what is below `PATH`")
	cmd.Flags().StringArrayVar(&o.Prune, "prune", nil, "make `PATH` and all below part of the caller; may be repeated")
	out.require(cmd, "write the report to this `FILE`")
	addInput(cmd)
	return cmd
}

func newCmp() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cmp A B",
		Short: "Print whether two reports are equal",
		Long: `cmp compares metrics, call trees, systems and values of two reports, regardless
of their order in the files, and prints the first differences. Fractions may
differ in the last digit.

Exit status: 0 if equal, 1 if different, 2 for wrong usage or unreadable input.`,
		Args: twoInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, done, err := openInputs(cmd, args)
			defer done()
			if err != nil {
				return err
			}
			c, err := algebra.Compare(in[0], in[1])
			if err != nil || c.Equal {
				return err
			}
			lines := c.Differences
			if n := c.Count - len(lines); n > 0 {
				lines = append(lines, fmt.Sprintf("and %d more differences", n))
			}
			for _, d := range lines {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), readable.Clean(d)); err != nil {
					return err
				}
			}
			return errDifferent
		},
	}
	addInput(cmd)
	return cmd
}

// errDifferent makes exit status 1 of a comparison whose differences were printed.
var errDifferent = errors.New("the reports differ")

// twoInputs requires two arguments.
func twoInputs(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%s; give two: reports or trace directories", readable.Plural(len(args), "report"))
	}
	return nil
}

// openInputs opens reports. done closes those that were opened, and must be called.
func openInputs(cmd *cobra.Command, args []string) (in []algebra.Input, done func(), err error) {
	var opened []io.Closer
	done = func() {
		for _, c := range opened {
			c.Close()
		}
	}
	names := inputs.ShortNames(args)
	for i, arg := range args {
		r, err := openReport(cmd, arg)
		if err != nil {
			return nil, done, err
		}
		opened = append(opened, r)
		r.warn(cmd)
		in = append(in, algebra.Input{Name: names[i], Cube: r.Cube, Requests: r.requests(), Serves: r.run() != nil && r.run().Serves()})
	}
	return in, done, nil
}

// saveResult writes a report and says what was lost in making it.
func saveResult(cmd *cobra.Command, r *algebra.Result, err error, out *outputFile) error {
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		if !strings.HasPrefix(n, "warning: ") {
			n = "note: " + n
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "expert: %s\n", readable.Clean(n))
	}
	return out.write(cmd, r.Cube.Write)
}

// simulated tells whether all reports are of runs on the simulator.
func simulated(in []algebra.Input) bool {
	return !slices.ContainsFunc(in, func(i algebra.Input) bool {
		e, err := report.Read(i.Cube)
		return err != nil || e.Header.CPU.Vendor != "simulator"
	})
}
