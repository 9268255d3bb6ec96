package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOn: where somebody waits is told before where that for which he waits was used first, so that it is clear which is which.
func TestOn(t *testing.T) {
	e := stuck()
	e.Regions = append(e.Regions, Region{Name: "send", File: "/src/app/other.go", Line: 7, Operation: true})
	s := e.Sentences()
	on := func(o Object) string {
		return strings.ReplaceAll(s.p.on(&Finding{Line: Line{Path: 1, Group: 2, Locations: []uint32{2}}, Object: o}), nbsp, " ")
	}
	o := Object{Type: "channel", File: "/src/app/other.go", Line: 7, Count: 98}
	require.Equal(t, "recv at main.go:20 on the 98 channels first used at other.go:7", on(o))
	o.Name = "results"
	require.Equal(t, "recv on results (98 channels) at main.go:20", on(o))
	require.Equal(t, "recv on the channel first used at main.go:20", on(Object{Type: "channel", File: "/src/app/main.go", Line: 20, Count: 1}))
	require.Equal(t, "recv at main.go:20", on(Object{}))
}

// TestWaiters: goroutines of one function are one kind, wherever they were started; others are told beside them.
func TestWaiters(t *testing.T) {
	e := &Experiment{}
	e.Groups = []Group{{Name: "main"}, {Name: "run", Creator: 1, Count: 2}, {Name: "run", Creator: 2, Count: 3}, {Name: "serve", Count: 1}, {Name: "run", Creator: 3, Count: 4}}
	for i, g := range []int32{1, 3, 2, 2, 4, 0} {
		e.Locations = append(e.Locations, Location{Group: g, Name: e.Groups[g].Name + "[" + string(rune('0'+i)) + "]", Count: 1})
	}
	for _, c := range []struct {
		want string
		of   []uint32
	}{{"run ×4 (of 9)", []uint32{0, 2, 3, 4}}, {"run ×2 (of 5) and serve[1]", []uint32{0, 1, 2}}, {"run ×2 (of 3), serve[1] and 1 other kind", []uint32{2, 1, 5, 3}}, {"run[2]", []uint32{2}}} {
		require.Equal(t, c.want, strings.ReplaceAll((&page{e: e}).waiters(&Finding{Line: Line{Locations: c.of}}), nbsp, " "))
	}
}

// TestWaitersOfTests: tests are told by their names if nobody else waits; a list of them in a list would not be understood.
func TestWaitersOfTests(t *testing.T) {
	e := &Experiment{}
	e.Groups = []Group{{Name: "Test*", Begun: "testing.tRunner", Count: 9}, {Name: "run", Count: 1}}
	for _, name := range []string{"TestA", "TestB", "TestC", "TestD", "run"} {
		e.Locations = append(e.Locations, Location{Name: name, Count: 1})
	}
	e.Locations[4].Group = 1
	for _, c := range []struct {
		want string
		of   []uint32
	}{{"TestA, TestB and 2 others", []uint32{0, 1, 2, 3}}, {"Test* ×4 (of 9) and run", []uint32{0, 1, 2, 3, 4}}, {"TestB and run", []uint32{1, 4}}} {
		require.Equal(t, c.want, strings.ReplaceAll((&page{e: e}).waiters(&Finding{Line: Line{Locations: c.of}}), nbsp, " "))
	}
}

// TestWaitingAt: call paths that look alike, as there is no room for what differs, are told once, and those that look otherwise are counted.
func TestWaitingAt(t *testing.T) {
	e := stuck()
	wait := uint32(len(e.Regions))
	e.Regions = append(e.Regions, Region{Name: "example.waitForWhatOthersDo"})
	f := &Finding{Line: Line{Path: 1}}
	for i := range 9 {
		e.Regions = append(e.Regions, Region{Name: "example." + strings.Repeat(string(rune('a'+i)), 40)})
		at := int32(len(e.Paths))
		e.Paths = append(e.Paths, CallPath{Parent: -1, Region: wait + 1 + uint32(i)}, CallPath{Parent: at, Region: wait}, CallPath{Parent: at + 1, Region: 1}, CallPath{Parent: at, Region: 1})
		f.Lines = append(f.Lines, Line{Path: uint32(at) + 2})
		if i < 5 {
			f.Lines = append(f.Lines, Line{Path: uint32(at) + 3})
		}
	}
	p := &page{e: e}
	p.waitingAt(f)
	text := p.out.String()
	require.Equal(t, 1, strings.Count(text, "… ▸ example.waitForWhatOthersDo ▸ recv"), text)
	require.Contains(t, text, "… and 2 more call paths")
	require.Equal(t, 5, strings.Count(text, "\n"), text)
}
