package recorder

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseWindow(t *testing.T) {
	for text, want := range map[string]Window{
		"10s:20s": {10 * time.Second, 20 * time.Second},
		"3h:":     {3 * time.Hour, -1},
		":1s":     {0, time.Second},
		":":       {0, -1},
		"ctl":     {-1, -1},
	} {
		w, err := ParseWindow(text)
		require.NoError(t, err, text)
		require.Equal(t, want, *w, text)
	}
	for _, text := range []string{"", "10s", "10:20", "2s:1s", "1s:1s", "-1s:", "a:b"} {
		_, err := ParseWindow(text)
		require.Error(t, err, text)
	}
}
