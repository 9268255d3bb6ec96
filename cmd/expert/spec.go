package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/analyzer/pipeline"
	"tracerec/metric/spec"
	"tracerec/report"
)

// specs returns the flag --spec.
func specs(cmd *cobra.Command) []string {
	names, _ := cmd.Flags().GetStringArray("spec") // commands without the flag have none
	return names
}

// chosenSpecs reads the specifications that the user names, put together so that later ones may override earlier ones; nil if there are none.
func chosenSpecs(cmd *cobra.Command) ([]*spec.Spec, error) {
	names := specs(cmd)
	if len(names) == 0 {
		return nil, nil
	}
	s, err := spec.Load(names...)
	if err != nil {
		return nil, fmt.Errorf("--spec: %w", err)
	}
	return []*spec.Spec{s}, nil
}

// derive makes hierarchies, ratios and properties of the counters of an experiment.
func derive(cmd *cobra.Command, e *report.Experiment) error {
	chosen, err := chosenSpecs(cmd)
	if err != nil {
		return err
	}
	return pipeline.Derive(e, chosen)
}

// noSpec says that a report cannot be derived again.
func noSpec(input string) error {
	return fmt.Errorf("%s: --spec needs a trace or a report of one; reports made of several are derived when they are merged", input)
}
