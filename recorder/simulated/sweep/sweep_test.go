//go:build linux

package sweep

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
)

func TestNew(t *testing.T) {
	m, err := cache.Named("server")
	require.NoError(t, err)
	s, err := New(m, []string{"l1d.size=32k,64k", "l1d.ways=4,8,16"})
	require.NoError(t, err)
	require.Len(t, s.all, 6)
	require.Equal(t, "l1d.size=32k l1d.ways=4", describe(s.names, s.all[0].values))
	require.Equal(t, "l1d.size=32k l1d.ways=16", describe(s.names, s.all[2].values), "the first changes least often")
	require.EqualValues(t, 64<<10, s.all[5].machine.L1D.Size)
	require.NotEqual(t, s.all[0].machine.L1D.Size, s.all[5].machine.L1D.Size, "each has a machine of its own")

	values := strings.TrimSuffix(strings.Repeat("4,", most+1), ",")
	for parameter, want := range map[string]string{
		"l1d.size": "not PARAMETER=VALUE", "l1d.ways=" + values: "at most 10000 combinations", "nothing=1": "nothing",
	} {
		_, err := New(m, []string{parameter})
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, s.Check())
	s, err = New(m, []string{"l1d.size=16k,3k"})
	require.NoError(t, err)
	require.ErrorContains(t, s.Check(), "l1d.size=3k: l1d: 6 sets")
	_, err = New(m, []string{"l1d.ways=4", "l1d.ways=8"})
	require.ErrorContains(t, err, "l1d.ways is given twice")
}

// TestSharedInput: all runs read the same, however it comes and however they ask.
func TestSharedInput(t *testing.T) {
	text := strings.Repeat("input ", 30_000)
	shared := &sharedInput{from: iotest.HalfReader(strings.NewReader(text))}
	for _, size := range []int{1 << 20, 1000} {
		var got bytes.Buffer
		_, err := io.CopyBuffer(&got, struct{ io.Reader }{&inputReader{of: shared}}, make([]byte, size))
		require.NoError(t, err)
		require.True(t, text == got.String())
	}
}
