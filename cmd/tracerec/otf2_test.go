package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/otf2"
)

// archiveOTF2 writes an archive of a thread that is in a region for 5 ticks, and returns its directory.
func archiveOTF2(t *testing.T) string {
	dir := t.TempDir()
	w, err := otf2.Create(filepath.Join(dir, "traces.otf2"), otf2.Anchor{Creator: "a test"})
	require.NoError(t, err)
	define := func(id uint8, texts []string, values ...uint64) {
		w.Define(&otf2.Record{Spec: otf2.SpecOf(otf2.Global, id), Values: values, Texts: texts})
	}
	define(5, nil, 1000, 100, 5, 0)
	define(10, []string{"work"}, 0)
	define(13, nil, 0, 0, 1, 0, 1<<32-1)
	define(14, nil, 7, 0, 1, 2, 0)
	define(15, nil, 0, 0, 0, 0, 1<<32-1, 0, 0, 0, 1, 2, 0)
	events, err := w.Events(7)
	require.NoError(t, err)
	for i := range uint8(2) {
		events.Write(&otf2.Event{Record: otf2.Record{Spec: otf2.SpecOf(otf2.Events, 12+i), Values: []uint64{0}}, Time: 100 + 5*uint64(i)})
	}
	require.NoError(t, events.Close())
	require.NoError(t, w.Close())
	return dir
}

// TestOTF2: the commands that look into an archive also do so for those of other programs, by directory or file.
func TestOTF2(t *testing.T) {
	dir := archiveOTF2(t)
	file := filepath.Join(dir, "traces.otf2")
	for _, input := range []string{dir, file} {
		r := inside("info", input)
		require.Equal(t, 0, r.status, r.stderr)
		require.Contains(t, r.stdout, "creator     a test\nspan        5.00 ms\nclock       1,000 ticks per second\ncontents    2 events of 1 location, 5 definitions\n")
		require.Contains(t, r.stdout, "  recorded             1 Enter\n")
		require.Equal(t, result{0, file + ": no problems in 2 events of 1 location\n", ""}, inside("check", input))
		require.Contains(t, inside("dump", input).stdout, "location 7 \"work\"\n  100 Enter region: \"work\" <0>\n  105 Leave region: \"work\" <0>\n")
	}
	require.Equal(t, inside("dump", dir), inside("dump", "--location", "7", dir))
	require.Equal(t, result{2, "", "tracerec: no location g1 in " + file + "\n"}, inside("dump", "--location", "g1", dir))
	require.Contains(t, inside("dump", "--format", "json", dir).stdout, `{"record":"Enter","location":7,"time":100,"fields":{"region":{"number":0,"name":"work"}}}
{"record":"Leave","location":7,"time":105,"fields":{"region":{"number":0,"name":"work"}}}
`)

	events := filepath.Join(dir, "traces", "7.evt")
	require.NoError(t, os.Truncate(events, 33))
	r := inside("check", dir)
	require.Equal(t, 2, r.status)
	require.Equal(t, events+": offset 0: events written: 2, present: 1\n"+events+": offset 29: a time cannot be read\n", r.stdout)
	require.Equal(t, "tracerec: "+file+": 2 problems\n", r.stderr)
	r = inside("dump", dir)
	require.Equal(t, 0, r.status)
	require.Contains(t, r.stdout, "  100 Enter region: \"work\" <0>\n")
	require.Equal(t, "tracerec: "+events+": offset 29: a time cannot be read\n", r.stderr)
}
