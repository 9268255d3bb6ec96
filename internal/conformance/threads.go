package conformance

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// elsewhere runs f on another thread and waits for it.
func elsewhere(f func()) { together(1, func(int) { f() }) }

// together runs f on n other threads at once and waits for them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f(i)
		})
	}
	wg.Wait()
}

// threads is sets of several threads.
var threads = []behaviour{
	{"each thread counts its own work", []string{"zero_pthreads", "zero_omp", "smoke_tests/threads"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		b.do(0, b.N)
		b.inThreads(4, func(i int) int { return (i + 2) * b.N })
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"a value is never that of another thread", []string{"val_omp"}, nil, func(b *Bench) {
		for range 3 {
			b.inThreads(8, func(i int) int { return 1 << i })
		}
	}},
	{"threads come and go", []string{"pthrtough", "pthrtough2", "omptough"}, nil, func(b *Bench) {
		open := b.Opened()
		for range 5 {
			b.inThreads(6, func(int) int { return 10 })
		}
		require.Equal(b, open, b.Opened())
	}},
	{"threads that count nothing disturb nothing", []string{"overflow3_pthreads"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for !stop.Load() {
				b.do(1, 1)
				runtime.Gosched()
			}
		})
		b.do(0, b.N)
		stop.Store(true)
		wg.Wait()
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"several goroutines may use one set", []string{"thrspecific", "locks_pthreads"}, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.start(s)
		var failed atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				v := make([]int64, 2)
				for range 50 {
					if s.Read(v) != nil || len(s.Names()) != 2 || s.State()&counters.Running == 0 {
						failed.Add(1)
					}
				}
			})
		}
		b.do(0, b.N)
		wg.Wait()
		require.Zero(b, failed.Load())
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
}

// inThreads counts the first work on n threads at once, each with its own amount.
func (b *Bench) inThreads(n int, amount func(i int) int) {
	b.Helper()
	counts, errs := make([]int64, n), make([]error, n)
	together(n, func(i int) {
		s := b.Set()
		v := make([]int64, 1)
		errs[i] = s.Add(b.Works[0].Event)
		if errs[i] == nil {
			errs[i] = s.Start()
		}
		if errs[i] == nil {
			b.do(0, amount(i))
			errs[i] = s.Stop(v)
		}
		counts[i] = v[0]
		if err := s.Close(); errs[i] == nil {
			errs[i] = err
		}
	})
	for i := range n {
		require.NoError(b, errs[i])
		b.count(0, amount(i), counts[i], "thread %d", i)
	}
}

// attachment is sets that count for others than the calling thread.
var attachment = []behaviour{
	{"an attached set counts the other thread", []string{"attach2", "attach3", "attach_validate", "zero_attach"}, []Capability{Attach}, func(b *Bench) {
		child := b.Child()
		s := b.set(b.all(1)...)
		require.NoError(b, s.SetOptions(counters.Options{Thread: child.Thread}))
		require.Equal(b, counters.Stopped|counters.Attached, s.State())
		b.start(s)
		b.do(0, 3*b.N)
		child.Do(b.N)
		b.count(0, b.N, b.read(s)[0])
		require.False(b, s.Certain())
		child.Do(b.N)
		b.count(0, 2*b.N, b.stop(s)[0])
		b.close(s)
		child.End()
	}},
	{"several threads are counted from one", []string{"multiattach"}, []Capability{Attach}, func(b *Bench) {
		one, two := b.Child(), b.Child()
		first, second, own := b.set(b.all(1)...), b.set(b.all(1)...), b.set(b.all(1)...)
		require.NoError(b, first.SetOptions(counters.Options{Thread: one.Thread}))
		require.NoError(b, second.SetOptions(counters.Options{Thread: two.Thread}))
		b.start(first)
		b.start(second)
		b.start(own)
		one.Do(b.N)
		two.Do(2 * b.N)
		b.do(0, 3*b.N)
		b.count(0, b.N, b.stop(first)[0])
		b.count(0, 2*b.N, b.stop(second)[0])
		b.count(0, 3*b.N, b.stop(own)[0])
		b.close(first, second, own)
		one.End()
		two.End()
	}},
	{"counts of a thread that has ended can be read", nil, []Capability{Attach}, func(b *Bench) {
		child := b.Child()
		s := b.set(b.all(1)...)
		require.NoError(b, s.SetOptions(counters.Options{Thread: child.Thread}))
		b.start(s)
		child.Do(b.N)
		child.End()
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"a set cannot be attached to a thread that has ended", nil, []Capability{Attach}, func(b *Bench) {
		child := b.Child()
		child.End()
		s := b.set(b.all(1)...)
		require.ErrorIs(b, s.SetOptions(counters.Options{Thread: child.Thread}), counters.ErrGone)
		require.Equal(b, counters.Stopped, s.State())
		b.close(s)
	}},
	{"a detached set counts its own thread again", nil, []Capability{Attach}, func(b *Bench) {
		child := b.Child()
		s := b.set(b.all(1)...)
		require.NoError(b, s.SetOptions(counters.Options{Thread: child.Thread}))
		require.NoError(b, s.SetOptions(counters.Options{}))
		b.start(s)
		child.Do(b.N)
		b.do(0, 2*b.N)
		b.count(0, 2*b.N, b.stop(s)[0])
		b.close(s)
		child.End()
	}},
	{"a set can count whatever runs on a processor", []string{"attach_cpu", "attach_cpu_validate"}, []Capability{OneCPU}, func(b *Bench) {
		s := b.set(b.CPUEvent)
		cpu := b.OnCPU(0)
		require.NoError(b, s.SetOptions(counters.Options{CPU: 1 + cpu}))
		require.Equal(b, counters.Stopped|counters.CPUAttached, s.State())
		b.start(s)
		elsewhere(func() { b.OnCPU(b.N) })
		require.GreaterOrEqual(b, b.stop(s)[0], int64(b.N))
		b.close(s)
	}},
	{"what the thread starts is counted only with inheritance", []string{"inherit", "zero_fork", "exec", "forkexec"}, []Capability{Inherit}, func(b *Bench) {
		for _, inherit := range []bool{true, false} {
			s := b.set(b.all(1)...)
			require.NoError(b, s.SetOptions(counters.Options{Inherit: inherit}))
			b.start(s)
			b.do(0, b.N)
			b.Spawn(2 * b.N)
			want := map[bool]int{true: 3 * b.N, false: b.N}[inherit]
			b.count(0, want, b.stop(s)[0], "inherit %v", inherit)
			b.close(s)
		}
	}},
	{"starting others leaves the counts as they were", []string{"fork", "exec2", "system_child_overflow"}, []Capability{Inherit}, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.start(s)
		b.do(0, b.N)
		b.Spawn(b.N)
		b.do(0, b.N)
		b.do(1, b.N)
		v := b.stop(s)
		b.count(0, 2*b.N, v[0])
		b.count(1, b.N, v[1])
		b.close(s)
	}},
}
