package survey

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"tracerec/counters/hardware"
	"tracerec/internal/readable"
)

// Machine is what this machine is: processor, caches, TLBs, memory, what it counts with.
type Machine struct{ hardware.Machine }

// Here describes this machine.
func Here() Machine { return Machine{hardware.Here()} }

// text describes the machine.
func (v Machine) Text(w io.Writer) error {
	var out strings.Builder
	line := func(label, format string, args ...any) {
		out.WriteString(readable.Block(fmt.Sprintf("%-14s", label), fmt.Sprintf(format, args...), width))
	}
	c := v.CPU
	line("processor", "%s", cmp.Or(c.Name, c.Arch))
	if c.Vendor != "" {
		line("", "%s family %d model %d (%#x) stepping %d", c.Vendor, c.Family, c.Model, c.Model, c.Stepping)
	}
	if v.Sockets > 0 {
		line("", "%s, %d cores, %d hardware threads", readable.Plural(v.Sockets, "socket"), v.Cores, v.Threads)
	} else {
		line("", "%d hardware threads", v.Threads)
	}
	v.clocks(line)
	if v.Hypervisor != "" {
		line("", "a virtual machine: %s", v.Hypervisor)
	}
	for _, cache := range v.Caches {
		text := fmt.Sprintf("%s, lines of %d bytes", readable.Bytes(cache.Size), cache.Line)
		if cache.Ways > 0 {
			text += fmt.Sprintf(", %d ways, %d sets", cache.Ways, cache.Sets)
		}
		line(fmt.Sprintf("L%d %s", cache.Level, shorten(cache.Kind)), "%s, shared by %s", text, readable.Plural(cache.Shared, "thread"))
	}
	for _, t := range v.TLBs {
		ways := "fully associative"
		if t.Ways > 0 {
			ways = fmt.Sprintf("%d ways", t.Ways)
		}
		line(fmt.Sprintf("L%d %s TLB", t.Level, shorten(t.Kind)), "%d entries, %s, for pages of %s", t.Entries, ways, strings.Join(t.Pages, ", "))
	}
	line("memory", "%s, pages of %s", readable.Bytes(v.Memory), readable.Bytes(int64(v.PageSize)))
	for _, n := range v.Nodes {
		line(fmt.Sprintf("node %d", n.ID), "processors %s, %s", n.CPUs, readable.Bytes(n.Memory))
	}
	v.counting(line)
	_, err := io.WriteString(w, out.String())
	return err
}

func (v Machine) clocks(line func(label, format string, args ...any)) {
	var clocks []string
	for _, c := range []struct {
		name string
		kHz  int64
	}{{"now", v.Clock.Now}, {"base", v.Clock.Base}, {"minimum", v.Clock.Min}, {"maximum", v.Clock.Max}} {
		if c.kHz > 0 {
			clocks = append(clocks, fmt.Sprintf("%s %.2f GHz", c.name, float64(c.kHz)/1e6))
		}
	}
	if clocks != nil {
		line("clock", "%s", strings.Join(clocks, ", "))
	}
}

// counting says what the processor and the kernel can count.
func (v Machine) counting(line func(label, format string, args ...any)) {
	switch c := v.Counters; {
	case c == nil:
		line("counters", "the system offers none of the processor's")
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
		return "all users may count everything"
	case level == 0:
		return "all users may count on processors, but not tracepoints"
	case level == 1:
		return "all users may count their own programs, in user and kernel mode"
	case level == 2:
		return "all users may count their own programs, in user mode only"
	}
	return "only privileged users may count"
}

// shorten abbreviates kinds of caches.
func shorten(kind string) string {
	return map[string]string{"instruction": "instr"}[kind] + map[bool]string{true: kind}[kind != "instruction"]
}
