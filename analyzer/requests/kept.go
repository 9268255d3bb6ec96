package requests

import (
	"slices"
	"sort"

	"tracerec/internal/spill"
)

// slab is of how many elements the memory is that is taken at once.
const slab = 1 << 15

// How many elements of a store may be touched, in order or anywhere, before the next look at the limit.
const (
	atOnce   = 1 << 12
	anywhere = 1 << 6
)

// pacer looks at the limit now and then.
type pacer struct {
	store   *spill.Store
	touched int
}

// touch is called before something of the store is touched anywhere.
func (p *pacer) touch() {
	if p.touched++; p.touched%anywhere == 0 {
		p.store.Pace()
	}
}

// activities are what all locations did, in runs of a location's.
type activities struct {
	pacer
	slabs [][]activity
}

// run is activities of a location that are behind one another, from the one with a number on.
type run struct {
	from             int64 // of the first one
	at, count, space uint32
}

// longestRun is for how many activities a run has space if its location has many.
const longestRun = 256

// add adds an activity of a location.
func (s *activities) add(l *life, a activity) {
	n := len(l.runs) - 1
	if n < 0 || l.runs[n].count == l.runs[n].space {
		space := uint32(4)
		if n >= 0 {
			space = min(2*l.runs[n].space, longestRun)
		}
		l.runs = append(l.runs, s.run(a.from, space))
		n++
	}
	s.touch()
	last := &l.runs[n]
	last.count++
	s.of(last)[last.count-1] = a
	l.doing = a
}

// run returns an empty run that begins at a time.
func (s *activities) run(from int64, space uint32) run {
	n := len(s.slabs) - 1
	if n < 0 || len(s.slabs[n])+int(space) > slab {
		s.slabs = append(s.slabs, spill.Make[activity](s.store, slab)[:0])
		n++
	}
	at := len(s.slabs[n])
	s.slabs[n] = s.slabs[n][:at+int(space)]
	return run{from: from, at: uint32(n*slab + at), space: space}
}

// of returns the activities of a run.
func (s *activities) of(r *run) []activity {
	first := r.at % slab
	return s.slabs[r.at/slab][first : first+r.count]
}

// cursor goes along the activities of a location.
type cursor struct {
	all  *activities
	list []activity // that are left of a run
	runs []run      // and the runs behind it
	end  int64      // of all
}

// of returns a cursor at the first activity of a location.
func (r *reader) of(l *life) cursor { return cursor{all: &r.done, runs: l.runs, end: l.last} }

// at returns a cursor at the activity of a location at a time, or the first one.
func (r *reader) at(l *life, t int64) cursor {
	c := r.of(l)
	if i := sort.Search(len(l.runs), func(i int) bool { return l.runs[i].from > t }); i > 0 {
		r.done.touch()
		list := r.done.of(&l.runs[i-1])
		c.list, c.runs = list[max(sort.Search(len(list), func(i int) bool { return list[i].from > t })-1, 0):], l.runs[i:]
	}
	return c
}

// next returns the next activity and its end, false if there is none.
func (c *cursor) next() (a activity, end int64, more bool) {
	if len(c.list) == 0 {
		if len(c.runs) == 0 {
			return a, 0, false
		}
		c.all.touch()
		c.list, c.runs = c.all.of(&c.runs[0]), c.runs[1:]
	}
	a, c.list = c.list[0], c.list[1:]
	switch {
	case len(c.list) > 0:
		end = c.list[0].from
	case len(c.runs) > 0:
		end = c.runs[0].from
	default:
		end = c.end
	}
	return a, end, true
}

// add adds an element to a list that may become long. Most do not, and those are of the heap.
func add[T any](store *spill.Store, list []T, x T) []T {
	if len(list) < atOnce {
		return append(list, x)
	}
	return spill.Append(store, list, x)
}

// numbered are things that have numbers, in the order in which they came.
type numbered[T comparable] struct {
	list    []T
	numbers map[T]int32
}

// number returns the number of a thing.
func (s *numbered[T]) number(x T) int32 {
	n, known := s.numbers[x]
	if !known {
		if s.numbers == nil {
			s.numbers = map[T]int32{}
		}
		n = int32(len(s.list))
		s.numbers[x] = n
		s.list = append(s.list, x)
	}
	return n
}

// waits are the waits of all locations.
type waits struct {
	pacer
	told [][]wait // as they were told
	parts[wait]
}

// parts are a list that has a part for each of several things, in order.
type parts[T any] struct {
	list []T
	ends []int // by thing: how many elements it has, until their places are known; then where they end
}

// count notes that a thing has an element more.
func (p *parts[T]) count(of uint32) {
	if n := int(of) + 1 - len(p.ends); n > 0 {
		p.ends = append(p.ends, make([]int, n)...)
	}
	p.ends[of]++
}

// place makes room for what was counted.
func (p *parts[T]) place(store *spill.Store) {
	all := 0
	for i, n := range p.ends {
		p.ends[i] = all // where the next one is put
		all += n
	}
	p.list = spill.Make[T](store, all)
}

// put puts an element of a thing behind those that it has.
func (p *parts[T]) put(of uint32, x T) {
	p.list[p.ends[of]] = x
	p.ends[of]++
}

// of returns what a thing has.
func (p *parts[T]) of(thing uint32) []T {
	switch {
	case int(thing) >= len(p.ends):
		return nil
	case thing == 0:
		return p.list[:p.ends[0]]
	}
	return p.list[p.ends[thing-1]:p.ends[thing]]
}

// order puts what each thing has in order.
func (p *parts[T]) order(store *spill.Store, compare func(x, y T) int) {
	pace := pacer{store: store}
	for i := range p.ends {
		pace.touch()
		inOrder(store, p.of(uint32(i)), compare)
	}
}

// inOrder sorts a list. If it may not be resident as a whole, that is done with parts of it, which are then merged.
func inOrder[T any](store *spill.Store, list []T, compare func(x, y T) int) {
	if !store.Limited() || len(list) <= atOnce {
		slices.SortFunc(list, compare)
		return
	}
	for part := range slices.Chunk(list, atOnce) {
		store.Pace()
		slices.SortFunc(part, compare)
	}
	spare := spill.Make[T](store, len(list))
	for width := atOnce; width < len(list); width *= 2 {
		for from := 0; from < len(list); from += 2 * width {
			middle, end := min(from+width, len(list)), min(from+2*width, len(list))
			merge(store, spare[from:end], list[from:middle], list[middle:end], compare)
		}
		spill.Copy(store, list, spare)
	}
	spill.Free(store, spare)
}

// merge puts two lists in order into one.
func merge[T any](store *spill.Store, to, a, b []T, compare func(x, y T) int) {
	for i := range to {
		if i%atOnce == 0 {
			store.Pace()
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

// add takes a wait.
func (s *waits) add(x wait) {
	n := len(s.told) - 1
	if n < 0 || len(s.told[n]) == slab {
		s.told = append(s.told, spill.Make[wait](s.store, slab)[:0])
		n++
	}
	if len(s.told[n])%atOnce == 0 {
		s.store.Pace()
	}
	s.told[n] = append(s.told[n], x)
	s.count(x.loc)
}

// sort puts the waits of each location in order, once.
func (s *waits) sort() {
	if s.list != nil || len(s.told) == 0 {
		return
	}
	s.place(s.store)
	for _, list := range s.told {
		for i := range list {
			s.touch()
			s.put(list[i].loc, list[i])
		}
		spill.Free(s.store, list)
	}
	s.told = nil
	s.order(s.store, func(x, y wait) int { return x.compare(&y) })
}
