package requests

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWindow: either time of a window may be missing, as for tracerec.
func TestWindow(t *testing.T) {
	for text, want := range map[string]Window{"2s:3s": {2e9, 3e9}, ":1s": {0, 1e9}, "0.5s:": {5e8, math.MaxInt64}} {
		var w, again Window
		require.NoError(t, w.Set(text), text)
		require.Equal(t, want, w, text)
		require.NoError(t, again.Set(w.String()))
		require.Equal(t, w, again)
	}
	for _, text := range []string{"", "5", "5s", "3s:2s", "-1s:", "x:", ":x", ":0s"} {
		require.Error(t, new(Window).Set(text), text)
	}
}
