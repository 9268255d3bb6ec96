package counters

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/scripted"
)

// model is a set as one would write it down: what had happened when its counts were last zero.
type model struct {
	set     *EventSet
	events  []int
	running bool
	ran     bool
	zero    []int64 // totals then
	final   []int64 // counts, when it does not run
}

func (m *model) want(totals []int64) []int64 {
	if !m.running {
		return m.final
	}
	counts := make([]int64, len(m.events))
	for i, e := range m.events {
		counts[i] = totals[e] - m.zero[i]
	}
	return counts
}

func (m *model) restart(totals []int64) {
	for i, e := range m.events {
		m.zero[i] = totals[e]
	}
}

// Several sets that share three counters do what random programs ask, and every count is what the model says.
func TestRandomProgramsOfSets(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	refused, shared := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 0))
		const events = 5
		config := scripted.Config{Counters: 3}
		for i := range events {
			config.Events = append(config.Events, scripted.Event{Name: fmt.Sprint("e", i), Bits: []int{0, 0, 20, 0, 32}[i], First: uint64(r.IntN(1 << 20))})
		}
		sub := scripted.New(config)
		totals := make([]int64, events)
		var sets []*model
		for range 4 {
			m := &model{set: New(sub)}
			for _, e := range r.Perm(events)[:1+r.IntN(3)] {
				require.NoError(t, m.set.Add(config.Events[e].Name))
				m.events = append(m.events, e)
			}
			m.zero, m.final = make([]int64, len(m.events)), make([]int64, len(m.events))
			sets = append(sets, m)
		}
		for range 80 {
			e, n := r.IntN(events), int64(r.IntN(1000))
			sub.Happen(config.Events[e].Name, uint64(n))
			totals[e] += n
			m := sets[r.IntN(len(sets))]
			got := make([]int64, len(m.events))
			what := fmt.Sprintf("seed %d, events %v", seed, m.events)
			switch r.IntN(6) {
			case 0:
				err := m.set.Start()
				if m.running {
					require.ErrorIs(t, err, ErrRunning, what)
					break
				}
				if err != nil {
					require.True(t, errors.Is(err, ErrConflict), "%s: %v", what, err)
					others := slices.ContainsFunc(sets, func(o *model) bool { return o.running })
					require.True(t, others, "%s: refused alone", what)
					refused++
					break
				}
				if sub.Opened() > 0 && len(m.set.parts) > 1 {
					shared++
				}
				m.running, m.ran = true, true
				m.restart(totals)
			case 1:
				err := m.set.Stop(got)
				if !m.running {
					require.ErrorIs(t, err, ErrNotRunning, what)
					break
				}
				require.NoError(t, err, what)
				m.final = m.want(totals)
				m.running = false
				require.Equal(t, m.final, got, what)
			case 2, 3:
				if err := m.set.Read(got); !m.ran {
					require.ErrorIs(t, err, ErrNotRunning, what)
				} else {
					require.NoError(t, err, what)
					require.Equal(t, m.want(totals), got, what)
				}
			case 4:
				if err := m.set.Reset(); m.ran {
					require.NoError(t, err, what)
					m.restart(totals)
					clear(m.final)
				}
			case 5:
				want := m.want(totals)
				if err := m.set.Accumulate(got); m.ran {
					require.NoError(t, err, what)
					require.Equal(t, want, got, what)
					m.restart(totals)
					m.final = make([]int64, len(m.events))
				}
			}
		}
		for _, m := range sets {
			require.NoError(t, m.set.Close())
		}
		require.Zero(t, sub.Opened())
		require.Empty(t, table.groups)
	}
	require.NotZero(t, refused)
	require.NotZero(t, shared)
}
