package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestBothSelect: of two goroutines that meet in a select, an execution trace does not tell which one sends, unless the place does, or another one that sends there.
func TestBothSelect(t *testing.T) {
	const unknown = " An execution trace does not tell which of the two sends."
	met := func() (*Experiment, *Finding) {
		e := hydro()
		f := &e.Findings[0]
		f.Object, f.Group, f.Causers[0].Group = Object{}, 0, 1
		f.Causers = f.Causers[:1]
		for _, path := range []uint32{f.Path, uint32(f.Causers[0].Path)} {
			e.Regions = append(e.Regions, Region{Name: selectName, File: "/src/app/main.go", Line: 3, Operation: true})
			e.Paths[path].Region = uint32(len(e.Regions) - 1)
		}
		return e, f
	}
	in := func(function string) func(*Experiment, *Finding) {
		return func(e *Experiment, f *Finding) { e.Regions[e.Paths[f.Path].Region].Func = function }
	}
	for what, c := range map[string]struct {
		both   bool
		change func(e *Experiment, f *Finding)
	}{
		"both select":                  {true, func(*Experiment, *Finding) {}},
		"in a function of the program": {true, in("main.(*pipe).read")},
		"it only receives there":       {false, in("io.(*pipe).read")},
		"a recording":                  {false, func(e *Experiment, f *Finding) { f.Object.Type = "channel" }},
		"it is known to send":          {false, func(e *Experiment, f *Finding) { e.Metrics[f.Metric].Name = metric.LateReceiver }},
		"it receives without a select": {false, func(e *Experiment, f *Finding) { e.Regions[e.Paths[f.Path].Region].Name = recvName }},
		"the other one plainly sends":  {false, func(e *Experiment, f *Finding) { e.Regions[e.Paths[f.Causers[0].Path].Region].Name = sendName }},
		"another one sends to it there": {false, func(e *Experiment, f *Finding) {
			e.Regions = append(e.Regions, Region{Name: sendName, Operation: true})
			e.Paths = append(e.Paths, CallPath{-1, uint32(len(e.Regions) - 1)})
			f.Causers = append(f.Causers, Causer{1, int32(len(e.Paths) - 1), ms, nil, 0})
		}},
	} {
		e, f := met()
		c.change(e, f)
		s := e.Sentences()
		require.Equal(t, c.both, spaced(s.Headline(f)) == "Late sender or receiver", what)
		if c.both {
			require.Contains(t, spaced(s.Finding(f)), unknown, what)
			require.Equal(t, eitherSends, e.Advice(f), what)
		} else {
			require.NotContains(t, spaced(s.Finding(f)), unknown, what)
			require.NotEqual(t, eitherSends, e.Advice(f), what)
		}
	}
}

// TestAmongThemselves: goroutines that wait at a channel for others of their own name may count places with it, if nothing more is known of it.
func TestAmongThemselves(t *testing.T) {
	for _, c := range []struct {
		metric, object string
		own            int64 // of 100 that they waited for others of their name
		places         bool
	}{
		{metric.LateSender, "", 51, true},
		{metric.LateReceiver, "", 51, true},
		{metric.LateReceiver, "", 50, false},
		{metric.LateReceiver, "channel", 51, false},
		{metric.CondWait, "", 51, false},
	} {
		e := hydro()
		f := &e.Findings[0]
		e.Metrics[f.Metric].Name, f.Object.Type = c.metric, c.object
		f.Causers[0].Group, f.Causers[1].Group = f.Group, 1-f.Group
		f.Severity, f.Causers[0].Severity, f.Causers[1].Severity = 100, c.own, 100-c.own
		require.Equal(t, c.places, e.amongThemselves(f), c)
		require.Equal(t, c.places, e.knownAdvice(f) == perhapsPlaces, c)
	}
}

// TestKnownPlaces: what is waited for is known from the function of a library that waits.
func TestKnownPlaces(t *testing.T) {
	at := func(name, function string) (*Experiment, *Finding) {
		e := hydro()
		f := &e.Findings[0]
		e.Metrics[f.Metric].Name = name
		r := &e.Regions[e.Paths[f.Path].Region]
		r.Func, r.Operation = function, true
		return e, f
	}
	e, f := at(metric.LateSender, "net/http.(*persistConn).roundTrip")
	require.Equal(t, roundTrips, e.knownAdvice(f))
	e, f = at(metric.LateClose, "net/http.(*persistConn).roundTrip")
	require.Empty(t, e.knownAdvice(f), "its context is over, for instance")
	e, f = at(metric.LateSender, "net/http.(*Transport).getConn")
	e.Header.States, f.Instances = true, 39
	for begun, want := range map[int]string{20: "", 33: newConns, 19: ""} {
		e.Groups = append(e.Groups[:2:2], Group{Name: "http.(*Transport).startDialConnForLocked.func1", Count: begun})
		require.Equal(t, want, e.knownAdvice(f), begun)
	}
	f.Instances = 66
	e.Groups[2].Count = 33
	require.Empty(t, e.knownAdvice(f), "there may be no more")
	e, f = at(metric.CondWait, "net/http.(*connReader).abortPendingRead")
	require.Equal(t, ownReader, e.knownAdvice(f))
	e, f = at(metric.JoinWait, "golang.org/x/sync/singleflight.(*Group).Do")
	f.Object.Type = ""
	require.Equal(t, sharedCall, e.Advice(f))
	text := spaced(e.Sentences().Finding(f))
	require.Contains(t, text, "which made the call for all, in ")
	require.NotContains(t, text, "Whether others were done earlier")
	e, f = at(metric.JoinWait, "golang.org/x/sync/errgroup.(*Group).Wait")
	f.Object.Type = ""
	require.Contains(t, spaced(e.Sentences().Finding(f)), "Whether others were done earlier is not known.")
	require.NotEqual(t, sharedCall, e.Advice(f))
}
