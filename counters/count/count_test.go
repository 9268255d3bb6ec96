package count

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/internal/launch"
)

// need skips the test when an event cannot be counted here.
func need(t *testing.T, event string) {
	t.Helper()
	if err := counters.Available(event); err != nil {
		t.Skip(err)
	}
}

func TestRepeats(t *testing.T) {
	need(t, "task-clock")
	all, err := Run(Options{Events: []string{"task-clock", "page-faults"}, CPU: -1, Inherit: true, Repeat: 3, Args: []string{"sh", "-c", "exit 5"}})
	require.NoError(t, err)
	require.Equal(t, 3, all.Runs)
	require.Equal(t, 5, all.Status)
	require.Len(t, all.Real, 3)
	for _, e := range all.Events {
		require.Len(t, e.Counts, 3)
		require.Positive(t, *e.Mean, e.Name)
		require.EqualValues(t, 1, e.Share)
	}
}

// TestSignalEnds: a command that a signal ended is not run again.
func TestSignalEnds(t *testing.T) {
	all, err := Run(Options{Events: []string{"task-clock"}, CPU: -1, Repeat: 3, Args: []string{"sh", "-c", "kill -TERM $$"}})
	if err != nil {
		require.ErrorIs(t, err, ErrNothing)
	}
	require.Equal(t, 1, all.Runs)
	require.Equal(t, 128+15, all.Status)
}

func TestRefused(t *testing.T) {
	for _, event := range []string{"nosuch-event", "PAPI_NO_SUCH"} {
		_, err := Run(Options{Events: []string{event}, CPU: -1, Repeat: 1, Args: []string{"true"}})
		require.ErrorIs(t, err, counters.ErrUnknownEvent, event)
	}
	_, err := Run(Options{CPU: -1, Repeat: 1, Args: []string{"/nosuch/program"}})
	e, ok := errors.AsType[*launch.Error](err)
	require.True(t, ok, err)
	require.Equal(t, launch.NotFound, e.Status)
	_, err = Run(Options{CPU: -1, PID: 999999999, Repeat: 1})
	require.ErrorContains(t, err, "no such process")
}

func TestMeanAndSpread(t *testing.T) {
	mean, spread := meanAndSpread([]int64{1, 2, 3})
	require.InDelta(t, 2, mean, 1e-12)
	require.InDelta(t, 1, spread, 1e-12)
	_, spread = meanAndSpread([]int64{7})
	require.Zero(t, spread, "of one nothing is known")
}

func TestText(t *testing.T) {
	mean := func(v float64) *float64 { return &v }
	all := Tally{Command: []string{"./app", "arg"}, Runs: 2, Status: 3, Real: []int64{100_000_000, 102_000_000}, User: []int64{90e6, 90e6}, System: []int64{0, 0},
		Events: []Event{
			{Name: "task-clock", Unit: "ns", Counts: []int64{1, 2}, Mean: mean(202e6), Share: 1},
			{Name: "cycles", Unit: "events", Counts: []int64{1, 2}, Mean: mean(1234567), Spread: 12345.67, Share: 1},
			{Name: "instructions", Unit: "events", Counts: []int64{1, 2}, Mean: mean(2469134), Share: 0.25},
			{Name: "page-faults", Unit: "events", Counts: []int64{0, 0}, Mean: mean(0), Share: 1},
			{Name: "cache-misses", Why: "this machine does not have it"}, {Name: "branches", Why: "this machine does not have it"},
		}}
	var out strings.Builder
	require.NoError(t, all.Text(&out))
	require.Equal(t, `
means of 2 runs of ./app arg

           202.00 ms  task-clock               2.00 processors; ± 0 %
           1,234,567  cycles                   6.11 M/s of task-clock; ± 1.0 %
           2,469,134  instructions             2.00 per cycle; ± 0 %; estimate:
                                               counted 25 % of the time
                   0  page-faults

  not counted: cache-misses, branches: this machine does not have it

  101 ms real (± 1.41 ms), 90.0 ms user, 0 s system
  exit status 3
`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
	}
}
