package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	hw "tracerec/counters/hardware"
	"tracerec/internal/readable"
)

// width is the columns of a terminal that text is made for.
const width = 80

// text writes a summary, or all counters.
func (v overview) text(w io.Writer) error {
	if v.long {
		return writeCounters(w, v.Counters, v.Together)
	}
	var out strings.Builder
	out.WriteString(strings.Join(readable.WrapWhole(v.headline(), width), "\n") + "\n")
	v.writeSources(&out)
	if v.Watchpoints > 0 {
		fmt.Fprintf(&out, "\nwatchpoints of a thread, %d:\n  mem:ADDRESS/8:w counts writes to 8 bytes, :rw reads too, :x execution\n", v.Watchpoints)
	}
	writeMissing(&out, v.Counters)
	if slices.ContainsFunc(v.Counters, func(r counterRow) bool { return r.Available && !r.Regions }) {
		out.WriteString("\n* not with tracerec -c: it cannot be read at begins and ends of regions\n")
	}
	fmt.Fprintf(&out, `
tracerec -c EVENT,… ./app        samples up to %d at begins and ends of regions
tracerec count -e EVENT,… -- CMD counts for any command
tracerec counters --all          describes them; also --native, --presets,
                                 --with EVENT,…, --cost, --hardware
`, v.Together)
	_, err := io.WriteString(w, out.String())
	return err
}

// headline says what the machine is, and whether it has hardware counters.
func (v overview) headline() string {
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
		text += fmt.Sprintf(". Nothing of the hardware can be counted: kernel.perf_event_paranoid is %d.", *m.Paranoid)
	default:
		text += ". It offers no hardware counters; software events, watchpoints and the time-stamp counter work instead."
	}
	if v.UserOnly {
		text += " Only what happens in user mode may be counted."
	}
	return text
}

// writeSources lists what is available, by source.
func (v overview) writeSources(out *strings.Builder) {
	type source struct{ scope, name string }
	var order []source
	names := map[source][]string{}
	for _, r := range v.Counters {
		if key := (source{r.Scope, r.Source}); r.Available {
			if names[key] == nil {
				order = append(order, key)
			}
			name := r.Name
			if !r.Regions {
				name += " *"
			}
			names[key] = append(names[key], name)
		}
	}
	rank := func(s source) int { // the kernel's counters of threads first
		return map[bool]int{true: 2}[s.scope == "process"] + map[bool]int{true: 1}[s.name != "perf_event"]
	}
	slices.SortStableFunc(order, func(a, b source) int { return rank(a) - rank(b) })
	for _, key := range order {
		fmt.Fprintf(out, "\nof the %s, from %s:\n", key.scope, key.name)
		writeColumns(out, names[key])
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
func writeMissing(out *strings.Builder, rows []counterRow) {
	var order []string
	names := map[string][]string{}
	for _, r := range rows {
		if !r.Available {
			if names[r.Reason] == nil {
				order = append(order, r.Reason)
			}
			names[r.Reason] = append(names[r.Reason], r.Name)
		}
	}
	for _, why := range order {
		list := names[why]
		text := "not here: " + strings.Join(list[:min(len(list), 4)], ", ")
		if more := len(list) - 4; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(out, "\n%s\n", strings.Join(readable.WrapWhole(text+": "+why, width), "\n"))
	}
}

// writeCounters writes a table of 80 columns.
func writeCounters(w io.Writer, rows []counterRow, together int) error {
	const row = "%-23s %-7s %-6s %9s  %s\n"
	var out strings.Builder
	fmt.Fprintf(&out, row, "counter", "of the", "unit", "1 reading", "what it counts")
	for _, r := range rows {
		cost, text := "-", "not here: "+r.Reason
		if r.Available {
			cost, text = time.Duration(r.Cost).Round(10).String(), r.Description
		}
		for i, line := range readable.WrapWhole(text, 29) {
			if i == 0 {
				name := r.Name
				if r.Available && !r.Regions {
					name += " *"
				}
				fmt.Fprintf(&out, row, name, r.Scope, r.Unit, cost, line)
			} else if r.Available || i < 3 {
				fmt.Fprintf(&out, "%50s%s\n", "", line)
			}
		}
	}
	fmt.Fprintf(&out, `
Up to %d of them can be sampled together, at every begin and end of a region:
    tracerec -c task-clock,page-faults ./app
Those with * cannot, only read by package counters.
A counter of the process counts what all goroutines did meanwhile.
`, together)
	_, err := io.WriteString(w, out.String())
	return err
}

// text writes what fits beside, and what does not.
func (v besideView) text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "beside %s fit %d of %d:\n", strings.Join(v.Beside, ", "), len(v.Fits), len(v.Fits)+len(v.Refused))
	var names []string
	for _, r := range v.Fits {
		names = append(names, r.Name)
	}
	writeColumns(&out, names)
	fmt.Fprintf(&out, "\nwatchpoints (mem:ADDRESS/8:w) that fit beside: %d\n", v.Watchpoints)
	writeMissing(&out, v.Refused)
	_, err := io.WriteString(w, out.String())
	return err
}

// machineView is the answer of --hardware.
type machineView struct{ hw.Machine }

// text describes the machine.
func (v machineView) text(w io.Writer) error {
	var out strings.Builder
	line := func(label, format string, args ...any) {
		for i, part := range readable.WrapWhole(fmt.Sprintf(format, args...), width-14) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&out, "%-14s%s\n", label, part)
		}
	}
	c := v.CPU
	line("processor", "%s", cmp.Or(c.Name, c.Arch))
	if c.Vendor != "" {
		line("", "%s family %d model %d (%#x) stepping %d", c.Vendor, c.Family, c.Model, c.Model, c.Stepping)
	}
	if v.Sockets > 0 {
		line("", "%d socket%s, %d cores, %d hardware threads", v.Sockets, plural(v.Sockets), v.Cores, v.Threads)
	} else {
		line("", "%d hardware threads", v.Threads)
	}
	v.clocks(line)
	if v.Hypervisor != "" {
		line("", "a virtual machine: %s", v.Hypervisor)
	}
	for _, cache := range v.Caches {
		text := fmt.Sprintf("%s, lines of %d bytes", readable.MemorySize(cache.Size), cache.Line)
		if cache.Ways > 0 {
			text += fmt.Sprintf(", %d ways, %d sets", cache.Ways, cache.Sets)
		}
		line(fmt.Sprintf("L%d %s", cache.Level, shorten(cache.Kind)), "%s, shared by %d thread%s", text, cache.Shared, plural(cache.Shared))
	}
	for _, t := range v.TLBs {
		ways := "fully associative"
		if t.Ways > 0 {
			ways = fmt.Sprintf("%d ways", t.Ways)
		}
		line(fmt.Sprintf("L%d %s TLB", t.Level, shorten(t.Kind)), "%d entries, %s, for pages of %s", t.Entries, ways, strings.Join(t.Pages, ", "))
	}
	line("memory", "%s, pages of %s", readable.MemorySize(v.Memory), readable.MemorySize(int64(v.PageSize)))
	for _, n := range v.Nodes {
		line(fmt.Sprintf("node %d", n.ID), "processors %s, %s", n.CPUs, readable.MemorySize(n.Memory))
	}
	v.counting(line)
	_, err := io.WriteString(w, out.String())
	return err
}

func (v machineView) clocks(line func(label, format string, args ...any)) {
	var clocks []string
	for _, c := range []struct {
		name string
		kHz  int64
	}{{"now", v.Clock.Now}, {"base", v.Clock.Base}, {"least", v.Clock.Min}, {"most", v.Clock.Max}} {
		if c.kHz > 0 {
			clocks = append(clocks, fmt.Sprintf("%s %.2f GHz", c.name, float64(c.kHz)/1e6))
		}
	}
	if clocks != nil {
		line("clock", "%s", strings.Join(clocks, ", "))
	}
}

// counting says what the processor and the kernel can count.
func (v machineView) counting(line func(label, format string, args ...any)) {
	switch c := v.Counters; {
	case c == nil:
		line("counters", "none of the processor's are offered")
	case c.Unit == "":
		line("counters", "%d general and %d fixed of %d bits, but the kernel does not offer them", c.General, c.Fixed, c.Width)
	case c.General == 0:
		line("counters", "offered by the kernel as %s", c.Unit)
	default:
		line("counters", "%d general and %d fixed of %d bits, as %s", c.General, c.Fixed, c.Width, c.Unit)
	}
	if v.Watchdog {
		line("", "the kernel's NMI watchdog uses one of them (sysctl kernel.nmi_watchdog=0)")
	}
	if v.Kernel != "" {
		line("kernel", "%s", v.Kernel)
	}
	if v.Paranoid != nil {
		line("", "perf_event_paranoid is %d: %s", *v.Paranoid, permitted(*v.Paranoid))
	}
}

// permitted says what a level of perf_event_paranoid permits to a user without privileges.
func permitted(level int) string {
	switch {
	case level < 0:
		return "everybody may count everything"
	case level == 0:
		return "everybody may count on processors, but not tracepoints"
	case level == 1:
		return "everybody may count own programs, in the kernel, too"
	case level == 2:
		return "everybody may count own programs in user mode"
	}
	return "only the privileged may count"
}

// shorten abbreviates kinds of caches.
func shorten(kind string) string {
	return map[string]string{"instruction": "instr"}[kind] + map[bool]string{true: kind}[kind != "instruction"]
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
