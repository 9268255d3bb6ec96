//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// view opens the buffer of the session in progress.
func view(t *testing.T, dir string) *shm.View {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+shm.Suffix))
	require.Len(t, files, 1)
	v, err := shm.Open(files[0])
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

// size returns how many events are in the record, apart from the notes about losses.
func (r *recording) size() (n int) {
	for _, events := range r.locations {
		for _, e := range events {
			if e.kind != wire.Lost {
				n++
			}
		}
	}
	return n
}

const smallest = 2 << 20 // bytes of buffer

func TestBlockWaitsForSlowRecorder(t *testing.T) {
	const pairs = 100_000 // half as much again as the buffer holds
	c := shm.Config{Dir: t.TempDir(), Buffer: smallest, Block: true, Recorder: os.Getppid()}
	require.NoError(t, instrument.Attach(c))
	defer instrument.Detach()
	v := view(t, c.Dir)
	done := make(chan int)
	go func() { done <- fill(pairs) }()
	untilHeldUp(t)
	var saved []shm.Chunk
	for events := 0; events == 0; {
		select {
		case events = <-done:
		case <-time.After(5 * time.Millisecond):
		}
		for _, chunk := range v.TakeRetired(nil) {
			copied := chunk
			copied.Words = slices.Clone(chunk.Words)
			saved = append(saved, copied)
			time.Sleep(time.Millisecond)
			v.Free(chunk)
		}
	}
	instrument.Detach()
	require.NotZero(t, v.HeldUp())
	r := decode(t, c.Dir, saved...)
	require.Empty(t, r.warnings)
	require.Equal(t, 4*pairs, r.size())
}

// untilHeldUp waits for a goroutine that waits for the recorder.
func untilHeldUp(t *testing.T) {
	testkit.Until(t, "a goroutine that waits for memory", func() bool {
		return others(func(stack string) bool { return strings.Contains(stack, "instrument.(*session).await(") })
	})
}

func TestBlockEndsWithRecorder(t *testing.T) {
	recorder := exec.Command(os.Args[0])
	recorder.Env = append(os.Environ(), "INSTRUMENT_TEST_ROLE=wait")
	input, err := recorder.StdinPipe()
	require.NoError(t, err)
	defer input.Close()
	require.NoError(t, recorder.Start())
	const pairs = 100_000
	c := shm.Config{Dir: t.TempDir(), Buffer: smallest, Block: true, Recorder: recorder.Process.Pid}
	require.NoError(t, instrument.Attach(c))
	defer instrument.Detach()
	done := make(chan int)
	go func() { done <- fill(pairs) }()
	untilHeldUp(t)
	recorder.Process.Kill()
	recorder.Wait()
	<-done
	require.False(t, instrument.Blocks(), "nobody asks for the recorder again")
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() { fill(1) })
	}
	wg.Wait()
	instrument.Detach()
	r := decode(t, c.Dir)
	require.Equal(t, 4*pairs+4*1000, r.size()+int(r.warnings["events lost"]))
}

// TestMemoryOfShortGoroutines: goroutines take more memory the more they record, little by little.
func TestMemoryOfShortGoroutines(t *testing.T) {
	testkit.NeedAddresses(t, manyBuffers)
	for pairs, want := range map[int]int{1: 256, 8: 256 + 512, 100: 256 + 512 + 4096} {
		c := shm.Config{Dir: t.TempDir()}
		require.NoError(t, instrument.Attach(c))
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { fill(pairs) })
		}
		all.Wait()
		v := view(t, c.Dir)
		instrument.Detach()
		v.TakeRetired(nil)
		sizes := map[uint64]int{}
		for _, c := range v.Owned() {
			sizes[c.Location] += c.Size()
		}
		n := 0
		for _, size := range sizes {
			if size == want {
				n++
			}
		}
		require.GreaterOrEqual(t, n, 100, "%d pairs: %v", pairs, sizes)
	}
}

// All memory is owned by goroutines that wait for one that finds none: waiting for the recorder would be for ever.
func TestBlockDoesNotDeadlock(t *testing.T) {
	for name, block := range map[string]bool{"block": true, "drop": false} {
		t.Run(name, func(t *testing.T) {
			const n = 20_000 // chunks for not even half of them
			r := record(t, shm.Config{Buffer: smallest, Block: block, Recorder: os.Getppid()}, func() {
				gate := make(chan bool)
				var started, ended sync.WaitGroup
				started.Add(n)
				ended.Add(n)
				for range n {
					go func() {
						s := handle.Enter()
						started.Done()
						<-gate
						s.End()
						ended.Done()
					}()
				}
				started.Wait()
				close(gate)
				ended.Wait()
			})
			lost := int(r.warnings["events lost"])
			require.Greater(t, lost, n, "two for each that found no room, though none of them could note it")
			require.Equal(t, 2*n, r.size()+lost)
		})
	}
}

func TestLossIsForgottenByNobody(t *testing.T) {
	sum := 0
	r := record(t, shm.Config{Buffer: smallest}, func() {
		fill(100_000)
		var mu instrument.Mutex
		var wg instrument.WaitGroup
		ch := make(chan int)
		for i := range 100 {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				instrument.Send(ch, i)
			})
		}
		instrument.Go(func() { wg.Wait(); instrument.Close(ch) })
		for v := range instrument.Range(ch) {
			sum += v
		}
		ended()
	})
	require.Equal(t, 4950, sum)
	const operations = 100*(1+1+1+6+1+1) + 1 + 100*2 // at the least
	require.GreaterOrEqual(t, r.size()+int(r.warnings["events lost"]), 400_000+operations)
	require.Zero(t, r.count(wire.Lost), "there was no room to note it")
}

func TestDefinitionsUsedUp(t *testing.T) {
	r := record(t, shm.Config{Buffer: smallest}, func() {
		for i := range 500 {
			instrument.Region(strings.Repeat("x", 4000) + string(rune('A'+i))).End()
		}
		var mu instrument.Mutex
		mu.Lock()
		mu.Unlock()
	})
	events := r.only()
	require.Len(t, events, 2*500+3)
	require.NotZero(t, r.warnings["definitions lost"])
	require.Zero(t, events[998].id, "an unknown region")
	require.Equal(t, "unknown", events[998].region)
	require.Equal(t, []string{"enter", "exit"}, []string{events[998].kind.String(), events[999].kind.String()})
}

func TestIDsUsedUp(t *testing.T) {
	r := record(t, shm.Config{}, func() {
		instrument.Region("last").End()
		instrument.UseUpIDs()
		for range 3 {
			instrument.Region("too many").End()
		}
		instrument.NewRegion("as well").Enter().End()
		instrument.NewMetric("m", "").Sample(1)
		instrument.Go(func() {})
		ended()
	})
	require.Equal(t, []string{"enter last", "exit", "enter unknown", "exit", "enter unknown", "exit", "enter unknown", "exit",
		"enter unknown", "exit", "create unknown"}, texts(r.locations[1]))
	require.Equal(t, map[string]uint64{"definitions lost": 5}, r.warnings)
}

// Gaps that do not fit into a head.
func TestLongGaps(t *testing.T) {
	forModes(t, func(t *testing.T, c shm.Config) {
		r := record(t, c, func() {
			var mu instrument.Mutex
			ch := make(chan int, 1)
			age := func() { instrument.Age(wire.MaxDelta + 1) }
			s := instrument.Region("r")
			age()
			instrument.Send(ch, 1)
			age()
			sel := instrument.Select()
			age()
			select {
			case <-ch:
				sel.Received(ch, true)
			}
			age()
			mu.Lock()
			age()
			mu.Unlock()
			s.End()
		})
		require.Equal(t, []string{"enter r", "time", "send send", "leave", "time", "select select", "time", "chose 5",
			"time", "lock lock", "leave", "time", "unlock", "exit"}, texts(r.only()))
	})
}

// Sessions come and go under a program that runs on.
func TestSessionsUnderLoad(t *testing.T) {
	end := make(chan bool)
	var running sync.WaitGroup
	defer running.Wait()
	defer close(end)
	var rounds atomic.Int64
	var mu instrument.Mutex
	ch := make(chan int, 2)
	for range 3 {
		running.Go(func() {
			for ; ; rounds.Add(1) {
				select {
				case <-end:
					return
				default:
				}
				s := instrument.Region("outer")
				mu.Lock()
				handle.Enter().End()
				mu.Unlock()
				instrument.Send(ch, 1)
				instrument.Recv(ch)
				done := make(chan bool)
				instrument.Go(func() { instrument.Close(done) })
				instrument.Recv(done)
				s.End()
			}
		})
	}
	for range 5 {
		r := record(t, shm.Config{}, func() {
			for from := rounds.Load(); rounds.Load() < from+20; { // at least one of them lies within the session
				time.Sleep(time.Millisecond)
			}
		})
		require.NotZero(t, r.size())
		require.Empty(t, r.warnings)
	}
}

func TestDirectoryRemoved(t *testing.T) {
	testkit.NeedAddresses(t, manyBuffers)
	c := shm.Config{Dir: t.TempDir()}
	require.NoError(t, instrument.Attach(c))
	defer instrument.Detach()
	v := view(t, c.Dir)
	require.NoError(t, os.RemoveAll(c.Dir))
	events := fill(100_000)
	instrument.Detach()
	recorded := 0
	for _, chunk := range v.Owned() {
		recorded += len(chunk.Words)
	}
	require.GreaterOrEqual(t, recorded, events)
	require.Empty(t, v.Warnings())
}

// mount makes a file system of a kind for the test.
func mount(t *testing.T, kind, options string) string {
	dir := t.TempDir()
	if err := syscall.Mount(kind, dir, kind, 0, options); err != nil {
		t.Skip("may not mount: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestFileSystemRunsFull(t *testing.T) {
	dir := mount(t, "tmpfs", "size=8m")
	require.NoError(t, instrument.Attach(shm.Config{Dir: dir}))
	defer instrument.Detach()
	other, err := os.Create(filepath.Join(dir, "other"))
	require.NoError(t, err)
	for err == nil {
		_, err = other.Write(make([]byte, 64<<10))
	}
	other.Close()
	events := fill(100_000)
	instrument.Detach()
	r := decode(t, dir)
	require.Equal(t, events, r.size()+int(r.warnings["events lost"]))
	require.EqualValues(t, 1, r.warnings["buffer memory refused"])
	require.NotZero(t, r.size())
}

// A ramfs has no call that allocates.
func TestFileSystemWithoutAllocation(t *testing.T) {
	testkit.NeedAddresses(t, manyBuffers)
	dir := mount(t, "ramfs", "")
	require.NoError(t, instrument.Attach(shm.Config{Dir: dir, Buffer: 8 << 20}))
	defer instrument.Detach()
	v := view(t, dir)
	events := fill(100_000)
	instrument.Detach()
	var st syscall.Stat_t
	require.NoError(t, syscall.Stat(v.Info().Path, &st))
	require.GreaterOrEqual(t, st.Blocks*512, v.Memory())
	require.Less(t, v.Memory(), int64(8<<20), "it is sparse behind")
	r := decode(t, dir)
	require.Empty(t, r.warnings)
	require.Equal(t, events, r.size())
}

func TestLimitOfFileSize(t *testing.T) {
	for limit, want := range map[string]string{"100": "too small, limited by file size (ulimit -f)", "3000": ""} { // KiB
		dir := t.TempDir()
		cmd := exec.Command("bash", "-c", `ulimit -f "$1"; exec "$0"`, os.Args[0], limit)
		cmd.Env = append(os.Environ(), "LC_ALL=C", "INSTRUMENT_TEST_ROLE=stress", shm.Environment+"="+shm.Config{Dir: dir}.String())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Empty(t, out, "the output is the program's own")
		notes, err := filepath.Glob(dir + "/*" + shm.NoteSuffix)
		require.NoError(t, err)
		if want != "" {
			require.Len(t, notes, 1)
			_, note, err := shm.ReadNote(notes[0])
			require.NoError(t, err)
			require.Contains(t, note.Why, want)
			require.Equal(t, os.Args[0], note.Command)
		} else {
			require.Empty(t, notes)
			require.Equal(t, stressed, decode(t, dir).count(wire.SendBegin))
		}
	}
}
