package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tracerec/recorder/live"
)

func newLive() *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:   "live [flags] [DIR|PID]",
		Short: "Watch a running recording, by region and metric",
		Long: `live shows what each region of a program does at the moment, while tracerec
records it from another terminal. DIR is the trace directory of the recording,
trace.dir by default; PID is a recorded process. Keys switch the metric: average
numbers of executing and waiting goroutines, visits and sampled counters per
second. The view disturbs neither the recorder nor the program, and leaving it
does not end them. Regions entered before the view began are known if their
record is still in memory.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where := "trace.dir"
			if len(args) > 0 {
				where = args[0]
			}
			dir, err := live.Find(where)
			if err != nil {
				return err
			}
			if o.Interval < live.Shortest {
				return fmt.Errorf("--interval %v: must be at least %v", o.Interval, live.Shortest)
			}
			return live.Watch(dir, o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Metric, "metric", "", "metric to show first (default executing)")
	f.DurationVar(&o.Interval, "interval", 250*time.Millisecond, "time between two frames")
	f.IntVar(&o.Count, "count", 0, "end after this many frames; 0: with the recording")
	f.StringVar(&o.Format, "format", "screen", "screen, text, or json lines")
	return cmd
}
