// Package cache has one lock, and one for readers.
package cache

import "tracerec/instrument"

// Cache holds values.
type Cache struct {
	mu     instrument.Mutex
	rw     instrument.RWMutex
	values map[string]int
	start  instrument.Once
}

// New returns a Cache.
func New() *Cache { return &Cache{values: map[string]int{}} }

// Get gets.
func (c *Cache) Get() {
	c.rw.RLock() // rlock Cache.rw !
	c.rw.RUnlock()
	c.start.Do(func() {}) // once Cache.start !
	func() {
		c.rw.RLock() // rlock Cache.rw !
		defer c.rw.RUnlock()
	}()
}
