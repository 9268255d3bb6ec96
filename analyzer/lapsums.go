package analyzer

import (
	"tracerec/internal/spill"
)

// Many wait for one, or one for many, whom they last met long ago. So what lies between two encounters is also known for whole blocks of them, and for
// blocks of blocks: then it takes steps by the logarithm of their number.

// lapBlock is the number of encounters of the smallest blocks.
const lapBlock = 64

// lapSums are sums of what one location did, by the number of the encounter behind it (from 0 on), each of a level for two of the level before.
type lapSums struct {
	levels []sumLevel
}

// sumLevel is sums of blocks of one size: of number i, what begins at first[i] in the list.
type sumLevel struct {
	list   []lap // less what was waited
	first  []int32
	waited []int64
}

// profile is what a location did in some time, by call path, less what it waited. Only what is positive counts.
type profile struct {
	times   []int64
	touched []uint32
	seen    []bool
	waited  int64
}

func newProfile(paths int) profile {
	return profile{times: make([]int64, paths), seen: make([]bool, paths)}
}

func (p *profile) clear() {
	for _, path := range p.touched {
		p.times[path], p.seen[path] = 0, false
	}
	p.touched, p.waited = p.touched[:0], 0
}

func (p *profile) add(path uint32, d int64) {
	if !p.seen[path] {
		p.seen[path], p.touched = true, append(p.touched, path)
	}
	p.times[path] += d
}

// one adds what lies before encounter number i of a location, and takes away what it waited there.
func (p *profile) one(l *lapsOf, encounters []encounter, i int) {
	p.lap(l, i)
	e := &encounters[i]
	p.add(e.path, -max(e.wait, 0))
	p.waited += e.wait
}

// lap adds what lies before encounter number i of a location, or behind the last one.
func (p *profile) lap(l *lapsOf, i int) {
	for _, x := range l.all[l.begin[i]:l.begin[i+1]] {
		p.add(x.path, x.time)
	}
}

// block adds a block.
func (p *profile) block(l *sumLevel, i int) {
	for _, x := range l.list[l.first[i]:l.first[i+1]] {
		p.add(x.path, x.time)
	}
	p.waited += l.waited[i]
}

// between adds what a location did from one of its encounters, or its begin if that is noOp, to another one, less what it waited meanwhile.
func (p *profile) between(x *laps, loc uint32, from, to int32) {
	l, first := &x.of[loc], x.a.first[loc]
	encounters := x.a.encounters[first:x.a.first[loc+1]]
	i, end := int(max(from+1-first, 0)), int(to-first)
	if end-i > 2*lapBlock {
		if l.sums == nil {
			l.sums = x.sum(l, encounters)
		}
		for ; i%lapBlock != 0; i++ {
			p.one(l, encounters, i)
		}
		i = p.blocks(l.sums, i/lapBlock, end/lapBlock) * lapBlock
	}
	for ; i < end; i++ {
		p.one(l, encounters, i)
	}
	p.lap(l, end)
}

// blocks adds the blocks [i, end) and returns end.
func (p *profile) blocks(s *lapSums, i, end int) int {
	at, to := i, end
	for n := 0; at < to; n++ {
		if at%2 == 1 {
			p.block(&s.levels[n], at)
			at++
		}
		if to%2 == 1 {
			to--
			p.block(&s.levels[n], to)
		}
		at, to = at/2, to/2
	}
	return end
}

// sum sums up all that is known of a location.
func (x *laps) sum(l *lapsOf, encounters []encounter) *lapSums {
	s, p, store := &lapSums{}, &x.scratch, x.s.store
	n := len(encounters) / lapBlock
	level := newSumLevel(store, n)
	for i := range n {
		for k := i * lapBlock; k < (i+1)*lapBlock; k++ {
			p.one(l, encounters, k)
		}
		level.take(store, p)
	}
	for s.levels = append(s.levels, level); n > 1; s.levels = append(s.levels, level) {
		below := &s.levels[len(s.levels)-1]
		n /= 2
		level = newSumLevel(store, n)
		for i := range n {
			p.block(below, 2*i)
			p.block(below, 2*i+1)
			level.take(store, p)
		}
	}
	return s
}

func newSumLevel(store *spill.Store, n int) sumLevel {
	return sumLevel{first: spill.Make[int32](store, n+1)[:1], waited: spill.Make[int64](store, n)[:0]}
}

// take appends a block.
func (l *sumLevel) take(store *spill.Store, p *profile) {
	store.Pace()
	for _, path := range p.touched {
		l.list = spill.Append(store, l.list, lap{p.times[path], path})
	}
	l.first, l.waited = append(l.first, int32(len(l.list))), append(l.waited, p.waited)
	p.clear()
}

// coverage is shares of what encounters wait, of ranges of them: the sum of all that hold one, or their maximum.
type coverage struct {
	blocks []float64 // as a tree: those of the blocks lie in the second half
}

func newCoverage(store *spill.Store, encounters int) coverage {
	return coverage{spill.Make[float64](store, 2*(encounters/lapBlock+1))}
}

// cover adds a share for a range: it tells do the encounters that are not in whole blocks, and to the blocks.
func (c *coverage) cover(from, end int32, do func(i int32), to func(*float64)) {
	if end-from <= 2*lapBlock {
		for i := from; i < end; i++ {
			do(i)
		}
		return
	}
	for ; from%lapBlock != 0; from++ {
		do(from)
	}
	for ; end%lapBlock != 0; end-- {
		do(end - 1)
	}
	n := int32(len(c.blocks) / 2)
	for a, b := n+from/lapBlock, n+end/lapBlock; a < b; a, b = a/2, b/2 {
		if a%2 == 1 {
			to(&c.blocks[a])
			a++
		}
		if b%2 == 1 {
			b--
			to(&c.blocks[b])
		}
	}
}

// at tells the shares of the blocks that hold an encounter.
func (c *coverage) at(i int32, tell func(float64)) {
	for k := len(c.blocks)/2 + int(i/lapBlock); k > 0; k /= 2 {
		if d := c.blocks[k]; d > 0 {
			tell(d)
		}
	}
}
