package sync_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// reads is what a wait is called in a function that reads a file, accepts connections, or reads one.
func reads(function string) string {
	switch function {
	case "main.readsPipe", "main.readsEnd", "main.readsChild":
		return wire.Pipe
	case "main.accepts", "main.acceptsNobody":
		return wire.Accept
	}
	return wire.Network
}

// TestStreams records a program whose goroutines wait for each other over connections and pipes. It is known who let them go on; but where somebody writes
// who is not seen, nobody is blamed.
func TestStreams(t *testing.T) {
	a := record(t, "streams")
	require.Empty(t, a.Check())
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, x)
	told := map[string][]string{} // by function
	for _, f := range x.Findings {
		for _, l := range f.AllLines() {
			if name := x.Metrics[l.Metric].Name; name == metric.Network || name == metric.LatePeer {
				by := ""
				for _, c := range l.Causers {
					if c.Path >= 0 {
						r := x.Regions[x.Paths[c.Path].Region]
						by += fmt.Sprintf(" %s %s", r.Name, r.Func)
					}
				}
				of := x.Regions[x.Paths[l.Path].Region].Func
				require.Equal(t, reads(of), x.Regions[x.Paths[l.Path].Region].Name, of)
				told[of] = append(told[of], name+by)
			}
		}
	}
	for of, want := range map[string]string{
		"readsPipe": "late_peer write main.writesPipe", "readsEnd": "late_peer close main.closesPipe",
		"accepts": "late_peer connect main.dials", "serves": "late_peer write main.asks", "readsWrapped": "late_peer write main.answers",
		"readsVector": "late_peer write main.writesVector", "readsFile": "late_peer write main.sendsFile",
		"readsUntil": "late_peer interrupt main.interrupts", "acceptsNobody": "late_peer interrupt main.closes",
	} {
		require.Equal(t, []string{want}, told["main."+of], of)
	}
	for _, of := range []string{"readsChild", "readsBehind", "readsProxy"} {
		require.NotEmpty(t, told["main."+of], of)
		require.False(t, slices.ContainsFunc(told["main."+of], func(s string) bool { return strings.HasPrefix(s, metric.LatePeer) }), "%s: %q", of, told["main."+of])
	}
}

// TestAcceptedAndClosed: that somebody closes a listener while a connection from there is noted is no race. The second for which the race detector has a
// program sleep that exits, or whose main returns, is sleep, not work for which others had the processor.
func TestAcceptedAndClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler: ", err)
	}
	program := filepath.Join(t.TempDir(), "accepting")
	b, err := build.New("build", []string{"-C", filepath.Join("testdata", "programs"), "-race", "-o", program, "./accepting"}, regions.Options{})
	defer b.Close()
	require.NoError(t, err)
	status, err := b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
	require.NoError(t, err)
	require.Zero(t, status)
	require.Equal(t, "race detector ", asleepAtEnd(t, recordCommand(t, program, "exit")))
	require.Equal(t, "race detector ", asleepAtEnd(t, recordCommand(t, program)))
}

// asleepAtEnd returns in which sleep main was when the program ended, and where; "" if it was in none.
func asleepAtEnd(t *testing.T, a *trace.Archive) string {
	require.Empty(t, a.Check())
	defs, asleep := a.Definitions(), ""
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch {
		case defs.Locations[l].GoID != 1 || e.Kind == wire.Blocked:
		case e.Kind == wire.SleepBegin:
			asleep = defs.Regions[e.ID].Name + " " + defs.Regions[e.ID].Func
		default:
			asleep = ""
		}
	}
	return asleep
}
