package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracerec/counters/events"
)

// A native is an event of a library's table with its unit masks, as presets refer to it.
type native struct {
	record
	masks []record // usable ones
}

// A library is the tables of one processor in libpfm's sources.
type library struct {
	table  events.Table
	kind   func(*library, native, []record) (events.Entry, error) // encodes an event with some of its masks
	macros map[string]string
	model  string // what .model and .umodel must be, if they are there
	order  []string
	events map[string]native
}

// readLibrary reads the array of events from a header of libpfm's.
func readLibrary(dir, header, array string, l *library) error {
	text, err := os.ReadFile(filepath.Join(dir, "lib", "events", header))
	if err != nil {
		return err
	}
	private, err := os.ReadFile(filepath.Join(dir, "lib", "pfmlib_intel_x86_priv.h"))
	if err != nil {
		return err
	}
	arrays, macros := initializers(string(text))
	_, l.macros = initializers(string(private))
	for name, value := range macros {
		l.macros[name] = value
	}
	all, ok := arrays[array]
	if !ok {
		return fmt.Errorf("%s: no array %s", header, array)
	}
	l.events = map[string]native{}
	for _, r := range all {
		if !l.here(r, "model") {
			continue
		}
		n := native{record: r}
		for _, mask := range arrays[strings.TrimSpace(r["umasks"])] {
			if l.here(mask, "umodel") {
				n.masks = append(n.masks, mask)
			}
		}
		name := strings.ToUpper(r.text("name"))
		if _, twice := l.events[name]; !twice {
			l.order = append(l.order, name)
		}
		l.events[name] = n
	}
	return nil
}

// here tells whether an event or mask exists on the model.
func (l *library) here(r record, field string) bool {
	return r[field] == "" || strings.TrimSpace(r[field]) == l.model
}

// entries returns all events: one for each unit mask.
func (l *library) entries() (all []events.Entry, err error) {
	seen := map[string]bool{}
	for _, name := range l.order {
		n := l.events[name]
		if n.has("flags", "INTEL_X86_NHM_OFFCORE") && (n.text("equiv") != "" || strings.HasSuffix(name, "_1")) {
			continue // the same long list of masks again
		}
		choices := n.choices()
		for _, masks := range choices {
			e, err := l.kind(l, n, masks)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if key := strings.ToLower(e.Name); !seen[key] {
				seen[key] = true
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// choices returns the sets of masks by which an event is listed: each mask of the first group, with the defaults of the
// others.
func (n native) choices() (all [][]record) {
	if len(n.masks) == 0 {
		return [][]record{nil}
	}
	groups := map[string]bool{}
	for _, m := range n.masks {
		groups[m["grpid"]] = true
	}
	first := n.masks[0]["grpid"]
	for _, m := range n.masks {
		if m["grpid"] == first {
			all = append(all, append([]record{m}, n.defaults(map[string]bool{first: true})...))
		}
	}
	return all
}

// defaults returns the default masks of the groups that are not excepted.
func (n native) defaults(except map[string]bool) (all []record) {
	for _, m := range n.masks {
		if !except[m["grpid"]] && (m.has("uflags", "INTEL_X86_DFL") || m.has("uflags", "AMD64_FL_DFL")) {
			all = append(all, m)
			except[m["grpid"]] = true
		}
	}
	return all
}

// combine makes the event NAME:MASK:MASK. The masks of groups that are not mentioned are the defaults.
func (l *library) combine(parts []string) (events.Entry, error) {
	n, ok := l.events[strings.ToUpper(parts[0])]
	if !ok {
		return events.Entry{}, fmt.Errorf("no event %s", parts[0])
	}
	if real, ok := l.events[strings.ToUpper(n.text("equiv"))]; ok {
		n = real
	}
	var masks []record
	groups := map[string]bool{}
	for _, part := range parts[1:] {
		i := slices.IndexFunc(n.masks, func(m record) bool { return strings.EqualFold(m.text("uname"), part) })
		if i < 0 {
			return events.Entry{}, fmt.Errorf("event %s has no mask %s", parts[0], part)
		}
		masks, groups[n.masks[i]["grpid"]] = append(masks, n.masks[i]), true
	}
	if len(n.masks) > 0 {
		if masks = append(masks, n.defaults(groups)...); len(masks) == 0 {
			return events.Entry{}, fmt.Errorf("event %s has no default mask", parts[0])
		}
	}
	return l.kind(l, n, masks)
}

// named starts an entry: its name and description are those of the event and its masks.
func named(n native, masks []record, pmu string) events.Entry {
	e := events.Entry{Name: n.text("name"), Description: n.text("desc"), PMU: pmu}
	for _, m := range masks {
		e.Name += "." + strings.ReplaceAll(m.text("uname"), ":", ".")
		if d := m.text("udesc"); d != "" && d != "TBD" && len(masks) == 1 {
			e.Description = d
		}
	}
	return e
}

// intel encodes an event of a core of Intel's.
func intel(l *library, n native, masks []record) (events.Entry, error) {
	e := named(n, masks, l.table.PMU)
	code, err := n.number("code", l.macros)
	if err != nil {
		return e, err
	}
	counters, err := n.number("cntmsk", l.macros)
	if err != nil {
		return e, err
	}
	var value uint64
	for _, m := range masks {
		u, err := m.number("ucode", l.macros)
		if err != nil {
			return e, err
		}
		if m.has("uflags", "INTEL_X86_CODE_OVERRIDE") {
			code = code&^0xff | u&0xff
		}
		value |= u >> 8
		if own, err := m.number("ucntmsk", l.macros); err != nil {
			return e, err
		} else if own != 0 {
			counters = own
		}
	}
	extra := ""
	switch {
	case n.has("flags", "INTEL_X86_NHM_OFFCORE"):
		extra, value = fmt.Sprintf(",offcore_rsp=%#x", value), 0
	case n.has("flags", "INTEL_X86_FRONTEND"):
		extra, value = fmt.Sprintf(",frontend=%#x", value), 0
	}
	for _, m := range masks {
		if m.has("uflags", "INTEL_X86_LDLAT") {
			extra = ",ldlat=0x3" // the least that the hardware takes
		}
	}
	e.Encoding = intelEncoding(e.Name, code|value<<8) + extra
	constrain(&e, counters&0xffffffff, l.table.Counters)
	return e, nil
}

// intelEncoding writes the bits of an event select register in the terms of perf. Events of fixed counters have codes of
// their own; two of these Linux knows by the codes of their twins that any counter takes.
func intelEncoding(name string, bits uint64) string {
	switch name {
	case "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE":
		bits = 0x3c
	case "INST_RETIRED.ANY":
		bits = 0xc0
	}
	text := fmt.Sprintf("event=%#x,umask=%#x", bits&0xff, bits>>8&0xff)
	for _, f := range []struct {
		name  string
		shift int
		mask  uint64
	}{{"edge", 18, 1}, {"any", 21, 1}, {"inv", 23, 1}, {"cmask", 24, 0xff}, {"in_tx", 32, 1}, {"in_tx_cp", 33, 1}} {
		if v := bits >> f.shift & f.mask; v != 0 {
			text += fmt.Sprintf(",%s=%d", f.name, v)
		}
	}
	return text
}

// intelFixed is the fixed counters, numbered from 1, and what Linux counts on them.
var intelFixed = map[string]int{
	"event=0xc0,umask=0x0": 1, "event=0x0,umask=0x1": 1, "event=0x3c,umask=0x0": 2, "event=0x0,umask=0x3": 3, "event=0x0,umask=0x4": 4,
}

// constrain stores in which counters an event of Intel's fits, given a mask of the general ones. Linux puts cycles and
// instructions on fixed or general counters as it likes.
func constrain(e *events.Entry, general uint64, counters int) {
	every := uint64(1)<<counters - 1
	e.Counters, e.Fixed = general&every, intelFixed[e.Encoding]
	switch {
	case e.Fixed != 0 && !strings.HasPrefix(e.Encoding, "event=0x0,"):
		e.Counters = every
	case e.Fixed != 0 || e.Counters == every:
		e.Counters = 0
	}
}

// amd encodes an event of a core of AMD's.
func amd(l *library, n native, masks []record) (events.Entry, error) {
	e := named(n, masks, l.table.PMU)
	code, err := n.number("code", l.macros)
	if err != nil {
		return e, err
	}
	var umask uint64
	for _, m := range masks {
		u, err := m.number("ucode", l.macros)
		if err != nil {
			return e, err
		}
		umask |= u
	}
	e.Encoding = fmt.Sprintf("event=%#x,umask=%#x", code, umask)
	return e, nil
}

// arm encodes an event of a core of Arm's. Cycles have a counter of their own.
func arm(l *library, n native, _ []record) (events.Entry, error) {
	e := named(n, nil, l.table.PMU)
	code, err := n.number("code", l.macros)
	e.Encoding = fmt.Sprintf("event=%#x", code)
	armCycles(&e, l.table.Counters)
	return e, err
}

// armCycles lets the event of cycles use the cycle counter.
func armCycles(e *events.Entry, counters int) {
	if e.Name == "CPU_CYCLES" {
		e.Counters, e.Fixed = 1<<counters-1, 1
	}
}

// sparc encodes an event of an UltraSPARC, which has two counters, and events for one of them or for both.
func sparc(l *library, n native, _ []record) (events.Entry, error) {
	e := named(n, nil, l.table.PMU)
	code, err := n.number("code", l.macros)
	e.Encoding = fmt.Sprintf("event=%#x", code)
	e.Counters = 0
	switch s0, s1 := n.has("ctrl", "PME_CTRL_S0"), n.has("ctrl", "PME_CTRL_S1"); {
	case s0 && !s1:
		e.Counters = 1
	case s1 && !s0:
		e.Counters = 2
	}
	return e, err
}

// power4 reads the table of POWER4 from the older libpfm, which has the groups: the counter of an event is that on
// which it is in its groups.
func power4(dir string) ([]events.Entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, "src", "libpfm-3.y", "lib", "power4_events.h"))
	if err != nil {
		return nil, err
	}
	arrays, macros := initializers(string(text))
	all, ids, groups := arrays["power4_pe"], arrays["power4_event_ids"], arrays["power4_group_vecs"]
	if len(all) == 0 || len(ids) != len(all) || len(groups) != len(all) {
		return nil, fmt.Errorf("power4: %d events, %d rows of counters, %d of groups", len(all), len(ids), len(groups))
	}
	var entries []events.Entry
	for i, r := range all {
		code, err := r.number("pme_code", macros)
		if err != nil {
			return nil, err
		}
		e := events.Entry{Name: r.text("pme_name"), Description: r.text("pme_short_desc"), PMU: "cpu", Encoding: fmt.Sprintf("event=%#x", code)}
		for counter, id := range strings.Split(ids[i][""], ",") {
			if v, err := strconv.Atoi(strings.TrimSpace(id)); err == nil && v >= 0 {
				e.Counters |= 1 << counter
			}
		}
		vector, _, _ := strings.Cut(groups[i][""], ",")
		if e.Groups, err = (record{"": vector}).number("", macros); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
