package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tracerec/trace"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

func newDump() *cobra.Command {
	var format string
	var locations []string
	cmd := &cobra.Command{
		Use:   "dump DIR",
		Short: "Print the events of an archive",
		Args:  oneArchive,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: neither text nor json", format)
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
			signal.Ignore(syscall.SIGPIPE) // an error of the write says it
			w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16)
			switch {
			case format == "json":
				err = dumpJSON(a, w, keep)
			case keep != nil:
				err = dumpLocations(a, w, keep)
			default:
				err = tracetext.Format(a, w)
			}
			if err == nil {
				err = w.Flush()
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, or json with one event a line")
	cmd.Flags().StringSliceVar(&locations, "location", nil, "only these, for instance g1,g17")
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

// dumpLocations prints the events of some locations as text, each stream as a whole.
func dumpLocations(a *trace.Archive, w io.Writer, keep map[trace.LocationID]bool) error {
	decoder, defs := a.NewDecoder(), a.Definitions()
	var buf trace.Buffer
	for _, l := range slices.Sorted(maps.Keys(keep)) {
		fmt.Fprintf(w, "location %s\n", locationName(l))
		for _, c := range a.Chunks() {
			if _, in := slices.BinarySearch(c.Locations, l); !in {
				continue
			}
			batches, err := decoder.Decode(c, &buf)
			if err != nil {
				return err
			}
			for i := range batches {
				if batches[i].Location != l {
					continue
				}
				for _, e := range batches[i].Events {
					fmt.Fprintf(w, "  %d %s\n", e.Time, tracetext.Event(defs, &batches[i], e))
				}
			}
		}
	}
	return nil
}

// jsonEvent is one line of the json form. Times are ns since the start of the experiment.
type jsonEvent struct {
	Time     int64    `json:"time"`
	PID      int      `json:"pid"`
	Location string   `json:"location"`
	GoID     uint64   `json:"goid"`
	Kind     string   `json:"kind"`
	Name     string   `json:"name,omitempty"` // of the region, operation or metric
	Func     string   `json:"func,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Object   *uint32  `json:"object,omitempty"`  // number of the object, absent for a nil channel
	Extra    uint32   `json:"extra,omitempty"`   // with the object: mode, delta or generation
	Other    string   `json:"other,omitempty"`   // location created, or creating
	Levels   *uint32  `json:"levels,omitempty"`  // exit: closed beyond the first; lost: closed
	Outcome  string   `json:"outcome,omitempty"` // how an operation ended
	Value    *uint64  `json:"value,omitempty"`   // sample; overhead: ns; lost: events
	Values   []uint64 `json:"values,omitempty"`  // counters: where they were read, and the event set
}

var outcomes = map[wire.Outcome]string{wire.OK: "ok", wire.Closed: "closed", wire.Panicked: "panicked",
	wire.Failed: "failed", wire.Sent: "sent", wire.Received: "received"}

// dumpJSON prints the events of the locations in keep, all if that is nil, one JSON object a line in order of time.
func dumpJSON(a *trace.Archive, w io.Writer, keep map[trace.LocationID]bool) error {
	d, merger, encoder := a.Definitions(), a.Merge(), json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for {
		l, e, values, err := merger.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case keep != nil && !keep[l]:
			continue
		}
		line := jsonEvent{Time: e.Time, PID: d.Processes[d.Locations[l].Process].PID, Location: locationName(l),
			GoID: d.Locations[l].GoID, Kind: e.Kind.String(), Values: values}
		line.setID(d, e)
		line.setWord(e)
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
}

// setID fills in what the event's id says.
func (line *jsonEvent) setID(d *trace.Definitions, e trace.Event) {
	spec, _ := wire.SpecOf(e.Kind)
	switch spec.ID {
	case wire.RegionID:
		if int(e.ID) < len(d.Regions) {
			r := d.Regions[e.ID]
			line.Name, line.Func, line.File, line.Line = r.Name, r.Func, r.File, r.Line
		}
	case wire.MetricID:
		line.Name = d.Metrics[e.ID].Name
	case wire.LevelsID:
		line.Levels = &e.ID
	case wire.OutcomeID:
		line.Outcome = outcomes[wire.Outcome(e.ID)]
	}
}

// setWord fills in what the event's word says.
func (line *jsonEvent) setWord(e trace.Event) {
	spec, _ := wire.SpecOf(e.Kind)
	switch {
	case len(spec.Words) == 0 || e.Kind == wire.Counters:
	case e.Kind == wire.Create || e.Kind == wire.Begin:
		if other := e.Other(); other != trace.NoLocation {
			line.Other = locationName(other)
		}
	case strings.HasPrefix(spec.Words[0], "object"):
		object, extra := e.Object()
		if line.Extra = extra; object != trace.NoObject {
			line.Object = &object
		}
	default:
		line.Value = &e.Word
	}
}

// locationName names a location as in the text form.
func locationName(l trace.LocationID) string { return fmt.Sprintf("g%d", l+1) }
