//go:build linux

package live

import (
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// program plays a measured process with one goroutine on a clock of its own: ticks are ns.
type program struct {
	t      *testing.T
	buffer *shm.Buffer
	chunk  uintptr
	used   int
	label  shm.Label
}

func start(t *testing.T, dir string, ticks uint64) *program {
	b, err := shm.Create(shm.Config{Dir: dir}, clock.Monotonic, 0)
	require.NoError(t, err)
	b.Define(wire.Def{Type: wire.DefRegion, ID: 1, Name: "outer", File: "a.go", Line: 3})
	b.Define(wire.Def{Type: wire.DefRegion, ID: 2, Name: "inner", File: "a.go", Line: 9})
	b.Define(wire.Def{Type: wire.DefRegion, ID: 3, Name: "send"})
	b.Define(wire.Def{Type: wire.DefCounters, Names: []string{"page-faults", "go:alloc-bytes"}})
	p := &program{t: t, buffer: b, label: shm.Label{Location: b.NewLocation(), Base: ticks}}
	p.alloc()
	return p
}

func (p *program) alloc() {
	p.chunk, _ = p.buffer.Alloc(shm.Small, p.label)
	p.used = 0
}

// next begins another chunk.
func (p *program) next(base uint64) {
	p.buffer.Retire(p.chunk)
	p.label.Seq++
	p.label.Base = base
	p.alloc()
}

func (p *program) event(k wire.Kind, id uint32, delta uint64, words ...uint64) {
	at := p.chunk + shm.ChunkHeader + uintptr(8*p.used)
	mem := unsafe.Slice((*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), 1+len(words))
	copy(mem[1:], words)
	mem[0] = wire.Head(k, id, delta)
	p.used += 1 + len(words)
}

// of returns a region's values of a frame by metric.
func of(f Frame, region string) map[string]int64 {
	for _, r := range f.Rows {
		if r.Name == region {
			m := map[string]int64{}
			for i, v := range r.Values {
				if v != 0 {
					m[f.Metrics[i]] = v
				}
			}
			return m
		}
	}
	return nil
}

// future is so far ahead that the time up to now is never charged.
func future() uint64 { return uint64(now()) + 1e15 }

func TestMetricsByHand(t *testing.T) {
	dir := t.TempDir()
	m := attach(dir)
	defer m.Close()
	p := start(t, dir, future())

	p.event(wire.Counters, 3, 0, 7<<8, 100, 5000)
	p.event(wire.Enter, 1, 0)
	p.event(wire.Counters, 3, 40, 7<<8, 103, 5100) // in outer: 3 faults, 100 bytes
	p.event(wire.Enter, 2, 0)
	p.event(wire.SendBegin, 3, 10, 1)
	p.event(wire.Blocked, 0, 5)
	p.event(wire.Leave, 0, 300)
	p.event(wire.Counters, 5, 20, 8<<8, 110, 5400, 50, 900) // elsewhere in between, with bounds: only what counts for the process
	p.event(wire.Exit, 0, 0)
	f := m.Frame()
	require.Equal(t, []string{"executing", "waiting", "visits", "page-faults", "go:alloc-bytes"}, f.Metrics)
	require.Equal(t, map[string]int64{"executing": 40, "visits": 1, "page-faults": 3, "go:alloc-bytes": 100}, of(f, "outer"))
	require.Equal(t, map[string]int64{"executing": 35, "waiting": 300, "visits": 1, "go:alloc-bytes": 300}, of(f, "inner"))
	require.Equal(t, []int64{0, 0, 0, 50, 0}, f.Rows[0].Uncertain, "inner's faults are not 0, but 50 at most")
	require.Equal(t, []int64{0, 0, 0, 0, 0}, f.Rows[1].Uncertain)
	require.Equal(t, 1, f.Goroutines)
	require.EqualValues(t, 1, f.Seen)
	require.Equal(t, Key{"inner", "a.go", 9}, f.Rows[0].Key)

	p.event(wire.Exit, 0, 60)
	p.event(wire.End, 0, 1)
	f = m.Frame()
	require.Equal(t, map[string]int64{"executing": 60}, of(f, "outer"))
	require.Empty(t, of(f, "inner"), "only what is new")
	require.Zero(t, f.Goroutines)
}

// A select that was left without a word is over with the next thing that its goroutine does, but the exit of its region counts it.
func TestForgottenSelect(t *testing.T) {
	dir := t.TempDir()
	m := attach(dir)
	defer m.Close()
	p := start(t, dir, future())
	p.event(wire.Enter, 1, 0)
	p.event(wire.SelectBegin, 3, 10)
	p.event(wire.Counters, 3, 10, 7<<8, 100, 0)
	p.event(wire.Counters, 3, 10, 8<<8, 101, 0) // it may have waited
	require.Zero(t, m.Frame().Rows[0].Uncertain[3])
	p.event(wire.Close, 3, 10, 1)
	p.event(wire.Counters, 3, 10, 9<<8, 103, 0)
	f := m.Frame()
	require.EqualValues(t, unbounded, f.Rows[0].Uncertain[3], "the region has gone on, and somebody else on its thread")
	require.Equal(t, 1, f.Goroutines)
	p.event(wire.Exit, 1, 10)
	require.Zero(t, m.Frame().Goroutines)
}

// A chunk that the recorder took away before it was read is missed, and counted; what is open then is not known.
func TestMissedChunks(t *testing.T) {
	dir := t.TempDir()
	base := future()
	m := attach(dir)
	defer m.Close()
	p := start(t, dir, base)
	recorder, err := shm.Open(p.buffer.Path())
	require.NoError(t, err)
	defer recorder.Close()

	p.event(wire.Enter, 1, 0)
	m.Look()
	p.event(wire.Enter, 2, 10) // not seen
	p.next(base + 20)
	p.event(wire.Exit, 0, 10) // not seen
	p.next(base + 30)
	for _, c := range recorder.TakeRetired(nil) {
		recorder.Free(c)
	}
	p.event(wire.Exit, 0, 10) // of outer, which is not known any more
	p.event(wire.Enter, 2, 10)
	p.event(wire.Exit, 0, 7)
	f := m.Frame()
	require.Equal(t, map[string]int64{"visits": 1}, of(f, "outer"))
	require.Equal(t, map[string]int64{"visits": 1, "executing": 7}, of(f, "inner"))
	require.EqualValues(t, 0.5, f.Seen, "2 of 4: the end of the first chunk and the second are missed")
}

func TestJoinedLate(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, future())
	p.event(wire.Enter, 1, 0)
	p.label.Seq = 41 // earlier ones were before the view began
	p.next(p.label.Base)
	recorder, err := shm.Open(p.buffer.Path())
	require.NoError(t, err)
	defer recorder.Close()
	for _, c := range recorder.TakeRetired(nil) {
		recorder.Free(c)
	}
	m := attach(dir)
	defer m.Close()
	p.event(wire.Exit, 5, 10)
	m.Look()
	p.event(wire.Enter, 2, 10)
	f := m.Frame()
	require.Equal(t, map[string]int64{"visits": 1}, of(f, "inner"))
	require.EqualValues(t, 1, f.Seen)
	require.False(t, f.Over)

	require.NoError(t, os.RemoveAll(dir))
	require.True(t, m.Frame().Over)
}

// Time goes on in regions in which nothing is recorded.
func TestOpenRegions(t *testing.T) {
	dir := t.TempDir()
	began := uint64(now())
	p := start(t, dir, began)
	p.event(wire.Enter, 1, 0)
	m := attach(dir)
	defer m.Close()
	m.Frame()
	f := m.Frame()
	require.Positive(t, of(f, "outer")["executing"])
	require.LessOrEqual(t, of(f, "outer")["executing"], now()-int64(began))
}
