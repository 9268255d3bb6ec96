package survey

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"tracerec/internal/readable"
)

const width = readable.Columns

// text writes a summary, or all counters.
func (v Overview) Text(w io.Writer) error {
	if v.long {
		return writeCounters(w, grouped(v.Counters), v.Together)
	}
	var out strings.Builder
	out.WriteString(readable.Block("", v.headline(), width))
	v.writeSources(&out)
	if v.Watchpoints > 0 {
		fmt.Fprintf(&out, "\nwatchpoints, %d per thread:\n  mem:ADDRESS/8:w counts writes to 8 bytes, :rw reads too, :x execution\n", v.Watchpoints)
	}
	writeMissing(&out, grouped(v.Counters))
	if slices.ContainsFunc(v.Counters, func(r Row) bool { return r.Available && !r.Regions }) {
		out.WriteString("\n* not with tracerec -c: cannot be read at enter and exit of regions\n")
	}
	fmt.Fprintf(&out, `
tracerec -c EVENT,… ./app        reads up to %d at enter and exit of regions
tracerec count -e EVENT,… -- CMD counts for any command
tracerec counters --all          describes them; also --native, --presets,
                                 --with EVENT,…, --cost, --hardware
`, v.Together)
	_, err := io.WriteString(w, out.String())
	return err
}

// headline says what the machine is, and whether it has hardware counters.
func (v Overview) headline() string {
	m := v.machine
	text := cmp.Or(m.CPU.Name, m.CPU.Vendor, m.CPU.Arch)
	if m.Hypervisor != "" {
		text += ", a virtual machine (" + m.Hypervisor + ")"
	}
	switch {
	case v.hardwareWorks() && v.Table != "":
		text += ". Its counters can be used; their events are those of " + v.Table + " (--native)."
	case v.hardwareWorks():
		text += ". Its counters can be used; there is no table of its events, so use the kernel's names or raw codes."
	case m.Paranoid != nil && *m.Paranoid > 2:
		text += fmt.Sprintf(". Hardware events cannot be counted: kernel.perf_event_paranoid is %d.", *m.Paranoid)
	default:
		text += ". It offers no hardware counters; software events, watchpoints and the time-stamp counter work instead."
	}
	if v.UserOnly {
		text += " Only user mode may be counted."
	}
	return text
}

// writeSources lists what is available, by source.
func (v Overview) writeSources(out *strings.Builder) {
	type source struct{ scope, name string }
	var by readable.Groups[source]
	for _, r := range grouped(v.Counters) {
		if key := (source{r.Scope, r.Source}); r.Available {
			name := r.Name
			if !r.Regions {
				name += " *"
			}
			by.Add(key, name)
		}
	}
	rank := func(s source) int { // the kernel's counters of threads first
		return map[bool]int{true: 2}[s.scope == "process"] + map[bool]int{true: 1}[s.name != "perf_event"]
	}
	slices.SortStableFunc(by.Order, func(a, b source) int { return rank(a) - rank(b) })
	for _, key := range by.Order {
		fmt.Fprintf(out, "\nof the %s, from %s:\n", key.scope, key.name)
		writeColumns(out, by.Names[key])
	}
}

// writeColumns writes names in columns.
func writeColumns(out *strings.Builder, names []string) {
	widest := 0
	for _, n := range names {
		widest = max(widest, len(n)+2)
	}
	columns := max(1, (width-2)/widest)
	rows := (len(names) + columns - 1) / columns
	for r := range rows {
		line := "  "
		for c := r; c < len(names); c += rows {
			line += fmt.Sprintf("%-*s", widest, names[c])
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// writeMissing lists what is not available, by reason.
func writeMissing(out *strings.Builder, rows []Row) {
	var by readable.Groups[string]
	for _, r := range rows {
		if !r.Available {
			by.Add(r.Reason, r.Name)
		}
	}
	for _, why := range by.Order {
		out.WriteString("\n" + readable.Block("", "not here: "+readable.List(by.Names[why], 4)+": "+why, width))
	}
}

// writeCounters writes a table of 80 columns.
func writeCounters(w io.Writer, rows []Row, together int) error {
	const row = "%-23s %-7s %-6s %9s  "
	var out strings.Builder
	out.WriteString(fmt.Sprintf(row, "counter", "of the", "unit", "1 reading") + "what it counts\n")
	for _, r := range rows {
		name, cost, text, most := r.Name, "-", "not here: "+r.Reason, 3
		if r.Available {
			cost, text, most = readable.Duration(time.Duration(r.Cost).Round(10)), r.Description, math.MaxInt
			if !r.Regions {
				name += " *"
			}
		}
		lines := strings.SplitAfter(readable.Block(fmt.Sprintf(row, name, r.Scope, r.Unit, cost), text, width-1), "\n")
		out.WriteString(strings.Join(lines[:min(len(lines), most)], ""))
	}
	fmt.Fprintf(&out, `
Up to %d of them can be read together, at enter and exit of regions:
    tracerec -c task-clock,page-faults ./app
Those marked * cannot; only package counters reads them.
A counter of the process counts what all goroutines did meanwhile.
`, together)
	_, err := io.WriteString(w, out.String())
	return err
}

// text writes what fits beside, and what does not.
func (v neighbours) Text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d can be counted together with %s:\n", len(v.Fits), len(v.Fits)+len(v.Refused), strings.Join(v.Beside, ", "))
	var names []string
	for _, r := range grouped(v.Fits) {
		names = append(names, r.Name)
	}
	writeColumns(&out, names)
	fmt.Fprintf(&out, "\nwatchpoints (mem:ADDRESS/8:w) that can be counted as well: %d\n", v.Watchpoints)
	writeMissing(&out, grouped(v.Refused))
	_, err := io.WriteString(w, out.String())
	return err
}
