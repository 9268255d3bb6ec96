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
	"tracerec/trace"
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
	require.Equal(t, map[string]int{
		"(main.once)\n": 2 * rounds, "(main.shard)\n": 3 * rounds, "(main.main)\n": rounds + 1,
		"(main.group)\n": 2 * rounds, "(main.groups)\n": 1, "(main.always)\n": 1, "(main.late)\n": 1, "(main.stack)\n": 4,
	}, objects(t, a))
}

// objects counts the objects of an archive by the functions that used them first.
func objects(t *testing.T, a *trace.Archive) map[string]int {
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))
	counts := map[string]int{}
	for line := range strings.Lines(text.String()) {
		kind, _, _ := strings.Cut(line, " ")
		if slices.Contains([]string{"mutex", "rwmutex", "waitgroup", "channel"}, kind) && strings.Contains(line, "(main.") {
			counts[line[strings.LastIndex(line, "(main."):]]++
		}
	}
	return counts
}

// TestCollected: operations allocate nothing, and go on while the collector runs all the time.
func TestCollected(t *testing.T) {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet = true
	status, err := recorder.Run(o, []string{program(t, "collected")})
	require.NoError(t, err)
	require.Zero(t, status)
}

// TestFirstUses: an object is defined once, also if several goroutines use it for the first time at once.
func TestFirstUses(t *testing.T) {
	require.Equal(t, map[string]int{"(main.lock)\n": 2000, "(main.add)\n": 2000, "(main.send)\n": 2000, "(main.main)\n": 1}, objects(t, record(t, "firsts")))
}

// TestNoRoom: what there is no room to define is lost once, however often it is used.
func TestNoRoom(t *testing.T) {
	const locks, operations = 1_000_000, 1000
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet, o.Buffer = true, recorder.MinBuffer
	status, err := recorder.Run(o, []string{program(t, "full")})
	require.NoError(t, err)
	require.Zero(t, status)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	lost := a.Definitions().Processes[0].Warnings["definitions lost"]
	require.NotZero(t, lost)
	require.Less(t, int(lost)+len(a.Definitions().Objects), locks+operations)
}
