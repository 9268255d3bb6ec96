package main

import (
	"errors"

	"github.com/spf13/cobra"

	"tracerec/analyzer"
	"tracerec/analyzer/pipeline"
	"tracerec/analyzer/requests"
	"tracerec/internal/command"
	"tracerec/report"
)

func newRequests() *cobra.Command {
	f := new(requests.Finder)
	top, format := 5, command.NewFormat("text", "json")
	cmd := &cobra.Command{
		Use:   "requests INPUT",
		Short: "Show the latency of a service's requests, and what it is made of",
		Long:  report.RequestsHelp,
		Args:  oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := withRequests(cmd, args[0], f)
			if err != nil {
				return err
			}
			return report.WriteRequests(cmd.OutOrStdout(), e, f.Path, format.Value, top)
		},
	}
	cmd.Flags().Var(format, "format", format.Usage())
	cmd.Flags().Var((*command.Rows)(&top), "top", "most names, and rows of each list")
	addSelection(cmd, &f.Selection, "only those that begin in this time after the start, for instance 2s:3s", "only those that goroutine `N` served",
		"`ONE` of them, step by step: slowest, a number, or NAME:slowest")
	cmd.Flags().BoolVar(&f.Rounds, "rounds", false, "rounds of goroutines that work in a loop, too")
	addInput(cmd)
	return cmd
}

// withRequests returns what is known of an input with requests: of a report all, of a trace those that are selected.
func withRequests(cmd *cobra.Command, input string, f *requests.Finder) (*report.Experiment, error) {
	part := f.Selection != (requests.Selection{}) || f.Rounds
	if part && pipeline.Recording(input) {
		return analyzeTrace(cmd, input, pipeline.Options{Options: analyzer.Options{Wait: f.Wait, Queued: f.Queued, Collect: f.Collect, Keeps: f.Keeps()}}, f.Find)
	}
	in, err := open(cmd, input, pipeline.Options{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if part {
		return nil, errPart(in.Name)
	}
	if in.run() == nil {
		return nil, errors.New(in.Name + ": no requests are known of reports of several runs, and of other tools")
	}
	return in.run(), nil
}
