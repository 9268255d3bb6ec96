package main

import (
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"tracerec/counters"
	"tracerec/counters/events"
	"tracerec/counters/perf"
	"tracerec/internal/readable"
)

// selects tells whether a pattern selects a name with its description: a part of either, or a whole name with * and ?.
func selects(pattern, name, description string) bool {
	pattern = strings.ToLower(pattern)
	if strings.ContainsAny(pattern, "*?[") {
		matched, _ := path.Match(pattern, strings.ToLower(name))
		return matched
	}
	return strings.Contains(strings.ToLower(name), pattern) || strings.Contains(strings.ToLower(description), pattern)
}

// presetRow is a preset.
type presetRow struct {
	Name        string   `json:"name"`
	Short       string   `json:"short"`
	Description string   `json:"description"`
	Formula     string   `json:"formula,omitempty"`
	Natives     []string `json:"natives,omitempty"` // empty: the processor does not have it
	Available   bool     `json:"available"`
	Reason      string   `json:"reason,omitempty"`
}

// presetsView is the answer of --presets.
type presetsView struct {
	Table   string      `json:"table,omitempty"`
	Presets []presetRow `json:"presets"`
	pattern string
}

// lookPresets tries all presets.
func lookPresets(pattern string) (view, error) {
	v := presetsView{pattern: pattern, Presets: []presetRow{}}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
	}
	for _, p := range counters.Presets() {
		if !selects(pattern, p.Name, p.Description) {
			continue
		}
		row := presetRow{Name: p.Name, Short: p.Short, Description: p.Description, Formula: p.Formula, Natives: p.Natives}
		err := counters.Available(p.Name)
		if row.Available = err == nil; err != nil {
			row.Reason = whyNot(p.Name, err)
		}
		v.Presets = append(v.Presets, row)
	}
	if len(v.Presets) == 0 {
		return nil, fmt.Errorf("no preset's name or description has %q", pattern)
	}
	return v, nil
}

// text writes a list, with natives when there is a pattern.
func (v presetsView) text(w io.Writer) error {
	var out strings.Builder
	have, usable := 0, 0
	for _, p := range v.Presets {
		state := "-"
		if len(p.Natives) > 0 {
			state = "not here"
			have++
		}
		if p.Available {
			state = "yes"
			usable++
		}
		for i, line := range readable.WrapWhole(p.Description, width-25) {
			if i == 0 {
				fmt.Fprintf(&out, "%-14s %-9s %s\n", p.Name, state, line)
			} else {
				fmt.Fprintf(&out, "%25s%s\n", "", line)
			}
		}
		if v.pattern != "" && p.Natives != nil {
			natives := "= " + p.Formula + ", N0 is " + p.Natives[0]
			if p.Formula == "N0" {
				natives = "= " + p.Natives[0]
			}
			for i, n := range p.Natives[1:] {
				natives += fmt.Sprintf(", N%d is %s", i+1, n)
			}
			fmt.Fprintf(&out, "%25s%s\n", "", strings.Join(readable.WrapWhole(natives, width-25), "\n"+strings.Repeat(" ", 25)))
		}
	}
	closing := fmt.Sprintf("%d of %d presets can be counted here.", usable, len(v.Presets))
	if v.Table != "" {
		closing += fmt.Sprintf(" %d have events on this processor (%s).", have, v.Table)
	} else {
		closing += " There is no table of this processor's events."
	}
	closing += " yes: it can be counted; not here: the processor has events for it that cannot be; -: it has none."
	if v.pattern == "" {
		closing += " A PATTERN shows which events they stand for."
	}
	fmt.Fprintf(&out, "\n%s\n", strings.Join(readable.WrapWhole(closing, width), "\n"))
	_, err := io.WriteString(w, out.String())
	return err
}

// nativeRow is a native event.
type nativeRow struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Unit        string `json:"pmu"`
	Encoding    string `json:"encoding,omitempty"`
	Counters    uint64 `json:"counters,omitempty"` // mask; 0 is any
	Fixed       int    `json:"fixed,omitempty"`    // 1 + the fixed counter
	Alone       bool   `json:"alone,omitempty"`
}

// unitRow is a unit of counters that the kernel knows.
type unitRow struct {
	Name  string   `json:"name"`
	Type  uint32   `json:"type"`
	Terms []string `json:"terms,omitempty"`
	CPUs  []int    `json:"cpus,omitempty"` // where it is read, if it does not count for threads
}

// nativesView is the answer of --native.
type nativesView struct {
	Table  string      `json:"table,omitempty"`
	Units  []unitRow   `json:"units"`
	Events []nativeRow `json:"events"`
}

// lookNatives lists the units in sysfs, their events, and those of the processor's table.
func lookNatives(pattern string) (view, error) {
	v := nativesView{Units: []unitRow{}}
	for _, p := range perf.PMUs() {
		v.Units = append(v.Units, unitRow{p.Name, p.Type, p.Formats, p.CPUs})
	}
	for _, e := range perf.New().Events() {
		unit := "perf_event"
		if before, _, ok := strings.Cut(e.Name, "/"); ok {
			unit = before
		} else if before, _, ok := strings.Cut(e.Name, ":"); ok {
			unit = before
		}
		v.Events = append(v.Events, nativeRow{Name: e.Name, Description: e.Description, Unit: unit})
	}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
		for _, e := range t.Entries() {
			v.Events = append(v.Events, nativeRow{e.Name, e.Description, e.PMU, e.Encoding, e.Counters, e.Fixed, e.Alone})
		}
	}
	v.Events = slices.DeleteFunc(v.Events, func(r nativeRow) bool { return !selects(pattern, r.Name, r.Description) })
	if len(v.Events) == 0 {
		return nil, fmt.Errorf("no native event's name or description has %q", pattern)
	}
	return v, nil
}

// text lists units and events.
func (v nativesView) text(w io.Writer) error {
	var out strings.Builder
	out.WriteString("units of counters that the kernel offers:\n")
	for _, u := range v.Units {
		text := fmt.Sprintf("type %d", u.Type)
		if u.Terms != nil {
			text += ", terms " + strings.Join(u.Terms, " ")
		}
		if u.CPUs != nil {
			text += fmt.Sprintf(", read on processors %v", u.CPUs)
		}
		for i, line := range readable.WrapWhole(text, width-20) {
			if i > 0 {
				u.Name = ""
			}
			fmt.Fprintf(&out, "  %-18s%s\n", u.Name, line)
		}
	}
	unit := ""
	for _, e := range v.Events {
		if e.Unit != unit {
			unit = e.Unit
			title := unit
			if e.Encoding != "" {
				title = v.Table
			}
			fmt.Fprintf(&out, "\n%s:\n", title)
		}
		where := e.where()
		if len(e.Name)+len(where) > width-2 {
			where = "\n    " + where
		}
		fmt.Fprintf(&out, "  %s%s\n", e.Name, where)
		for _, line := range readable.WrapWhole(e.Description, width-6) {
			fmt.Fprintf(&out, "      %s\n", line)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// where says on which counters an event can be counted, if not on any.
func (r nativeRow) where() string {
	var words []string
	if r.Counters != 0 && r.Fixed == 0 {
		var on []string
		for i := range 64 {
			if r.Counters>>i&1 != 0 {
				on = append(on, fmt.Sprint(i))
			}
		}
		words = append(words, "counters "+strings.Join(on, " "))
	}
	if r.Fixed != 0 {
		words = append(words, fmt.Sprintf("fixed counter %d", r.Fixed-1))
	}
	if r.Alone {
		words = append(words, "alone")
	}
	if words == nil {
		return ""
	}
	return "  (" + strings.Join(words, ", ") + ")"
}

// costRow is what an operation of an event set costs.
type costRow struct {
	Events    []string `json:"events"`
	Operation string   `json:"operation"`
	Least     int64    `json:"min_ns"`
	Median    int64    `json:"median_ns"`
	P90       int64    `json:"p90_ns"`
	P99       int64    `json:"p99_ns"`
}

// costsView is the answer of --cost.
type costsView struct {
	Costs []costRow `json:"costs"`
}

// costSets is sets of events to measure, each as far as it can be counted.
var costSets = [][]string{
	{"instructions"}, {"cycles", "instructions"}, {"cycles", "instructions", "branches", "branch-misses"}, {"task-clock"}, {"task-clock", "page-faults", "context-switches"},
	{"task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults"}, {"msr/tsc/"}, {"rusage:minflt"}, {"go:alloc-bytes"},
}

// lookCosts measures.
func lookCosts() (view, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v := costsView{Costs: []costRow{}}
	for _, names := range append(costSets, []string{fmt.Sprintf("mem:%p/8:w", &watched[0])}) {
		set := counters.New()
		if set.AddAll(names...) != nil {
			continue
		}
		rows, err := costsOf(set, names)
		if err = errors.Join(err, set.Close()); err != nil {
			return nil, err
		}
		v.Costs = append(v.Costs, rows...)
	}
	if len(v.Costs) == 0 {
		return nil, errors.New("nothing can be counted here")
	}
	return v, nil
}

// costsOf measures readings, resets, and starts with stops of a set.
func costsOf(set *counters.EventSet, names []string) (rows []costRow, err error) {
	values := make([]int64, len(names))
	measure := func(operation string, rounds, batch int, do func() error) {
		var times []int64
		for range rounds {
			start := time.Now()
			for range batch {
				if failed := do(); failed != nil && err == nil {
					err = failed
				}
			}
			times = append(times, time.Since(start).Nanoseconds()/int64(batch))
		}
		slices.Sort(times)
		at := func(percent int) int64 { return times[(len(times)-1)*percent/100] }
		rows = append(rows, costRow{names, operation, times[0], at(50), at(90), at(99)})
	}
	measure("start+stop", 100, 1, func() error { return errors.Join(set.Start(), set.Stop(values)) })
	if err = errors.Join(err, set.Start()); err != nil {
		return nil, err
	}
	measure("read", 500, 8, func() error { return set.Read(values) })
	measure("reset", 500, 8, set.Reset)
	return rows, errors.Join(err, set.Stop(values))
}

// text writes a table.
func (v costsView) text(w io.Writer) error {
	var out strings.Builder
	const row = "%-36s %-10s %7s %7s %7s %7s\n"
	fmt.Fprintf(&out, row, "event set", "operation", "min", "median", "90 %", "99 %")
	last := ""
	for _, r := range v.Costs {
		name := strings.Join(r.Events, ",")
		if strings.HasPrefix(name, "mem:") {
			name = "a watchpoint"
		}
		shown := name
		if len(shown) > 36 {
			shown = fmt.Sprintf("%s and %d more", r.Events[0], len(r.Events)-1)
		}
		if name == last {
			shown = ""
		}
		last = name
		fmt.Fprintf(&out, row, shown, r.Operation, brief(r.Least), brief(r.Median), brief(r.P90), brief(r.P99))
	}
	out.WriteString("\nTimes in ns unless told otherwise. A region's begin and end cost a reading each.\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// brief writes a time in ns in few letters.
func brief(ns int64) string {
	if ns >= 10_000 {
		return fmt.Sprintf("%.0fµs", float64(ns)/1000)
	}
	return fmt.Sprint(ns)
}
