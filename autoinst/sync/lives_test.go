package sync_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/recorder"
	"tracerec/trace/tracetext"
)

// TestLives: a lock is an object for as long as it lives, whoever had its address before.
func TestLives(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(out)
	require.NoError(t, err)
	defer f.Close()
	stdout := os.Stdout
	os.Stdout = f
	a := record(t, "lives")
	os.Stdout = stdout
	said, err := os.ReadFile(out)
	require.NoError(t, err)
	var rounds, addresses int
	_, err = fmt.Sscan(string(said), &rounds, &addresses)
	require.NoError(t, err)
	require.Less(t, addresses, rounds/2, "memory is used again")
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))
	objects := map[string]int{}
	for line := range strings.Lines(text.String()) {
		if kind, _, ok := strings.Cut(line, " "); ok && slices.Contains([]string{"mutex", "rwmutex", "waitgroup"}, kind) && strings.Contains(line, "(main.") {
			objects[line[strings.LastIndex(line, "(main."):]]++
		}
	}
	require.Equal(t, map[string]int{
		"(main.once)\n": 2 * rounds, "(main.shard)\n": 3 * rounds, "(main.main)\n": rounds + 1,
		"(main.group)\n": 2 * rounds, "(main.groups)\n": 1, "(main.always)\n": 1, "(main.late)\n": 1, "(main.stack)\n": 4,
	}, objects)
}

// TestCollected: operations allocate nothing, and go on while the collector runs all the time.
func TestCollected(t *testing.T) {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet = true
	status, err := recorder.Run(o, []string{program(t, "collected")})
	require.NoError(t, err)
	require.Zero(t, status)
}
