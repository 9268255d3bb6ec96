package main

import (
	"errors"

	"github.com/spf13/cobra"

	"tracerec/recorder"
)

// newCtl returns the command that begins and ends recordings of programs that run.
func newCtl() *cobra.Command {
	return &cobra.Command{
		Use:       "ctl start|stop [DIR|PID]",
		Short:     "Begin or end the recording of a program that runs",
		ValidArgs: []string{"start", "stop"},
		Long: `ctl begins or ends recording a program that runs under "tracerec --window ctl",
or any other window. DIR is its trace directory (default trace.dir), PID the
number of its process. For instance, to record a service for ten seconds:

  tracerec --window ctl ./service &
  tracerec ctl start; sleep 10; tracerec ctl stop

--window 10s:20s records from ten to twenty seconds after the start; either time
may be missing. The program learns of it within some hundredths of a second. The archive is
complete when the program ends. A recording can be begun again: the program is
in the archive once for each time.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 || args[0] != "start" && args[0] != "stop" {
				return errors.New("start or stop, and a trace directory or the number of a process; see tracerec ctl --help")
			}
			which := recorder.DefaultDir
			if len(args) == 2 {
				which = args[1]
			}
			return recorder.Control(which, args[0] == "start")
		},
	}
}
