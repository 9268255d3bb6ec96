package otf2test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/otf2"
)

// TestWriteText: who belongs together, what regions are, and values and attributes of events are what the text says.
func TestWriteText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	require.NoError(t, WriteText(name, `
comm pair b a   # ranks are in this order
group g b
window w pair
location a
  0 Enter "!$omp critical @f.c:2"
  5 MpiCollectiveEnd allreduce pair none 8 16
  6 RmaPut w 1 64 2
  7 Enter cuLaunchKernel on gpu event 9
location gpu of a stream
location b
  3 Enter main
`, 0))
	a, err := otf2.Open(name)
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 1, 2}, []uint64{a.Locations[0].ID, a.Locations[1].ID, a.Locations[2].ID})
	require.Equal(t, []uint64{4, 0, 1}, []uint64{a.Locations[0].Events, a.Locations[1].Events, a.Locations[2].Events})
	pair := a.Find(otf2.Comms, 1)
	require.Equal(t, []uint64{1, 0}, a.Find(otf2.Groups, pair.Get("group")).Each(), "of processes")
	require.Equal(t, []uint64{1}, a.Find(otf2.Groups, 0).Each())
	require.Equal(t, uint64(1), a.Find(otf2.RmaWins, 0).Get("comm"))
	for i, want := range []struct {
		name           string
		role, paradigm uint64
	}{{"!$omp critical @f.c:2", 12, 3}, {"cuLaunchKernel", 1, 5}, {"main", 1, 1}} {
		r := a.Find(otf2.Regions, uint64(i))
		require.Equal(t, want.name, a.NameOf(otf2.Regions, uint64(i)))
		require.Equal(t, []uint64{want.role, want.paradigm}, []uint64{r.Get("regionRole"), r.Get("paradigm")}, want.name)
	}
	r := a.NewReader()
	defer r.Close()
	chunks, problems := a.Chunks(a.Locations[0])
	require.Empty(t, problems)
	var values [][]uint64
	for _, c := range chunks {
		for require.NoError(t, r.Open(c)); r.Next(); {
			values = append(values, append([]uint64{r.Event.Time}, r.Event.Values...))
		}
	}
	require.Equal(t, [][]uint64{{0, 0}, {5, 11, 1, undefined, 8, 16}, {6, 0, 1, 64, 2}, {7, 1}}, values)
}

// TestWriteTextFaults: what a text cannot mean is told, with its line.
func TestWriteTextFaults(t *testing.T) {
	for text, want := range map[string]string{
		"0 Enter main": `line 1: "0 Enter main": no event of a location`, "location a\n0 Enters main": "no event of a location", "location a\n5 Enter x\n4 Leave x": "earlier",
		"location a\nlocation a": "line 2: \"location a\": there are two such locations", "location b of a": "there is no such process", "location a\n0 MpiSend 1 world": "msgTag is missing",
		"location a\n0 Enter x y": "y is too much", "location a\n0 MpiSend 1 pair 2 3": "there is no pair", "location a\ncomm c b": "comm c: there is no b", "comm": "has no name", "window w": "does not say of what", "location a of": "does not say of what",
		"location a\n0 Enter \"x": "invalid syntax", "location a\n0 ThreadFork openmpi 2": "there is no openmpi", "window w c": "window w: there is no c",
	} {
		require.ErrorContains(t, WriteText(filepath.Join(t.TempDir(), "traces.otf2"), text, 0), want, text)
	}
}
