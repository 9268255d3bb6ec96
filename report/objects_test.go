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
