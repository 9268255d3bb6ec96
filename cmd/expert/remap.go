package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracerec/report/cube"
	"tracerec/report/inputs"
	"tracerec/report/query"
)

func newRemap() *cobra.Command {
	var out outputFile
	var spec string
	var define []string
	cmd := &cobra.Command{
		Use:   "remap REPORT -o OUT",
		Short: "Write a report with another hierarchy of metrics, or with your own metrics",
		Long: `remap writes a report with the hierarchy of metrics that a specification
defines, including derived ones. Scalasca's trace analyses contain one, which
expert view, stat and export apply automatically. -r names another one: a text
file such as remapping.spec, or a report that contains one.

--define adds your own metric, computed from the sums of others for the current
selection:

    expert remap r.cubex --define 'ipc=metric::PAPI_TOT_INS()/metric::PAPI_TOT_CYC()' -o ipc.cubex

NAME=EXPRESSION may be NAME[UNIT]=EXPRESSION; the language is CubePL.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd, args[0], spec); err != nil {
				return err
			}
			in, err := openReport(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			c, err := remap(in.Cube, spec, len(define) > 0)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			for _, d := range define {
				if c, err = query.DefineText(c, d); err != nil {
					return fmt.Errorf("%s: --define: %w", in.Name, err)
				}
			}
			if c, err = query.Portable(c); err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			return out.write(cmd, c.Write)
		},
	}
	cmd.Flags().StringVarP(&spec, "remapping", "r", "", "arrange metrics as this `FILE` says, in place of what the report says itself")
	cmd.Flags().StringArrayVar(&define, "define", nil, "add a metric `NAME[UNIT]=EXPRESSION`; can be given several times")
	out.require(cmd, "write the report to this `FILE`, - for standard output")
	addInput(cmd)
	return cmd
}

// remap applies the specification in a file, or the one that the report brings along, which it must if nothing else is asked for.
func remap(c *cube.Cube, file string, otherwise bool) (*cube.Cube, error) {
	if file == "" {
		spec, ok := query.Embedded(c)
		switch {
		case ok:
			return query.Remap(c, spec)
		case otherwise:
			return c, nil
		}
		return nil, errors.New("the report says nothing about the hierarchy of its metrics; give a specification with -r, or --define")
	}
	spec, err := inputs.Remapping(file)
	if err != nil {
		return nil, err
	}
	c, err = query.Remap(c, spec)
	var format *cube.FormatError
	if errors.As(err, &format) {
		format.File = inputs.Called(file)
	}
	return c, err
}
