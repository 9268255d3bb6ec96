package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracerec/counters"
	"tracerec/counters/events"
	hw "tracerec/counters/hardware"
	"tracerec/counters/sample"
	"tracerec/recorder"
)

// counterRow is what is told about a counter, and its form in JSON.
type counterRow struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"` // thread or process
	Unit        string `json:"unit"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Available   bool   `json:"available"`
	Reason      string `json:"reason,omitempty"`     // why it is not available
	Regions     bool   `json:"at_regions"`           // whether a recording can read it at begins and ends of regions
	Cost        int64  `json:"reading_ns,omitempty"` // what one reading takes
}

// A view is one answer of tracerec counters.
type view interface {
	text(w io.Writer) error // in 80 columns
}

// countersOptions are the flags of tracerec counters.
type countersOptions struct {
	all, presets, native, cost, hardware bool
	with                                 []string
	format                               string
}

func newCounters() *cobra.Command {
	var o countersOptions
	cmd := &cobra.Command{
		Use:   "counters [flags] [PATTERN]",
		Short: "What can be counted here, alone or together, and at what cost",
		Long: `tracerec counters lists what can be counted on this machine.

With --native or --presets, PATTERN selects by name and description: a part of
them, or a name with * and ?.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !o.native && !o.presets {
				return fmt.Errorf("PATTERN %q selects from --native or --presets", args[0])
			}
			if o.format != "text" && o.format != "json" {
				return fmt.Errorf("unknown format %q: neither text nor json", o.format)
			}
			if o.with = slices.DeleteFunc(o.with, func(n string) bool { return strings.TrimSpace(n) == "" }); len(o.with) == 0 && cmd.Flags().Changed("with") {
				return errors.New("--with: no events named")
			}
			if set := views(cmd); len(set) > 1 {
				return fmt.Errorf("%s: one of them at a time", strings.Join(set, " and "))
			}
			if text := noTables(); text != "" {
				sayTo(cmd.ErrOrStderr())(text)
			}
			v, err := o.look(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if o.format == "text" {
				return v.text(cmd.OutOrStdout())
			}
			encoder := json.NewEncoder(cmd.OutOrStdout())
			encoder.SetIndent("", "  ")
			return encoder.Encode(v)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "describe all counters, with what they cost")
	f.BoolVarP(&o.presets, "presets", "p", false, "PAPI names, and what they stand for here")
	f.BoolVarP(&o.native, "native", "n", false, "events of the kernel and of this processor")
	f.StringSliceVarP(&o.with, "with", "w", nil, "what can still be counted beside these events")
	f.BoolVarP(&o.cost, "cost", "c", false, "what readings, starts and stops of event sets cost")
	f.BoolVarP(&o.hardware, "hardware", "H", false, "describe the machine: caches, TLBs, cores, counters")
	f.StringVar(&o.format, "format", "text", "text or json")
	return cmd
}

// views lists the flags that were given of those that ask for a view.
func views(cmd *cobra.Command) (set []string) {
	for _, name := range []string{"all", "presets", "native", "with", "cost", "hardware"} {
		if cmd.Flags().Changed(name) {
			set = append(set, "--"+name)
		}
	}
	return set
}

// noTables says so if the directory of further tables of events has none.
func noTables() string {
	dir := os.Getenv(events.Directory)
	if dir == "" {
		return ""
	}
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Sprintf("%s is ignored: %v", events.Directory, err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.tsv")); len(found) == 0 {
		return fmt.Sprintf("%s is ignored: %s has no tables, NAME.tsv", events.Directory, dir)
	}
	return ""
}

// look answers what the flags ask.
func (o countersOptions) look(pattern string) (view, error) {
	switch {
	case o.hardware:
		return machineView{hw.Here()}, nil
	case o.presets:
		return lookPresets(pattern)
	case o.native:
		return lookNatives(pattern)
	case o.cost:
		return lookCosts()
	case o.with != nil:
		return lookBeside(o.with)
	}
	v := overview{Counters: surveyCounters(o.all || o.format == "json"), Together: sample.MaxEvents, long: o.all, machine: hw.Here()}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
	}
	v.Watchpoints = watchpoints(nil)
	v.UserOnly = userOnly()
	return v, nil
}

// surveyCounters tries all counters, and measures what a reading costs if asked to.
func surveyCounters(measure bool) []counterRow {
	var rows []counterRow
	self, _ := os.Executable() // stands for the program that is recorded
	for _, s := range counters.Substrates() {
		for _, e := range s.Events() {
			row := counterRow{Name: e.Name, Scope: "thread", Unit: e.Unit, Description: e.Description, Source: s.Name()}
			if e.Process {
				row.Scope = "process"
			}
			err := counters.Available(e.Name)
			if err == nil && measure {
				cost, failed := counters.Cost(e.Name)
				row.Cost, err = cost.Nanoseconds(), failed
			}
			if row.Available = err == nil; err != nil {
				row.Reason = whyNot(e.Name, err)
			}
			row.Regions = row.Available && recorder.Countable([]string{e.Name}, self) == nil
			rows = append(rows, row)
		}
	}
	return rows
}

// whyNot is an error about an event without its name in front.
func whyNot(name string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "counter "), name+": ")
}

// watched is memory to try watchpoints on.
var watched [64]uint64

// watchpoints counts how many watchpoints a thread can have beside the events.
func watchpoints(beside []string) int {
	set := counters.New()
	if len(beside) > 0 && set.AddAll(beside...) != nil {
		return 0
	}
	for n := range watched {
		if set.Add(fmt.Sprintf("mem:%p/8:w", &watched[n])) != nil {
			return n
		}
	}
	return len(watched)
}

// overview is the answer without flags, and with --all.
type overview struct {
	Counters    []counterRow `json:"counters"`
	Together    int          `json:"together"`                 // that a recording samples at most
	Watchpoints int          `json:"watchpoints"`              // that a thread can have
	Table       string       `json:"table,omitempty"`          // of the processor's events
	UserOnly    bool         `json:"user_mode_only,omitempty"` // what the kernel does is not permitted to be counted

	long    bool
	machine hw.Machine
}

// hardwareWorks tells whether the processor counts for us.
func (v overview) hardwareWorks() bool {
	return slices.ContainsFunc(v.Counters, func(r counterRow) bool {
		return r.Available && (r.Name == "cycles" || r.Name == "instructions")
	})
}

// besideView is the answer of --with.
type besideView struct {
	Beside      []string     `json:"beside"`
	Fits        []counterRow `json:"fits"`
	Refused     []counterRow `json:"refused"`     // available alone, but not beside these
	Watchpoints int          `json:"watchpoints"` // that fit beside
}

// lookBeside tries every event beside those given.
func lookBeside(names []string) (view, error) {
	for _, n := range names {
		if at, ok := strings.CutPrefix(n, "mem:"); ok && !strings.HasPrefix(at, "0x") && (at == "" || at[0] < '0' || at[0] > '9') {
			return nil, fmt.Errorf("--with %s: there is no program here whose variable it could be; give any address instead, such as mem:0x1000/8:w", n)
		}
	}
	set := counters.New()
	if err := set.AddAll(names...); err != nil {
		return nil, err
	}
	v := besideView{Beside: names, Watchpoints: watchpoints(names)}
	for _, row := range append(surveyCounters(false), tableRows()...) {
		if !row.Available || slices.Contains(names, row.Name) {
			continue
		}
		err := set.Add(row.Name)
		if err == nil {
			v.Fits = append(v.Fits, row)
			err = set.Remove(row.Name)
		} else {
			row.Available, row.Reason = false, whyNot(row.Name, err)
			v.Refused = append(v.Refused, row)
			err = nil
		}
		if err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return v, set.Close()
}

// tableRows tries the events of the processor's table, if the processor counts at all.
func tableRows() (rows []counterRow) {
	t, ok := events.For(events.Here())
	if !ok || counters.Available("cycles") != nil && counters.Available("instructions") != nil {
		return nil
	}
	for _, e := range t.Entries() {
		rows = append(rows, counterRow{Name: e.Name, Scope: "thread", Unit: "events", Description: e.Description, Source: "perf_event",
			Available: counters.Available(e.Name) == nil})
	}
	return rows
}
