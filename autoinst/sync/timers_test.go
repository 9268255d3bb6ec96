package sync_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/recorder"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestTimers: a goroutine that a timer starts was started by who set that last, and has slept since. So whoever waits for it waits for the timer.
func TestTimers(t *testing.T) {
	a := record(t, "timers")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	type life struct {
		name    string
		creator trace.LocationID
		begun   int64
		slept   int64 // in timer
	}
	lives, since := make([]life, len(defs.Locations)), make([]int64, len(defs.Locations))
	for i := range lives {
		lives[i].name = "main" // which has no Begin
	}
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		x := &lives[l]
		switch {
		case e.Kind == wire.Begin:
			*x = life{defs.Regions[e.ID].Name, trace.LocationID(e.Word) - 1, e.Time, 0}
		case e.Kind == wire.SleepBegin && defs.Regions[e.ID].Name == wire.Timer:
			since[l] = e.Time
			require.Equal(t, x.begun, e.Time, "it begins with that")
		case e.Kind == wire.Leave && since[l] != 0:
			x.slept, since[l] = e.Time-since[l], 0
		}
	}
	creators := map[string]string{}
	for _, x := range lives {
		if x.name == "main" {
			continue
		}
		require.Less(t, int(x.creator), len(lives), "%+v", x)
		creators[x.name] = lives[x.creator].name
		if x.name == "main.plain" || x.name == "main.reset" {
			require.Zero(t, x.slept, x.name)
		} else {
			require.Greater(t, x.slept, int64(15*time.Millisecond), "%+v", x)
		}
	}
	require.Equal(t, map[string]string{"context deadline": "main", "main.fire": "main", "main.fireAgain": "main.reset", "main.reset": "main", "main.plain": "main"}, creators)

	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, e)
	require.Zero(t, e.Split.ByTime)
	require.Greater(t, e.Split.Sleep, int64(45*time.Millisecond), "the path leads through three of them")
	require.Equal(t, metric.LateClose, e.Metrics[e.Findings[0].Metric].Name)
	require.Greater(t, e.Findings[0].Critical, int64(15*time.Millisecond))
	require.Equal(t, report.TimerBound, e.Problem(&e.Findings[0]).Name)
	require.Contains(t, e.Verdict.Text, "mostly waiting for its timer then")
}

// TestTimerChannels: whoever receives from the channel of a timer waits for that, also where such channels are as they were before Go 1.23.
func TestTimerChannels(t *testing.T) {
	for _, old := range []string{"0", "1"} {
		a := recordCommand(t, "env", "GODEBUG=asynctimerchan="+old, program(t, "timers"))
		require.Empty(t, a.Check())
		defs, timers := a.Definitions(), 0
		for _, o := range defs.Objects {
			if o.Kind == wire.TimerChannel {
				timers++
				require.Equal(t, "select", defs.Regions[o.Region].Name)
			}
		}
		require.Equal(t, 1, timers, "of the two in a select, that which was chosen")
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		i := slices.IndexFunc(e.Findings, func(f report.Finding) bool { return e.Metrics[f.Metric].Name == metric.TimerWait })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, uint64(1), uint64(e.Findings[i].Instances))
		require.Greater(t, e.Findings[i].Severity, int64(15*time.Millisecond))
	}
}

// TestSignalChannels: it is known of a channel that signals are sent to it.
func TestSignalChannels(t *testing.T) {
	a := record(t, "signals")
	require.Empty(t, a.Check())
	signals := 0
	for _, o := range a.Definitions().Objects {
		r := a.Definitions().Regions[o.Region]
		switch {
		case o.Kind == wire.SignalChannel:
			signals++
		case r.Func == "main.main" && r.Name == "send":
			require.Equal(t, wire.Channel, o.Kind)
		}
	}
	require.Equal(t, 2, signals)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	for _, n := range e.NeverEnded {
		if e.Locations[n.Location].Name == "main.reload" {
			require.True(t, strings.HasPrefix(n.Object, "signal channel"), n.Object)
		}
	}
}

// TestTimersThatRun: of a select that never ended it is known that a timer would have ended it. As they were before Go 1.23, that is taken to run which was stopped.
func TestTimersThatRun(t *testing.T) {
	const timer = "timer of one of its cases"
	for old, stopped := range map[string]string{"0": "channels of its cases", "1": timer} {
		a := recordCommand(t, "env", "GODEBUG=asynctimerchan="+old, program(t, "timers"), "idle", "1h")
		require.Empty(t, a.Check())
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		never := map[string]string{}
		for _, n := range e.NeverEnded {
			never[e.Locations[n.Location].Name] = n.Object
		}
		require.Equal(t, map[string]string{"main.awaitsRunning": timer, "main.awaitsStopped": stopped}, never)
	}
}

// TestTimersInTurn: where one timer after another sets the pace, the first sentence says so. The longer that is, the less the begin and the end of the program matter.
func TestTimersInTurn(t *testing.T) {
	for pause := short; ; pause *= 4 {
		a := record(t, "timers", "turns", pause.String())
		require.Empty(t, a.Check())
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		require.Greater(t, e.Split.Sleep, 3*int64(pause))
		if pause > time.Second || 10*e.Split.Sleep > 9*e.Header.Focus {
			require.Contains(t, e.Verdict.Text, "waiting of goroutines for the timers that start them, such as main.tick")
			return
		}
	}
}

// short is how long the timers of the program take.
const short = 20 * time.Millisecond

// TestTimersBefore: a goroutine whose timer was set before the recording began has slept since that did, and nobody knows who started it.
func TestTimersBefore(t *testing.T) {
	name, status := program(t, "timers"), 3
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet, o.Window = true, &recorder.Window{From: 10 * time.Millisecond, To: -1}
	for long := time.Second; status == 3; long *= 2 {
		require.NoError(t, os.RemoveAll(o.Dir))
		var err error
		status, err = recorder.Run(o, []string{name, "older", long.String()})
		require.NoError(t, err)
	}
	require.Zero(t, status)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Check())
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, e)
	require.Greater(t, e.Split.Sleep, e.Header.Focus/2, "%+v", e.Split)
	require.Less(t, e.Split.NotRecorded, e.Header.Focus/100, "%+v", e.Split)
	require.Contains(t, e.Verdict.Text, "main.fire, which was mostly waiting for its timer then")
}
