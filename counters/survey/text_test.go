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
