// Package cache models a memory hierarchy: caches and translation buffers of any geometry. It says of each access where it hit, and
// of each miss, if asked to, of what kind it was. There are no latencies in it; see package count for cycles.
package cache

import (
	"errors"
	"fmt"
	"math/bits"
)

// Replacement is how a set chooses the line that has to go.
type Replacement string

// The replacement policies.
const (
	LRU    Replacement = "lru"    // least recently used
	FIFO   Replacement = "fifo"   // the oldest; also called round robin
	Random Replacement = "random" // pseudo-random, the same in every run
	Tree   Replacement = "tree"   // pseudo-LRU by a binary tree; ways are a power of two
)

// Geometry describes one cache or translation buffer.
type Geometry struct {
	Size        uint64      `json:"size"` // bytes; of a translation buffer, what its entries cover
	Line        uint64      `json:"line"` // bytes; of a translation buffer, of a page
	Ways        uint64      `json:"ways"` // 0 is fully associative
	Replacement Replacement `json:"replacement"`
	// NoWriteAllocate: a store that misses goes to the next level and leaves this one as it is.
	NoWriteAllocate bool `json:"no_write_allocate,omitempty"`
	// WriteThrough: every store goes to the next level. Otherwise lines that were stored to are written back when they go.
	WriteThrough bool `json:"write_through,omitempty"`
}

// Check tells what is wrong with the geometry.
func (g Geometry) Check() error {
	ways := g.Ways
	if g.Line > 0 && ways == 0 {
		ways = g.Size / g.Line
	}
	switch {
	case g.Line < 4 || bits.OnesCount64(g.Line) != 1 || g.Line > 1<<30:
		return fmt.Errorf("lines of %d bytes", g.Line)
	case g.Size == 0 || g.Size > 1<<32 || ways == 0 || ways > 1<<16 || g.Size%(g.Line*ways) != 0:
		return fmt.Errorf("%d bytes do not make sets of %d lines of %d bytes", g.Size, ways, g.Line)
	case bits.OnesCount64(g.Size/(g.Line*ways)) != 1:
		return fmt.Errorf("%d sets, which is no power of two", g.Size/(g.Line*ways))
	case g.Replacement == Tree && bits.OnesCount64(ways) != 1:
		return fmt.Errorf("a tree of %d ways", ways)
	}
	switch g.Replacement {
	case LRU, FIFO, Random, Tree:
		return nil
	}
	return fmt.Errorf("replacement %q: lru, fifo, random or tree", g.Replacement)
}

// Kind is the kind of a miss (Hill and Smith, "Evaluating Associativity in CPU Caches").
type Kind uint8

// The kinds of misses.
const (
	Unknown  Kind = iota
	Cold          // the line was never there
	Capacity      // a fully associative cache of the size, with LRU, would have missed too
	Conflict      // it would have hit
)

// Cache is one level.
type Cache struct {
	g      Geometry
	ways   int
	shift  uint
	mask   uint64
	tags   []uint64 // by set and way: line number, shifted left, and whether it was stored to; 0 is none
	next   []uint32 // by set: FIFO's next way, or the tree's bits
	random uint64
	shadow *shadow
	recent []uint16 // by set: the way that was used last
	quick  bool     // nobody else wants to know of hits
}

// New makes an empty cache. If classify is set, misses are told apart, which costs time.
func New(g Geometry, classify bool) (*Cache, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	if g.Ways == 0 {
		g.Ways = g.Size / g.Line
	}
	sets := g.Size / (g.Line * g.Ways)
	c := &Cache{g: g, ways: int(g.Ways), shift: uint(bits.TrailingZeros64(g.Line)), mask: sets - 1,
		tags: make([]uint64, sets*g.Ways), next: make([]uint32, sets), random: 0x9e3779b97f4a7c15}
	if g.Replacement == Tree && g.Ways > 32 {
		return nil, errors.New("a tree of more than 32 ways")
	}
	c.quick, c.recent = !classify, make([]uint16, sets)
	if classify {
		c.shadow = newShadow(int(g.Size / g.Line))
	}
	return c, nil
}

// Geometry returns what the cache was made with; Ways is never 0.
func (c *Cache) Geometry() Geometry { return c.g }

// LineOf returns the number of the line that holds an address.
func (c *Cache) LineOf(address uint64) uint64 { return address >> c.shift }

// Result is what became of an access to one line.
type Result struct {
	Hit         bool
	Kind        Kind   // of a miss, if they are told apart
	WrittenBack bool   // a line that was stored to had to go,
	Victim      uint64 // this one
}

// dirty marks lines that were stored to.
const dirty = 1

// tag is how a line is stored: not 0.
func tag(line uint64) uint64 { return line<<2 | 2 }

// latest tells whether a line is the one of its set that was used last, so that accessing it again changes nothing.
func (c *Cache) latest(line uint64, store bool) bool {
	set := line & c.mask
	t := c.tags[int(set)*c.ways+int(c.recent[set])]
	return c.quick && (t == tag(line) && !store || t == tag(line)|dirty)
}

// Access accesses the line of that number.
func (c *Cache) Access(line uint64, store bool) Result {
	set := line & c.mask
	tags := c.tags[int(set)*c.ways:][:c.ways:c.ways]
	want := tag(line)
	if c.latest(line, store) { // most often
		return Result{Hit: true}
	}
	var kind Kind
	if c.shadow != nil {
		kind = c.shadow.access(line)
	}
	if c.g.Replacement == LRU && !(store && c.g.NoWriteAllocate) {
		old := first(tags, want)
		if store && !c.g.WriteThrough {
			tags[0] |= dirty
		}
		if old&^dirty == want {
			return Result{Hit: true}
		}
		return Result{Kind: kind, WrittenBack: old&dirty != 0, Victim: old >> 2 * (old & dirty)}
	}
	for way, t := range tags {
		if t&^dirty == want {
			c.touch(set, tags, way)
			if store && !c.g.WriteThrough {
				c.mark(tags, want)
			}
			return Result{Hit: true}
		}
	}
	r := Result{Kind: kind}
	if store && c.g.NoWriteAllocate {
		return r
	}
	way := c.victim(set, tags)
	if old := tags[way]; old&dirty != 0 {
		r.WrittenBack, r.Victim = true, old>>2
	}
	tags[way] = want
	c.touch(set, tags, way)
	if store && !c.g.WriteThrough {
		c.mark(tags, want)
	}
	return r
}

// first makes a line the first of its set, in one go over those before it, and returns what left its place: the line itself as
// it was, or the last one, which had to go.
func first(tags []uint64, want uint64) uint64 {
	carried := tags[0]
	if carried&^dirty == want {
		return carried
	}
	for i := 1; i < len(tags); i++ {
		t := tags[i]
		tags[i] = carried
		carried = t
		if t&^dirty == want {
			tags[0] = t
			return t
		}
	}
	tags[0] = want
	return carried
}

// Holds tells whether a line is in the cache, and changes nothing.
func (c *Cache) Holds(line uint64) bool {
	set := line & c.mask
	for _, t := range c.tags[int(set)*c.ways:][:c.ways] {
		if t&^dirty == tag(line) {
			return true
		}
	}
	return false
}

// Flush empties the cache. Misses of lines that were there before are no cold ones.
func (c *Cache) Flush() {
	clear(c.tags)
	clear(c.next)
	clear(c.recent)
	if c.shadow != nil {
		c.shadow.flush()
	}
}

// mark notes that a line was stored to, wherever touch has put it.
func (c *Cache) mark(tags []uint64, want uint64) {
	for i, t := range tags {
		if t&^dirty == want {
			tags[i] |= dirty
			return
		}
	}
}

// touch notes the use of a way. With LRU the ways of a set are in the order of their last use.
func (c *Cache) touch(set uint64, tags []uint64, way int) {
	if c.g.Replacement != LRU {
		c.recent[set] = uint16(way)
	}
	switch c.g.Replacement {
	case LRU:
		t := tags[way]
		copy(tags[1:way+1], tags[:way])
		tags[0] = t
	case Tree: // all nodes on the way point away from it
		node := 1
		for half := c.ways / 2; half > 0; half /= 2 {
			if way&half != 0 {
				c.next[set] &^= 1 << node
				node = 2*node + 1
			} else {
				c.next[set] |= 1 << node
				node = 2 * node
			}
		}
	}
}

// victim chooses the way whose line goes: one that is free, if there is.
func (c *Cache) victim(set uint64, tags []uint64) int {
	if c.g.Replacement == LRU {
		return c.ways - 1
	}
	for way, t := range tags {
		if t == 0 {
			return way
		}
	}
	switch c.g.Replacement {
	case FIFO:
		way := c.next[set]
		c.next[set] = (way + 1) % uint32(c.ways)
		return int(way)
	case Random:
		c.random ^= c.random << 13
		c.random ^= c.random >> 7
		c.random ^= c.random << 17
		return int(c.random % uint64(c.ways))
	}
	node, way := 1, 0
	for half := c.ways / 2; half > 0; half /= 2 {
		right := int(c.next[set] >> node & 1)
		way |= right * half
		node = 2*node + right
	}
	return way
}
