package sync_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/recorder"
	"tracerec/trace"
)

// TestFatal: a program that Go ends as all its goroutines wait is told from one that a goroutine ends by a panic, although that did nothing else.
func TestFatal(t *testing.T) {
	for how, deadlock := range map[string]bool{"panic": false, "deadlock": true} {
		o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
		o.Quiet = true
		status, err := recorder.Run(o, []string{program(t, "fatal"), how})
		require.NoError(t, err)
		require.Equal(t, 2, status)
		a, err := trace.Open(o.Dir)
		require.NoError(t, err)
		defer a.Close()
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		require.Equal(t, deadlock, e.Header.Asleep, how)
		require.Len(t, e.Locations, 2, how)
	}
}
