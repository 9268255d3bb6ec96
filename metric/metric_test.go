package metric

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMargins(t *testing.T) {
	for kind, margin := range map[Kind]bool{Plain: false, WaitState: false, Counter: false, Incomplete: false, More: true, Less: true, Property: false} {
		require.Equal(t, margin, (&Metric{Kind: kind}).Margin(), kind)
	}
	require.Equal(t, "whole", (&Metric{Parent: "whole", Kind: More}).Bounds())
	require.Equal(t, "part", (&Metric{Parent: "whole", Of: "part", Kind: Less}).Bounds())
}

func TestLabelsMarkWhatIsIncomplete(t *testing.T) {
	require.Equal(t, "~Stalls", (&Metric{Title: "Stalls", Kind: Incomplete}).Label())
	require.Equal(t, "Stalls", (&Metric{Title: "Stalls"}).Label())
}

func TestUnits(t *testing.T) {
	seen := map[string]bool{}
	for u := Nanoseconds; u <= Events; u++ {
		require.False(t, seen[u.String()], u)
		seen[u.String()] = true
	}
	require.Equal(t, "unit(4)", (Events + 1).String())
}
