// Package spill gives memory for large lists without pointers that need not stay in memory: beyond a limit they lie in a temporary file. The file
// has no name, so nothing is left behind, however the process ends.
package spill

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Store is where lists lie. Its methods may be called concurrently. A nil Store gives memory of Go's heap.
type Store struct {
	limit int64 // of what is resident of the whole process, bytes; 0 for none
	err   atomic.Pointer[error]
	space

	mu     sync.Mutex
	maps   map[*byte][]byte // what was given whole
	spare  [][]byte         // what came back of that, if there is no limit
	slabs  [][]byte         // what is given in parts
	slab   []byte           // what is left of the last one
	blocks [][]byte         // that came back

	pace     sync.Mutex
	resident int64        // when it was looked at last
	unseen   atomic.Int64 // calls of [Store.Pace] that need not look
}

// Sizes of what is given: smaller lists than part are of the heap, smaller ones than whole are parts of a slab and stay until the end.
const (
	part  = 64 << 10
	whole = 4 << 20
)

// New returns a store that keeps what is resident of the process below limit, as far as lists of the store can and [Store.Pace] is called. They lie in a
// temporary file in dir, "" for the usual one. Without a limit they lie in memory, outside of the heap. Where the system can do neither, the Store is nil.
func New(limit int64, dir string) (*Store, error) {
	if !supported {
		return nil, nil
	}
	s := &Store{limit: limit, maps: map[*byte][]byte{}}
	if limit > 0 {
		if err := s.open(dir); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Limited says whether what is resident has a limit.
func (s *Store) Limited() bool { return s != nil && s.limit > 0 }

// Err returns what kept the store from giving memory. Lists that were asked for since are of the heap.
func (s *Store) Err() error {
	if s != nil {
		if err := s.err.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Close takes everything back that is not of the heap.
func (s *Store) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.maps {
		unmap(b)
	}
	for _, b := range append(s.slabs, s.spare...) {
		unmap(b)
	}
	s.maps, s.spare, s.slabs, s.slab, s.blocks = nil, nil, nil, nil, nil
	s.close()
}

// Make returns a list of n zeros. T has no pointers.
func Make[T any](s *Store, n int) []T {
	var zero T
	size := n * int(unsafe.Sizeof(zero))
	if s == nil || size < part {
		return make([]T, n)
	}
	b := s.give(size)
	if b == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Free takes back what Make returned. It is good for nothing then.
func Free[T any](s *Store, list []T) {
	if s == nil || cap(list) == 0 {
		return
	}
	p := (*byte)(unsafe.Pointer(unsafe.SliceData(list)))
	s.mu.Lock()
	b := s.maps[p] // nil if it is of the heap or of a slab
	delete(s.maps, p)
	if s.limit == 0 && b != nil {
		s.spare, b = append(s.spare, b), nil
	}
	s.mu.Unlock()
	if b != nil {
		unmap(b)
	}
}

// reuse returns size bytes of what came back, nil if nothing did, and how many of them are used. The system takes longer to give new pages than it takes to clear
// old ones.
func (s *Store) reuse(size int) (b []byte, used int) {
	slices.SortFunc(s.spare, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) }) // few
	if i := slices.IndexFunc(s.spare, func(b []byte) bool { return len(b) >= size }); i >= 0 {
		b := s.spare[i]
		s.spare = slices.Delete(s.spare, i, i+1)
		if rest := b[size:]; len(rest) > 0 {
			s.spare = append(s.spare, rest)
		}
		return b[:size:size], size
	}
	if len(s.spare) == 0 {
		return nil, 0
	}
	last := func() (b []byte) {
		n := len(s.spare) - 1
		b, s.spare = s.spare[n], s.spare[:n]
		return b
	}
	b = last() // the largest becomes longer, and the system gets as much of the others
	for lack := size - len(b); lack > 0 && len(s.spare) > 0; {
		x := last()
		lack -= len(x)
		unmap(x)
	}
	long := s.longer(b, size)
	if long == nil {
		unmap(b)
		return nil, 0
	}
	return long, len(b)
}

// Grow returns an empty list with room for n elements: the given one if that has it, else another one instead.
func Grow[T any](s *Store, list []T, n int) []T {
	if cap(list) >= n {
		return list[:0]
	}
	Free(s, list)
	return Make[T](s, n)[:0]
}

// Extend returns the list with room for n elements: the given one, or another one instead. Large ones are not copied without a limit.
func Extend[T any](s *Store, list []T, n int) []T {
	if cap(list) >= n {
		return list
	}
	if s != nil && cap(list) > 0 {
		var zero T
		if b := s.extend((*byte)(unsafe.Pointer(unsafe.SliceData(list))), n*int(unsafe.Sizeof(zero))); b != nil {
			return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:len(list)]
		}
	}
	more := Make[T](s, n)[:0]
	more = more[:len(list)]
	Copy(s, more, list)
	Free(s, list)
	return more
}

// step is after how many elements the limit is looked at where many are touched.
const step = 1 << 12

// Copy copies a list into one that is as long.
func Copy[T any](s *Store, to, from []T) {
	for ; len(from) > step; to, from = to[step:], from[step:] {
		copy(to, from[:step])
		s.Pace()
	}
	copy(to, from)
}

// Clear makes all elements of a list zero.
func Clear[T any](s *Store, list []T) {
	for ; len(list) > step; list = list[step:] {
		clear(list[:step])
		s.Pace()
	}
	clear(list)
}

// Append returns the list with an element more.
func Append[T any](s *Store, list []T, x T) []T {
	if len(list) == cap(list) {
		list = Extend(s, list, max(16, 2*len(list)))
	}
	return append(list, x)
}

// extend returns what was given whole at p with size bytes, nil if that cannot be.
func (s *Store) extend(p *byte, size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.maps[p]
	if b == nil {
		return nil
	}
	if b = s.longer(b, rounded(size)); b != nil {
		delete(s.maps, p)
		s.maps[unsafe.SliceData(b)] = b
	}
	return b
}

// rounded returns a size that pages have.
func rounded(size int) int { return (size + part - 1) &^ (part - 1) }

// give returns size bytes, nil if there are none.
func (s *Store) give(size int) []byte {
	if s.Err() != nil {
		return nil
	}
	if size >= whole {
		b, used := s.giveWhole(rounded(size))
		clear(b[:used]) // nobody else has to wait for that
		return b
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size = (size + 63) &^ 63
	if len(s.slab) < size {
		if s.slab = s.add(whole); s.slab == nil {
			return nil
		}
		s.slabs = append(s.slabs, s.slab)
	}
	b := s.slab[:size:size]
	s.slab = s.slab[size:]
	return b
}

// giveWhole returns size bytes, the first of which, so many as it says, are used and not zero.
func (s *Store) giveWhole(size int) (b []byte, used int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, used = s.reuse(size); b == nil {
		b = s.add(size)
	}
	if b != nil {
		s.maps[unsafe.SliceData(b)] = b
	}
	return b, used
}

// add maps size bytes more.
func (s *Store) add(size int) []byte {
	b, err := s.more(size)
	if err != nil && s.limit > 0 {
		s.err.CompareAndSwap(nil, &err)
	}
	if err != nil {
		return nil
	}
	return b
}

// BlockSize is the size of a block.
const BlockSize = 1 << 15

// Block returns BlockSize bytes, which are not zero.
func (s *Store) Block() []byte {
	if s == nil {
		return make([]byte, BlockSize)
	}
	s.mu.Lock()
	if n := len(s.blocks) - 1; n >= 0 {
		b := s.blocks[n]
		s.blocks = s.blocks[:n]
		s.mu.Unlock()
		return b[:BlockSize]
	}
	s.mu.Unlock()
	list := Make[byte](s, 2*BlockSize) // the least that does not come of the heap
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, list[BlockSize:2*BlockSize:2*BlockSize])
	return list[:BlockSize:BlockSize]
}

// GiveBack takes blocks back. They are good for nothing then.
func (s *Store) GiveBack(blocks [][]byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blocks {
		s.blocks = append(s.blocks, b[:0])
	}
}

// sparing is what is resident less than may be, bytes, for each call of [Store.Pace] that may go unseen: more than what is touched after a call, as the heap grows beside.
const sparing = 2 << 20

// paceStep is after how many more resident bytes lists are put aside again.
const paceStep = 4 << 20

// Pace must be called by whoever touches lists of the store, before it touches the next few hundred kB: it puts lists aside if more is resident than may be.
func (s *Store) Pace() {
	if !s.Limited() || s.unseen.Add(-1) >= 0 {
		return
	}
	s.pace.Lock() // nobody goes on while lists are put aside, however long the one who does it has to wait for a processor
	defer s.pace.Unlock()
	now := s.residentNow()
	if most := max(s.limit, s.resident+paceStep); now < most {
		s.unseen.Store((most - now) / sparing)
		return
	}
	s.mu.Lock()
	for _, b := range s.maps {
		putAside(b)
	}
	for _, b := range s.slabs {
		putAside(b)
	}
	s.mu.Unlock()
	s.resident = s.residentNow()
}
