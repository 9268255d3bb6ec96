package mpx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// program is a random program: sets that are made, started, read, stopped and destroyed in any order, while the thread
// works and events take turns. A model keeps what the paper says the master event list must hold, and every value is compared
// with the naive evaluation of the machine's log.
type program struct {
	t      *testing.T
	r      *rand.Rand
	f      *fake
	m      *Multiplexer
	names  []string
	active map[string]int
	since  map[string]point
	sets   []*modelled
	values int // compared
}

type modelled struct {
	set     *Set
	names   []string
	running bool
	from    point
}

func newProgram(t *testing.T, seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 7))
	p := &program{t: t, r: r, active: map[string]int{}, since: map[string]point{}}
	total := map[string]func(uint64) int64{}
	for k := range 2 + r.IntN(8) {
		name := fmt.Sprintf("e%d", k)
		p.names = append(p.names, name)
		if total[name] = steady(uint64(50 + r.IntN(500))); r.IntN(2) == 0 {
			total[name] = phased(uint64(50+r.IntN(500)), uint64(1000+r.IntN(20_000)))
		}
	}
	p.f = newFake(1+r.IntN(4), total)
	p.f.cost = uint64(r.IntN(20))
	cost := float64(p.f.cost)
	p.m = New(p.f, 1, manual(Options{Seed: seed, MinCycles: 1, HitCost: func(string) float64 { return cost }}))
	return p
}

// step does something at random.
func (p *program) step() {
	switch p.r.IntN(8) {
	case 0:
		p.create()
	case 1, 2:
		p.startOrStop()
	case 3:
		if s := p.any(); s != nil && s.running {
			p.compare(s, false)
		}
	case 4:
		if s := p.any(); s != nil && s.running && p.r.IntN(3) == 0 {
			require.NoError(p.t, s.set.Reset())
			s.from = p.f.now()
		}
	default:
		p.f.run(uint64(1 + p.r.IntN(3000)))
		if p.r.IntN(2) == 0 {
			p.m.Rotate()
		}
	}
	p.check()
}

func (p *program) any() *modelled {
	if len(p.sets) == 0 {
		return nil
	}
	return p.sets[p.r.IntN(len(p.sets))]
}

func (p *program) create() {
	names := slices.Clone(p.names)
	p.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:1+p.r.IntN(len(names))]
	s, err := p.m.NewSet(names...)
	require.NoError(p.t, err)
	p.sets = append(p.sets, &modelled{set: s, names: names})
}

func (p *program) startOrStop() {
	s := p.any()
	switch {
	case s == nil:
	case s.running:
		require.NoError(p.t, s.set.Stop())
		p.compare(s, true)
		s.running = false
		for _, n := range s.names {
			p.active[n]--
		}
		if p.r.IntN(3) == 0 {
			require.NoError(p.t, s.set.Destroy())
			p.sets = slices.DeleteFunc(p.sets, func(o *modelled) bool { return o == s })
		}
	default:
		require.NoError(p.t, s.set.Start())
		s.running, s.from = true, p.f.now()
		for _, n := range s.names {
			if p.active[n]++; p.active[n] == 1 {
				p.since[n] = p.f.now()
			}
		}
	}
}

// compare holds every value of a set, of all estimators, against the naive one.
func (p *program) compare(s *modelled, stopped bool) {
	v := make([]Value, len(s.names))
	for e := range Trapezoid + 1 {
		require.NoError(p.t, s.set.Estimate(e, v))
		for k, name := range s.names {
			plain := p.f.naive(name, raw, p.since[name], s.from, p.f.now(), stopped)
			if plain.counted == 0 {
				require.False(p.t, v[k].Known(), "%s %s: %+v", name, e, v[k])
				continue
			}
			clean := p.f.naive(name, corrected, p.since[name], s.from, p.f.now(), stopped)
			about := fmt.Sprintf("%s %s: %+v, %+v", name, e, v[k], plain)
			require.Equal(p.t, plain.hits, v[k].Hits, about)
			require.Equal(p.t, plain.slices, v[k].Slices, about)
			require.True(p.t, plain.whole || !v[k].Whole, about)
			require.InDelta(p.t, plain.estimates[e], v[k].Raw, 1, about)
			require.InDelta(p.t, clean.estimates[e], v[k].Count, 1, about)
			if !v[k].Whole {
				require.EqualValues(p.t, clean.counted, v[k].Counted, about)
				require.EqualValues(p.t, p.f.work-s.from[corrected], v[k].Total, about)
			}
			p.values++
		}
	}
}

// check compares the master event list with the model.
func (p *program) check() {
	refs := map[string]int{}
	for _, s := range p.sets {
		for _, n := range s.names {
			refs[n]++
		}
	}
	require.Len(p.t, p.m.events, len(refs), "each event once, and only those of a set")
	active := 0
	on := map[*slot]bool{}
	for _, e := range p.m.events {
		require.Equal(p.t, refs[e.name], e.refs, e.name)
		require.Equal(p.t, p.active[e.name], e.active, e.name)
		if e.active > 0 {
			active++
		}
		if e.on != nil {
			require.Positive(p.t, e.active, "%s is counted for nobody", e.name)
			require.Same(p.t, e, e.on.e)
			require.False(p.t, on[e.on])
			on[e.on] = true
		}
	}
	require.Len(p.t, p.f.slots, min(active, p.f.counters), "all counters that are of use")
	require.Len(p.t, on, len(p.f.slots))
}

func TestRandomProgramsAgreeWithTheNaiveEvaluation(t *testing.T) {
	values := 0
	for seed := range uint64(120) {
		p := newProgram(t, seed)
		for range 120 {
			p.step()
		}
		values += p.values
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	require.Greater(t, values, 8_000)
	t.Logf("%d values compared", values)
}

// Nested and overlapping sets, and reading, must not change what another set is estimated to.
func TestOtherSetsOfTheSameEventsChangeNothing(t *testing.T) {
	names, total := cells(6)
	total["e1"], total["e4"] = phased(100, 9*slice), phased(40, 31*slice/10)
	run := func(others bool) (out [3][]Value) {
		f := newFake(2, total)
		m := New(f, 1, manual(Options{Seed: 5}))
		outer := newSet(t, m, names...)
		require.NoError(t, outer.Start())
		inner, across := newSet(t, m, names[1:4]...), newSet(t, m, names...)
		for i := range 60 {
			f.run(slice / 4)
			if others {
				switch i % 7 {
				case 0:
					require.NoError(t, inner.Start())
				case 2:
					require.NoError(t, across.Start())
				case 4:
					require.NoError(t, inner.Stop())
				case 5:
					read(t, outer)
				case 6:
					require.NoError(t, across.Stop())
				}
			}
			f.run(slice / 4 * 3)
			m.Rotate()
		}
		require.NoError(t, outer.Stop())
		for e := range out {
			out[e] = make([]Value, len(names))
			require.NoError(t, outer.Estimate(Estimator(e), out[e]))
		}
		return out
	}
	require.Equal(t, run(false), run(true))
}
