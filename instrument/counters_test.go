//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/sample"
	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// TestMissingCounters: the program is recorded without the counters that it cannot open, and says which and why.
func TestMissingCounters(t *testing.T) {
	const known = wire.ProcessCounter + "gc-cycles"
	region := func() { instrument.Region("r").End() }
	r := record(t, shm.Config{Counters: []string{"void|+ff.0.0.0.0.0.", known + "|/gc/cycles/total:gc-cycles", "odd"}}, region)
	require.Equal(t, []string{known}, r.counters)
	require.NotEmpty(t, r.missing["void"])
	require.Contains(t, r.missing["odd"], "unknown counter")
	require.Equal(t, []string{"counters 2", "enter r", "counters 2", "exit"}, texts(r.locations[1]))
	r = record(t, shm.Config{Counters: []string{"odd"}}, region)
	require.Empty(t, r.counters)
	require.Contains(t, r.missing, "odd")
	require.Equal(t, []string{"enter r", "exit"}, texts(r.locations[1]))
}

// TestManyCounters: the longest readings there are, with bounds, fit into what goroutines write to, however little that is.
func TestManyCounters(t *testing.T) {
	var specs []string
	for i := range sample.MaxEvents {
		specs = append(specs, fmt.Sprintf("faults%d|+1.2.0.0.0.0.", i))
	}
	testkit.NeedDescriptors(t, 1000)
	r := record(t, shm.Config{Counters: specs, Buffer: 8 << 20}, func() {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				for range 20 {
					s := instrument.Region("r")
					runtime.Gosched()
					s.End()
				}
			})
		}
		all.Wait()
	})
	if len(r.counters) == 0 {
		t.Skip("no counters here: ", r.missing)
	}
	require.Len(t, r.counters, sample.MaxEvents)
	require.Len(t, r.locations, 50)
	bounded := 0
	for _, events := range r.locations {
		require.Len(t, events, 20*4)
		for i, e := range events {
			if i%2 == 0 { // a thread's own events are read at one instant
				for _, v := range e.words[1 : 1+sample.MaxEvents] {
					require.Equal(t, e.words[1], v, "the same event has the same value")
				}
			}
			switch {
			case i%2 == 1:
			case len(e.words) == sample.MaxWords:
				bounded++
				for _, most := range e.words[1+sample.MaxEvents:] {
					// A thread that runs elsewhere may fault between the readings of two of its events.
					require.InDelta(t, e.words[1+sample.MaxEvents], most, 8, "the same event has the same bound")
				}
			default:
				require.Len(t, e.words, 1+sample.MaxEvents)
			}
		}
	}
	require.Greater(t, bounded, 50*20/2, "who leaves the thread in a region gets a bound")
}

// TestSelectReadsCounters: what is done before a select and in its wait is told apart.
func TestSelectReadsCounters(t *testing.T) {
	const name = wire.ProcessCounter + "gc-cycles"
	r := record(t, shm.Config{Counters: []string{name + "|/gc/cycles/total:gc-cycles"}}, func() {
		ch := make(chan int, 1)
		ch <- 1
		s := instrument.Region("r")
		sel := instrument.Select()
		v, ok := <-ch
		sel.Received(ch, ok)
		require.Equal(t, 1, v)
		s.End()
	})
	require.Equal(t, []string{"counters 2", "enter r", "counters 2", "select select", "counters 2", "chose 5", "counters 2", "exit"}, texts(r.locations[1]))
}

// TestRefusedReadings: a recording in which readings failed says of which counters, and why.
func TestRefusedReadings(t *testing.T) {
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)
	none := syscall.Rlimit{Max: old.Max}
	region := func() { instrument.Region("r").End() }
	r := record(t, shm.Config{Counters: []string{"page-faults", "task-clock"}}, func() {
		begin, refused, done := make(chan bool), make(chan bool), make(chan bool)
		testkit.GoOnNewThread(func() { // another one may have its counters already
			<-begin
			region()
			region()
			refused <- true
			<-begin
			region()
			close(done)
		})
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
		begin <- true
		<-refused
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old))
		begin <- true
		<-done
	})
	if len(r.counters) == 0 {
		t.Skip("no counters here: ", r.missing)
	}
	require.Equal(t, "too low, because readings were refused: page-faults, task-clock (out of file descriptors (ulimit -n))", r.missing[""])
	require.Equal(t, uint64(4), r.warnings["readings of counters refused by the system"])
}
