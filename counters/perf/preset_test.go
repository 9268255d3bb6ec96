//go:build linux

package perf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A PMU that names events as PAPI does, as the simulator's, says what presets stand for.
func TestPresets(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"sim/type": "4", "sim/format/event": "config:0-15", "sim/events/PAPI_TOT_INS": "event=0x10", "sim/events/OTHER": "event=1"} {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	}
	s := &Substrate{catalog: catalog{devices: dir, table: fakeMachine(t).table}}
	formula, events, ok := s.Preset("PAPI_TOT_INS")
	require.True(t, ok)
	require.Equal(t, "N0", formula)
	require.Equal(t, []string{"sim/PAPI_TOT_INS/"}, events)
	e, err := s.catalog.parse(events[0])
	require.NoError(t, err)
	require.EqualValues(t, 0x10, e.Config)
	for _, name := range []string{"PAPI_TOT_CYC", "OTHER", ""} {
		_, _, ok := s.Preset(name)
		require.False(t, ok, name)
	}
}
