package mpx

import (
	"fmt"
	"slices"
	"sync"

	"tracerec/counters/substrate"
)

// fake is a machine of one thread whose time passes when a test says so. Work goes on by cycles; every occurrence that is
// counted costs the thread more of them. It logs which event was counted when, from which tests compute what must
// come out.
type fake struct {
	mu       sync.Mutex
	counters int
	cost     uint64
	work     uint64                             // cycles of the program alone
	clock    uint64                             // with those that counting took
	total    map[string]func(work uint64) int64 // occurrences up to then
	refuse   map[string]error                   // events that cannot be counted
	broken   map[string]error                   // events that cannot be read
	slots    []*fakeSlot
	log      map[string][]interval
}

// point is a time of the thread, as instant.
type point [2]uint64

// interval is a slice.
type interval struct {
	from, to point
	open     bool
}

type fakeSlot struct {
	f     *fake
	event string
	begin point
}

func newFake(counters int, total map[string]func(uint64) int64) *fake {
	return &fake{counters: counters, total: total, refuse: map[string]error{}, broken: map[string]error{}, log: map[string][]interval{}}
}

// steady occurs every so many cycles.
func steady(every uint64) func(uint64) int64 {
	return func(w uint64) int64 { return int64(w / every) }
}

// phased occurs every so many cycles in the first half of each period only.
func phased(every, period uint64) func(uint64) int64 {
	return func(w uint64) int64 {
		return int64((w/period*(period/2) + min(w%period, period/2)) / every)
	}
}

func (f *fake) now() point { return point{f.clock, f.work} }

// run lets the program work.
func (f *fake) run(cycles uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock += cycles
	for _, s := range f.slots {
		f.clock += f.cost * uint64(f.total[s.event](f.work+cycles)-f.total[s.event](f.work))
	}
	f.work += cycles
}

func (f *fake) OpenSlot(_ int, event string) (substrate.Slot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total[event] == nil {
		return nil, fmt.Errorf("fake: %w", substrate.ErrUnknownEvent)
	}
	if err := f.refuse[event]; err != nil {
		return nil, err
	}
	if len(f.slots) == f.counters {
		return nil, fmt.Errorf("fake: %w", substrate.ErrNoCounters)
	}
	s := &fakeSlot{f: f}
	f.slots = append(f.slots, s)
	s.start(event)
	return s, nil
}

func (s *fakeSlot) start(event string) {
	s.event, s.begin = event, s.f.now()
	s.f.log[event] = append(s.f.log[event], interval{from: s.begin, open: true})
}

func (s *fakeSlot) end() {
	last := &s.f.log[s.event][len(s.f.log[s.event])-1]
	last.to, last.open = s.f.now(), false
}

func (s *fakeSlot) Switch(next string) (count, cycles uint64, err error) {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	if err := s.f.refuse[next]; err != nil {
		return 0, 0, err
	}
	count, cycles, err = s.read()
	s.end()
	s.start(next)
	return count, cycles, err
}

func (s *fakeSlot) Read() (count, cycles uint64, err error) {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	return s.read()
}

func (s *fakeSlot) read() (count, cycles uint64, err error) {
	if err := s.f.broken[s.event]; err != nil {
		return 0, 0, err
	}
	of := s.f.total[s.event]
	return uint64(of(s.f.work) - of(s.begin[corrected])), s.f.clock - s.begin[raw], nil
}

func (s *fakeSlot) Close() error {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.end()
	s.f.slots = slices.DeleteFunc(s.f.slots, func(o *fakeSlot) bool { return o == s })
	return nil
}

// naive is what an event is estimated to from the log of its slices, computed in the plainest way.
type naive struct {
	hits      int64
	counted   uint64
	slices    int
	whole     bool
	estimates [3]float64
}

// naive evaluates a period of a set on one clock. since is when the event became active; stopped, that the set was
// stopped at the end of the period.
func (f *fake) naive(event string, clock int, since, from, to point, stopped bool) naive {
	var n naive
	of := f.total[event]
	y, z := from[clock], to[clock]
	local, trapezoid := 0.0, 0.0
	end, rate, rated, closed := since[clock], 0.0, false, false
	for _, s := range f.log[event] {
		if s.from[raw] < since[raw] || s.from[raw] >= to[raw] {
			continue
		}
		whole := s
		if s.open {
			whole.to = to
		}
		if whole.from == whole.to {
			continue
		}
		b, x := whole.from[clock], whole.to[clock]
		r := float64(of(whole.to[corrected])-of(whole.from[corrected])) / float64(x-b)
		if !rated {
			end0 := max(end, y)
			if b > end0 && (!s.open || stopped) {
				local += r * float64(b-end0)
			}
			if b > end0 {
				trapezoid += r * float64(b-end0)
			}
		} else if a := max(end, y); b > a {
			// The line from rate at end to r at b, from a on. A set that starts within a gap does not know the slice's
			// own later part, but all of it.
			if !s.open || stopped {
				local += r * float64(b-a)
			}
			ra := rate + (r-rate)*float64(a-end)/float64(b-end)
			trapezoid += (ra + r) / 2 * float64(b-a)
		}
		if x > y {
			lo := whole.from
			if lo[raw] < from[raw] {
				lo = from
			}
			c := of(whole.to[corrected]) - of(lo[corrected])
			n.hits += c
			n.counted += x - max(b, y)
			n.slices++
			local += float64(c)
			trapezoid += float64(c)
			n.whole = b <= y && x >= z
			closed = !s.open
		}
		end, rate, rated = x, r, true
	}
	if n.slices > 0 && closed && z > end {
		if stopped {
			local += rate * float64(z-end)
		}
		trapezoid += rate * float64(z-end)
	}
	n.estimates = [3]float64{float64(n.hits) * float64(z-y) / float64(n.counted), local, trapezoid}
	if n.whole {
		n.estimates = [3]float64{float64(n.hits), float64(n.hits), float64(n.hits)}
	}
	return n
}
