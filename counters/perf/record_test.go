//go:build linux

package perf

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

func words(w ...uint64) (b []byte) {
	for _, x := range w {
		b = binary.NativeEndian.AppendUint64(b, x)
	}
	return b
}

func TestBareRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	require.NoError(t, os.WriteFile(path, words(11, 22), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var w [3]uint64
	require.Equal(t, 1, bareRead(int(f.Fd()), &w[0], 1))
	require.Equal(t, [3]uint64{11}, w)
	require.Equal(t, 1, bareRead(int(f.Fd()), &w[1], 2), "what there is")
	require.Equal(t, [3]uint64{11, 22}, w)
	require.Equal(t, 0, bareRead(int(f.Fd()), &w[0], 1), "the end")
	require.Negative(t, bareRead(-1, &w[0], 1))
}

func threadWord(pid, tid uint32) uint64 {
	return binary.NativeEndian.Uint64(binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, pid), tid))
}

func TestRecords(t *testing.T) {
	r, ok := parseRecord(perfevent.RecordSample, words(0x401000, threadWord(7, 8), 99, 4, perfevent.ContextUser, 0x401000, 0x402000, 0x403000))
	require.True(t, ok)
	require.Equal(t, substrate.Sample{PC: 0x401000, Stack: []uintptr{0x401000, 0x402000, 0x403000}, Thread: 8, Time: 99}, r.sample)

	r, ok = parseRecord(perfevent.RecordSample, words(0xffffffff81000000, threadWord(7, 8), 99, 4, perfevent.ContextMax+100, 0xffffffff81000000, perfevent.ContextUser, 0x402000))
	require.True(t, ok)
	require.EqualValues(t, 0x402000, r.sample.PC, "where the program entered the kernel")

	r, ok = parseRecord(perfevent.RecordSample, words(0x401000, threadWord(7, 8), 99, 0))
	require.True(t, ok)
	require.Equal(t, substrate.Sample{PC: 0x401000, Thread: 8, Time: 99}, r.sample)

	_, ok = parseRecord(perfevent.RecordSample, words(0x401000, threadWord(7, 8), 99, 2, 1))
	require.False(t, ok, "the chain is longer than the record")
	_, ok = parseRecord(perfevent.RecordSample, words(0x401000, threadWord(7, 8)))
	require.False(t, ok)
	r, ok = parseRecord(perfevent.RecordLost, words(1, 55))
	require.True(t, ok)
	require.EqualValues(t, 55, r.lost)
	r, ok = parseRecord(perfevent.RecordLostSamples, words(66))
	require.True(t, ok)
	require.EqualValues(t, 66, r.lost)
	r, ok = parseRecord(perfevent.RecordThrottle, words(1, 2, 3))
	require.True(t, ok && r.throttled)
	r, ok = parseRecord(77, []byte{1})
	require.True(t, ok)
	require.Equal(t, record{}, r)
}

// put writes a record into a ring as the kernel does.
func put(r *ring, kind uint32, body []byte) {
	p := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	b := binary.NativeEndian.AppendUint32(nil, kind)
	b = binary.NativeEndian.AppendUint16(b, 0)
	b = binary.NativeEndian.AppendUint16(b, uint16(recordHeader+len(body)))
	for _, c := range append(b, body...) {
		r.data[p.Data_head%uint64(len(r.data))] = c
		p.Data_head++
	}
}

func newRing(pages int) *ring {
	mem := make([]uint64, (1+pages)*os.Getpagesize()/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&mem[0])), 8*len(mem))
	return &ring{mem: b, data: b[os.Getpagesize():]}
}

func TestRingGoesRound(t *testing.T) {
	r := newRing(1)
	next, seen := uint64(0), uint64(0)
	for range 2000 {
		for range 1 + next%5 {
			put(r, perfevent.RecordLostSamples, words(next, next*3, 7)[:8*(1+next%3)])
			next++
		}
		r.drain(func(kind uint32, body []byte) {
			require.EqualValues(t, perfevent.RecordLostSamples, kind)
			require.Len(t, body, int(8*(1+seen%3)))
			require.Equal(t, seen, binary.NativeEndian.Uint64(body))
			seen++
		})
		require.Equal(t, next, seen)
	}
}

func FuzzRecords(f *testing.F) {
	sample := words(0x401000, threadWord(7, 8), 99, 4, perfevent.ContextUser, 0x401000, 0x402000, 0x403000)
	f.Add(append([]byte{perfevent.RecordSample, 0, 0, 0, 0, 0, byte(recordHeader + len(sample)), 0}, sample...), uint16(4000))
	f.Add(append([]byte{perfevent.RecordLost, 0, 0, 0, 0, 0, 24, 0}, words(1, 55)...), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, at uint16) {
		r := newRing(1)
		p := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
		p.Data_tail = uint64(at)
		p.Data_head = p.Data_tail
		for _, c := range data[:min(len(data), len(r.data))] {
			r.data[p.Data_head%uint64(len(r.data))] = c
			p.Data_head++
		}
		r.drain(func(kind uint32, body []byte) {
			if rec, ok := parseRecord(kind, body); ok && len(rec.sample.Stack) > len(body)/8 {
				t.Fatal("a stack out of nothing")
			}
		})
		if p.Data_tail != p.Data_head {
			t.Fatal("records are left that nobody will read")
		}
	})
}
