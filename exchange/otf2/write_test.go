package otf2

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyOf writes what is in an archive again, as the anchor says.
func copyOf(t testing.TB, a *Archive, anchor Anchor) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, anchor)
	require.NoError(t, err)
	for i := range a.Records() {
		w.Define(&a.Records()[i])
	}
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, problems := a.Chunks(l)
		require.Empty(t, problems)
		to, err := w.Events(l.ID)
		require.NoError(t, err)
		for _, c := range chunks {
			require.NoError(t, r.Open(c))
			for r.Next() {
				to.Write(&r.Event)
			}
			require.NoError(t, r.Err())
		}
		require.Equal(t, l.Events, to.Events())
		require.NoError(t, to.Close())
	}
	require.NoError(t, w.Close())
	b, err := Open(name)
	require.NoError(t, err)
	require.Empty(t, b.Problems())
	return b
}

// textOf returns everything in an archive as text.
func textOf(t testing.TB, a *Archive) (lines []string) {
	for i := range a.Records() {
		lines = append(lines, string(a.AppendText([]byte(a.Records()[i].Spec.Name+" "), &a.Records()[i])))
	}
	readAll(t, a, func(l *Location, e *Event) {
		b := fmt.Appendf(nil, "%d %d %s ", l.ID, e.Time, e.Spec.Name)
		lines = append(lines, string(a.AppendAttributes(append(a.AppendText(b, &e.Record), " + "...), e.Attributes)))
	})
	return lines
}

// TestCopied: archives of other people are the same when they were written again: in both byte orders, in chunks of any size, compressed or not.
func TestCopied(t *testing.T) {
	for i, name := range archives(t) {
		a, err := Open(name)
		require.NoError(t, err)
		if n := events(a); n > 3000 && testing.Short() || n > 30000 && !*all {
			continue
		}
		t.Run(called(name), func(t *testing.T) {
			want := textOf(t, a)
			anchor := Anchor{Big: i%2 == 0, Zipped: i%4 < 2, EventChunk: 4096, DefinitionChunk: 4096, Creator: "me"}
			b := copyOf(t, a, anchor)
			require.Equal(t, "me", b.Anchor.Creator)
			require.Equal(t, anchor.Big, b.Anchor.Big)
			require.Equal(t, anchor.Zipped, b.Anchor.Zipped)
			if got := textOf(t, b); !slices.Equal(want, got) {
				require.Equal(t, want, got)
			}
		})
	}
}

// events returns how many events an archive has by its definitions.
func events(a *Archive) (n uint64) {
	for _, l := range a.Locations {
		n += l.Events
	}
	return n
}
