package survey

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

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

// preset is what a PAPI name stands for here.
type preset struct {
	Name        string   `json:"name"`
	Short       string   `json:"short"`
	Description string   `json:"description"`
	Formula     string   `json:"formula,omitempty"`
	Natives     []string `json:"natives,omitempty"` // empty: the processor does not have it
	Available   bool     `json:"available"`
	Reason      string   `json:"reason,omitempty"`
}

// presetList is PAPI names.
type presetList struct {
	Table   string   `json:"table,omitempty"`
	Presets []preset `json:"presets"`
	pattern string
}

// Presets tries the presets that a pattern selects: a part of name or description, or a name with * and ?.
func Presets(pattern string) (Answer, error) {
	v := presetList{pattern: pattern, Presets: []preset{}}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
	}
	for _, p := range counters.Presets() {
		if !selects(pattern, p.Name, p.Description) {
			continue
		}
		row := preset{Name: p.Name, Short: p.Short, Description: p.Description, Formula: p.Formula, Natives: p.Natives}
		err := counters.Available(p.Name)
		if row.Available = err == nil; err != nil {
			row.Reason = counters.Reason(p.Name, err)
		}
		v.Presets = append(v.Presets, row)
	}
	if len(v.Presets) == 0 {
		return nil, fmt.Errorf("no preset has %q in its name or description", pattern)
	}
	return v, nil
}

// text writes a list, with natives when there is a pattern.
func (v presetList) Text(w io.Writer) error {
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
		out.WriteString(readable.Block(fmt.Sprintf("%-14s %-9s ", p.Name, state), p.Description, width))
		if v.pattern != "" && p.Natives != nil {
			natives := "= " + p.Formula + ", N0 is " + p.Natives[0]
			if p.Formula == "N0" {
				natives = "= " + p.Natives[0]
			}
			for i, n := range p.Natives[1:] {
				natives += fmt.Sprintf(", N%d is %s", i+1, n)
			}
			out.WriteString(readable.Block(strings.Repeat(" ", 25), natives, width))
		}
	}
	closing := fmt.Sprintf("%d of %d presets can be counted here.", usable, len(v.Presets))
	if v.Table != "" {
		closing += fmt.Sprintf(" %d have events on this processor (%s).", have, v.Table)
	} else {
		closing += " There is no table of this processor's events."
	}
	closing += " yes: it can be counted; not here: the processor has events for it, but they cannot be counted; -: the processor has none."
	if v.pattern == "" {
		closing += " A PATTERN shows which events they stand for."
	}
	out.WriteString("\n" + readable.Block("", closing, width))
	_, err := io.WriteString(w, out.String())
	return err
}

// native is an event of the kernel or of the processor.
type native struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Unit        string `json:"pmu"`
	Encoding    string `json:"encoding,omitempty"`
	Counters    uint64 `json:"counters,omitempty"` // mask; 0 is any
	Fixed       int    `json:"fixed,omitempty"`    // 1 + the fixed counter
	Alone       bool   `json:"alone,omitempty"`
}

// unit is a unit of counters that the kernel knows.
type unit struct {
	Name  string   `json:"name"`
	Type  uint32   `json:"type"`
	Terms []string `json:"terms,omitempty"`
	CPUs  []int    `json:"cpus,omitempty"` // where it is read, if it does not count for threads
}

// nativeList is units and events.
type nativeList struct {
	Table  string   `json:"table,omitempty"`
	Units  []unit   `json:"units"`
	Events []native `json:"events"`
}

// Natives lists the units in sysfs, their events, and those of the processor's table, as far as a pattern selects them like presets.
func Natives(pattern string) (Answer, error) {
	v := nativeList{Units: []unit{}}
	for _, p := range perf.PMUs() {
		v.Units = append(v.Units, unit{p.Name, p.Type, p.Formats, p.CPUs})
	}
	for _, e := range perf.New().Events() {
		unit := "perf_event"
		if before, _, ok := strings.Cut(e.Name, "/"); ok {
			unit = before
		} else if before, _, ok := strings.Cut(e.Name, ":"); ok {
			unit = before
		}
		v.Events = append(v.Events, native{Name: e.Name, Description: e.Description, Unit: unit})
	}
	if t, ok := events.For(events.Here()); ok {
		v.Table = t.Title
		for _, e := range t.Entries() {
			v.Events = append(v.Events, native{e.Name, e.Description, e.PMU, e.Encoding, e.Counters, e.Fixed, e.Alone})
		}
	}
	v.Events = slices.DeleteFunc(v.Events, func(r native) bool { return !selects(pattern, r.Name, r.Description) })
	if len(v.Events) == 0 {
		return nil, fmt.Errorf("no native event has %q in its name or description", pattern)
	}
	return v, nil
}

// text lists units and events.
func (v nativeList) Text(w io.Writer) error {
	var out strings.Builder
	out.WriteString("counter units (PMUs) that the kernel offers:\n")
	for _, u := range v.Units {
		text := fmt.Sprintf("type %d", u.Type)
		if u.Terms != nil {
			text += ", terms " + strings.Join(u.Terms, " ")
		}
		if u.CPUs != nil {
			text += fmt.Sprintf(", read on processors %v", u.CPUs)
		}
		out.WriteString(readable.Block(fmt.Sprintf("  %-18s", u.Name), text, width))
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
		out.WriteString(readable.Block("      ", e.Description, width))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// where says on which counters an event can be counted, if not on any.
func (r native) where() string {
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
