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
		Short: "Watch a recording that goes on, by region and metric",
		Long: `live shows what each region of a program does now, while tracerec records it
from another terminal (DIR is the trace directory it writes, trace.dir by
default; PID a recorded process). Keys switch the metric: executing and waiting
in goroutines on average, visits and the sampled counters per second. The view
reads beside the recorder and disturbs neither it nor the program; leaving it
ends nothing. What began before the view is known as far as its record is still
in memory.`,
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
				return fmt.Errorf("--interval %v: less than %v", o.Interval, live.Shortest)
			}
			return live.Watch(dir, o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Metric, "metric", "", "metric to show first (default executing)")
	f.DurationVar(&o.Interval, "interval", 250*time.Millisecond, "time between two frames")
	f.IntVar(&o.Count, "count", 0, "end after so many frames; 0 is with the recording")
	f.StringVar(&o.Format, "format", "screen", "screen, text, or lines of json")
	return cmd
}
