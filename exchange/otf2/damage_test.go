package otf2

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

// small writes an archive with two locations, in several chunks, with local definitions and attributes.
func small(t testing.TB, name string, anchor Anchor) {
	anchor.EventChunk, anchor.DefinitionChunk = 200, 100
	w, err := Create(name, anchor)
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 1000, 100, 1<<64-1)
	for i, text := range []string{"main", "solve", "rank 0", "rank 1", "thread", "tag", "machine"} {
		define("String", []string{text}, uint64(i))
	}
	define("SystemTreeNode", nil, 0, 6, 6, 1<<32-1)
	define("Attribute", nil, 0, 5, 4, 5)
	for i := range uint64(2) {
		define("LocationGroup", nil, i, 2+i, 1, 0, 1<<32-1)
		define("Location", nil, i, 4, 1, 20, i)
		define("Region", nil, i, i, i, 0, 1<<32-1, 7, 9, i, 1, 2, 0)
	}
	for i := range uint64(2) {
		local, err := w.Local(i)
		require.NoError(t, err)
		local.Define(&Record{specNamed(Local, "MappingTable"), []uint64{3, i, 1 - i, i}, nil})
		local.Define(&Record{specNamed(Local, "ClockOffset"), []uint64{1000, 5, 0}, nil})
		local.Define(&Record{specNamed(Local, "ClockOffset"), []uint64{1010, 15, 0}, nil})
		require.NoError(t, local.Close())
		events, err := w.Events(i)
		require.NoError(t, err)
		for k := range uint64(10) {
			events.Write(&Event{Record: Record{specNamed(Events, "Enter"), []uint64{k % 2}, nil}, Time: 1000 + k, Attributes: []Attribute{{0, 4, 300 * k}}})
			events.Write(&Event{Record: Record{specNamed(Events, "Leave"), []uint64{k % 2}, nil}, Time: 1000 + k})
		}
		require.NoError(t, events.Close())
	}
	require.NoError(t, w.Close())
}

// contents returns what can be read of an archive, and what is wrong with it. Both are one line each.
func contents(t testing.TB, name string) (lines []string, problems []trace.Problem) {
	a, err := Open(name)
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return nil, []trace.Problem{{What: err.Error()}}
	}
	var text strings.Builder
	problems, err = dump(&text, a, a.Locations, false)
	require.NoError(t, err)
	_, err = dump(io.Discard, a, a.Locations, true)
	require.NoError(t, err)
	for _, p := range problems {
		require.NotEmpty(t, p.File)
		require.NotContains(t, p.Error(), "\n")
	}
	return strings.Split(strings.TrimSpace(text.String()), "\n"), problems
}

// TestSmall: what is written is read: numbers of both kinds of mapping tables, corrected times, attributes.
func TestSmall(t *testing.T) {
	for _, anchor := range []Anchor{{}, {Big: true}, {Zipped: true}, {Big: true, Zipped: true}} {
		name := filepath.Join(t.TempDir(), "traces.otf2")
		small(t, name, anchor)
		lines, problems := contents(t, name)
		require.Empty(t, problems)
		require.Len(t, lines, 16+2*(1+3+20))
		require.Contains(t, lines, `Region self: 1, name: "solve" <1>, description: "solve" <1>, regionType: 0, sourceFile: UNDEFINED, beginLineNumber: 7, `+
			`endLineNumber: 9, canonicalName: "solve" <1>, regionRole: FUNCTION, paradigm: COMPILER, regionFlags: NONE`)
		at := func(i int) string { return strings.TrimSpace(lines[16+i]) }
		require.Equal(t, `location 0 "thread"`, at(0))
		require.Equal(t, `MappingTable mappingType: REGION, idMap: 0 1 0`, at(1))
		require.Equal(t, `ClockOffset time: 1000, offset: 5, standardDeviation: 0`, at(2))
		require.Equal(t, `1005 Enter region: "solve" <1> {"tag": 0}`, at(4), "the first number of a dense table is that of 0")
		require.Equal(t, `1011 Enter region: "main" <0> {"tag": 900}`, at(10), "1003 + 5 + 3 of 10 more")
		require.Equal(t, `MappingTable mappingType: REGION, idMap: 1 0 1`, at(25))
		require.Equal(t, `1005 Enter region: "solve" <1> {"tag": 0}`, at(28), "0 is mapped to 1")
		require.Equal(t, `1007 Enter region: "solve" <1> {"tag": 300}`, at(30), "1 is not mapped")
	}
}

// TestCut: an archive any of whose files ends at any byte is read up to there, and something is said to be wrong.
func TestCut(t *testing.T) {
	for _, anchor := range []Anchor{{}, {Big: true, Zipped: true}} {
		dir := t.TempDir()
		name := filepath.Join(dir, "traces.otf2")
		small(t, name, anchor)
		whole, _ := contents(t, name)
		for _, file := range []string{"traces.otf2", "traces.def", "traces/0.def", "traces/0.evt"} {
			file = filepath.Join(dir, file)
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			events := 0
			for n := range len(content) - 1 { // the last byte says nothing that the one before does not
				require.NoError(t, os.WriteFile(file, content[:n], 0o600))
				lines, problems := contents(t, name)
				require.NotEmpty(t, problems, "%s cut to %d bytes", file, n)
				if strings.HasSuffix(file, ".evt") {
					require.Equal(t, whole[:20], lines[:20])
					require.Equal(t, whole[len(whole)-24:], lines[len(lines)-24:], "the other location is whole")
					require.GreaterOrEqual(t, len(lines), events, "%s cut to %d bytes", file, n)
					require.Equal(t, whole[:len(lines)-24], lines[:len(lines)-24], "%s cut to %d bytes", file, n)
					events = len(lines)
				}
			}
			require.NoError(t, os.WriteFile(file, content, 0o600))
		}
	}
}

// TestCutAnalyzed: whatever is left of an archive with messages and meetings any of whose files ends at any byte is analyzed: no more than was there, and with a word about it.
func TestCutAnalyzed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	writeMet(t, name, 0, 0)
	whole := analyzed(t, name)
	require.Empty(t, whole.Warnings)
	require.Equal(t, int64(10), whole.Header.Wall)
	require.Len(t, whole.Cells(whole.MetricIndex("mpi_latesender")), 1)
	for _, file := range []string{"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt"} {
		file = filepath.Join(dir, file)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		read := 0
		for n := range len(content) - 1 {
			require.NoError(t, os.WriteFile(file, content[:n], 0o600))
			if e := analyzed(t, name); e != nil {
				read++
				require.NotEmpty(t, e.Warnings, "%s cut to %d bytes", file, n)
				require.LessOrEqual(t, e.Header.Events, whole.Header.Events)
			}
		}
		if strings.HasSuffix(file, ".evt") {
			require.Equal(t, len(content)-1, read, "all of them")
		}
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
}

// TestFlippedAnalyzed: the same archive with any byte changed is analyzed without harm.
func TestFlippedAnalyzed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	writeMet(t, name, 0, 0)
	for _, file := range []string{"traces.def", "traces/0.evt", "traces/1.evt"} {
		file = filepath.Join(dir, file)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for i := range content {
			for _, flip := range []byte{0xff, 0x01, 0x10} {
				changed := bytes.Clone(content)
				changed[i] ^= flip
				require.NoError(t, os.WriteFile(file, changed, 0o600))
				analyzed(t, name)
			}
		}
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
}

// writeMet writes an archive of two ranks: one sends to the other, which waits, and both meet in a collective operation, to which they bring so many bytes.
func writeMet(t testing.TB, name string, operation, bytes uint64) {
	w, err := Create(name, Anchor{EventChunk: 100, DefinitionChunk: 100})
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 1000, 10, 1<<64-1)
	for i, text := range []string{"main", "MPI_Send", "MPI_Recv", "MPI_Barrier", "rank"} {
		define("String", []string{text}, uint64(i))
		if i < 4 {
			define("Region", nil, uint64(i), uint64(i), uint64(i), 0, none, 0, 0, uint64(i), 1, []uint64{1, mpi, mpi, mpi}[i], 0)
		}
	}
	for i := range uint64(2) {
		define("LocationGroup", nil, i, 4, 1, 0, none)
		define("Location", nil, i, 4, 1, 8, i)
	}
	define("Group", nil, 0, 4, 0, 2, 0, 1, commLocations, mpi, 0)
	define("Group", nil, 1, 4, 0, 2, 0, 1, 5, mpi, 0)
	define("Comm", nil, 0, 4, 1, none, 0)
	for i, message := range []string{"MpiSend", "MpiRecv"} {
		events, err := w.Events(uint64(i))
		require.NoError(t, err)
		add := func(t uint64, kind string, values ...uint64) {
			events.Write(&Event{Record: Record{specNamed(Events, kind), values, nil}, Time: 1000 + t})
		}
		add(0, "Enter", 0)
		add(4-2*uint64(i), "Enter", 1+uint64(i))
		add(4+uint64(i), message, 1-uint64(i), 0, 7, 8)
		add(6, "Leave", 1+uint64(i))
		add(7+uint64(i), "Enter", 3)
		add(7+uint64(i), "MpiCollectiveBegin")
		add(9, "MpiCollectiveEnd", operation, 0, none, bytes, bytes)
		add(9, "Leave", 3)
		add(10, "Leave", 0)
		require.NoError(t, events.Close())
	}
	require.NoError(t, w.Close())
}

// analyzed returns the analysis of an archive, nil if it cannot be read at all.
func analyzed(t testing.TB, name string) *report.Experiment {
	a, err := Open(name)
	if err != nil {
		return nil
	}
	e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 1})
	require.NoError(t, err)
	return e
}

// TestFlipped: an archive with any byte changed is read without harm.
func TestFlipped(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	small(t, name, Anchor{})
	for _, file := range []string{"traces.otf2", "traces.def", "traces/0.def", "traces/0.evt"} {
		file = filepath.Join(dir, file)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for i := range content {
			for _, flip := range []byte{0xff, 0x01} {
				changed := bytes.Clone(content)
				changed[i] ^= flip
				require.NoError(t, os.WriteFile(file, changed, 0o600))
				contents(t, name)
			}
		}
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
}

// TestMissing: files that are not there, and locations that are not defined.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	small(t, name, Anchor{})
	remove := func(file string) { require.NoError(t, os.Remove(filepath.Join(dir, file))) }
	remove("traces/0.def")
	lines, problems := contents(t, name)
	require.Empty(t, problems)
	require.Contains(t, lines, `  1000 Enter region: "main" <0> {"tag": 0}`)
	remove("traces/0.evt")
	_, problems = contents(t, name)
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0], "no such file")
	remove("traces.def")
	lines, problems = contents(t, name)
	require.Len(t, problems, 4)
	require.ErrorContains(t, problems[3], "the location of these events is not defined")
	require.Contains(t, lines, `  1005 Enter region: <1> {"": 0}`)

	_, err := Open(dir)
	require.NoError(t, err, "by its directory")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "traces")))
	_, err = Open(dir)
	require.ErrorContains(t, err, "no locations are defined")
	_, err = Open(t.TempDir())
	require.ErrorContains(t, err, "no OTF2 archive")
}

// TestSIONlib: files that are in one container are named as what they are.
func TestSIONlib(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	small(t, name, Anchor{})
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	b[28] = sion
	require.NoError(t, os.WriteFile(name, b, 0o600))
	_, err = Open(name)
	require.ErrorContains(t, err, "SIONlib")
}

// seed adds the files of small archives to the corpus of a fuzz target.
func seed(f *testing.F, file string) {
	for _, anchor := range []Anchor{{}, {Big: true}, {Zipped: true}} {
		dir := f.TempDir()
		small(f, filepath.Join(dir, "traces.otf2"), anchor)
		b, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(f, err)
		f.Add(b)
	}
}

// memory returns a file in memory.
func memory(b []byte) *file {
	return &file{name: "memory", f: bytes.NewReader(b), size: int64(len(b)), chunk: 200, zipped: isZipped(b)}
}

func FuzzAnchor(f *testing.F) {
	seed(f, "traces.otf2")
	f.Fuzz(func(t *testing.T, b []byte) {
		var a Anchor
		problem, err := a.parse("anchor", b)
		if problem == nil && err == nil {
			var again Anchor
			_, err = again.parse("anchor", a.bytes())
			require.NoError(t, err)
		}
	})
}

func FuzzDefinitions(f *testing.F) {
	seed(f, "traces.def")
	f.Fuzz(func(t *testing.T, b []byte) {
		a := newArchive("memory.otf2")
		a.note(memory(b).scan(Global, a.define))
		a.build()
		for i := range a.records {
			io.Discard.Write(a.AppendText(nil, &a.records[i]))
		}
		s := &source{a: a, programs: map[uint64]uint32{}}
		s.define()
		s.topologies()
		s.classify()
		for _, m := range []Family{Local, Markers} {
			x := &local{}
			_ = memory(b).scan(m, func(r *Record) {
				x.define(r)
				io.Discard.Write(a.AppendText(nil, r))
			})
		}
	})
}

func FuzzEvents(f *testing.F) {
	seed(f, "traces/0.evt")
	f.Fuzz(func(t *testing.T, b []byte) {
		a, l, x := newArchive("memory.otf2"), &Location{}, memory(b)
		r := &Reader{a: a, specs: &specs()[Events], at: l, local: &local{offsets: []offset{{0, 0}, {10, 1}}}, file: x}
		spans, _ := x.spans()
		for _, s := range spans {
			_ = r.Open(Chunk{Location: l, span: s})
			for r.Next() {
				io.Discard.Write(a.AppendAttributes(a.AppendText(nil, &r.Event.Record), r.Event.Attributes))
			}
		}
	})
}
