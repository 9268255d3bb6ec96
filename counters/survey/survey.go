// Package survey finds out what can be counted on this machine, alone or together, and at what cost, for tracerec counters. It gives the answers of
// PAPI's tools papi_avail, papi_native_avail, papi_event_chooser, papi_cost and papi_hardware_avail.
package survey

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"tracerec/counters"
	"tracerec/counters/events"
	"tracerec/counters/hardware"
	"tracerec/counters/sample"
	"tracerec/internal/readable"
)

// An Answer is what was found out, for people; for programs it is its fields as JSON.
type Answer interface {
	// Text writes it in 80 columns.
	Text(w io.Writer) error
}

// Row is what is told about a counter.
type Row struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"` // thread or process
	Unit        string `json:"unit"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Available   bool   `json:"available"`
	Reason      string `json:"reason,omitempty"`     // why it is not available
	Regions     bool   `json:"at_regions"`           // whether a recording can read it at begins and ends of regions
	Cost        int64  `json:"reading_ns,omitempty"` // what one reading takes

	group string // see [substrate.Event]
}

// All tries all counters there are. long has each described in the text. measure has what a reading costs measured. sampled tells why a recording
// cannot read a counter at begins and ends of regions.
func All(long, measure bool, sampled func(event string) error) Overview {
	v := Overview{Counters: tryAll(measure, sampled), Together: sample.MaxEvents, long: long, machine: hardware.Here()}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
	}
	v.Watchpoints = watchpoints(nil)
	v.UserOnly = counters.UserOnly()
	return v
}

// tryAll tries all counters, and measures what a reading costs if asked to. Of a group, it tries the first one.
func tryAll(measure bool, sampled func(event string) error) []Row {
	var rows []Row
	for _, s := range counters.Substrates() {
		tried := map[string]Row{}
		for _, e := range s.Events() {
			row, again := tried[e.Group]
			if !again {
				row = try(e.Name, measure, sampled)
			}
			row.Name, row.Scope, row.Unit, row.Description, row.Source, row.group = e.Name, "thread", e.Unit, e.Description, s.Name(), e.Group
			if e.Process {
				row.Scope = "process"
			}
			if rows = append(rows, row); e.Group != "" {
				tried[e.Group] = row
			}
		}
	}
	return rows
}

// try says whether a counter is available, and if asked to what a reading of it costs.
func try(name string, measure bool, sampled func(event string) error) (row Row) {
	err := counters.Available(name)
	if err == nil && measure {
		cost, failed := counters.Cost(name)
		row.Cost, err = cost.Nanoseconds(), failed
	}
	if row.Available = err == nil; err != nil {
		row.Reason = counters.Reason(name, err)
	}
	row.Regions = row.Available && sampled(name) == nil
	return row
}

// grouped returns the rows with one for each group, which tells how many there are.
func grouped(rows []Row) (out []Row) {
	at, n := map[string]int{}, map[string]int{}
	for _, r := range rows {
		if n[r.group]++; r.group == "" || n[r.group] == 1 {
			at[r.group], out = len(out), append(out, r)
		}
	}
	delete(at, "")
	for group, i := range at {
		out[i].Name, out[i].Description = group, fmt.Sprintf("%s, as %s: --native lists them", readable.Grouped(n[group], 0), out[i].Name)
	}
	return out
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

// Overview is all that counts here.
type Overview struct {
	Counters    []Row  `json:"counters"`
	Together    int    `json:"together"`                 // that a recording samples at most
	Watchpoints int    `json:"watchpoints"`              // that a thread can have
	Table       string `json:"table,omitempty"`          // of the processor's events
	UserOnly    bool   `json:"user_mode_only,omitempty"` // what the kernel does is not permitted to be counted

	long    bool
	machine hardware.Machine
}

// hardwareWorks tells whether the processor counts for us.
func (v Overview) hardwareWorks() bool {
	return slices.ContainsFunc(v.Counters, func(r Row) bool {
		return r.Available && (r.Name == "cycles" || r.Name == "instructions")
	})
}

// neighbours are what can be counted beside some events.
type neighbours struct {
	Beside      []string `json:"beside"`
	Fits        []Row    `json:"fits"`
	Refused     []Row    `json:"refused"`     // available alone, but not beside these
	Watchpoints int      `json:"watchpoints"` // that fit beside
}

// add takes an event in that fits beside, or that was refused.
func (v *neighbours) add(row Row, refused error) {
	if refused == nil {
		v.Fits = append(v.Fits, row)
		return
	}
	row.Available, row.Reason = false, counters.Reason(row.Name, refused)
	v.Refused = append(v.Refused, row)
}

// Beside tries every event beside those given, of a group the first one.
func Beside(names []string, sampled func(event string) error) (Answer, error) {
	set := counters.New()
	if err := set.AddAll(names...); err != nil {
		return nil, err
	}
	v := neighbours{Beside: names, Watchpoints: watchpoints(names)}
	refused := map[string]error{} // by group
	for _, row := range append(tryAll(false, sampled), tableRows()...) {
		if !row.Available || slices.Contains(names, row.Name) {
			continue
		}
		if why, tried := refused[row.group]; tried {
			v.add(row, why)
			continue
		}
		err := set.Add(row.Name)
		if row.group != "" {
			refused[row.group] = err
		}
		v.add(row, err)
		if err != nil {
			continue
		}
		if err := set.Remove(row.Name); err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return v, set.Close()
}

// tableRows tries the events of the processor's table, if the processor counts at all.
func tableRows() (rows []Row) {
	t, ok := events.For(events.Here())
	if !ok || counters.Available("cycles") != nil && counters.Available("instructions") != nil {
		return nil
	}
	for _, e := range t.Entries() {
		rows = append(rows, Row{Name: e.Name, Scope: "thread", Unit: "events", Description: e.Description, Source: "perf_event",
			Available: counters.Available(e.Name) == nil})
	}
	return rows
}

// NoTables says so if the directory of further tables of events has none, else "".
func NoTables() string {
	dir := os.Getenv(events.Directory)
	if dir == "" {
		return ""
	}
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Sprintf("%s is ignored: %v", events.Directory, err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.tsv")); len(found) == 0 {
		return fmt.Sprintf("%s is ignored: %s has no tables (NAME.tsv)", events.Directory, dir)
	}
	return ""
}
