package trace

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"tracerec/internal/binfmt"
	"tracerec/trace/wire"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// tinyArchive is a goroutine that sends a value to another over a channel, with what a version of the format knows.
func tinyArchive(t *testing.T, version int) []byte {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{Mono: 1000, Wall: 1700000000e9})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{PID: 7, Parent: 6, Args: []string{"./app"}, Clock: "tsc", Frequency: 3e9,
		Start: Stamp{Ticks: 300000, Mono: 2000, Wall: 1700000000e9 + 1000}})
	require.NoError(t, err)
	for _, d := range []wire.Def{
		{Type: wire.DefRegion, ID: 1, Name: "main", Func: "main.main", File: "app.go", Line: 9},
		{Type: wire.DefRegion, ID: 2, Name: "send", Func: "main.main", File: "app.go", Line: 12},
		{Type: wire.DefRegion, ID: 3, Name: "recv", Func: "main.sink", File: "app.go", Line: 20},
		{Type: wire.DefObject, ID: 1, Object: wire.Channel, Size: 3, Region: 2},
	} {
		require.NoError(t, p.Define(d))
	}
	var runs, waits []uint64
	rest := uint64(62000)
	passed := func(delta uint64) []uint64 { return []uint64{wire.Head(wire.Leave, 0, delta)} }
	if version >= 3 {
		passed = func(delta uint64) []uint64 { return []uint64{wire.Head(wire.Passed, 0, delta), 1} }
		runs = []uint64{wire.Head(wire.Running, 1, 0)}
		waits = []uint64{wire.Head(wire.Ready, uint32(wire.Woken), 61000), 1, wire.Head(wire.Running, 2, 900)}
		rest = 100
	}
	var left, ends []uint64
	if version >= 4 {
		left = []uint64{wire.Head(wire.TaskLeft, 0, 100), 1}
		ends = []uint64{wire.Head(wire.TaskEnd, 0, 100), 1}
	}
	require.NoError(t, p.Chunk(RawChunk{Location: 1, GoID: 1, Base: 301000, Words: slices.Concat(runs, []uint64{
		wire.Head(wire.Enter, 1, 0), wire.Head(wire.SendBegin, 2, 60000), 1}, passed(600), left, []uint64{wire.Head(wire.Exit, 0, 5000)})}))
	require.NoError(t, p.Chunk(RawChunk{Location: 2, GoID: 18, Base: 300000, Words: slices.Concat([]uint64{
		wire.Head(wire.RecvBegin, 3, 400), 1, wire.Head(wire.Blocked, 0, 600)}, waits, passed(rest), ends)}))
	require.NoError(t, p.Clock(Stamp{Ticks: 300300000, Mono: 100002000, Wall: 1700000000e9 + 100001000}))
	if version >= 2 {
		p.CPUTime(80e6)
	}
	require.NoError(t, p.Exited(0, Stamp{Ticks: 300600000, Mono: 100102000, Wall: 1700000000e9 + 100101000}))
	require.NoError(t, w.Close())
	return out.Bytes()
}

var frameNames = []string{"", "experiment", "process", "definitions", "chunk", "clock", "warnings", "exit", "end"}

// annotate explains an archive byte by byte.
func annotate(t *testing.T, b []byte) string {
	zip, err := newDecompressor()
	require.NoError(t, err)
	defer zip.Close()
	var d binfmt.Dump
	for off := 0; off < len(b); {
		f, err := parseFrame(b[off:])
		require.NoError(t, err)
		d.Title("frame %d: %s", f.Number, frameNames[f.Type])
		annotateHeader(&d, b[off:], off, &f)
		payload := b[off+headerSize:][:f.DirStored+f.Stored]
		if f.Type == chunkFrame {
			annotateChunk(t, &d, &f, payload)
		} else {
			raw, err := inflate(zip, make([]byte, f.Raw+padding), payload, int(f.Raw))
			require.NoError(t, err)
			if f.Raw != f.Stored {
				d.Bytes(payload, "records, compressed; these are:")
				d.Seek(0)
			}
			annotateRecords(t, &d, raw)
		}
		d.Title("")
		off += int(f.size())
	}
	return strings.TrimRight(d.String(), "\n") + "\n"
}

func annotateHeader(d *binfmt.Dump, b []byte, off int, f *frame) {
	d.Seek(off)
	d.Bytes(b[:4], "magic")
	d.Bytes(b[4:6], "version")
	d.Bytes(b[6:7], "type: %s", frameNames[f.Type])
	d.Bytes(b[7:8], "reserved")
	names := []string{"experiment", "number of the frame", "process", "directory: bytes stored", "directory: bytes raw",
		"payload: bytes stored", "payload: bytes raw", "runs", "events", "CRC32C of directory and payload"}
	values := []uint32{0, f.Number, f.Process, f.DirStored, f.DirRaw, f.Stored, f.Raw, f.Entries, f.Events, 0}
	for i, name := range names {
		if i > 0 && i < len(names)-1 {
			name = fmt.Sprintf("%s: %d", name, values[i])
		}
		d.Bytes(b[8+4*i:12+4*i], "%s", name)
	}
	d.Bytes(b[48:56], "earliest time: %d", f.First)
	d.Bytes(b[56:64], "latest time: %d", f.Last)
	d.Bytes(b[64:68], "CRC32C of the header")
}

func annotateRecords(t *testing.T, d *binfmt.Dump, raw []byte) {
	r := bytes.NewReader(raw)
	for r.Len() > 0 {
		from := len(raw) - r.Len()
		v, err := msgpack.NewDecoder(r).DecodeInterface()
		require.NoError(t, err)
		d.Bytes(raw[from:len(raw)-r.Len()], "%v", v)
	}
}

// annotateChunk explains a chunk too small to be compressed.
func annotateChunk(t *testing.T, d *binfmt.Dump, f *frame, payload []byte) {
	require.Equal(t, f.DirRaw, f.DirStored)
	require.Equal(t, f.Raw, f.Stored)
	var dir directory
	require.NoError(t, dir.parse(f, payload[:f.DirRaw]))
	c := cursor{b: payload[:f.DirRaw]}
	field := func(n int, format string, args ...any) {
		before := c.b
		for range n {
			c.uvarint(1<<64 - 1)
		}
		d.Bytes(before[:len(before)-len(c.b)], format, args...)
	}
	field(1, "directory: %d symbols", len(dir.symbols))
	for i, s := range dir.symbols {
		field(2, "symbol %d: %s, id %d", i, s.kind, s.id)
	}
	field(1, "greatest object id: %d", dir.maxObject)
	field(1, "counter values: %d", dir.values)
	names := []string{"symbols", "upper", "times", "tails", "objects", "extras", "values"}
	for i, name := range names {
		field(2, "column %s: %d bytes, stored %d", name, dir.raw[i], dir.stored[i])
	}
	for _, name := range []string{"numbers of the locations, differences", "goroutine ids, differences", "sequence numbers",
		"pieces that end in the run", "events of the run"} {
		field(len(dir.runs), "%s", name)
	}
	require.Empty(t, c.b)
	for i, name := range names {
		if n := dir.raw[i]; n > 0 {
			d.Bytes(payload[len(payload)-int(f.Raw):][:n], "column %s", name)
			f.Raw -= n
		}
	}
}

// TestFormat compares the dump of a tiny archive with the one in the description of the format.
func TestFormat(t *testing.T) {
	const file, begin, end = "../docs/format.md", "<!-- dump -->\n```\n", "```\n<!-- end of dump -->"
	b := tinyArchive(t, Version)
	require.Empty(t, open(t, b).Check())
	require.EqualValues(t, headerSize, binary.Size(frame{})+len(magic)+1+4, "header fields, magic, a reserved byte and a checksum")
	dump := annotate(t, b)
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(doc), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(head+begin+dump+end+tail), 0o666))
		return
	}
	require.Equal(t, old, dump)
}

// TestVersions reads an archive of each version. Those before this one are never written again.
func TestVersions(t *testing.T) {
	for version := 1; version <= Version; version++ {
		name, now := fmt.Sprintf("testdata/version%d.trc", version), tinyArchive(t, version)
		if *update && version == Version {
			require.NoError(t, os.WriteFile(name, now, 0o666))
		}
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.EqualValues(t, version, binary.LittleEndian.Uint16(b[4:]))
		want, got := open(t, now), open(t, b)
		require.Equal(t, version, got.Header().Version)
		require.Empty(t, got.Check())
		require.Equal(t, want.Definitions(), got.Definitions())
		require.Equal(t, version >= 2, got.Definitions().Processes[0].CPUTime == 80e6)
		for m, n := want.Merge(), got.Merge(); ; {
			wantLocation, wantEvent, _, wantErr := m.Next()
			location, event, _, err := n.Next()
			require.Equal(t, []any{wantLocation, wantEvent, wantErr}, []any{location, event, err})
			if err == io.EOF {
				break
			}
		}
	}
}
