//go:build linux

package perf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/events"
	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// fakeMachine has the PMUs of a server with hardware counters, and tracefs.
func fakeMachine(t testing.TB) catalog {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"dev/cpu/type":                              "4",
		"dev/cpu/format/event":                      "config:0-7",
		"dev/cpu/format/umask":                      "config:8-15",
		"dev/cpu/format/cmask":                      "config:24-31",
		"dev/cpu/format/inv":                        "config:23",
		"dev/cpu/format/split":                      "config:0-7,32-35",
		"dev/cpu/format/offcore_rsp":                "config1:0-63",
		"dev/cpu/format/beyond":                     "config3:0-63",
		"dev/cpu/format/broken":                     "config:9-3",
		"dev/cpu/events/mem-loads":                  "event=0xcd,umask=0x1",
		"dev/msr/type":                              "9",
		"dev/msr/format/event":                      "config:0-63",
		"dev/msr/events/tsc":                        "event=0x00",
		"dev/power/type":                            "20",
		"dev/power/cpumask":                         "0,28-29",
		"dev/power/format/event":                    "config:0-7",
		"dev/power/events/energy-pkg":               "event=0x02",
		"dev/power/events/energy-pkg.scale":         "2.3283064365386962890625e-10",
		"dev/power/events/energy-pkg.unit":          "Joules",
		"dev/uprobe/type":                           "8",
		"dev/uprobe/format/retprobe":                "config:0",
		"dev/kprobe/type":                           "6",
		"dev/kprobe/format/retprobe":                "config:0",
		"dev/nonsense/type":                         "many",
		"tracing/events/sched/sched_switch/id":      "316",
		"tracing/events/syscalls/sys_enter_read/id": "701",
	} {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	}
	table := func(name string) (events.Entry, bool) {
		e := events.Entry{Name: "MEM_LOAD_RETIRED.L1_MISS", Description: "loads that missed", PMU: "cpu", Encoding: "event=0xd1,umask=0x8"}
		return e, strings.EqualFold(name, e.Name)
	}
	return catalog{filepath.Join(dir, "dev"), []string{filepath.Join(dir, "none"), filepath.Join(dir, "tracing")}, table}
}

func TestNamesAreEncoded(t *testing.T) {
	c := fakeMachine(t)
	for name, want := range map[string]Encoded{
		"cycles":                               {Event: perfevent.Event{Type: 0, Config: 0}, pmu: "cpu"},
		"cpu-cycles:u":                         {Event: perfevent.Event{Type: 0, Config: 0, Flags: perfevent.FlagExcludeKernel}, pmu: "cpu"},
		"instructions:kp":                      {Event: perfevent.Event{Type: 0, Config: 1, Flags: perfevent.FlagExcludeUser | 1<<15}, pmu: "cpu"},
		"instructions:uk":                      {Event: perfevent.Event{Type: 0, Config: 1}, pmu: "cpu"},
		"branches:upp":                         {Event: perfevent.Event{Type: 0, Config: 4, Flags: perfevent.FlagExcludeKernel | 2<<15}, pmu: "cpu"},
		"task-clock":                           {Event: perfevent.Event{Type: 1, Config: 1}, clock: true},
		"page-faults:u":                        {Event: perfevent.Event{Type: 1, Config: 2, Flags: perfevent.FlagExcludeKernel}},
		"context-switches":                     {Event: perfevent.Event{Type: 1, Config: 3, Kernel: true}},
		"L1-dcache-load-misses":                {Event: perfevent.Event{Type: 3, Config: 0x10000}, pmu: "cpu"},
		"LLC-stores":                           {Event: perfevent.Event{Type: 3, Config: 0x102}, pmu: "cpu"},
		"dTLB-prefetch-misses":                 {Event: perfevent.Event{Type: 3, Config: 0x10203}, pmu: "cpu"},
		"r1a8":                                 {Event: perfevent.Event{Type: 4, Config: 0x1a8}, pmu: "cpu"},
		"rffffffffffffffff:u":                  {Event: perfevent.Event{Type: 4, Config: 1<<64 - 1, Flags: perfevent.FlagExcludeKernel}, pmu: "cpu"},
		"cpu/event=0x3c,umask=0/":              {Event: perfevent.Event{Type: 4, Config: 0x3c}, pmu: "cpu"},
		"cpu/event=0xb1,umask=1,inv,cmask=2/u": {Event: perfevent.Event{Type: 4, Config: 0x28001b1, Flags: perfevent.FlagExcludeKernel}, pmu: "cpu"},
		"cpu/event=60/:k":                      {Event: perfevent.Event{Type: 4, Config: 60, Flags: perfevent.FlagExcludeUser}, pmu: "cpu"},
		"cpu/event=60/:u":                      {Event: perfevent.Event{Type: 4, Config: 60, Flags: perfevent.FlagExcludeKernel}, pmu: "cpu"},
		"cpu/split=0xfff/":                     {Event: perfevent.Event{Type: 4, Config: 0xf000000ff}, pmu: "cpu"},
		"cpu/config=0x1234,config1=7/":         {Event: perfevent.Event{Type: 4, Config: 0x1234, Config1: 7}, pmu: "cpu"},
		"cpu/mem-loads,cmask=3/":               {Event: perfevent.Event{Type: 4, Config: 0x30001cd}, pmu: "cpu"},
		"msr/tsc/":                             {Event: perfevent.Event{Type: 9, NoExclude: true}},
		"power/energy-pkg/":                    {Event: perfevent.Event{Type: 20, Config: 2, NoExclude: true}, CPUs: []int{0, 28, 29}, pmu: "power"},
		"mem_load_retired.l1_miss:u":           {Event: perfevent.Event{Type: 4, Config: 0x8d1, Flags: perfevent.FlagExcludeKernel}, pmu: "cpu"},
		"sched:sched_switch":                   {Event: perfevent.Event{Type: 2, Config: 316, Kernel: true}},
		"syscalls:sys_enter_read":              {Event: perfevent.Event{Type: 2, Config: 701, Kernel: true}},
		"mem:0x1000/8:w":                       {Event: perfevent.Event{Type: 5, Config1: 0x1000, Config2: 8, BPType: 2}},
		"mem:4096/4:rw:u":                      {Event: perfevent.Event{Type: 5, Config1: 0x1000, Config2: 4, BPType: 3, Flags: perfevent.FlagExcludeKernel}},
		"mem:0x1000":                           {Event: perfevent.Event{Type: 5, Config1: 0x1000, Config2: 8, BPType: 3}},
		"mem:0x1001/1:r":                       {Event: perfevent.Event{Type: 5, Config1: 0x1001, Config2: 1, BPType: 1}},
		"mem:0x1001:x":                         {Event: perfevent.Event{Type: 5, Config1: 0x1001, Config2: 8, BPType: 4}},
		"mem:0x1000:u":                         {Event: perfevent.Event{Type: 5, Config1: 0x1000, Config2: 8, BPType: 3, Flags: perfevent.FlagExcludeKernel}},
		"uprobe:/bin/app+0x40":                 {Event: perfevent.Event{Type: 8, Config2: 0x40}, Path: "/bin/app"},
		"uretprobe:/bin/app+64":                {Event: perfevent.Event{Type: 8, Config: 1, Config2: 64}, Path: "/bin/app"},
		"kprobe:do_exit":                       {Event: perfevent.Event{Type: 6, Kernel: true}, Path: "do_exit"},
		"kretprobe:do_exit+0":                  {Event: perfevent.Event{Type: 6, Config: 1, Kernel: true}, Path: "do_exit"},
	} {
		got, err := c.parse(name)
		require.NoError(t, err, name)
		want.Name = name
		require.Equal(t, want, got, name)
		require.NotEmpty(t, c.describe(name, got), name)
	}
}

func TestNamesThatAreWrong(t *testing.T) {
	c := fakeMachine(t)
	for name, want := range map[string]struct {
		kind error
		text string
	}{
		"":                         {substrate.ErrUnknownEvent, `"": unknown event: not a name`},
		"bogus":                    {substrate.ErrUnknownEvent, "bogus: unknown event: no event of this kernel or processor has that name"},
		"bogus:u":                  {substrate.ErrUnknownEvent, "no event of this kernel or processor"},
		"a\nb":                     {substrate.ErrUnknownEvent, `"a\nb"`},
		strings.Repeat("x", 5000):  {substrate.ErrUnknownEvent, "xxx…"},
		"cycles:":                  {substrate.ErrUnknownEvent, "modifiers are u, k and p"},
		"cycles:pppp":              {substrate.ErrUnknownEvent, "modifiers are u, k and p"},
		"sched:bogus":              {substrate.ErrUnknownEvent, "no such tracepoint"},
		"..:..":                    {substrate.ErrUnknownEvent, "neither an event nor a tracepoint"},
		"cpu/event=0x3c":           {substrate.ErrUnknownEvent, "a / is missing at the end"},
		"cpu/event=0x100/":         {substrate.ErrUnknownEvent, "256 does not fit into its bits (config:0-7)"},
		"cpu/event=many/":          {substrate.ErrUnknownEvent, `"many" of term event is not a number`},
		"cpu/bogus=1/":             {substrate.ErrUnknownEvent, "has no term or event bogus (terms: beyond, broken, cmask, event,"},
		"cpu/beyond=1/":            {substrate.ErrUnknownEvent, "config3 is not supported"},
		"cpu/broken=1/":            {substrate.ErrUnknownEvent, "its format config:9-3 is unknown"},
		"cpu/event=1/z":            {substrate.ErrUnknownEvent, "modifiers are u, k and p"},
		"gpu/busy/":                {substrate.ErrUnavailable, "there is no PMU gpu (there are: cpu, kprobe, msr, power, uprobe)"},
		"../x/":                    {substrate.ErrUnavailable, "there is no PMU .."},
		"msr/tsc/u":                {substrate.ErrUnsupported, "leave out :u and :k"},
		"task-clock:u":             {substrate.ErrUnsupported, "leave out :u and :k"},
		"page-faults:q":            {substrate.ErrUnknownEvent, `modifiers are u, k and p, not "q"`},
		"cpu/event=1/:q":           {substrate.ErrUnknownEvent, `modifiers are u, k and p, not "`},
		"r1a8:uq":                  {substrate.ErrUnknownEvent, `modifiers are u, k and p, not "uq"`},
		"context-switches:u":       {substrate.ErrUnsupported, "inside the kernel"},
		"mem:0x1001/8:w":           {substrate.ErrUnknownEvent, "must be a multiple of the length, 8"},
		"mem:0x1000/3:w":           {substrate.ErrUnknownEvent, "the length must be 1, 2, 4 or 8"},
		"mem:0x1000/8:q":           {substrate.ErrUnknownEvent, "the access is r, w, rw or x"},
		"mem:0x1000/8:ww":          {substrate.ErrUnknownEvent, "the access is"},
		"mem:0x1000:rx":            {substrate.ErrUnknownEvent, "x cannot be watched together"},
		"mem:0x1000/4:x":           {substrate.ErrUnknownEvent, "without a length"},
		"mem:":                     {substrate.ErrUnknownEvent, `"" is not an address`},
		"uprobe:/bin/app":          {substrate.ErrUnknownEvent, "the place in the file is missing"},
		"uprobe:/nonexistent:main": {substrate.ErrUnknownEvent, "no such file"},
		"kprobe:":                  {substrate.ErrUnknownEvent, "is not a place for a probe"},
	} {
		_, err := c.parse(name)
		require.ErrorIs(t, err, want.kind, name)
		require.ErrorContains(t, err, want.text, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
}

func TestWithoutTracefs(t *testing.T) {
	c := fakeMachine(t)
	c.tracing = nil
	_, err := c.parse("sched:sched_switch")
	require.ErrorIs(t, err, substrate.ErrUnavailable)
	require.ErrorContains(t, err, "mount -t tracefs")
}

// Without a PMU of the processor its table encodes events all the same, as raw ones.
func TestTableWithoutPMU(t *testing.T) {
	c := fakeMachine(t)
	require.NoError(t, os.RemoveAll(filepath.Join(c.devices, "cpu")))
	e, err := c.parse("MEM_LOAD_RETIRED.L1_MISS")
	require.NoError(t, err)
	require.Equal(t, Encoded{Name: "MEM_LOAD_RETIRED.L1_MISS", Event: perfevent.Event{Type: perfevent.Raw, Config: 0x8d1}, pmu: "cpu"}, e)
}

// Every event that a table holds can be encoded, but those of processors that no kernel of today counts on.
func TestAllTables(t *testing.T) {
	c := fakeMachine(t)
	require.NoError(t, os.RemoveAll(c.devices))
	n := 0
	for _, name := range events.Names() {
		if name == "power4" || strings.HasPrefix(name, "ultra") {
			continue
		}
		table, err := events.Named(name)
		require.NoError(t, err)
		c.table = table.Find
		for _, entry := range table.Entries() {
			if _, err := c.parse(entry.Name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			n++
		}
	}
	require.Greater(t, n, 1000)
}

func TestPMUsAreListed(t *testing.T) {
	c := fakeMachine(t)
	var names []string
	for _, p := range c.pmus() {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"cpu", "kprobe", "msr", "power", "uprobe"}, names)
	power := c.pmus()[3]
	require.Equal(t, []string{"energy-pkg"}, power.Events)
	require.Equal(t, "event of the PMU power: event=0x02, in units of 2.3283064365386962890625e-10 Joules", c.aliasDescription(power, "energy-pkg"))
	require.Equal(t, []string{"sched:sched_switch", "syscalls:sys_enter_read"}, c.tracepoints())

	s := &Substrate{catalog: c}
	seen := map[string]bool{}
	for _, e := range s.Events() {
		require.False(t, seen[e.Name], e.Name)
		seen[e.Name] = true
		r, err := s.Resolve(e.Name)
		require.NoError(t, err, e.Name)
		require.Equal(t, e.Unit, r.Unit, e.Name)
		require.Equal(t, e.Process, r.Process, e.Name)
	}
	require.True(t, seen["power/energy-pkg/"] && seen["cycles"] && seen["sched:sched_switch"])
}

func FuzzParse(f *testing.F) {
	c := fakeMachine(f)
	for _, name := range []string{"cycles:u", "cpu/event=0x3c,umask=0/k", "mem:0x1000/8:w", "uprobe:/bin/app+1", "sched:sched_switch", "r1a8", "cpu/mem-loads,cmask=3/"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		e, err := c.parse(name)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 2000 {
				t.Fatalf("%q: message %q", name, err)
			}
			return
		}
		again, err := c.parse(name)
		if err != nil || again.Config != e.Config || e.Name != name {
			t.Fatalf("%q: %+v, then %+v, %v", name, e, again, err)
		}
		if e.Type == perfevent.Breakpoint && (e.Config2 == 0 || e.Config2 > 8 || e.BPType == 0) {
			t.Fatalf("%q: %+v", name, e)
		}
		c.describe(name, e)
	})
}
