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
