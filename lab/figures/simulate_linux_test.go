package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/lab/figures/loops"
)

// guestHere builds the guest.
func guestHere(t *testing.T) string {
	if testkit.Race || testing.Short() {
		t.Skip("the simulator takes long, with the race detector many times so")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the guest cannot be built: ", err)
	}
	program, err := buildGuest(t.TempDir())
	require.NoError(t, err)
	return program
}

// What MPX estimates is near the truth of the same run, and its own work costs the tiled loop lines of the level-one cache: many where the
// rotator has the same cache, few where it has another, and few where the cache has room for both.
func TestMultiplexingOnTheSimulator(t *testing.T) {
	program := guestHere(t)
	of := func(cpus int, l1 uint64, mode string) simulatedThread {
		o, err := simulate(program, ask{"tiled", 18, 1, cpus, ownPasses, time.Millisecond, mode, l1})
		require.NoError(t, err)
		require.Len(t, o.threads, 1)
		return o.threads[0]
	}
	alone, with := of(1, ownL1, off), of(1, ownL1, rotator)
	require.Equal(t, with, of(1, ownL1, rotator), "the same run twice is the same")
	require.Empty(t, alone.Values)
	for _, x := range []simulatedThread{alone, with} {
		require.EqualValues(t, 2*loops.Depth<<18, x.Truth[2], "multiplications and additions")
		require.InEpsilon(t, 3<<18, x.Truth[3], 0.02, "loads")
	}
	// Of four elements in a line the first misses, in the first pass. The runtime adds to that: the loop takes longer than 10 ms, so that its monitor once
	// has the goroutine yield. The signal's handler and the scheduler miss some 150 lines of their own, and push out lines of the loop, which ones the
	// linker decides: in 17 layouts there were 320 to 440 misses more, 60 to 100 in runs that end before that. A visit pushes out no more than there is.
	const first, lines = 3 << 18 / ownPasses / 4, ownL1 / 32
	require.GreaterOrEqual(t, alone.Truth[misses], int64(first))
	require.LessOrEqual(t, alone.Truth[misses], int64(first+lines))
	for e, v := range with.Values {
		require.True(t, v.Known() && v.Enough)
		if e != misses {
			require.InEpsilon(t, with.Truth[e], v.Count, 0.1, simulatedEvents[e])
		}
	}
	require.Greater(t, with.Scheduled[lost], alone.Scheduled[lost]+int64(with.Rotations))

	shared := pollution{alone, with}.share()
	// Three, as with two the runtime's own monitor now and then has the one that the rotator needs, which then takes that of the loop.
	apart := pollution{of(3, ownL1, off), of(3, ownL1, rotator)}.share()
	roomy := pollution{of(1, 8*ownL1, off), of(1, 8*ownL1, rotator)}.share()
	t.Logf("more misses: %s sharing the cache, %s not, %s sharing a large one", more(shared), more(apart), more(roomy))
	require.Greater(t, shared, 0.15)
	require.Less(t, apart, shared*2/3)
	require.Less(t, roomy, shared/2)
}

// The document has what runs give: the shortest loops of figure 3 are run again.
func TestDocumentOfTheSimulator(t *testing.T) {
	program := guestHere(t)
	doc, err := os.ReadFile("../../docs/multiplexing.md")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(doc), "#### Figure 3, ")
	require.True(t, ok)
	s := simulation{config: config{slice: 10 * time.Millisecond, threads: 1, iterations: shortestLoop}, runs: map[ask]outcome{}}
	for _, a := range figureAsks(s.config) {
		s.runs[a], err = simulate(program, a)
		require.NoError(t, err)
	}
	var b bytes.Buffer
	s.values(&b, 1)
	compared := 0
	for row := range strings.Lines(b.String()) {
		if !strings.Contains(row, "| 2^17 |") {
			continue
		}
		key, _, _ := strings.Cut(row, " 2^17 ")
		_, rest, ok := strings.Cut(text, key+" 2^17 ")
		require.True(t, ok, key)
		written, _, _ := strings.Cut(rest, "\n")
		want, have := strings.Split(strings.TrimSpace(row), "|")[3:], strings.Split(written, "|")[1:]
		require.Len(t, have, len(want), row)
		for i := range want {
			w, err := strconv.ParseFloat(strings.Trim(want[i], " *"), 64)
			if err != nil {
				require.Equal(t, want[i], have[i], row)
				continue
			}
			h, err := strconv.ParseFloat(strings.Trim(have[i], " *"), 64)
			require.NoError(t, err)
			require.InDelta(t, h, w, 0.03, "%s beside %s", row, written)
			compared++
		}
	}
	require.Greater(t, compared, 15)
}

func TestRunsThatFail(t *testing.T) {
	program := guestHere(t)
	a := figureAsk("tiled", shortestLoop, 1, time.Millisecond, off)
	_, err := simulate(program+"x", a)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "pattern:tiled")
	a.l1 = 1000
	_, err = simulate(program, a)
	require.ErrorContains(t, err, "1000 bytes")
}
