//go:build linux

package shm

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(Environment); text != "" {
		die(text)
	}
	os.Exit(m.Run())
}

// die plays a measured program that is killed: one retired and one owned chunk, one of them torn.
func die(text string) {
	c, _ := ParseConfig(text)
	b, err := Create(c, clock.Monotonic, 0)
	if err != nil {
		panic(err)
	}
	b.Define(wire.Def{Type: wire.DefRegion, ID: 1, Name: "solve"})
	first, _ := b.Alloc(Small, Label{Location: b.NewLocation(), Base: 5})
	write(first, wire.Head(wire.Enter, 1, 2), wire.Head(wire.Exit, 0, 2))
	b.Retire(first)
	second, _ := b.Alloc(Small, Label{Location: 1, Seq: 1})
	write(second, wire.Head(wire.Add, 0, 1), 0, wire.Head(wire.Exit, 0, 3), 0, 77)
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	time.Sleep(time.Hour)
}

func write(chunk uintptr, words ...uint64) {
	copy(unsafe.Slice((*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&chunk))), len(words)+ChunkHeader/8)[ChunkHeader/8:], words)
}

func open(t *testing.T, c Config) (*Buffer, *View) {
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	b, err := Create(c, clock.Monotonic, 0)
	require.NoError(t, err)
	v, err := Open(b.Path())
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return b, v
}

func TestConfigRoundTrip(t *testing.T) {
	for _, c := range []Config{
		{Dir: "/dev/shm/x"},
		{Dir: "/a,b%c=d+e", Buffer: 512 << 20, Block: true, Counters: []string{"go:alloc-bytes", "x+y"}, NoStates: true, Window: true, Portable: true},
		{Dir: "d", Buffer: 12345, Recorder: 17},
	} {
		got, err := ParseConfig(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, text := range []string{"", "buffer=1MiB", "dir=x,buffer=0", "dir=x,buffer=9999999999GiB", "dir=x,speed=3"} {
		_, err := ParseConfig(text)
		require.Error(t, err, text)
	}
}

func TestChunksTravel(t *testing.T) {
	b, v := open(t, Config{})
	require.Equal(t, os.Getpid(), v.Info().PID)
	require.Equal(t, os.Args, v.Info().Args)
	require.EqualValues(t, min(runtime.GOMAXPROCS(0), runtime.NumCPU()), v.Info().Processors)
	require.True(t, v.Alive())
	for round := range uint64(3) {
		for class := range classes {
			for seq := range uint64(40) {
				chunk, got := b.Alloc(class, Label{Location: 3, GoID: 9, Seq: seq, Base: round})
				require.Equal(t, class, got)
				write(chunk, wire.Head(wire.Enter, 1, seq), wire.Head(wire.Exit, 0, 1))
				b.Retire(chunk)
			}
			chunks := v.TakeRetired(nil)
			require.Len(t, chunks, 40)
			for seq, c := range chunks {
				require.Equal(t, Label{3, 9, uint64(seq), round}, c.Label)
				require.Equal(t, []uint64{wire.Head(wire.Enter, 1, uint64(seq)), wire.Head(wire.Exit, 0, 1)}, c.Words)
				v.Free(c)
			}
		}
	}
	require.LessOrEqual(t, v.Memory(), int64(5<<20), "chunks are used again")
	require.Empty(t, v.Owned())
	require.Empty(t, v.Warnings())
	_, finished := v.Finished()
	require.False(t, finished)
	b.Finish()
	used, finished := v.Finished()
	require.True(t, finished)
	require.GreaterOrEqual(t, used, v.Info().Used)
	require.Positive(t, used)
}

// TestOwnedNow looks again and again at a process that goes on writing: no piece is found without those before it.
func TestOwnedNow(t *testing.T) {
	b, v := open(t, Config{Buffer: 16 << 20})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for seq := uint64(0); seq < 1000; seq++ {
			for location := range uint64(60) {
				if chunk, _ := b.Alloc(Small, Label{Location: location, Seq: seq}); chunk == 0 {
					return
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for full := false; !full; {
		select {
		case <-stopped:
			full = true
		default:
		}
		next := map[uint64]uint64{}
		for _, c := range v.OwnedNow() {
			require.Equal(t, next[c.Location], c.Seq)
			next[c.Location]++
		}
	}
	close(stop)
}

func TestFullBufferFallsBackToOtherClasses(t *testing.T) {
	b, v := open(t, Config{Buffer: minBlocks * blockSize})
	small, _ := b.Alloc(Small, Label{})
	require.False(t, v.Exhausted())
	n := 0
	for ; ; n++ {
		chunk, class := b.Alloc(Large, Label{})
		if chunk == 0 {
			break
		}
		if class != Large {
			require.Equal(t, Small, class)
		}
	}
	require.Greater(t, n, minBlocks*3/4+250)
	require.False(t, b.Available())
	for range 20 { // room is kept for definitions
		require.True(t, b.Define(wire.Def{Type: wire.DefMetric, Name: strings.Repeat("m", 3000)}))
	}
	b.Retire(small)
	require.True(t, v.Exhausted())
	v.Free(v.TakeRetired(nil)[0])
	require.False(t, v.Exhausted())
	require.True(t, b.Available())
	again, class := b.Alloc(Large, Label{})
	require.Equal(t, small, again)
	require.Equal(t, Small, class)
}

func TestFreeBlockIsCutAgain(t *testing.T) {
	b, v := open(t, Config{Buffer: minBlocks * blockSize})
	for {
		chunk, _ := b.Alloc(Large, Label{})
		if chunk == 0 {
			break
		}
		b.Retire(chunk)
	}
	for _, c := range v.TakeRetired(nil) {
		v.Free(c)
	}
	for range 1000 {
		chunk, class := b.Alloc(Small, Label{})
		require.NotZero(t, chunk)
		require.Equal(t, Small, class)
	}
	require.Len(t, v.Owned(), 1000)
}

func TestDefinitionsAreReadLive(t *testing.T) {
	b, v := open(t, Config{})
	var writers sync.WaitGroup
	const each = 3000
	for w := range 2 {
		writers.Go(func() {
			for i := range each {
				b.Define(wire.Def{Type: wire.DefRegion, ID: uint32(w), Line: uint32(i), Name: fmt.Sprint("region ", i)})
			}
		})
	}
	next := [2]uint32{}
	testkit.Until(t, "all definitions", func() bool {
		for d, err := range v.NewDefs() {
			require.NoError(t, err)
			require.Equal(t, next[d.ID], d.Line)
			next[d.ID]++
		}
		return next == [2]uint32{each, each}
	})
	writers.Wait()
}

func TestStacksUnderContention(t *testing.T) {
	b, v := open(t, Config{Buffer: 4 << 20})
	var writers sync.WaitGroup
	const each = 5000
	for w := range uint64(3) {
		writers.Go(func() {
			for seq := range uint64(each) {
				chunk, _ := b.Alloc(Class(seq%2), Label{Location: w, Seq: seq})
				for ; chunk == 0; chunk, _ = b.Alloc(Small, Label{Location: w, Seq: seq}) {
					time.Sleep(time.Microsecond)
				}
				write(chunk, wire.Head(wire.End, 0, seq))
				b.Retire(chunk)
			}
		})
	}
	var next [3]uint64
	testkit.Until(t, "all chunks", func() bool {
		for _, c := range v.TakeRetired(nil) {
			require.Equal(t, next[c.Location], c.Seq)
			require.Equal(t, []uint64{wire.Head(wire.End, 0, c.Seq)}, c.Words)
			next[c.Location]++
			v.Free(c)
		}
		return next == [3]uint64{each, each, each}
	})
	writers.Wait()
}

func TestKilledProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), Environment+"="+Config{Dir: dir}.String())
	require.NoError(t, cmd.Start())
	testkit.Until(t, "the end of the process", func() bool { // a process not yet waited for is dead as well
		m, _ := os.ReadDir(dir)
		return len(m) == 1 && strings.HasSuffix(m[0].Name(), Suffix) && !runs(cmd.Process.Pid, 0)
	})
	entries, _ := os.ReadDir(dir)
	v, err := Open(dir + "/" + entries[0].Name())
	require.NoError(t, err)
	defer v.Close()
	// Its first thread may be gone a little earlier than those that still hold the file.
	testkit.Until(t, "the end of the process", func() bool { return !v.Alive() })
	require.Error(t, cmd.Wait())
	require.False(t, v.Alive())
	chunks := v.Owned()
	require.Len(t, chunks, 2)
	require.EqualValues(t, 5, chunks[0].Base)
	require.Len(t, chunks[0].Words, 2)
	require.Len(t, chunks[1].Words, 3, "an event of two words, one of one word, and one whose head is missing")
	var defs []wire.Def
	for d, err := range v.NewDefs() {
		require.NoError(t, err)
		defs = append(defs, d)
	}
	require.Equal(t, []wire.Def{{Type: wire.DefRegion, ID: 1, Name: "solve"}}, defs)
}

func TestCreateErrors(t *testing.T) {
	_, err := Create(Config{Dir: "/nonexistent"}, clock.Monotonic, 0)
	require.Error(t, err)
	dir := t.TempDir()
	_, err = Create(Config{Dir: dir, Buffer: 1000}, clock.Monotonic, 0)
	require.ErrorContains(t, err, "too small")
	left, _ := os.ReadDir(dir)
	require.Empty(t, left)
}

// FuzzView opens damaged buffers: every method must survive.
func FuzzView(f *testing.F) {
	f.Add(uint32(0), uint64(0), uint32(8), uint64(7))
	f.Add(uint32(4096), ^uint64(0), uint32(65536), ^uint64(0))
	f.Fuzz(func(t *testing.T, at1 uint32, with1 uint64, at2 uint32, with2 uint64) {
		b, v := open(t, Config{Buffer: minBlocks * blockSize})
		b.Define(someDef)
		for i := range 100 {
			chunk, _ := b.Alloc(Class(i%2), Label{Seq: uint64(i)})
			write(chunk, wire.Head(wire.Add, 0, 1), 7)
			if i%3 != 0 {
				b.Retire(chunk)
			}
		}
		*(*uint64)(unsafe.Pointer(&v.mem[at1%(4<<16)&^7])) = with1
		*(*uint64)(unsafe.Pointer(&v.mem[at2%(4<<16)&^7])) = with2
		if w, err := Open(b.Path()); err == nil {
			for range w.NewDefs() {
			}
			w.Close()
		}
		for _, c := range v.TakeRetired(nil) {
			v.Free(c)
		}
		for range v.NewDefs() {
		}
		v.Owned()
		v.Warnings()
		v.Memory()
		syscall.Munmap(b.mem)
	})
}

var someDef = wire.Def{Type: wire.DefMetric, Name: "m"}
