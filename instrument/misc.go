package instrument

import (
	"sync"
	"sync/atomic"
	"time"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// Sleep does [time.Sleep].
func Sleep(d time.Duration) {
	if current.Load() != nil {
		sleep(d)
	} else {
		time.Sleep(d)
	}
}

//go:noinline
func sleep(d time.Duration) {
	se := current.Load()
	if se == nil || d <= 0 {
		time.Sleep(d)
		return
	}
	op := se.enter(wire.SleepBegin, se.site("sleep"))
	op.blocked()
	g := mine()
	g.quiet()
	time.Sleep(d)
	g.loud()
	op.leave(wire.OK, true)
}

// OnceFunc is [sync.OnceFunc].
func OnceFunc(f func()) func() {
	once := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { once() }
}

// OnceValues is [sync.OnceValues].
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	type pair struct {
		v1 T1
		v2 T2
	}
	once := OnceValue(func() pair { v1, v2 := f(); return pair{v1, v2} })
	return func() (T1, T2) { p := once(); return p.v1, p.v2 }
}

// OnceValue is [sync.OnceValue].
func OnceValue[T any](f func() T) func() T {
	var (
		once     Once
		valid    bool
		panicked any
		value    T
	)
	return func() T {
		once.Do(func() {
			defer func() {
				f = nil // it may be large
				if panicked = recover(); !valid {
					panic(panicked) // at once, with f still on the stack
				}
			}()
			value = f()
			valid = true
		})
		if !valid {
			panic(panicked)
		}
		return value
	}
}

// Metric is a quantity that the program samples itself.
type Metric struct {
	name, unit string
	mu         sync.Mutex
	id         atomic.Uint64 // session number and metric
}

// NewMetric makes a metric with a name and the unit of its values.
func NewMetric(name, unit string) *Metric { return &Metric{name: name, unit: unit} }

// Sample records the value that the metric has now.
func (m *Metric) Sample(value int64) {
	if current.Load() != nil {
		m.sample(value)
	}
}

//go:noinline
func (m *Metric) sample(value int64) {
	se := current.Load()
	if se == nil {
		return
	}
	id := m.id.Load()
	if uint32(id>>32) != se.number {
		if id = m.define(se); id == 0 {
			return
		}
	}
	se.point(wire.Sample, uint32(id), uint64(value))
}

// define returns 0 when there is no room for the definition.
func (m *Metric) define(se *session) uint64 {
	quiet(1)
	defer quiet(-1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if id := m.id.Load(); uint32(id>>32) == se.number {
		return id
	}
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.metrics == wire.MaxID {
		se.buffer.Count(shm.DefinitionsLost, 1)
		return 0
	}
	if !se.buffer.Define(wire.Def{Type: wire.DefMetric, ID: se.metrics + 1, Name: m.name, Unit: m.unit}) {
		return 0
	}
	se.metrics++
	id := uint64(se.number)<<32 | uint64(se.metrics)
	m.id.Store(id)
	return id
}
