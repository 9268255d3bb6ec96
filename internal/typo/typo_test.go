package typo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNear(t *testing.T) {
	for _, c := range []struct {
		typed, name string
		near        bool
	}{
		{"late_sendr", "late_sender", true},
		{"lat_sendre", "late_sender", false}, // three: one missing, two changed
		{"Late_Sender", "late_sender", true},
		{"tmie", "time", false}, // half of it
		{"tine", "time", true},
		{"visits", "visit", true},
		{"", "a", false},
		{"lock", "late_sender", false},
	} {
		require.Equal(t, c.near, Near(c.typed, c.name), "%s %s", c.typed, c.name)
	}
	require.Equal(t, 3, distance([]rune("kitten"), []rune("sitting")))
	require.Equal(t, 3, distance([]rune("sitting"), []rune("kitten")))
}
