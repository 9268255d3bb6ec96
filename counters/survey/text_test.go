package survey

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestCounters(t *testing.T) {
	var out strings.Builder
	require.NoError(t, writeCounters(&out, []Row{
		{Name: "task-clock", Scope: "thread", Unit: "ns", Description: "time on a processor", Available: true, Regions: true, Cost: 1234},
		{Name: "rusage:utime", Scope: "thread", Unit: "ns", Description: "time in user mode", Available: true, Cost: 500},
		{Name: "cpu-migrations", Scope: "thread", Unit: "events", Reason: "the kernel refuses it (perf_event_paranoid or seccomp): permission denied"},
	}, 8))
	require.Regexp(t, `(?m)^task-clock +thread +ns +1\.23 µs  time on a processor$`, out.String())
	require.Regexp(t, `(?m)^rusage:utime \* +thread +ns +500 ns  time in user mode$`, out.String())
	require.Regexp(t, `(?m)^cpu-migrations +thread +events +-  not here: the kernel refuses$`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

// TestGrouped: thousands of events of which one was tried are one row.
func TestGrouped(t *testing.T) {
	rows := []Row{{Name: "cycles"}, {Name: "sched:sched_switch", group: "tracepoints", Available: true}, {Name: "syscalls:sys_enter_read", group: "others", Reason: "no"},
		{Name: "sched:sched_wakeup", group: "tracepoints", Available: true}, {Name: "instructions"}}
	for range 998 {
		rows = append(rows, Row{Name: "x:y", group: "tracepoints"})
	}
	require.Equal(t, []Row{{Name: "cycles"}, {Name: "tracepoints", group: "tracepoints", Available: true, Description: "1,000, as sched:sched_switch: --native lists them"},
		{Name: "others", group: "others", Reason: "no", Description: "1, as syscalls:sys_enter_read: --native lists them"}, {Name: "instructions"}}, grouped(rows))
	require.Empty(t, grouped(nil))
}
