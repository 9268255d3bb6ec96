package main

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"tracerec/internal/command"
	"tracerec/report/query"
	"tracerec/report/table"
)

// selection is what commands that print values have in common.
type selection struct {
	metrics string
	self    bool
	stored  bool
}

// add adds the flags of a selection.
func (s *selection) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&s.metrics, "metrics", "m", "", "`names` of metrics: a,b or lock_*")
	s.addHow(cmd)
}

// addHow adds the flags that say how values are meant.
func (s *selection) addHow(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.self, "self", false, "values without the metrics below")
	cmd.Flags().BoolVar(&s.stored, "stored", false, "metrics as stored, not as displayed")
	addInput(cmd)
}

// with opens a report and hands it to a function, with a model of what is to be shown of it, and the metrics chosen.
func (s *selection) with(cmd *cobra.Command, input string, use func(*reportInput, *query.Model, []*query.Metric) error) error {
	in, err := openReport(cmd, input)
	if err != nil {
		return err
	}
	defer in.Close()
	in.warn(cmd)
	m, list, err := s.chosen(cmd, in)
	if err != nil {
		return err
	}
	return use(in, m, list)
}

// chosen returns a model of what is to be shown of a report, and the metrics chosen.
func (s *selection) chosen(cmd *cobra.Command, in *reportInput) (*query.Model, []*query.Metric, error) {
	m, err := s.model(cmd, in)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	list, err := table.Metrics(m, s.metrics)
	return m, list, err
}

// parts says whether dumped values are without those of the metrics below.
func (s *selection) parts(cmd *cobra.Command, in *reportInput) bool {
	if cmd.Flags().Changed("self") {
		return s.self
	}
	return in.run() != nil
}

// model makes the model of a report.
func (s *selection) model(cmd *cobra.Command, in *reportInput) (*query.Model, error) {
	if s.stored {
		return query.New(in.Cube)
	}
	m, problems, err := query.Display(in.Cube)
	for _, p := range problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "expert: %s\n", p)
	}
	return m, err
}

// pattern compiles a regular expression, nil if it is empty.
func pattern(flag, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return re, nil
}

func newStat() *cobra.Command {
	s, o, region, top := selection{}, table.StatOptions{}, "", 20
	exclusive, hpm := false, false
	format := command.NewFormat("text", "json", "csv", "tsv")
	cmd := &cobra.Command{
		Use:   "stat INPUT",
		Short: "Print metrics by region or call path as a table",
		Long: `stat prints a table of INPUT, a report or a trace directory. Rows are regions or
call paths, largest first. Columns are metrics: by default time, its largest
parts, and visits. Values are exclusive, so they add up to the whole program;
--inclusive adds what a region calls. JSON, CSV and TSV have all rows, and
values with all digits.

With --hpm it prints libHPM's report instead: for each instrumented region,
including what it calls, all counters in user and kernel mode, and derived
values.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if exclusive && o.Inclusive {
				return errors.New("--inclusive and --exclusive exclude each other")
			}
			if o.Region, err = pattern("region", region); err != nil {
				return err
			}
			if hpm {
				if err := noneOf(cmd, "hpm", "metrics", "self", "callpaths", "inclusive", "exclusive", "percent", "per-location", "spread"); err != nil {
					return err
				}
				if !cmd.Flags().Changed("top") {
					top = 0
				}
				return statHPM(cmd, &s, args[0], table.HPMOptions{Region: o.Region, Top: top}, table.Format(format.Value))
			}
			return s.with(cmd, args[0], func(_ *reportInput, m *query.Model, list []*query.Metric) error {
				if o.Metrics = list; s.metrics == "" {
					o.Metrics = table.MainMetrics(m)
					if o.Spread {
						o.Metrics = o.Metrics[:min(1, len(o.Metrics))]
					}
				}
				if o.Self = s.self; format.Value == "text" || cmd.Flags().Changed("top") {
					o.Top = top
				}
				t, err := table.Stat(m, o)
				if err != nil {
					return err
				}
				return t.Write(cmd.OutOrStdout(), table.Format(format.Value))
			})
		},
	}
	flags := cmd.Flags()
	s.add(cmd)
	flags.VarP((*command.Rows)(&top), "top", "t", "most rows; in text, 20 by default")
	flags.BoolVar(&o.Percent, "percent", false, "values in per cent of the whole program")
	flags.StringVar(&region, "region", "", "only regions that this `REGEXP` matches")
	flags.BoolVar(&o.CallPaths, "callpaths", false, "rows are call paths")
	flags.BoolVar(&o.Inclusive, "inclusive", false, "inclusive values, with what is called")
	flags.BoolVar(&exclusive, "exclusive", false, "exclusive values, without what is called (default)")
	flags.BoolVar(&o.PerLocation, "per-location", false, "rows for each location")
	flags.BoolVar(&o.Spread, "spread", false, "mean, quartiles … of one metric over locations")
	flags.BoolVar(&hpm, "hpm", false, "libHPM's report: counters of instrumented regions")
	flags.Var(format, "format", format.Usage())
	return cmd
}

// statHPM prints libHPM's report.
func statHPM(cmd *cobra.Command, s *selection, input string, o table.HPMOptions, f table.Format) error {
	return s.with(cmd, input, func(in *reportInput, m *query.Model, _ []*query.Metric) error {
		h, err := table.NewHPM(m, o)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		return h.Write(cmd.OutOrStdout(), f)
	})
}

// noneOf says that a flag excludes others, if one of them is given.
func noneOf(cmd *cobra.Command, flag string, others ...string) error {
	for _, o := range others {
		if cmd.Flags().Changed(o) {
			return fmt.Errorf("--%s and --%s exclude each other", flag, o)
		}
	}
	return nil
}

func newCallTree() *cobra.Command {
	s, o, threshold := selection{}, table.TreeOptions{}, command.Percent(0.5)
	annotate := command.NewFormat(string(table.Source), string(table.Location), string(table.Nothing))
	format := command.NewFormat("text", "json", "csv", "tsv")
	cmd := &cobra.Command{
		Use:   "calltree INPUT",
		Short: "Print the call tree with the values of a metric",
		Long: `calltree prints the call paths of INPUT, a report or a trace directory, as a
tree, largest first, with the values of a metric: inclusive (total), its share
of the whole program, and exclusive (own).`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.with(cmd, args[0], func(in *reportInput, m *query.Model, list []*query.Metric) error {
				o.Metric = table.Time(m)
				if s.metrics != "" {
					if o.Metric = list[0]; len(list) > 1 {
						return fmt.Errorf("--metric: one metric at a time, not %d", len(list))
					}
				}
				if o.Metric == nil {
					return fmt.Errorf("%s: no metrics", in.Name)
				}
				o.Self, o.Threshold, o.Annotate = s.self, float64(threshold), table.Annotation(annotate.Value)
				return table.CallTree(m, o).Write(cmd.OutOrStdout(), table.Format(format.Value))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&s.metrics, "metric", "m", "", "`name` of the metric (default time)")
	flags.BoolVarP(&o.Inclusive, "inclusive", "i", false, "only inclusive values")
	flags.VarP(&threshold, "threshold", "t", "smallest share to show")
	flags.Var(annotate, "annotate", annotate.Usage())
	flags.Var(format, "format", format.Usage())
	s.addHow(cmd)
	return cmd
}

func newDump() *cobra.Command {
	s, o, paths, exclusive := selection{}, table.DumpOptions{}, "", false
	format := command.NewFormat("csv", "json", "tsv")
	cmd := &cobra.Command{
		Use:   "dump INPUT",
		Short: "Print every severity: metric, call path, location, value",
		Long: `dump prints every severity of INPUT, a trace directory or a report, that is not
zero. A row has metric, call path, location and value, with all digits, in the
metric's unit.

Values are exclusive along the call tree unless you give --incl. In expert
reports they are also exclusive along the metric tree, so that they add up. In
reports of other tools they include the metrics below, as stored. --self and
--self=false change this. A REGEXP for call paths is matched against their
regions, joined like this: main > solve > send.`,
		Args: oneInput,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if exclusive && o.Inclusive {
				return errors.New("--incl and --excl exclude each other")
			}
			if o.Paths, err = pattern("callpath", paths); err != nil {
				return err
			}
			return s.with(cmd, args[0], func(in *reportInput, m *query.Model, list []*query.Metric) error {
				o.Metrics, o.Self, o.Format = list, s.parts(cmd, in), table.Format(format.Value)
				notes, err := table.Dump(cmd.OutOrStdout(), m, o)
				for _, n := range notes {
					fmt.Fprintf(cmd.ErrOrStderr(), "expert: %s\n", n)
				}
				return err
			})
		},
	}
	flags := cmd.Flags()
	s.add(cmd)
	flags.StringVarP(&paths, "callpath", "c", "", "only call paths that match, as main > solve")
	flags.BoolVar(&o.Inclusive, "incl", false, "inclusive values, with what is called")
	flags.BoolVar(&exclusive, "excl", false, "exclusive values, without what is called (default)")
	flags.BoolVar(&o.Zero, "zero", false, "values that are zero, too")
	flags.Var(format, "format", format.Usage())
	return cmd
}
