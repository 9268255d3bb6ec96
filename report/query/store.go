package query

import (
	"runtime"
	"sync"
	"sync/atomic"

	"tracerec/report/cube"
)

// columns are the values of a metric at all call paths, or at all regions.
type columns struct{ inclusive, exclusive []cube.Value }

// store keeps what was computed.
type store struct {
	byPath     cache[pathKey, columns]
	byRegion   cache[pathKey, columns]
	byResource cache[resourceKey, []cube.Value]
	whole      cache[*Metric, columns]
	sweeps     cache[*Metric, sweep]
}

type pathKey struct {
	metric *Metric
	at     *Resource // nil: the whole system
}

type resourceKey struct {
	metric *Metric
	selection
}

// keep is how many values are kept of each sort, beside those of the whole system and of the whole program.
const keep = 1 << 20

// cache keeps the results of a function. Those that are not pinned are dropped, oldest first, when there are too many values.
type cache[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*entry[V]
	queue   []K
	size    int
}

type entry[V any] struct {
	once  sync.Once
	value V
	err   error
}

// get returns the result for a key, which is computed once however many ask.
func (c *cache[K, V]) get(key K, size int, pinned bool, compute func() (V, error)) (V, error) {
	c.mu.Lock()
	e := c.entries[key]
	if e == nil {
		if c.entries == nil {
			c.entries = map[K]*entry[V]{}
		}
		e = &entry[V]{}
		c.entries[key] = e
		if !pinned {
			c.queue = append(c.queue, key)
			c.size += size
		}
		for c.size > keep && len(c.queue) > 1 {
			delete(c.entries, c.queue[0])
			c.queue = c.queue[1:]
			c.size -= size
		}
	}
	c.mu.Unlock()
	e.once.Do(func() { e.value, e.err = compute() })
	return e.value, e.err
}

// serial is the number of values that are gone through by one goroutine rather than several.
const serial = 1 << 16

// parallel calls do for 0 ≤ i < n, by several goroutines if there is much work, until one fails. It returns the error of the lowest
// i, which is always the same, as lower ones are begun before.
func parallel(n, work int, do func(i int) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	if work < serial {
		workers = min(n, 1)
	}
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
