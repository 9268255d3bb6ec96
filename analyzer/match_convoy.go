package analyzer

import "tracerec/internal/spill"

// maxParts bounds the parts of one wait for a lock. A goroutine that others overtake, or that stands in a
// queue of thousands, may wait through any number of holds; told one by one they would be waiters × holds.
const maxParts = 64

// convoyIndex answers questions about ranges of the exclusive holds of a lock. It is built when first
// needed.
type convoyIndex struct {
	built   bool
	total   []int64 // total[i] is the length of the holds before i, ns
	longest []int32 // segment tree: leaf n+i is hold i, node i the longer of 2i and 2i+1
}

func (c *convoyIndex) build(holds []hold, store *spill.Store) {
	n := len(holds)
	c.built, c.total, c.longest = true, append(spill.Grow(store, c.total, n+1), 0), spill.Grow(store, c.longest, 2*n)[:2*n]
	for i := range holds {
		if i%paced == 0 {
			store.Pace()
		}
		c.total = append(c.total, c.total[i]+holds[i].end-holds[i].begin)
		c.longest[n+i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		if i%paced == 0 {
			store.Pace()
		}
		c.longest[i] = longer(holds, c.longest[2*i], c.longest[2*i+1])
	}
}

// longer returns the longer of two holds, of equal ones the earlier.
func longer(holds []hold, a, b int32) int32 {
	x, y := holds[a].end-holds[a].begin, holds[b].end-holds[b].begin
	if y > x || y == x && b < a {
		return b
	}
	return a
}

// longestOf returns the longest hold in [lo, hi), which is not empty.
func (c *convoyIndex) longestOf(holds []hold, lo, hi int) int32 {
	best := int32(lo)
	for l, r := lo+len(holds), hi+len(holds); l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			best = longer(holds, best, c.longest[l])
			l++
		}
		if r&1 == 1 {
			r--
			best = longer(holds, best, c.longest[r])
		}
	}
	return best
}

// convoy makes the waits of op for the exclusive holds lo to hi maxParts synch points: the holds are
// divided by count into consecutive groups, the i-th of them from lo + (hi-lo)·i/maxParts on, and each
// group becomes one as long as its holds within the wait are together, from its first hold on, with
// its longest hold (of several the first) as holder. So the time is exact, and is charged to the holder
// that matters most there.
func (m *Matcher) convoy(op int32, lo, hi int) {
	s, o := &m.locks, &m.ops[op]
	c := &s.convoy
	if !c.built {
		c.build(s.exclusive, m.store)
	}
	for i := range maxParts {
		a, b := lo+(hi-lo)*i/maxParts, lo+(hi-lo)*(i+1)/maxParts
		begin := max(s.exclusive[a].begin, o.Begin)
		end := begin + c.total[b] - c.total[a] - (begin - s.exclusive[a].begin)
		if begin < end {
			holder := &s.exclusive[c.longestOf(s.exclusive, a, b)]
			m.pointBy(HeldLock, op, holder.loc, holder.path, begin, end, begin)
		}
	}
}
