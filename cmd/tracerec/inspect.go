package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracerec/exchange/otf2"
	"tracerec/internal/readable"
	"tracerec/recorder"
	"tracerec/trace"
)

// open opens an archive and says on w what is damaged in it.
func open(dir string, w io.Writer) (*trace.Archive, error) {
	a, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range a.Problems() {
		fmt.Fprintf(w, "tracerec: %v\n", p)
	}
	if err := recorder.Unfinished(dir); err != nil {
		fmt.Fprintf(w, "tracerec: %v\n", err)
	}
	return a, nil
}

func newInfo() *cobra.Command {
	return &cobra.Command{
		Use:   "info DIR",
		Short: "Summarize an archive",
		Long:  "info summarizes an archive: a trace directory, or an OTF2 archive by its anchor\nfile or directory.",
		Args:  oneArchive,
		RunE: func(cmd *cobra.Command, args []string) error {
			if otf2.Is(args[0]) {
				return inOTF2(cmd, args[0], otf2.Info)
			}
			a, err := open(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer a.Close()
			return writeInfo(cmd.OutOrStdout(), a, args[0])
		},
	}
}

func writeInfo(out io.Writer, a *trace.Archive, dir string) error {
	w := bufio.NewWriter(out)
	h, d := a.Header(), a.Definitions()
	total, err := recorder.Measure(a, dir)
	if err != nil {
		return err
	}
	state := "complete"
	if !h.Complete {
		state = "incomplete"
	}
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	row("archive", "%s, format version %d, %s", dir, h.Version, state)
	row("start", "%s", time.Unix(0, h.Start).UTC().Format("2006-01-02 15:04:05.000 MST"))
	row("span", "%s", readable.Duration(total.Span))
	row("resolution", "%s", readable.Duration(h.Resolution))
	row("contents", "%s", total)
	row("definitions", "%s, %s, %s", readable.Plural(len(d.Regions), "region"), readable.Plural(len(d.Objects), "object"), readable.Plural(len(d.Metrics), "metric"))
	locations := make([]int, len(d.Processes))
	for _, l := range d.Locations {
		locations[l.Process]++
	}
	for i := range d.Processes {
		writeProcess(row, &d.Processes[i], locations[i])
	}
	return w.Flush()
}

func writeProcess(row func(name, format string, args ...any), p *trace.Process, goroutines int) {
	ended := ""
	if p.Exit >= 0 {
		ended = ", " + readable.ExitStatus(p.Exit)
	}
	row("process", "%d: %s; %s, %s to %s%s", p.PID, strings.Join(p.Args, " "), readable.Plural(goroutines, "goroutine"),
		readable.Duration(p.Start), readable.Duration(p.End), ended)
	if c := p.Processor; c != (trace.Processor{}) {
		row("  processor", "%s", processorText(c, p.Hertz))
	}
	if p.Counters != nil {
		row("  counters", "%s", strings.Join(p.Counters, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Warnings)) {
		row("  warning", "%s: %d", name, p.Warnings[name])
	}
}

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Verify an archive",
		Long: `check verifies a whole archive: a trace directory, or an OTF2 archive by its
anchor file or directory. The exit status is 2 if it finds problems.`,
		Args: oneArchive,
		RunE: func(cmd *cobra.Command, args []string) error {
			if otf2.Is(args[0]) {
				return inOTF2(cmd, args[0], otf2.Check)
			}
			a, err := trace.Open(args[0])
			if err != nil {
				return err
			}
			defer a.Close()
			problems := a.Check()
			for _, p := range problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			if err := recorder.Unfinished(args[0]); err != nil {
				return err
			}
			if len(problems) == 0 && !a.Header().Complete {
				return fmt.Errorf("%s: the end of the archive is missing", args[0])
			}
			if len(problems) > 0 {
				return fmt.Errorf("%s: %s", args[0], readable.Plural(len(problems), "problem"))
			}
			total, err := recorder.Measure(a, args[0])
			text := "%s: no problems in %s\n"
			if total.Cut {
				text = "%s: %s, no problems; the end of the archive was lost before it was recovered\n"
			}
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), text, args[0], total)
			}
			return err
		},
	}
}

func newRecover() *cobra.Command {
	return &cobra.Command{
		Use:   "recover DIR",
		Short: "Complete an archive whose recorder died, or whose end is damaged",
		Long: `recover completes an archive whose recorder died. It reads what the processes
left in their measurement buffers, and records processes that still run until
they end. It cuts off a damaged end of the archive and, if there is room, keeps
the original file with .damaged appended to its name. It reports damage in the
middle, with exit status 2, but does not change it: the rest of the archive can
be used. It does not change an archive without any events either.`,
		Args: oneArchive,
		RunE: func(cmd *cobra.Command, args []string) error {
			return recorder.Recover(args[0], sayTo(cmd.ErrOrStderr()))
		},
	}
}

// processorText describes a processor: "Intel Xeon (amd64, GenuineIntel 6-207-2), 2.10 GHz".
func processorText(c trace.Processor, hertz uint64) string {
	model := c.Arch
	if c.Vendor != "" {
		model += fmt.Sprintf(", %s %d-%d-%d", c.Vendor, c.Family, c.Model, c.Stepping)
	}
	text := strings.TrimSpace(c.Name + " (" + model + ")")
	if hertz > 0 {
		text += fmt.Sprintf(", %.2f GHz", float64(hertz)/1e9)
	}
	return text
}
