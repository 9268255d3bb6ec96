package cache

// Quick is the lines of memory that a processor may access without asking its hierarchy: they are in the first cache, their
// page is in the translation buffer, and nothing but the order of last uses changes. It notes the use.
// All other accesses are for [Hierarchy.Data] and [Hierarchy.Fetch], which know what is quick afterwards.
type Quick struct {
	lines [quickLines]quickLine
	shift uint
	outer uint64 // the bits of an address that are those of its line
	now   uint64 // counts accesses: the clock of the caches concerned
	spare uint64 // where nobody reads a time
	page  uint64 // bytes
}

// quickLines is how many lines may be quick, each in the one place that the low bits of its number choose.
const quickLines = 512

// quickLine is a line that is quick.
type quickLine struct {
	load, store                 uint64  // its address, if such accesses are quick; otherwise one that has another place
	cache, translation, classes *uint64 // where the time is noted; of a tree, its bits
	path                                // of the tree; keeping nothing if it is none
	_                           uint64  // so that it is one line of the host's cache
}

// NoQuick is one in which nothing is quick.
func NoQuick() *Quick {
	q := &Quick{outer: ^uint64(0)}
	q.empty()
	return q
}

// empty makes nothing quick.
func (q *Quick) empty() {
	for i := range q.lines {
		q.lines[i].load, q.lines[i].store = q.other(uint64(i)), q.other(uint64(i))
	}
}

// other returns the address of a line that is never in the i-th place.
func (q *Quick) other(i uint64) uint64 { return (i%quickLines ^ 1) << q.shift }

// newQuick returns that of a first cache and a translation buffer, which get its clock.
func newQuick(c, translation *level) *Quick {
	q := &Quick{shift: c.shift, outer: ^(c.g.Line - 1), page: translation.g.Line}
	q.empty()
	c.quick, c.clock = q, &q.now
	translation.quick, translation.clock = q, &q.now
	if c.shadow != nil {
		c.shadow.clock = &q.now
		c.shadow.nodes = make([]node, 0, c.shadow.size) // which stay where they are
		c.shadow.left = func(line uint64) { q.drop(line<<c.shift, c.g.Line) }
	}
	return q
}

// Load loads from an address that is quick; false if it is not, and nothing happened. Aligned is the number of bytes less
// one: other addresses are never quick.
func (q *Quick) Load(address, aligned uint64) bool {
	l := &q.lines[address>>(q.shift&63)%quickLines]
	if (address^l.load)&(q.outer|aligned) != 0 {
		return false
	}
	q.now++
	note := q.now
	if l.keep != 0 {
		note = *l.cache&l.keep | l.set
	}
	*l.cache, *l.translation, *l.classes = note, q.now, q.now
	return true
}

// Store stores, as Load loads.
func (q *Quick) Store(address, aligned uint64) bool {
	l := &q.lines[address>>(q.shift&63)%quickLines]
	if (address^l.store)&(q.outer|aligned) != 0 {
		return false
	}
	q.now++
	note := q.now
	if l.keep != 0 {
		note = *l.cache&l.keep | l.set
	}
	*l.cache, *l.translation, *l.classes = note, q.now, q.now
	return true
}

// admit makes the line quick that both have just accessed.
func (q *Quick) admit(c, translation *level) {
	if c.place < 0 || translation.g.Replacement == Tree || c.g.Line > q.page {
		return
	}
	t := c.tags[c.place]
	line := t >> 2
	l := &q.lines[line%quickLines]
	l.load, l.store = line<<c.shift, q.other(line)
	if t&dirty != 0 {
		l.store = l.load
	}
	l.cache, l.translation, l.classes, l.path = q.time(c), q.time(translation), &q.spare, path{}
	if c.paths != nil {
		l.cache, l.path = &c.next[c.place/c.ways], c.paths[c.place%c.ways]
	}
	if c.shadow != nil {
		l.classes = &c.shadow.nodes[c.shadow.node].used
	}
}

// time returns where the last use of what was accessed last is noted.
func (q *Quick) time(c *level) *uint64 {
	if c.used == nil {
		return &q.spare
	}
	return &c.used[c.place]
}

// drop makes what is in a range of addresses, a line or a page, quick no more.
func (q *Quick) drop(address, size uint64) {
	if q == nil {
		return
	}
	first := address >> q.shift
	for i := range min(quickLines, max(1, size>>q.shift)) {
		if l := &q.lines[(first+i)%quickLines]; l.load-address < size {
			l.load, l.store = q.other(first+i), q.other(first+i)
		}
	}
}
