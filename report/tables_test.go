package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// Samples of the program's own metrics are no waits: they have their own table, and their own unit.
func TestSamples(t *testing.T) {
	e := hydro()
	e.Metrics = append(e.Metrics, metric.Metric{Name: "queue-depth", Title: "queue-depth", Unit: metric.Count, UnitName: "jobs"})
	refill(e, func(severity [][]Cell) { severity[len(severity)-1] = []Cell{{0, 0, 16}} })
	e.Stats = append(e.Stats, Stats{Sampled: true, Count: 3, Sum: 16, Min: 3, Max: 8, Mean: 5, Q25: 3, Median: 5, Q75: 5})
	text := string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	require.Regexp(t, `\nMetrics of the program\n.*samples +min +mean +max\n  queue-depth \(jobs\) +3 +3 +5\.33 +8\n`, text)
	require.Equal(t, 1, strings.Count(text, "queue-depth"))
	doc := string(render(t, func(w io.Writer) error { return JSON(w, e) }))
	require.Contains(t, doc, `"mean": 5.333333`)
	require.Contains(t, doc, `"unit": "jobs"`)
	require.Equal(t, 2, strings.Count(doc, `"sum_ns"`))
}

// Of deep call paths only the ends are looked at; the line is the same.
func TestDeepPaths(t *testing.T) {
	b := newBuilder()
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprint("f", i))
		path := b.path(strings.Join(names, "/"))
		p := &page{e: &b.Experiment, files: b.shortFiles()}
		for _, w := range []int{5, 20, 33, 65} {
			require.Equal(t, left(elidePath(b.CallPath(path), w), w), p.path(path, w))
		}
	}
}

func TestUnnamedRegion(t *testing.T) {
	require.Equal(t, "(unnamed)", regionName(""))
}

// With several processes the header says whose critical path it is.
func TestProcesses(t *testing.T) {
	e := hydro()
	e.Header.Processes, e.Header.Span, e.Header.PathPID, e.Header.Exit = 3, 2000*ms, 42, -1
	text := string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	require.Contains(t, text, "\n3 processes, 2.00 s until the recording of the last one ended; the critical path\nis that of process 42\n")
	require.NotContains(t, text, "exit status")
	e.Header.Recordings = 4
	require.Equal(t, "4 recordings of 3 processes, 2.00 s until the last one ended; the critical path is that of process 42", strings.ReplaceAll(e.Header.together(), nbsp, " "))
	e.Header.Processes, e.Header.Recordings = 1, 2
	require.Equal(t, "2 recordings of process 42, 2.00 s until the last one ended; the critical path is that of the first", strings.ReplaceAll(e.Header.together(), nbsp, " "))
}

// Call paths that look alike in a table have a second line each, which shows more of them; others have not.
func TestAlikePaths(t *testing.T) {
	b := newBuilder()
	one, two := b.path("main.serveFirst/main.loadTheTable/main.readBlock"), b.path("main.serveSecond/main.loadTheTable/main.readBlock")
	other := b.path("main.serveFirst/main.loadTheTable/main.readIndex")
	p := &page{e: &b.Experiment, files: b.shortFiles()}
	alike := p.alike([]uint32{one, other, two, one}, 40, pageWidth-22)
	require.Len(t, alike, 2)
	require.Empty(t, p.alike([]uint32{one, two}, 80, 80))
	require.Equal(t, map[uint32]string{one: "main.serveFirst ▸ main.loadTheTable ▸ …", two: "main.serveSecond ▸ main.loadTheTable ▸ …"}, p.alike([]uint32{one, two}, 40, 40))
	for _, path := range []uint32{one, other, two} {
		p.further(path, alike, 22)
	}
	require.Equal(t, strings.Repeat(" ", 22)+"main.serveFirst ▸ main.loadTheTable ▸ main.readBlock\n"+strings.Repeat(" ", 22)+"main.serveSecond ▸ main.loadTheTable ▸ main.readBlock\n", p.out.String())
}

// What a goroutine does in the function that it begins with, and before and behind that, has two call paths of the same names, as have those of one place and different kinds: they are one row.
func TestRowsReadDifferently(t *testing.T) {
	b := newBuilder()
	add := func(parent int32, r Region) uint32 {
		b.Regions = append(b.Regions, r)
		b.Paths = append(b.Paths, CallPath{parent, uint32(len(b.Regions) - 1)})
		return uint32(len(b.Paths) - 1)
	}
	begun := add(-1, Region{Name: "main.work", File: "/a/main.go", Line: 5})
	inside := add(-1, Region{Name: "main.work", Func: "main.work", File: "/a/main.go", Line: 5})
	send, other := add(int32(inside), Region{Name: "send", File: "/a/main.go", Line: 7, Operation: true}), add(int32(begun), Region{Name: "send", File: "/a/main.go", Line: 7})
	elsewhere := add(int32(inside), Region{Name: "send", File: "/a/main.go", Line: 8, Operation: true})
	b.Locations = []Location{{Name: "a"}, {Name: "b"}}
	cells := []Cell{{begun, 0, 5}, {begun, 1, 30}, {inside, 0, 40}, {send, 0, 1}, {other, 1, 2}, {elsewhere, 1, 4}}
	require.Equal(t, []Cell{{begun, 0, 45}, {begun, 1, 30}, {send, 0, 1}, {send, 1, 2}, {elsewhere, 1, 4}}, b.asWritten(cells))
	p := &page{e: &b.Experiment, files: b.shortFiles(), top: 9}
	p.largest(cells, 82, metric.Count)
	require.Regexp(t, `^ +75 +91\.5 % +main\.work +main\.go:5 +a 60 %\n +4 +4\.9 % +main\.work ▸ send +main\.go:8 +b\n +3 +3\.7 % +main\.work ▸ send +main\.go:7 +b 67 %\n$`, p.out.String())
}
