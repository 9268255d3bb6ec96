package main

import (
	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/internal/command"
	"tracerec/internal/readable"
)

func newRequests() *cobra.Command {
	top, format := 5, command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "requests INPUT",
		Short: "Show the latency of a service's requests, and what it is made of",
		Long:  requests.Help,
		Args:  oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			f := new(requests.Finder)
			if _, err := analyzeTrace(cmd, args[0], analyzer.Options{Wait: f.Wait}, f.Find); err != nil {
				return err
			}
			if format.Value == "json" {
				return readable.JSON(cmd.OutOrStdout(), f.Found)
			}
			return f.Found.Text(cmd.OutOrStdout(), top)
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*rows)(&top), "top", "most names, and rows of each list")
	addInput(cmd)
	return cmd
}
