package perf

import (
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"

	"tracerec/counters/events"
	"tracerec/internal/perfevent"
)

// catalog finds names in the kernel's directories.
type catalog struct {
	devices string   // /sys/bus/event_source/devices
	tracing []string // where tracefs may be mounted
	table   func(name string) (events.Entry, bool)
}

func systemCatalog() catalog {
	return catalog{"/sys/bus/event_source/devices", []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}, findHere}
}

var tableHere = sync.OnceValue(func() *events.Table {
	t, _ := events.For(events.Here())
	return t
})

// findHere looks into this processor's table of events.
func findHere(name string) (events.Entry, bool) {
	if t := tableHere(); t != nil {
		return t.Find(name)
	}
	return events.Entry{}, false
}

// PMU is a unit of counters that the kernel knows.
type PMU struct {
	Name    string
	Type    uint32
	Formats []string // terms of its events, sorted: "event", "umask"
	Events  []string // events that it names itself, sorted
	CPUs    []int    // nil when it counts for threads; else the processors on which it is read

	core    bool              // of a processor's core
	formats map[string]string // where the terms go, when sysfs does not tell
}

// PMUs lists the PMUs of this machine by name.
func PMUs() []PMU { return New().catalog.pmus() }

func (c catalog) pmus() (out []PMU) {
	entries, _ := os.ReadDir(c.devices)
	for _, e := range entries {
		if p, ok := c.pmu(e.Name()); ok {
			p.Formats, p.Events = c.list(p.Name, "format"), c.aliases(p)
			out = append(out, p)
		}
	}
	return out
}

// aliases lists the events that a PMU names itself.
func (c catalog) aliases(p PMU) (names []string) {
	for _, e := range c.list(p.Name, "events") {
		if isAlias(e) {
			names = append(names, e)
		}
	}
	return names
}

// isAlias tells whether a file beside events is one, and no note about one.
func isAlias(name string) bool {
	return !strings.HasSuffix(name, ".scale") && !strings.HasSuffix(name, ".unit") && !strings.HasSuffix(name, ".snapshot") && !strings.HasSuffix(name, ".per-pkg")
}

// pmu returns the PMU of a name, without the lists of its terms and events: there may be hundreds, and who parses an event needs a few.
func (c catalog) pmu(name string) (PMU, bool) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return PMU{}, false
	}
	typ, ok := c.number(name, "type")
	if !ok || typ > math.MaxUint32 {
		return PMU{}, false
	}
	p := PMU{Name: name, Type: uint32(typ)}
	if mask, ok := c.text(name, "cpumask"); ok {
		p.CPUs = parseCPUs(mask)
	}
	_, cpus := c.text(name, "cpus")
	p.core = name == "cpu" || cpus
	return p, true
}

// coreFormats are the terms of processors where sysfs has no PMU of theirs: in virtual machines without counters.
var coreFormats = map[string]string{
	"event": "config:0-7,32-35", "umask": "config:8-15", "edge": "config:18", "any": "config:21", "inv": "config:23", "cmask": "config:24-31",
	"offcore_rsp": "config1:0-63", "ldlat": "config1:0-15", "frontend": "config1:0-23",
}

// corePMU returns the PMU that counts the events of the processor's table, by the name that it has in the table.
func (c catalog) corePMU(name string) PMU {
	if p, ok := c.pmu(name); ok {
		return p
	}
	formats := coreFormats
	if strings.HasPrefix(name, "arm") { // named by the model in some kernels
		for _, p := range c.pmus() {
			if p.core && strings.HasPrefix(p.Name, "arm") {
				return p
			}
		}
		formats = map[string]string{"event": "config:0-15"}
	}
	return PMU{Name: name, Type: perfevent.Raw, core: true, formats: formats}
}

// format returns where the value of a term goes: "config:0-7".
func (c catalog) format(p PMU, term string) (string, bool) {
	if f, ok := p.formats[term]; ok {
		return f, true
	}
	if f, ok := c.entry(p, "format", term); ok {
		return f, true
	}
	return term + ":0-63", strings.HasPrefix(term, "config")
}

func (c catalog) list(dir ...string) (out []string) {
	entries, _ := os.ReadDir(filepath.Join(append([]string{c.devices}, dir...)...))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	sort.Strings(out)
	return out
}

// entry reads what one of a PMU's directories says of a name, if anything.
func (c catalog) entry(p PMU, dir, name string) (string, bool) {
	if name == "" || strings.Contains(name, "/") {
		return "", false
	}
	return c.text(p.Name, dir, name)
}

// text reads a small file of sysfs.
func (c catalog) text(path ...string) (string, bool) {
	b, err := os.ReadFile(filepath.Join(append([]string{c.devices}, path...)...))
	return strings.TrimSpace(string(b)), err == nil
}

func (c catalog) number(path ...string) (uint64, bool) {
	t, ok := c.text(path...)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(t, 0, 64)
	return v, err == nil
}

// maxCPUs is more processors than the kernel can be built for.
const maxCPUs = 1 << 14

// parseCPUs reads a list like "0,28-30"; nil when it is none.
func parseCPUs(list string) (out []int) {
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 32)
		b, err2 := strconv.ParseUint(high, 10, 32)
		if err1 != nil || err2 != nil || a > b || b >= maxCPUs || len(out) > maxCPUs {
			return nil
		}
		for ; a <= b; a++ {
			out = append(out, int(a))
		}
	}
	return out
}

// aliasDescription says what an event named in sysfs is.
func (c catalog) aliasDescription(p PMU, event string) string {
	d := "event of the PMU " + p.Name
	if terms, ok := c.text(p.Name, "events", event); ok {
		d += ": " + terms
	}
	if u, ok := c.text(p.Name, "events", event+".unit"); ok {
		if scale, ok := c.text(p.Name, "events", event+".scale"); ok {
			u = scale + " " + u
		}
		d += ", in units of " + u
	}
	return d
}

// tracepoints lists tracepoints, system:event, sorted; nil where tracefs is not mounted. Those of ftrace are records of tracers.
func (c catalog) tracepoints() (out []string) {
	for _, dir := range c.tracing {
		ids, _ := filepath.Glob(filepath.Join(dir, "events", "*", "*", "id"))
		for _, id := range ids {
			event := filepath.Dir(id)
			if system := filepath.Base(filepath.Dir(event)); system != "ftrace" {
				out = append(out, system+":"+filepath.Base(event))
			}
		}
		if out != nil {
			break
		}
	}
	sort.Strings(out)
	return out
}

// tracepoint returns the number of a tracepoint; mounted is false when tracefs is not to be seen.
func (c catalog) tracepoint(system, event string) (id uint64, found, mounted bool) {
	for _, dir := range c.tracing {
		if _, err := os.Stat(filepath.Join(dir, "events")); err != nil {
			continue
		}
		mounted = true
		b, err := os.ReadFile(filepath.Join(dir, "events", system, event, "id"))
		if err != nil {
			continue
		}
		if id, err = strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err == nil {
			return id, true, true
		}
	}
	return 0, false, mounted
}
