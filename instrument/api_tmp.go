package instrument

import (
	"iter"
	"sync"
	"time"
)

type Span struct{ depth int }

func (s Span) End() {}

func Region(name string) Span { return Span{} }

type Handle struct{ name string }

func NewRegion(name string) *Handle { return &Handle{name} }

func (h *Handle) Enter() Span { return Span{} }

func Enabled() bool { return false }

func Go(f func()) { go f() }

func Send[T any](ch chan<- T, v T) { ch <- v }

func Recv[T any](ch <-chan T) T { return <-ch }

func Recv2[T any](ch <-chan T) (T, bool) { v, ok := <-ch; return v, ok }

func Close[T any](ch chan<- T) { close(ch) }

func Range[T any](ch <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range ch {
			if !yield(v) {
				return
			}
		}
	}
}

type Selection struct{ span Span }

func Select() Selection { return Selection{} }

func (s Selection) Sent(ch any) {}

func (s Selection) Received(ch any, ok bool) {}

func (s Selection) Default() {}

type Mutex struct{ mu sync.Mutex }

func (m *Mutex) Lock()         { m.mu.Lock() }
func (m *Mutex) Unlock()       { m.mu.Unlock() }
func (m *Mutex) TryLock() bool { return m.mu.TryLock() }

type RWMutex struct{ mu sync.RWMutex }

func (m *RWMutex) Lock()          { m.mu.Lock() }
func (m *RWMutex) Unlock()        { m.mu.Unlock() }
func (m *RWMutex) TryLock() bool  { return m.mu.TryLock() }
func (m *RWMutex) RLock()         { m.mu.RLock() }
func (m *RWMutex) RUnlock()       { m.mu.RUnlock() }
func (m *RWMutex) TryRLock() bool { return m.mu.TryRLock() }

func (m *RWMutex) RLocker() sync.Locker { return m.mu.RLocker() }

type WaitGroup struct{ wg sync.WaitGroup }

func (w *WaitGroup) Add(n int)   { w.wg.Add(n) }
func (w *WaitGroup) Done()       { w.wg.Done() }
func (w *WaitGroup) Wait()       { w.wg.Wait() }
func (w *WaitGroup) Go(f func()) { w.wg.Go(f) }

type Cond struct {
	L    sync.Locker
	once sync.Once
	c    *sync.Cond
}

func NewCond(l sync.Locker) *Cond { return &Cond{L: l} }
func (c *Cond) cond() *sync.Cond {
	c.once.Do(func() { c.c = sync.NewCond(c.L) })
	return c.c
}
func (c *Cond) Wait()      { c.cond().Wait() }
func (c *Cond) Signal()    { c.cond().Signal() }
func (c *Cond) Broadcast() { c.cond().Broadcast() }

type Once struct{ o sync.Once }

func (o *Once) Do(f func()) { o.o.Do(f) }

func OnceFunc(f func()) func()                                  { return sync.OnceFunc(f) }
func OnceValue[T any](f func() T) func() T                      { return sync.OnceValue(f) }
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) { return sync.OnceValues(f) }

type Barrier struct {
	mu      sync.Mutex
	c       *sync.Cond
	n, here int
	gen     uint32
}

func NewBarrier(n int) *Barrier {
	b := &Barrier{n: n}
	b.c = sync.NewCond(&b.mu)
	return b
}

func (b *Barrier) Wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	gen := b.gen
	if b.here++; b.here == b.n {
		b.here, b.gen = 0, gen+1
		b.c.Broadcast()
		return
	}
	for b.gen == gen {
		b.c.Wait()
	}
}

func Sleep(d time.Duration) { time.Sleep(d) }

type Metric struct{ name, unit string }

func NewMetric(name, unit string) *Metric { return &Metric{name, unit} }

func (m *Metric) Sample(v uint64) {}
