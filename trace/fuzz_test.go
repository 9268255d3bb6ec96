package trace

import (
	"bytes"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// readEverything uses every reader on an archive that may hold anything.
func readEverything(t *testing.T, b []byte) {
	a, err := OpenReader("fuzz", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	a.Check()
	m := a.Merge()
	defs := a.Definitions()
	for {
		l, e, _, err := m.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			continue
		}
		require.Less(t, int(l), len(defs.Locations))
		switch spec, _ := wire.SpecOf(e.Kind); spec.ID {
		case wire.RegionID:
			require.Less(t, int(e.ID), len(defs.Regions))
		case wire.MetricID:
			require.Less(t, int(e.ID), len(defs.Metrics))
		}
		switch classOf[e.Kind] {
		case objectWord, lockWord, releaseWord:
			if o, _ := e.Object(); o != NoObject {
				require.Less(t, int(o), len(defs.Objects))
			}
		case placeWord:
			if o := e.Other(); o != NoLocation {
				require.Less(t, int(o), len(defs.Locations))
			}
		}
	}
}

func FuzzArchive(f *testing.F) {
	small, _ := testArchive(f, rand.New(rand.NewPCG(1, 1)), 3, 4, 8)
	f.Add(small)
	f.Fuzz(func(t *testing.T, b []byte) {
		for off := 0; off+headerSize <= len(b) && bytes.Equal(b[off:off+4], magic); {
			reseal(b, off) // so that more than checksums is tested
			h, err := parseFrame(b[off:])
			if err != nil || h.size() > int64(len(b)-off) {
				break
			}
			off += int(h.size())
		}
		readEverything(t, b)
	})
}

// sealed is a frame with right checksums and an uncompressed payload.
func sealed(number uint32, f frame, dir, payload []byte) []byte {
	f.Version, f.Number = Version, number
	f.DirStored, f.DirRaw, f.Stored, f.Raw = uint32(len(dir)), uint32(len(dir)), uint32(len(payload)), uint32(len(payload))
	body := append(bytes.Clone(dir), payload...)
	f.PayloadCRC = crc32.Checksum(body, castagnoli)
	return append(f.appendTo(nil), body...)
}

// withProcess is the beginning of an archive with one process and n objects.
func withProcess(n uint32) []byte {
	r := newRecordWriter()
	r.array(int64(7), int64(0), []string{"app"}, uint64(0), int64(0), int64(0), "ns", uint64(1e9), uint64(1))
	b := sealed(0, frame{Type: processFrame}, nil, r.buf.Bytes())
	r = newRecordWriter()
	for id := range n {
		r.definition(wire.Def{Type: wire.DefObject, ID: id + 1, Object: wire.Channel})
	}
	return append(b, sealed(1, frame{Type: definitionsFrame}, nil, r.buf.Bytes())...)
}

func FuzzChunk(f *testing.F) {
	e := encoder{unit: newDivisor(1), limit: 100}
	e.add(RawChunk{Location: 1, GoID: 3, Words: []uint64{wire.Head(wire.Enter, 1, 5), wire.Head(wire.SendBegin, 2, 300), 1,
		wire.Head(wire.Leave, 0, 1<<20), wire.Head(wire.Counters, 2, 1), 5, 6, wire.Head(wire.Exit, 0, 1<<30)}})
	e.add(RawChunk{Location: 2, GoID: 4, Words: []uint64{wire.Head(wire.Begin, 1, 5), 1}})
	require.NoError(f, e.encode(func() error {
		var payload []byte
		e.col[upperColumn] = nil
		for i, c := range e.col {
			e.dir.raw[i], e.dir.stored[i] = uint32(len(c)), uint32(len(c))
			payload = append(payload, c...)
		}
		f.Add(e.dir.appendTo(nil), payload, uint32(len(e.dir.runs)), uint32(e.events), e.first, e.last)
		return nil
	}))
	f.Fuzz(func(t *testing.T, dir, payload []byte, entries, events uint32, first, last int64) {
		b := withProcess(3)
		readEverything(t, append(b, sealed(2, frame{Type: chunkFrame, Entries: entries, Events: events, First: first, Last: last}, dir, payload)...))
	})
}

func FuzzRecords(f *testing.F) {
	for t := experimentFrame; t <= endFrame; t++ {
		f.Add(uint8(t), []byte{0x94, 1, 2, 3, 4})
	}
	r := newRecordWriter()
	r.definition(wire.Def{Type: wire.DefRegion, ID: 1, Name: "r", Func: "f", File: "g", Line: 4})
	r.definition(wire.Def{Type: wire.DefCounters, Names: []string{"a", "b"}})
	f.Add(uint8(definitionsFrame), r.buf.Bytes())
	f.Add(uint8(definitionsFrame), []byte{0xdd, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add(uint8(warningsFrame), []byte{0x92, 0xdb, 0x7f, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, kind uint8, payload []byte) {
		if kind == uint8(chunkFrame) {
			return
		}
		readEverything(t, append(withProcess(1), sealed(2, frame{Type: frameType(kind)}, nil, payload)...))
	})
}
