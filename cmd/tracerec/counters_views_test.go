package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/events"
	hw "tracerec/counters/hardware"
)

// shown runs tracerec counters and requires that its text fits into a terminal.
func shown(t *testing.T, args ...string) string {
	t.Helper()
	r := inside(append([]string{"counters"}, args...)...)
	require.Zero(t, r.status, r.stderr)
	for line := range strings.Lines(r.stdout) {
		if len(strings.Fields(line)) > 2 { // a long name cannot be broken
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
	return r.stdout
}

// asked decodes what tracerec counters says in JSON.
func asked(t *testing.T, into any, args ...string) {
	t.Helper()
	r := inside(append([]string{"counters", "--format", "json"}, args...)...)
	require.Zero(t, r.status, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), into))
}

func TestCountersOverview(t *testing.T) {
	text := shown(t)
	require.Contains(t, text, "go:alloc-bytes")
	require.Contains(t, text, "rusage:utime *")
	require.Contains(t, text, "go:goroutines *", "a level")
	require.NotContains(t, text, "task-clock *")
	require.Contains(t, text, "* not with tracerec -c")
	require.Contains(t, shown(t, "--presets"), "-: it has none")
	require.Empty(t, inside("counters").stderr)
	t.Setenv("TRACEREC_EVENTS", "/nonexistent")
	require.Contains(t, inside("counters").stderr, "TRACEREC_EVENTS is ignored: open /nonexistent")
	t.Setenv("TRACEREC_EVENTS", t.TempDir())
	require.Contains(t, inside("counters").stderr, "has no tables")
	t.Setenv("TRACEREC_EVENTS", "")
	require.Contains(t, text, "tracerec count -e")
	require.Less(t, strings.Count(text, "\n"), 60, "short")
	require.Contains(t, shown(t, "--all"), "bytes allocated on the heap")
}

func TestCountersPresets(t *testing.T) {
	var v presetsView
	asked(t, &v, "--presets")
	require.Len(t, v.Presets, len(events.Presets()))
	for _, p := range v.Presets {
		require.Equal(t, p.Available, p.Reason == "", p.Name)
		require.True(t, !p.Available || len(p.Natives) > 0, p.Name)
	}
	text := shown(t, "--presets", "PAPI_L1_?CM")
	require.Equal(t, 3, strings.Count(text, "PAPI_L1_"), "data, instructions, total")
	require.Contains(t, shown(t, "--presets"), "PAPI_TOT_CYC")
	require.Contains(t, inside("counters", "--presets", "nosuchthing").stderr, "nosuchthing")
	require.Contains(t, inside("counters", "x").stderr, "--native")
}

func TestCountersNative(t *testing.T) {
	var v nativesView
	asked(t, &v, "--native")
	require.NotEmpty(t, v.Events)
	all := len(v.Events)
	v = nativesView{}
	asked(t, &v, "--native", "page-faults")
	require.Less(t, len(v.Events), all)
	require.Equal(t, "page-faults", v.Events[0].Name)
	require.NotEmpty(t, shown(t, "--native", "miss"))
	require.Equal(t, "  (counters 0 1 3)", nativeRow{Counters: 11}.where())
	require.Equal(t, "  (fixed counter 1)", nativeRow{Counters: 0xff, Fixed: 2}.where())
	require.Equal(t, "  (alone)", nativeRow{Alone: true}.where())
	require.Empty(t, nativeRow{}.where())
}

func TestCountersBeside(t *testing.T) {
	need := func(event string) {
		if err := counters.Available(event); err != nil {
			t.Skip(err)
		}
	}
	need("task-clock")
	var v besideView
	asked(t, &v, "--with", "task-clock")
	for _, r := range v.Fits {
		require.NotEqual(t, "task-clock", r.Name)
	}
	require.Contains(t, shown(t, "--with", "task-clock"), "page-faults")
	r := inside("counters", "--with", "task-clock,nosuch")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "nosuch")
	for args, want := range map[[2]string]string{
		{"--with", "mem:main.x/8:w"}: "give any address instead, such as mem:0x1000/8:w", {"--with", ""}: "--with: no events named", {"--all", "--cost"}: "--all and --cost: one of them at a time",
	} {
		r := inside("counters", args[0], args[1])
		require.Equal(t, 2, r.status)
		require.Contains(t, r.stderr, want)
	}

	need(fmt.Sprintf("mem:%p/8:w", &watched[0]))
	free := watchpoints(nil)
	require.Positive(t, free)
	two := []string{fmt.Sprintf("mem:%p/8:w", &watched[40]), fmt.Sprintf("mem:%p/8:w", &watched[41])}
	require.Equal(t, free-2, watchpoints(two), "debug registers are what watchpoints share")
}

func TestCountersCost(t *testing.T) {
	var v costsView
	asked(t, &v, "--cost")
	require.NotEmpty(t, v.Costs)
	for _, r := range v.Costs {
		require.Positive(t, r.Least, r)
		require.LessOrEqual(t, r.Least, r.Median)
		require.LessOrEqual(t, r.Median, r.P90)
		require.LessOrEqual(t, r.P90, r.P99)
	}
	require.Contains(t, shown(t, "--cost"), "start+stop")
	require.Equal(t, "9999", brief(9999))
	require.Equal(t, "12µs", brief(12345))
}

func TestCountersHardware(t *testing.T) {
	var m hw.Machine
	asked(t, &m, "--hardware")
	require.Positive(t, m.Threads)
	require.Contains(t, shown(t, "--hardware"), "processor")

	paranoid := 3
	var out strings.Builder
	require.NoError(t, machineView{hw.Machine{
		CPU: events.CPU{Name: "Some Processor", Vendor: "AuthenticAMD", Family: 25, Model: 17}, Sockets: 2, Cores: 32, Threads: 64, Memory: 3 << 29, PageSize: 4096,
		Clock:    hw.Clock{Base: 2_450_000, Max: 3_700_000},
		Caches:   []hw.Cache{{Level: 1, Kind: "instruction", Size: 32 << 10, Line: 64, Ways: 8, Sets: 64, Shared: 2}},
		TLBs:     []hw.TLB{{Level: 2, Kind: "data", Pages: []string{"4K", "2M"}, Entries: 3072, Ways: 12}},
		Nodes:    []hw.Node{{ID: 1, CPUs: "16-31", Memory: 1 << 30}},
		Counters: &hw.Counters{General: 6, Width: 48, Unit: "cpu"}, Paranoid: &paranoid, Watchdog: true, Kernel: "6.1",
	}}.text(&out))
	require.Equal(t, `processor     Some Processor
              AuthenticAMD family 25 model 17 (0x11) stepping 0
              2 sockets, 32 cores, 64 hardware threads
clock         base 2.45 GHz, most 3.70 GHz
L1 instr      32 KiB, lines of 64 bytes, 8 ways, 64 sets, shared by 2 threads
L2 data TLB   3072 entries, 12 ways, for pages of 4K, 2M
memory        1.5 GiB, pages of 4 KiB
node 1        processors 16-31, 1 GiB
counters      6 general and 0 fixed of 48 bits, as cpu
              the kernel's NMI watchdog uses one of them (sysctl
              kernel.nmi_watchdog=0)
kernel        6.1
              perf_event_paranoid is 3: only the privileged may count
`, out.String())
}
