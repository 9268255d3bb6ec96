package instrument

import (
	"sync/atomic"
)

// table maps non-zero keys to entries. Find takes no lock; put needs one of the caller's. Entries are not
// removed, but dropped when the table grows if they are not wanted any more.
type table[V any] struct {
	cells atomic.Pointer[cells[V]]
	used  int // entries put into cells
}

type cells[V any] struct {
	shift uint8 // of a hash, to make it an index
	at    []atomic.Pointer[entry[V]]
}

type entry[V any] struct {
	key   uint64
	value V
}

func newCells[V any](bits uint8) *cells[V] {
	return &cells[V]{shift: 64 - bits, at: make([]atomic.Pointer[entry[V]], 1<<bits)}
}

// hash spreads a key over all bits, the upper ones best.
func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// find returns the entry of key, or nil. An entry put at the same time may be missed.
//
//go:norace
func (t *table[V]) find(key uint64) *entry[V] {
	c := t.cells.Load()
	for i := hash(key) >> c.shift; ; i++ {
		e := c.at[i&uint64(len(c.at)-1)].Load()
		if e == nil || e.key == key {
			return e
		}
	}
}

// put adds an entry, or replaces the one with its key. If the table has to grow, entries of which wanted
// says no are left out; nil keeps all.
//
//go:norace
func (t *table[V]) put(e *entry[V], wanted func(*entry[V]) bool) {
	c := t.cells.Load()
	if 2*t.used >= len(c.at) {
		c = t.grow(c, wanted)
	}
	if c.put(e) {
		t.used++
	}
}

//go:norace
func (c *cells[V]) put(e *entry[V]) (added bool) {
	for i := hash(e.key) >> c.shift; ; i++ {
		at := &c.at[i&uint64(len(c.at)-1)]
		if old := at.Load(); old == nil || old.key == e.key {
			at.Store(e)
			return old == nil
		}
	}
}

//go:norace
func (t *table[V]) grow(old *cells[V], wanted func(*entry[V]) bool) *cells[V] {
	var keep []*entry[V]
	for i := range old.at {
		if e := old.at[i].Load(); e != nil && (wanted == nil || wanted(e)) {
			keep = append(keep, e)
		}
	}
	bits := 64 - old.shift
	if 4*len(keep) > len(old.at) {
		bits++
	}
	c := newCells[V](bits)
	for _, e := range keep {
		c.put(e)
	}
	t.used = len(keep)
	t.cells.Store(c)
	return c
}
