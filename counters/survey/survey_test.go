package survey

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/events"
	"tracerec/counters/hardware"
	"tracerec/counters/sample"
)

// shown returns the text of an answer, which has to fit into a terminal.
func shown(t *testing.T, a Answer) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, a.Text(&out))
	for line := range strings.Lines(out.String()) {
		if len(strings.Fields(line)) > 2 { // a long name cannot be broken
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
	return out.String()
}

// sampled takes levels and the usage of a process for what no recording can read.
func sampled(event string) error {
	if strings.HasPrefix(event, "rusage:") || event == "go:goroutines" {
		return counters.ErrUnknownEvent
	}
	return nil
}

func TestAll(t *testing.T) {
	v := All(false, true, sampled)
	require.Equal(t, sample.MaxEvents, v.Together)
	found := map[string]Row{}
	for _, c := range v.Counters {
		found[c.Name] = c
		require.Equal(t, c.Available, c.Reason == "", c.Name)
		require.Equal(t, c.Available, c.Cost > 0, c.Name)
		require.NotEmpty(t, c.Source)
	}
	require.Equal(t, "ns", found["task-clock"].Unit)
	require.Equal(t, "thread", found["task-clock"].Scope)
	require.Equal(t, "bytes", found["go:alloc-bytes"].Unit)
	require.Equal(t, "process", found["go:gc-cycles"].Scope)
	require.True(t, found["go:gc-cycles"].Available)

	text := shown(t, v)
	require.Contains(t, text, "go:alloc-bytes")
	require.Contains(t, text, "rusage:utime *")
	require.Contains(t, text, "go:goroutines *", "a level")
	require.NotContains(t, text, "task-clock *")
	require.Contains(t, text, "* not with tracerec -c")
	require.Contains(t, text, "tracerec count -e")
	require.Less(t, strings.Count(text, "\n"), 60, "short")
	v.long = true
	require.Contains(t, shown(t, v), "bytes allocated on the heap")
}

func TestNoTables(t *testing.T) {
	t.Setenv(events.Directory, "/nonexistent")
	require.Contains(t, NoTables(), "TRACEREC_EVENTS is ignored: open /nonexistent")
	t.Setenv(events.Directory, t.TempDir())
	require.Contains(t, NoTables(), "has no tables")
	t.Setenv(events.Directory, "")
	require.Empty(t, NoTables())
}

func TestPresets(t *testing.T) {
	all, err := Presets("")
	require.NoError(t, err)
	v := all.(presetList)
	require.Len(t, v.Presets, len(events.Presets()))
	for _, p := range v.Presets {
		require.Equal(t, p.Available, p.Reason == "", p.Name)
		require.True(t, !p.Available || len(p.Natives) > 0, p.Name)
	}
	require.Contains(t, shown(t, v), "PAPI_TOT_CYC")
	// Where the closing sentence breaks depends on the length of the processor's name.
	require.Contains(t, strings.Join(strings.Fields(shown(t, v)), " "), "-: the processor has none")
	some, err := Presets("PAPI_L1_?CM")
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(shown(t, some), "PAPI_L1_"), "data, instructions, total")
	_, err = Presets("nosuchthing")
	require.ErrorContains(t, err, "nosuchthing")
}

func TestNatives(t *testing.T) {
	all, err := Natives("")
	require.NoError(t, err)
	require.NotEmpty(t, all.(nativeList).Events)
	some, err := Natives("page-faults")
	require.NoError(t, err)
	require.Less(t, len(some.(nativeList).Events), len(all.(nativeList).Events))
	require.Equal(t, "page-faults", some.(nativeList).Events[0].Name)
	misses, err := Natives("miss")
	require.NoError(t, err)
	require.NotEmpty(t, shown(t, misses))
	require.Equal(t, "  (counters 0 1 3)", native{Counters: 11}.where())
	require.Equal(t, "  (fixed counter 1)", native{Counters: 0xff, Fixed: 2}.where())
	require.Equal(t, "  (alone)", native{Alone: true}.where())
	require.Empty(t, native{}.where())
}

func TestBeside(t *testing.T) {
	need := func(event string) {
		if err := counters.Available(event); err != nil {
			t.Skip(err)
		}
	}
	need("task-clock")
	v, err := Beside([]string{"task-clock"}, sampled)
	require.NoError(t, err)
	for _, r := range v.(neighbours).Fits {
		require.NotEqual(t, "task-clock", r.Name)
	}
	require.Contains(t, shown(t, v), "page-faults")
	_, err = Beside([]string{"task-clock", "nosuch"}, sampled)
	require.ErrorContains(t, err, "nosuch")

	need(fmt.Sprintf("mem:%p/8:w", &watched[0]))
	free := watchpoints(nil)
	require.Positive(t, free)
	two := []string{fmt.Sprintf("mem:%p/8:w", &watched[40]), fmt.Sprintf("mem:%p/8:w", &watched[41])}
	require.Equal(t, free-2, watchpoints(two), "debug registers are what watchpoints share")
}

func TestCosts(t *testing.T) {
	v, err := Costs()
	require.NoError(t, err)
	require.NotEmpty(t, v.(costList).Costs)
	for _, r := range v.(costList).Costs {
		require.Positive(t, r.Least, r)
		require.LessOrEqual(t, r.Least, r.Median)
		require.LessOrEqual(t, r.Median, r.P90)
		require.LessOrEqual(t, r.P90, r.P99)
	}
	require.Contains(t, shown(t, v), "start+stop")
}

func TestMachine(t *testing.T) {
	require.Positive(t, Here().Threads)
	require.Contains(t, shown(t, Here()), "processor")

	paranoid := 3
	var out strings.Builder
	require.NoError(t, Machine{hardware.Machine{
		CPU: events.CPU{Name: "Some Processor", Vendor: "AuthenticAMD", Family: 25, Model: 17}, Sockets: 2, Cores: 32, Threads: 64, Memory: 3 << 29, PageSize: 4096,
		Clock:    hardware.Clock{Base: 2_450_000, Max: 3_700_000},
		Caches:   []hardware.Cache{{Level: 1, Kind: "instruction", Size: 32 << 10, Line: 64, Ways: 8, Sets: 64, Shared: 2}},
		TLBs:     []hardware.TLB{{Level: 2, Kind: "data", Pages: []string{"4K", "2M"}, Entries: 3072, Ways: 12}},
		Nodes:    []hardware.Node{{ID: 1, CPUs: "16-31", Memory: 1 << 30}},
		Counters: &hardware.Counters{General: 6, Width: 48, Unit: "cpu"}, Paranoid: &paranoid, Watchdog: true, Kernel: "6.1",
	}}.Text(&out))
	require.Equal(t, `processor     Some Processor
              AuthenticAMD family 25 model 17 (0x11) stepping 0
              2 sockets, 32 cores, 64 hardware threads
clock         base 2.45 GHz, maximum 3.70 GHz
L1 instr      32 KiB, lines of 64 bytes, 8 ways, 64 sets, shared by 2 threads
L2 data TLB   3072 entries, 12 ways, for pages of 4K, 2M
memory        1.50 GiB, pages of 4 KiB
node 1        processors 16-31, 1 GiB
counters      6 general and 0 fixed of 48 bits, as cpu
              the kernel's NMI watchdog uses one of them (sysctl
              kernel.nmi_watchdog=0)
kernel        6.1
              perf_event_paranoid is 3: only privileged users may count
`, out.String())
}
