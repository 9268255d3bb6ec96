package analyzer

import (
	"iter"

	"tracerec/internal/spill"
)

// sums adds up values by key. Neighbouring values mostly have one of a few keys; they meet in a small
// table before the map, which costs a tenth of it.
type sums[K comparable] struct {
	recent []recentSum[K]
	rest   map[K]int64
}

type recentSum[K comparable] struct {
	key   K
	value int64
}

const recentBits = 10

func newSums[K comparable]() sums[K] {
	return sums[K]{make([]recentSum[K], 1<<recentBits), map[K]int64{}}
}

// add adds v to the sum of k; hash is any hash of k.
func (s *sums[K]) add(hash uint32, k K, v int64) {
	r := &s.recent[hash>>(32-recentBits)]
	if r.key != k {
		s.spill(r)
		r.key = k
	}
	r.value += v
}

func (s *sums[K]) spill(r *recentSum[K]) {
	if r.value != 0 {
		s.rest[r.key] += r.value
		r.value = 0
	}
}

// all returns the sums; keys with sum 0 may be missing.
func (s *sums[K]) all() map[K]int64 {
	for i := range s.recent {
		s.spill(&s.recent[i])
	}
	return s.rest
}

// exactSums adds up fractions by place in the cube. They are added one by one to what there is, as the sum depends on the order.
type exactSums struct {
	recent []exactSum
	rest   map[cellKey]float64
}

type exactSum struct {
	key   cellKey
	value float64
}

func newExactSums() *exactSums {
	return &exactSums{make([]exactSum, 1<<recentBits), map[cellKey]float64{}}
}

// add adds v to the sum of k.
func (s *exactSums) add(k cellKey, v float64) {
	r := &s.recent[cellHash(k.metric, k.path, k.loc)>>(32-recentBits)]
	if r.key != k {
		s.spill(r)
		*r = exactSum{k, s.rest[k]}
	}
	r.value += v
}

func (s *exactSums) spill(r *exactSum) {
	if r.value != 0 {
		s.rest[r.key] = r.value
	}
}

// all returns the sums that are not 0.
func (s *exactSums) all() map[cellKey]float64 {
	for i := range s.recent {
		s.spill(&s.recent[i])
	}
	return s.rest
}

// cellHash hashes a place in the cube.
func cellHash(metric uint16, path, loc uint32) uint32 {
	return (uint32(metric)*0xc2b2ae35 ^ path*0x85ebca6b ^ loc*0x27d4eb2f) * 0x9e3779b1
}

// list is an append-only list that does not move what it holds, which has no pointers.
type list[T any] struct {
	store  *spill.Store
	blocks [][]T
}

// listBlock is the number of elements in a block: enough that it is not of the heap.
const listBlock = 1 << 13

// add appends x and returns where it is now.
func (l *list[T]) add(x T) *T {
	n := len(l.blocks)
	switch {
	case n > 0 && len(l.blocks[n-1]) < cap(l.blocks[n-1]):
	case n < cap(l.blocks) && cap(l.blocks[:n+1][n]) > 0: // pop left it
		l.blocks = l.blocks[:n+1]
		n++
	default:
		l.blocks = append(l.blocks, spill.Make[T](l.store, min(listBlock, 16<<min(2*n, 16)))[:0])
		n++
	}
	b := append(l.blocks[n-1], x)
	l.blocks[n-1] = b
	return &b[len(b)-1]
}

// pop takes the last element off.
func (l *list[T]) pop() T {
	n := len(l.blocks) - 1
	b := l.blocks[n]
	if l.blocks[n] = b[:len(b)-1]; len(b) == 1 {
		l.blocks = l.blocks[:n]
	}
	return b[len(b)-1]
}

// last returns the last element, nil if there is none.
func (l *list[T]) last() *T {
	if len(l.blocks) == 0 {
		return nil
	}
	b := l.blocks[len(l.blocks)-1]
	return &b[len(b)-1]
}

// end returns where the next element will be.
func (l *list[T]) end() cursor {
	n := len(l.blocks)
	if n == 0 || len(l.blocks[n-1]) == cap(l.blocks[n-1]) {
		return cursor{block: n}
	}
	return cursor{n - 1, len(l.blocks[n-1])}
}

// len returns the number of elements.
func (l *list[T]) len() (n int) {
	for _, b := range l.blocks {
		n += len(b)
	}
	return n
}

// all iterates over the elements.
func (l *list[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, b := range l.blocks {
			for i := range b {
				if !yield(&b[i]) {
					return
				}
			}
		}
	}
}
