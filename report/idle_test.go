package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestAmid: who waits in the middle of something is not idle, though others wait there as often for the next: who handles a request, and who writes.
func TestAmid(t *testing.T) {
	for what, c := range map[string]struct {
		goroutine string
		calls     []string // from the outermost on, the last one is the operation
		said      string
	}{
		"the next job":           {"worker", []string{"worker", recvName}, "Idle when the trace ended, as before: "},
		"the next request":       {connection, []string{connection, "bufio.(*Reader).Peek", "net.(*netFD).Read", "network"}, "Idle when the trace ended, as before: "},
		"a message":              {"serve", []string{"serve", "net.(*netFD).Read", "network"}, "Idle when the trace ended, as before: "},
		"a place, in a handler":  {connection, []string{connection, "http.serverHandler.ServeHTTP", "list", selectName}, "Waiting in the middle of something when the trace ended: "},
		"the body of a request":  {connection, []string{connection, "http.serverHandler.ServeHTTP", "list", "net.(*netFD).Read", "network"}, "Waiting in the middle of something when the trace ended: "},
		"in a handler, recorded": {connection, []string{"list", recvName}, "Waiting in the middle of something when the trace ended: "},
		"the end of a request":   {connection, []string{connection, "http.(*connReader).abortPendingRead", condWaitName}, "Waiting in the middle of something when the trace ended: "},
		"its data to be taken":   {"serve", []string{"serve", "net.(*netFD).Write", "network"}, "Waiting in the middle of something when the trace ended: "},
		"the end of a trace":     {connection, []string{connection, "http.serverHandler.ServeHTTP", "net/http/pprof.sleep", selectName}, "Idle when the trace ended, as before: "},
	} {
		e := stuck()
		e.Header.Exit, e.Groups[2].Name, e.NeverEnded = -1, c.goroutine, e.NeverEnded[2:]
		e.Regions, e.Paths = nil, nil
		for i, name := range c.calls {
			e.Regions = append(e.Regions, Region{Name: name[strings.LastIndexByte(name, '/')+1:], File: "/src/app/main.go", Line: 20, Operation: i == len(c.calls)-1})
			e.Paths = append(e.Paths, CallPath{int32(i) - 1, uint32(i)})
			if i > 0 {
				e.Regions[i].Func = c.calls[i-1]
			}
		}
		last := uint32(len(e.Paths) - 1)
		for i := range e.NeverEnded {
			e.NeverEnded[i].Path, e.NeverEnded[i].HolderPath = last, -1
		}
		e.Metrics = []metric.Metric{{Name: metric.Visits, Unit: metric.Count}}
		fill(e, [][]Cell{{{Path: last, Location: 2, Value: 9}}}, nil)
		text := strings.Join(strings.Fields(string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))), " ")
		require.Contains(t, text, c.said+spaced(e.Sentences().p.those([]uint32{2, 3, 4})), what)
		require.Equal(t, 1, strings.Count(text, "when the trace ended"), text)
	}
}

// TestMeantTo: waits for the end of the trace are no findings, and those for a connection, or what comes by one, are told in a line behind those of the program.
func TestMeantTo(t *testing.T) {
	text := func(change func(e *Experiment, r *Region)) string {
		e := hydro()
		e.Findings = e.Findings[:1]
		f := &e.Findings[0]
		f.Critical = 0
		r := &e.Regions[e.Paths[f.Path].Region]
		r.Operation = true
		change(e, r)
		all := strings.Join(strings.Fields(string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))), " ")
		_, all, _ = strings.Cut(all, " Findings ")
		return all
	}
	require.Contains(t, text(func(*Experiment, *Region) {}), "These are the longest waits in total. 1 Late sender")
	said := text(func(e *Experiment, r *Region) {
		r.Name, e.Findings[0].Causers = "accept", []Causer{{-1, -1, e.Findings[0].Severity, nil, 0}}
	})
	require.NotContains(t, said, " waited ")
	require.Contains(t, said, "Little or no waiting for others is on the critical path. Waiting with little or no time on the critical path: ")
	said = text(func(_ *Experiment, r *Region) { r.Func = "net/http/pprof.sleep" })
	require.Contains(t, said, "No wait states were found.")
	require.NotContains(t, said, "pprof")
}
