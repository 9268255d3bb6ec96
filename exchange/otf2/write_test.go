package otf2

import (
	"fmt"
	"os/exec"
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
			again := filepath.Join(t.TempDir(), "again.otf2")
			problems, err := Copy(again, a)
			require.NoError(t, err)
			require.Empty(t, problems)
			c, err := Open(again)
			require.NoError(t, err)
			require.Empty(t, c.Problems())
			require.Equal(t, a.Anchor.Creator, c.Anchor.Creator)
			pieces := copyOf(t, a, Anchor{Big: i%2 == 0, EventChunk: 20000}) // larger than a piece
			for _, x := range []*Archive{b, c, pieces} {
				if got := textOf(t, x); !slices.Equal(want, got) {
					require.Equal(t, want, got)
				}
			}
		})
	}
}

// everyEvent writes an archive with one location and an event of each kind.
func everyEvent(t testing.TB, anchor Anchor) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, anchor)
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 100, 1000, 0)
	define("String", []string{"one"}, 0)
	define("String", []string{"two"}, 1)
	define("Paradigm", nil, 4, 1, 0)
	define("SystemTreeNode", nil, 0, 0, 1, 1<<32-1)
	define("LocationGroup", nil, 0, 0, 1, 0, 1<<32-1)
	define("Location", nil, 3, 0, 1, uint64(len(Specs(Events))), 0)
	for i := range uint64(2) {
		define("Region", nil, i, 1, 1, 0, 1<<32-1, 0, 0, 1, 1, 2, 0)
	}
	define("Group", nil, 0, 0, 0, 1, 3, 4, 4, 0)
	define("Group", nil, 1, 0, 0, 1, 0, 5, 4, 0)
	define("Comm", nil, 0, 0, 1, 1<<32-1, 0)
	define("Comm", nil, 1, 0, 1, 0, 1)
	events, err := w.Events(3)
	require.NoError(t, err)
	for i, s := range Specs(Events) {
		var values []uint64
		for _, f := range s.Head {
			values = append(values, sampleOf(f))
		}
		if s.Each != nil {
			values[len(values)-1] = 2
			for range 2 {
				for _, f := range s.Each {
					values = append(values, sampleOf(f))
				}
			}
		}
		events.Write(&Event{Record: Record{s, values, nil}, Time: uint64(100 + i)})
	}
	require.NoError(t, events.Close())
	require.NoError(t, w.Close())
	a, err := Open(name)
	require.NoError(t, err)
	require.Empty(t, a.Problems())
	return a
}

// sampleOf returns a value for a field that everyEvent writes.
func sampleOf(f Field) uint64 {
	switch {
	case f.Name == "typeIDs" || f.Refers == Paradigms:
		return 4
	case slices.Contains([]string{"receiver", "sender", "root", "remote"}, f.Name):
		return 0
	case f.Flags || f.Refers != Nothing || f.Words != nil:
		return 1
	case f.Type == Signed:
		return 1<<64 - 7
	}
	return 300
}

// TestWrittenAsPrinted: OTF2 itself reads what is written: an event of each kind, in both byte orders, and copies of archives of other people.
func TestWrittenAsPrinted(t *testing.T) {
	program, err := exec.LookPath("otf2-print")
	if err != nil {
		t.Skip("no otf2-print; it is in Debian's otf2-tools")
	}
	for _, big := range []bool{false, true} {
		compareWithPrint(t, program, everyEvent(t, Anchor{Big: big}))
	}
	for _, name := range archives(t) {
		a, err := Open(name)
		require.NoError(t, err)
		if events(a) < 300 {
			// OTF2 itself wants chunks of 256 KiB at least.
			compareWithPrint(t, program, copyOf(t, a, Anchor{Big: true, EventChunk: 1 << 18}))
		}
	}
}

// events returns how many events an archive has by its definitions.
func events(a *Archive) (n uint64) {
	for _, l := range a.Locations {
		n += l.Events
	}
	return n
}
