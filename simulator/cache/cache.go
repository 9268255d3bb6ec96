// Package cache models a memory hierarchy: caches and translation buffers of any geometry. It says where each access hit and,
// on request, of what kind each miss was. It has no latencies; see package count for cycles.
package cache

import (
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
		return fmt.Errorf("line: %d bytes, must be a power of two from 4 to 2^30", g.Line)
	case g.Size > 1<<32:
		return fmt.Errorf("size: %d bytes, must be at most %d", g.Size, uint64(1<<32))
	case ways > 1<<16:
		return fmt.Errorf("ways: %d, must be at most %d", ways, 1<<16)
	case g.Size == 0 || ways == 0 || g.Size%(g.Line*ways) != 0:
		return fmt.Errorf("%d bytes do not make sets of %d lines of %d bytes", g.Size, ways, g.Line)
	case bits.OnesCount64(g.Size/(g.Line*ways)) != 1:
		return fmt.Errorf("%d sets, must be a power of two", g.Size/(g.Line*ways))
	case g.Replacement == Tree && bits.OnesCount64(ways) != 1:
		return fmt.Errorf("replacement %q needs a power of two of ways, not %d", Tree, ways)
	}
	switch g.Replacement {
	case LRU, FIFO, Random, Tree:
		return nil
	}
	return fmt.Errorf("unknown replacement %q: neither lru, fifo, random nor tree", g.Replacement)
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

// level is one level.
type level struct {
	g      Geometry
	ways   int
	shift  uint
	mask   uint64
	tags   []uint64 // by set and way, a place: line number, shifted left, and whether it was stored to; 0 is none
	used   []uint64 // of LRU, by place: when it was used last
	clock  *uint64  // counts accesses
	near   []uint32 // of many ways, by the low bits of a line: the place where such a line was last
	next   []uint64 // by set: FIFO's next way, or the tree's bits
	paths  []path   // of the tree, by way
	random uint64
	shadow *shadow
	quick  *Quick // is told of lines that go
	place  int    // of the line that was accessed last; -1 if it was left out
}

// path is what using a way does to a tree: the bits that it keeps, and those that it sets.
type path struct{ keep, set uint64 }

// newLevel makes an empty cache. If classify is set, misses are told apart, which costs time.
func newLevel(g Geometry, classify bool) (*level, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	if g.Ways == 0 {
		g.Ways = g.Size / g.Line
	}
	if g.Replacement == Tree && g.Ways > 32 {
		return nil, fmt.Errorf("replacement %q has at most 32 ways, not %d", Tree, g.Ways)
	}
	sets := g.Size / (g.Line * g.Ways)
	c := &level{g: g, ways: int(g.Ways), shift: uint(bits.TrailingZeros64(g.Line)), mask: sets - 1,
		tags: make([]uint64, sets*g.Ways), clock: new(uint64), random: 0x9e3779b97f4a7c15}
	switch g.Replacement {
	case LRU:
		c.used = make([]uint64, sets*g.Ways)
	case Tree:
		for way := range c.ways {
			c.paths = append(c.paths, c.path(way))
		}
		fallthrough
	default:
		c.next = make([]uint64, sets)
	}
	if g.Ways > 8 {
		c.near = make([]uint32, 1<<bits.Len64(sets*g.Ways))
	}
	if classify {
		c.shadow = newShadow(int(g.Size/g.Line), c.clock)
	}
	return c, nil
}

// lineOf returns the number of the line that holds an address.
func (c *level) lineOf(address uint64) uint64 { return address >> c.shift }

// result is what became of an access to one line.
type result struct {
	Hit         bool
	Kind        Kind   // of a miss, if they are told apart
	WrittenBack bool   // a line that was stored to had to go,
	Victim      uint64 // this one
}

// dirty marks lines that were stored to.
const dirty = 1

// tag is how a line is stored: not 0.
func tag(line uint64) uint64 { return line<<2 | 2 }

// access accesses the line of that number.
func (c *level) access(line uint64, store bool) result {
	*c.clock++
	var kind Kind
	if c.shadow != nil {
		kind = c.shadow.access(line)
	}
	if c.place = c.find(line); c.place >= 0 {
		c.use(c.place)
		if store && !c.g.WriteThrough {
			c.tags[c.place] |= dirty
		}
		return result{Hit: true}
	}
	r := result{Kind: kind}
	if store && c.g.NoWriteAllocate {
		return r
	}
	c.place = c.victim(line & c.mask)
	if old := c.tags[c.place]; old != 0 {
		c.quick.drop(old>>2<<c.shift, c.g.Line)
		if old&dirty != 0 {
			r.WrittenBack, r.Victim = true, old>>2
		}
	}
	if c.tags[c.place] = tag(line); store && !c.g.WriteThrough {
		c.tags[c.place] |= dirty
	}
	if c.near != nil {
		c.near[line&uint64(len(c.near)-1)] = uint32(c.place)
	}
	c.use(c.place)
	return r
}

// find returns the place of a line, -1 if it is not there.
func (c *level) find(line uint64) int {
	want := tag(line)
	if c.near != nil {
		if place := int(c.near[line&uint64(len(c.near)-1)]); c.tags[place]&^dirty == want {
			return place
		}
	}
	first := int(line&c.mask) * c.ways
	for way, t := range c.tags[first : first+c.ways] {
		if t&^dirty == want {
			if c.near != nil {
				c.near[line&uint64(len(c.near)-1)] = uint32(first + way)
			}
			return first + way
		}
	}
	return -1
}

// use notes the use of a place.
func (c *level) use(place int) {
	if c.used != nil {
		c.used[place] = *c.clock
	} else if c.paths != nil {
		p, set := &c.paths[place%c.ways], place/c.ways
		c.next[set] = c.next[set]&p.keep | p.set
	}
}

// path returns what using a way does: all nodes on the way point away from it.
func (c *level) path(way int) path {
	p, node := path{keep: ^uint64(0)}, 1
	for half := c.ways / 2; half > 0; half /= 2 {
		p.keep &^= 1 << node
		if way&half != 0 {
			node = 2*node + 1
		} else {
			p.set |= 1 << node
			node = 2 * node
		}
	}
	return p
}

// victim chooses the place in a set whose line goes: one that is free, if there is.
func (c *level) victim(set uint64) int {
	first := int(set) * c.ways
	tags := c.tags[first:][:c.ways]
	if c.g.Replacement == LRU { // what is free was never used
		oldest, when := 0, ^uint64(0)
		for way, t := range c.used[first:][:c.ways] {
			if t < when {
				oldest, when = way, t
			}
		}
		return first + oldest
	}
	for way, t := range tags {
		if t == 0 {
			return first + way
		}
	}
	switch c.g.Replacement {
	case FIFO:
		way := c.next[set]
		c.next[set] = (way + 1) % uint64(c.ways)
		return first + int(way)
	case Random:
		c.random ^= c.random << 13
		c.random ^= c.random >> 7
		c.random ^= c.random << 17
		return first + int(c.random%uint64(c.ways))
	}
	node, way := 1, 0
	for half := c.ways / 2; half > 0; half /= 2 {
		right := int(c.next[set] >> node & 1)
		way |= right * half
		node = 2*node + right
	}
	return first + way
}
