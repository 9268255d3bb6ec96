package addressreplay

import (
	"fmt"
	"io"
	"slices"

	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
)

// Stream is a part of a trace.
type Stream uint8

// The streams.
const (
	Data         Stream = iota // reads and writes
	Instructions               // a line of instructions counts once while nothing else is fetched
)

// Stacks returns how often the accesses of a stream miss in each of the caches, which have LRU, allocate on stores and share nothing: one for
// each processor. An access to data in two lines misses once. All caches with the same sets and lines come of one stack for each
// set: an access hits in those that have more ways than there were other lines since the last one to this line (Mattson et al.,
// "Evaluation Techniques for Storage Hierarchies"). Of accesses that were undone it has
// nothing.
func Stacks(r *addresstrace.Reader, of Stream, caches ...cache.Geometry) (misses []uint64, err error) {
	s := &stacks{misses: make([]uint64, len(caches)), of: of, cpu: map[uint64][]*stack{}}
	for _, g := range caches {
		if err := g.Check(); err != nil {
			return nil, err
		}
		if g.Replacement != cache.LRU || g.NoWriteAllocate {
			return nil, fmt.Errorf("replacement %q, no write allocate %v: stacks are for lru with allocation", g.Replacement, g.NoWriteAllocate)
		}
		if g.Ways == 0 {
			g.Ways = g.Size / g.Line
		}
		s.caches = append(s.caches, g)
	}
	s.place(0)
	for {
		record, err := r.Next()
		switch {
		case err == io.EOF:
			return s.misses, nil
		case err != nil:
			return s.misses, err
		case record.Op == addresstrace.CPU:
			s.place(record.Address)
		case record.Op == addresstrace.Undone && of == Data:
			err = s.undo(record.Address)
		case record.Op == addresstrace.Fetch && of == Instructions, record.Op <= addresstrace.Write && of == Data:
			s.access(record)
		}
		if err != nil {
			return s.misses, err
		}
	}
}

// undo takes back the misses of the last accesses.
func (s *stacks) undo(n uint64) error {
	if n < 1 || n > uint64(len(s.recent)) {
		return fmt.Errorf("%w: %d accesses undone", addresstrace.ErrCorrupt, n)
	}
	for _, missed := range s.recent[:n] {
		for _, i := range missed {
			s.misses[i]--
		}
	}
	s.recent = [2][]int{}
	return nil
}

// stacks are those of all processors.
type stacks struct {
	of     Stream
	caches []cache.Geometry
	misses []uint64
	cpu    map[uint64][]*stack
	now    []*stack
	recent [2][]int // caches that the last access missed in, and those of the one before
}

// stack is the sets of caches that have the same sets and lines.
type stack struct {
	line, sets uint64
	caches     []int               // these
	most       int                 // ways of the largest
	used       map[uint64][]uint64 // by set: its lines, the latest first
	last       uint64              // of instructions: the line before, plus 1
}

func (s *stacks) place(cpu uint64) {
	if s.now = s.cpu[cpu]; s.now == nil {
		for i, g := range s.caches {
			sets := g.Size / g.Line / g.Ways
			at := slices.IndexFunc(s.now, func(k *stack) bool { return k.line == g.Line && k.sets == sets })
			if at < 0 {
				at = len(s.now)
				s.now = append(s.now, &stack{line: g.Line, sets: sets, used: map[uint64][]uint64{}})
			}
			k := s.now[at]
			k.caches, k.most = append(k.caches, i), max(k.most, int(g.Ways))
		}
		s.cpu[cpu] = s.now
	}
	for _, k := range s.now {
		k.last = 0
	}
}

// access looks an access up in each stack, and counts what it misses in.
func (s *stacks) access(r addresstrace.Record) {
	s.recent[0], s.recent[1] = s.recent[1][:0], s.recent[0]
	end := r.Address + max(1, uint64(r.Size)) - 1
	for _, k := range s.now {
		far := -1
		for line := r.Address / k.line; line <= end/k.line; line++ {
			if s.of == Data {
				far = max(far, k.distance(line))
				continue
			}
			if k.last != line+1 {
				k.last = line + 1
				s.miss(k, k.distance(line))
			}
		}
		s.miss(k, far)
	}
}

// miss counts an access that was so far down.
func (s *stacks) miss(k *stack, far int) {
	for _, i := range k.caches {
		if far >= int(s.caches[i].Ways) {
			s.misses[i]++
			s.recent[0] = append(s.recent[0], i)
		}
	}
}

// distance returns how many other lines of its set were used since a line was, and puts it on top. Beyond the ways of the largest cache all
// distances are alike.
func (k *stack) distance(line uint64) int {
	set := k.used[line%k.sets]
	at := slices.Index(set, line)
	far := at
	if at < 0 {
		far = k.most
		if len(set) < k.most {
			set = append(set, 0)
			k.used[line%k.sets] = set
		}
		at = len(set) - 1
	}
	copy(set[1:at+1], set[:at])
	set[0] = line
	return far
}
