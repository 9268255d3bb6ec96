package main

import (
	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/internal/command"
	"tracerec/report/inputs"
	"tracerec/report/query"
	"tracerec/report/table"
)

func newMetrics() *cobra.Command {
	format := command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "metrics INPUT",
		Short: "List the metrics of a report",
		Long: `metrics lists the metrics of INPUT, a report or a trace directory: the name that
other commands use, title, total of the whole program, and kind. Metrics of the
kind derived are computed from others.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := openReport(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			m, _, err := query.Display(in.Cube)
			if err != nil {
				return err
			}
			return table.ListMetrics(m).Write(cmd.OutOrStdout(), table.Format(format.Value))
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	addInput(cmd)
	return cmd
}

// completeMetrics completes the flag that names metrics with those of the report that the command line names.
func completeMetrics(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 || inputs.File(args[0]) == "" || inputs.Live(args[0]) || pipeline.Recording(args[0]) { // a trace would have to be analyzed
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := inputs.Cube(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer c.Close()
	m, _, err := query.Display(c)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, q := range m.Metrics {
		names = append(names, q.Name+"\t"+q.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
