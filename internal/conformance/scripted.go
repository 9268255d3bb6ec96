package conformance

import (
	"fmt"
	"testing"
	"time"

	"tracerec/counters"
	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
	"tracerec/internal/scripted"
)

// turn is for how long an event of the scripted substrate keeps its counter.
const turn = time.Millisecond

// Scripted is the scripted substrate, the events of which take turns by themselves.
func Scripted() Harness {
	return Harness{
		Name: "scripted", Title: "what the test tells it to count, on a virtual clock",
		New: func(t *testing.T) *Bench { return newScripted(scripted.Config{Turn: turn}) },
	}
}

// ScriptedSlots is the scripted substrate, the events of which are given turns by package mpx.
func ScriptedSlots() Harness {
	return Harness{
		Name: "scripted, slots", Title: "the same, multiplexed by package mpx",
		New: func(t *testing.T) *Bench {
			b := newScripted(scripted.Config{Slots: true})
			b.Turns = &mpx.Options{Slice: -1, Seed: 1}
			return b
		},
	}
}

// newScripted describes a scripted substrate of four counters.
func newScripted(c scripted.Config) *Bench {
	const works, many = 6, 8
	c.Counters, c.Overflow, c.Clock = 4, true, "task-clock"
	b := &Bench{N: 1000, Counters: c.Counters, Loose: 0.05, Narrow: "narrow", Level: "level", Picky: [3]string{"first-only", "first-too", "work-1"},
		Preset: Portable{"PAPI_TOT_INS", "PAPI_LST_INS", "PAPI_BR_PRC", "PAPI_L3_TCM"}}
	for i := range works {
		c.Events = append(c.Events, scripted.Event{Name: fmt.Sprintf("work-%d", i), Description: "work"})
	}
	for i := range many {
		name := fmt.Sprintf("steady-%d", i)
		b.Many = append(b.Many, name)
		c.Events = append(c.Events, scripted.Event{Name: name, Rate: steady(i)})
	}
	c.Events = append(c.Events, scripted.Event{Name: b.Picky[0], Counters: 1}, scripted.Event{Name: b.Picky[1], Counters: 1},
		scripted.Event{Name: b.Narrow, Bits: 16, First: 60_000}, scripted.Event{Name: b.Level, Gauge: true},
		scripted.Event{Name: c.Clock, Unit: "ns", Rate: func(from, to int64) uint64 { return uint64(to - from) }})
	c.Presets = map[string]scripted.Preset{
		b.Preset.Single:     {Events: []string{"work-0"}},
		b.Preset.Sum:        {Formula: "N0 + N1", Events: []string{"work-0", "work-1"}},
		b.Preset.Difference: {Formula: "N0 - N1", Events: []string{"work-0", "work-1"}},
	}
	s := scripted.New(c)
	for i := range works {
		name := fmt.Sprintf("work-%d", i)
		b.Works = append(b.Works, Work{Event: name, Do: func(n int) { s.Happen(name, uint64(n)) }})
	}
	b.Set = func() *counters.EventSet { return counters.New(s) }
	b.Opened, b.Events, b.Reads = s.Opened, s.Events(), s.Reads
	b.Disturb, b.Pass, b.Settle, b.Break, b.Take = s.Disturb, s.Advance, s.Settle, s.Break, s.Take
	b.SetLevel = func(n int) { s.Happen(b.Level, uint64(n)) }
	b.Wrap = func(n int) { s.Happen(b.Narrow, uint64(n)) }
	scriptPlaces(b, s)
	b.Mix = func(set *counters.EventSet, rounds int) []int64 {
		from := s.Now()
		for range rounds * many {
			s.Advance(turn)
			set.Rotate()
		}
		truth := make([]int64, many)
		for i := range truth {
			truth[i] = int64(steady(i)(from, s.Now()))
		}
		return truth
	}
	b.Moment = func(*counters.EventSet) { s.Advance(turn / 2) }
	return b
}

// steady returns the rate of an event that happens every so many microseconds.
func steady(i int) func(from, to int64) uint64 {
	every := int64(i+1) * 1000
	return func(from, to int64) uint64 { return uint64(to/every - from/every) }
}

// scriptPlaces says what happens elsewhere than on the calling thread in user mode.
func scriptPlaces(b *Bench, s *scripted.Substrate) {
	const code, size, cpu = 0x401000, 16, 3
	threads := 1 << 24 // above those of the system
	begin := func(by int) int {
		threads++
		s.Begin(threads, by)
		return threads
	}
	at := func(p scripted.Place, n int) { s.HappenAt(p, b.Works[0].Event, uint64(n)) }
	b.Kernel = func(n int) { at(scripted.Place{Domain: substrate.Kernel}, n) }
	b.Child = func() *Child {
		id := begin(-1)
		return &Child{Thread: id, Do: func(n int) { at(scripted.Place{Thread: id}, n) }, End: func() { s.End(id) }}
	}
	b.CPUEvent = b.Works[0].Event
	b.OnCPU = func(n int) int {
		at(scripted.Place{CPU: cpu}, n)
		return cpu
	}
	b.Spawn = func(n int) {
		id := begin(0)
		at(scripted.Place{Thread: id}, n)
		s.End(id)
	}
	b.DoAt = func(n int) (low, high uintptr) {
		for i := range n {
			at(scripted.Place{PC: code + uintptr(i)%size}, 1)
		}
		return code, code + size
	}
}
