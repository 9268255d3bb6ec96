package main

import (
	"errors"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/report"
)

func newRequests() *cobra.Command {
	top, format := 5, command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "requests INPUT",
		Short: "Show the latency of a service's requests, and what it is made of",
		Long:  report.RequestsHelp,
		Args:  oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := open(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			e := in.run()
			if e == nil {
				return errors.New(in.Name + ": no requests are known of reports of several runs, and of other tools")
			}
			if format.Value == "json" {
				return report.RequestsJSON(cmd.OutOrStdout(), e.Requests, e.Warnings)
			}
			return report.RequestsText(cmd.OutOrStdout(), e.Requests, e.Warnings, top)
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*rows)(&top), "top", "most names, and rows of each list")
	addInput(cmd)
	return cmd
}
