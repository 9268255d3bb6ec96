package main

import (
	"io"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/analyzer/score"
	"tracerec/internal/command"
	"tracerec/internal/output"
	"tracerec/internal/readable"
)

func newScore() *cobra.Command {
	top := 20
	limits, cost := score.Default, command.Percent(100*score.Default.Cost)
	format := command.NewFormat("text", "json")
	out := outputFile{texts: true}
	cmd := &cobra.Command{
		Use:   "score INPUT",
		Short: "Show what recording each region cost, and what to leave out",
		Long: `score shows for each region of INPUT, a trace directory, how often it was
visited, the time of its visits with what they called, what recording them cost,
and their part of the archive. It says how much an archive grows in a second,
so that you know before a long run.

A function costs more than it tells if recording its visits takes more than 5 %
of their time (--limit says otherwise), or if they were too many to record all;
it is marked +. With -o it writes a filter that leaves these functions out, in
the syntax of Score-P, for tracerec run --filter FILE, and the same of build and
test. The cost is that of events as the program measured it when it began:
caches that it would have used otherwise are not in it.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args[0]); err != nil {
				return err
			}
			if err := pipeline.Costed(args[0]); err != nil {
				return err
			}
			a, _, err := pipeline.Open(args[0])
			if err != nil {
				return err
			}
			defer a.Close()
			limits.Cost = float64(cost) / 100
			s := score.Of(a, limits)
			if cmd.Flags().Changed("output") {
				if err := saveFilter(out.path, s); err != nil {
					return err
				}
			}
			if format.Value == "json" {
				return readable.JSON(cmd.OutOrStdout(), s)
			}
			return s.Text(cmd.OutOrStdout(), top)
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*command.Rows)(&top), "top", "most regions")
	cmd.Flags().Var(&cost, "limit", "part of a region's time that recording it may take")
	out.add(cmd, "write a filter to this `FILE`")
	return cmd
}

// saveFilter writes the filter of a score.
func saveFilter(name string, s *score.Score) error {
	return output.Write(name, func(w io.Writer) error {
		_, err := s.Filter().WriteTo(w)
		return err
	})
}
