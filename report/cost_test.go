package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestRecordingCost shows what recording cost where that matters; the JSON has it always.
func TestRecordingCost(t *testing.T) {
	for cost, shown := range map[int64]bool{340e6: true, 10e6: true, 9_999_999: false, 0: false} {
		e := &Experiment{Sidecar: Sidecar{Header: Header{Program: "./app", Time: 1e9, Events: 20_000_000, RecordingCost: cost}}}
		var text, json strings.Builder
		require.NoError(t, Text(&text, e, TextOptions{}))
		require.Equal(t, shown, strings.Contains(text.String(), "recording cost at least "), text.String())
		require.NoError(t, JSON(&json, e))
		require.Equal(t, cost > 0, strings.Contains(json.String(), `"recording_cost_ns"`))
		if cost == 340e6 {
			require.Contains(t, text.String(), "recording cost at least 340 ms of the program's time (20,000,000 events × 17 ns)\n")
		}
	}
}

// TestCostly: that recording took a tenth of the processor time or more is a warning, also where the report is brief.
func TestCostly(t *testing.T) {
	for cost, want := range map[int64]bool{99: false, 100: true} {
		e := &Experiment{}
		e.Header = Header{Time: 1000, Focus: 1000, CPUTime: 1000, Events: 10, RecordingCost: cost}
		for _, write := range []func(io.Writer, *Experiment, TextOptions) error{Text, Brief} {
			var text strings.Builder
			require.NoError(t, write(&text, e, TextOptions{}))
			require.Equal(t, want, strings.Contains(strings.Join(strings.Fields(text.String()), " "), "! recording took at least 10.0 % of the processor time that was used (10 events ×"), text.String())
		}
	}
}

// TestHeldUp: that goroutines waited for the recorder for a tenth of their time or more is a warning, too.
func TestHeldUp(t *testing.T) {
	for held, want := range map[int64]bool{99: false, 100: true} {
		e := &Experiment{}
		e.Header = Header{Time: 1000, Focus: 1000, Events: 10}
		e.Regions, e.Paths, e.Locations, e.Groups = []Region{{Name: "main"}}, []CallPath{{Parent: -1}}, []Location{{Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}}
		e.Metrics = []metric.Metric{{Name: metric.Overhead}}
		fill(e, [][]Cell{{{Value: held}}}, nil)
		for _, write := range []func(io.Writer, *Experiment, TextOptions) error{Text, Brief} {
			var text strings.Builder
			require.NoError(t, write(&text, e, TextOptions{}))
			require.Equal(t, want, strings.Contains(strings.Join(strings.Fields(text.String()), " "), "! recording held goroutines up for 10.0 % of their time (measurement overhead)"), text.String())
		}
	}
}

// TestShared: that other programs had the processors for a fifth of the time that goroutines are said to have run, or more, is a warning, too. Where several
// processes ran, their processor time may be more than one of them ran.
func TestShared(t *testing.T) {
	for _, c := range []struct {
		cpu    int64
		load   *Load
		assist int64
		want   bool
	}{
		{600, &Load{Running: 1000}, 0, true},
		{600, &Load{Running: 1000, Busy: 1000, Lacking: 900}, 0, true},
		{600, &Load{Running: 1500}, 500, true},
		{600, &Load{Running: 1000}, 500, false}, // who helps the garbage collector may wait there
		{800, &Load{Running: 1000}, 0, false},
		{1200, &Load{Running: 1000}, 0, false},
		{0, &Load{Running: 1000}, 0, false},
		{600, nil, 0, false},
	} {
		e := &Experiment{}
		e.Regions, e.Paths, e.Locations, e.Groups = []Region{{Name: "main"}}, []CallPath{{Parent: -1}}, []Location{{Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}}
		e.Metrics = []metric.Metric{{Name: metric.GCAssist}}
		fill(e, [][]Cell{{{Value: c.assist}}}, nil)
		e.Header = Header{Time: 1000, Wall: 1000, Focus: 1000, Events: 10, Processors: 1, States: true, CPUTime: c.cpu, Load: c.load}
		for _, write := range []func(io.Writer, *Experiment, TextOptions) error{Text, Brief} {
			var text strings.Builder
			require.NoError(t, write(&text, e, TextOptions{}))
			require.Equal(t, c.want, strings.Contains(strings.Join(strings.Fields(text.String()), " "),
				"! other programs had the processors for 40.0 % of the time for which goroutines ran"), text.String())
		}
	}
}

// TestLargeTimes: numbers that need all their room stand apart from the bars beside them.
func TestLargeTimes(t *testing.T) {
	for _, total := range []int64{99_999e9, 302_350e9} {
		e := &Experiment{}
		e.Header = Header{Time: total, Focus: total, Events: 10}
		e.Regions, e.Paths, e.Locations, e.Groups = []Region{{Name: "main"}}, []CallPath{{Parent: -1}}, []Location{{Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}}
		e.Metrics = []metric.Metric{{Name: metric.Time, Title: "Time"}}
		fill(e, [][]Cell{{{Value: total}}}, nil)
		var text strings.Builder
		require.NoError(t, Text(&text, e, TextOptions{}))
		require.Contains(t, spaced(text.String()), "█ "+spaced(seconds(total)))
	}
}
