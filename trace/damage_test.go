package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// prefix says whether each location's events in got are the first of those in want.
func prefix(t *testing.T, want, got map[uint64][]testEvent) {
	for l := range got {
		require.LessOrEqual(t, len(got[l]), len(want[l]))
		for i, e := range got[l] {
			w := want[l][i]
			if classOf[e.e.Kind] == placeWord { // names a location that may be lost
				e.e.Word, w.e.Word = 0, 0
			}
			require.Equal(t, w, e)
		}
	}
}

func TestCutAtEveryByte(t *testing.T) {
	b, want := testArchive(t, rand.New(rand.NewPCG(3, 3)), 12, 10, 16)
	events := 0
	for n := range b {
		a, err := OpenReader("cut", bytes.NewReader(b[:n]), int64(n))
		if err != nil {
			require.Less(t, n, headerSize+32)
			require.Regexp(t, `^cut: offset 0: `, err.Error())
			continue
		}
		require.False(t, a.Header().Complete)
		got := readAll(t, a)
		prefix(t, want, got)
		k := 0
		for _, e := range got {
			k += len(e)
		}
		require.GreaterOrEqual(t, k, events) // no byte more loses anything
		events = k
		a.Check()
	}
	require.Equal(t, 12*10, func() (n int) {
		for _, e := range want {
			n += len(e)
		}
		return
	}()+12*10-events)
}

func TestEveryByteFlipped(t *testing.T) {
	b, want := testArchive(t, rand.New(rand.NewPCG(4, 4)), 8, 8, 16)
	for i := 0; i < len(b); i += 10 / testkit.Cases(10) {
		for _, mask := range []byte{1, 0x80, 0xff} {
			b[i] ^= mask
			a, err := OpenReader("flip", bytes.NewReader(b), int64(len(b)))
			if err == nil && len(a.Problems()) == 0 {
				requireSame(t, want, readAll(t, a))
			}
			if err == nil {
				a.Check()
			}
			b[i] ^= mask
		}
	}
}

// reseal makes the checksums of the frame at off right again, so that a reader meets what lies behind them.
func reseal(b []byte, off int) {
	le := binary.LittleEndian
	n := int(le.Uint32(b[off+20:]) + le.Uint32(b[off+28:]))
	if n <= len(b)-off-headerSize {
		le.PutUint32(b[off+44:], crc32.Checksum(b[off+headerSize:off+headerSize+n], castagnoli))
	}
	le.PutUint32(b[off+headerSize-4:], crc32.Checksum(b[off:off+headerSize-4], castagnoli))
}

func TestDamageBehindRightChecksums(t *testing.T) {
	b, _ := testArchive(t, rand.New(rand.NewPCG(5, 5)), 8, 40, 64)
	var offsets []int
	for off := 0; off < len(b); {
		f, err := parseFrame(b[off:])
		require.NoError(t, err)
		offsets = append(offsets, off)
		off += int(f.size())
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for range testkit.Cases(3000) {
		c := bytes.Clone(b)
		k := rng.IntN(len(offsets))
		end := len(b)
		if k+1 < len(offsets) {
			end = offsets[k+1]
		}
		for range 1 + rng.IntN(4) {
			c[offsets[k]+8+rng.IntN(end-offsets[k]-8)] = byte(rng.Uint32())
		}
		reseal(c, offsets[k])
		a, err := OpenReader("hostile", bytes.NewReader(c), int64(len(c)))
		if err == nil {
			a.Check()
		}
	}
}

func TestReaderResynchronises(t *testing.T) {
	b, want := testArchive(t, rand.New(rand.NewPCG(7, 7)), 20, 10, 16)
	garbage := bytes.Repeat(append([]byte("noise"), magic...), 30000)
	first, err := parseFrame(b)
	require.NoError(t, err)
	at := int(first.size())
	c := append(append(bytes.Clone(b[:at]), garbage...), b[at:]...)
	a := open(t, c)
	require.Len(t, a.Problems(), 1)
	require.EqualValues(t, at, a.Problems()[0].Offset)
	require.EqualValues(t, len(garbage), a.Lost())
	requireSame(t, want, readAll(t, a))
}

func TestOtherFiles(t *testing.T) {
	newer, _ := testArchive(t, rand.New(rand.NewPCG(8, 8)), 1, 1, 1)
	newer[4]++
	binary.LittleEndian.PutUint32(newer[headerSize-4:], crc32.Checksum(newer[:headerSize-4], castagnoli))
	for text, b := range map[string][]byte{
		"x: offset 0: the file is empty":   nil,
		"x: offset 0: not a trace archive": bytes.Repeat([]byte("PK\x03\x04"), 100),
		fmt.Sprintf("x: offset 0: format version %d is newer than %d, the newest that this program reads", Version+1, Version): newer,
	} {
		_, err := OpenReader("x", bytes.NewReader(b), int64(len(b)))
		require.EqualError(t, err, text)
	}
	dir := t.TempDir()
	_, err := Open(dir)
	require.EqualError(t, err, dir+": not a trace archive: there is no segment-000.trc")
}

// TestHostileWords lets the writer meet arbitrary memory.
func TestHostileWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		var out bytes.Buffer
		w, err := NewWriter(&out, Options{ChunkEvents: 100})
		require.NoError(t, err)
		p, err := w.AddProcess(ProcessInfo{Frequency: 3e9, Start: Stamp{Ticks: rng.Uint64()}})
		require.NoError(t, err)
		for range 10 {
			c := RawChunk{Location: rng.Uint64() >> rng.UintN(64), Seq: rng.Uint64N(3), Base: rng.Uint64()}
			for range rng.IntN(200) {
				k := wire.Specs[rng.IntN(len(wire.Specs))].Kind
				c.Words = append(c.Words, wire.Head(k, rng.Uint32N(3), rng.Uint64N(1<<36)), rng.Uint64())
			}
			require.NoError(t, p.Chunk(c))
		}
		require.NoError(t, p.Clock(Stamp{rng.Uint64(), rng.Int64(), 0}))
		require.NoError(t, w.Close())
		a := open(t, out.Bytes())
		_, decoded := w.Size()
		n := uint64(0)
		for _, e := range readRaw(t, a) {
			n += uint64(e)
		}
		require.Equal(t, decoded, n)
		a.Check()
	}
}

// readRaw decodes everything and returns the number of events by location.
func readRaw(t testing.TB, a *Archive) []int {
	n := make([]int, len(a.Definitions().Locations))
	d := a.NewDecoder()
	var buf Buffer
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, &buf)
		require.NoError(t, err)
		for _, b := range batches {
			n[b.Location] += len(b.Events)
		}
	}
	return n
}

func TestResume(t *testing.T) {
	for cut := 0; cut < 200; cut += 7 {
		dir := filepath.Join(t.TempDir(), "a")
		w, err := Create(dir, Options{SegmentSize: 300, ChunkEvents: 4})
		require.NoError(t, err)
		p, err := w.AddProcess(ProcessInfo{PID: 1})
		require.NoError(t, err)
		chunk := func(seq uint64) RawChunk {
			c := RawChunk{Location: 1, Seq: seq, Base: seq * 1000}
			for range 5 {
				c.Words = append(c.Words, wire.Head(wire.SleepBegin, 0, 64), wire.Head(wire.Leave, 0, 64))
			}
			return c
		}
		for seq := range uint64(5) {
			require.NoError(t, p.Chunk(chunk(seq)))
			require.NoError(t, w.Flush())
		}
		require.NoError(t, w.Close())
		names, err := filepath.Glob(filepath.Join(dir, "segment-*.trc"))
		require.NoError(t, err)
		require.Greater(t, len(names), 2)
		last := names[len(names)-1]
		info, err := os.Stat(last)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(last, max(info.Size()-int64(cut), 0)))

		w, ps, err := Resume(dir)
		require.NoError(t, err)
		require.Len(t, ps, 1)
		for seq := range uint64(6) {
			require.NoError(t, ps[0].Chunk(chunk(seq)))
		}
		require.NoError(t, w.Close())
		a, err := Open(dir)
		require.NoError(t, err)
		require.Empty(t, a.Check())
		require.True(t, a.Header().Complete)
		require.Equal(t, []int{60}, readRaw(t, a))
		require.Equal(t, 1, ps[0].Locations())
		require.NoError(t, a.Close())
	}
}

// TestEmptyPieces: pieces without events are no gap.
func TestEmptyPieces(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{})
	require.NoError(t, err)
	for seq := range uint64(9) {
		c := RawChunk{Location: 1, Seq: seq, Base: seq * 1000, Words: []uint64{0}}
		if seq%3 == 2 {
			c.Words = []uint64{wire.Head(wire.SleepBegin, 0, 64), wire.Head(wire.Leave, 0, 64)}
		}
		require.NoError(t, p.Chunk(c))
		if seq%2 == 0 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	a := open(t, out.Bytes())
	require.Empty(t, a.Check())
	require.Equal(t, []int{6}, readRaw(t, a))
	require.Equal(t, 1, p.Locations())
}

// TestLocationsWritten: those are counted that have events, and one whose pieces are torn once.
func TestLocationsWritten(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{ChunkEvents: 1})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{})
	require.NoError(t, err)
	require.Zero(t, p.Locations())
	many := make([]uint64, 3*maxEvents)
	for i := range many {
		many[i] = wire.Head(wire.Create, 0, 64)
	}
	for location, words := range [][]uint64{many, {0}, many[:1], many} {
		require.NoError(t, p.Chunk(RawChunk{Location: uint64(location), Words: words}))
	}
	require.NoError(t, p.Chunk(RawChunk{Location: 2, Seq: 1, Words: many[:5]}))
	require.NoError(t, w.Close())
	a := open(t, out.Bytes())
	require.Len(t, readRaw(t, a), 3)
	require.Greater(t, len(a.Chunks()), 4)
	require.Equal(t, 3, p.Locations())
}

// TestMissingAndSpecialFiles: what is no regular file is not opened, and what is not there is told.
func TestMissingAndSpecialFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	first, second := filepath.Join(dir, SegmentName(0)), filepath.Join(dir, SegmentName(1))
	require.NoError(t, os.MkdirAll(first, 0o777))
	_, err := Open(dir)
	require.Equal(t, Problem{first, 0, "not a regular file"}, err)
	require.NoError(t, os.Remove(first))
	w, err := Create(dir, Options{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.Rename(first, second))
	for _, want := range []Problem{{first, 0, "the file is missing"}, {first, 0, "not a regular file"}} {
		a, err := Open(dir)
		require.NoError(t, err)
		require.Equal(t, []Problem{want}, a.Check())
		require.NoError(t, a.Close())
		require.NoError(t, os.MkdirAll(first, 0o777))
	}
}

// TestEnd: a process ended when it exited, however late its clock was read for the last time.
func TestEnd(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{PID: 1})
	require.NoError(t, err)
	require.NoError(t, p.Clock(Stamp{Ticks: 2e9, Mono: 2e9}))
	require.NoError(t, p.Exited(0, Stamp{Ticks: 1e8, Mono: 1e8}))
	require.NoError(t, w.Close())
	require.Equal(t, int64(1e8), open(t, out.Bytes()).Definitions().Processes[0].End)
}

// Whoever names the directory of all recordings of tests is told of one.
func TestArchivesBelow(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "example.org", "x")
	require.NoError(t, os.MkdirAll(below, 0o777))
	_, err := Open(dir)
	require.ErrorContains(t, err, "there is no segment-000.trc")
	require.NoError(t, os.WriteFile(filepath.Join(below, SegmentName(0)), nil, 0o666))
	_, err = Open(dir)
	require.EqualError(t, err, dir+": not a trace archive, but there are some in it: name one, such as "+below)
	_, err = Open(filepath.Join(below, SegmentName(0)))
	require.ErrorContains(t, err, "a file, not the directory of a recording")
}
