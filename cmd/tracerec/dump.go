package main

import (
	"bufio"
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tracerec/exchange/otf2"
	"tracerec/internal/command"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

func newDump() *cobra.Command {
	format := command.NewFormat("text", "json")
	var locations []string
	cmd := &cobra.Command{
		Use:   "dump DIR",
		Short: "Print the events of an archive",
		Long: `dump prints the events of an archive: of a trace directory by time; of an OTF2
archive, named by its anchor file or directory, by location, after all
definitions.`,
		Args: oneArchive,
		RunE: func(cmd *cobra.Command, args []string) error {
			signal.Ignore(syscall.SIGPIPE) // an error of the write says it
			if otf2.Is(args[0]) {
				return inOTF2(cmd, args[0], otf2.Dumper(format.Value, locations))
			}
			a, err := open(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer a.Close()
			keep, err := selection(a, locations)
			if err != nil {
				return err
			}
			w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16)
			switch {
			case format.Value == "json":
				err = tracetext.JSON(a, w, keep)
			case keep != nil:
				err = tracetext.FormatLocations(a, w, keep)
			default:
				err = tracetext.Format(a, w)
			}
			if err == nil {
				err = w.Flush()
			}
			return err
		},
	}
	cmd.Flags().Var(format, "format", "text, or json lines")
	cmd.Flags().StringSliceVar(&locations, "location", nil, "print only these locations, for instance g1,g17;\nof an OTF2 archive their numbers")
	return cmd
}

// selection returns the locations of these names, nil for all.
func selection(a *trace.Archive, names []string) (map[trace.LocationID]bool, error) {
	if names == nil {
		return nil, nil
	}
	keep := map[trace.LocationID]bool{}
	for _, name := range names {
		number, isName := strings.CutPrefix(name, "g")
		n, err := strconv.Atoi(number)
		if !isName || err != nil || n < 1 || n > len(a.Definitions().Locations) {
			return nil, fmt.Errorf("no location %s: there are g1 to g%d", name, len(a.Definitions().Locations))
		}
		keep[trace.LocationID(n-1)] = true
	}
	return keep, nil
}
