package scripted_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters/substrate"
	"tracerec/internal/conformance"
	"tracerec/internal/scripted"
)

func TestConformance(t *testing.T) { conformance.Run(t, conformance.Scripted()) }

func TestConformanceOfSlots(t *testing.T) { conformance.Run(t, conformance.ScriptedSlots()) }

func open(t *testing.T, s *scripted.Substrate, o substrate.Options, names ...string) substrate.Group {
	g, err := s.Open(names, o)
	require.NoError(t, err)
	return g
}

func values(t *testing.T, g substrate.Group, n int) []uint64 {
	v := make([]uint64, n)
	_, err := g.Read(v)
	require.NoError(t, err)
	return v
}

// Which events fit together is a matching of events with counters: every subset is checked against trying all orders.
func TestFitting(t *testing.T) {
	masks := []uint64{0b001, 0b011, 0b110, 0b100, 0, 0b010}
	var events []scripted.Event
	for i, m := range masks {
		events = append(events, scripted.Event{Name: string(rune('a' + i)), Counters: m})
	}
	s := scripted.New(scripted.Config{Counters: 3, Events: events})
	for subset := 1; subset < 1<<len(masks); subset++ {
		var names []string
		var chosen []uint64
		for i, m := range masks {
			if subset&(1<<i) != 0 {
				names, chosen = append(names, events[i].Name), append(chosen, m)
			}
		}
		g, err := s.Open(names, substrate.Options{})
		if !assignable(chosen, 0, 3) {
			require.Error(t, err, "%v", names)
			if len(names) > 3 {
				require.ErrorIs(t, err, substrate.ErrNoCounters)
			} else {
				require.ErrorIs(t, err, substrate.ErrConflict)
			}
			continue
		}
		require.NoError(t, err, "%v", names)
		require.NoError(t, g.Close())
	}
	require.Zero(t, s.Opened())
}

// assignable tries every counter for the first event, and so on.
func assignable(masks []uint64, used uint64, counters int) bool {
	if len(masks) == 0 {
		return true
	}
	for k := range counters {
		if bit := uint64(1) << k; used&bit == 0 && (masks[0] == 0 || masks[0]&bit != 0) && assignable(masks[1:], used|bit, counters) {
			return true
		}
	}
	return false
}

func TestTurnsAreFair(t *testing.T) {
	const turn = time.Millisecond
	rate := func(from, to int64) uint64 { return uint64(to/1000 - from/1000) }
	s := scripted.New(scripted.Config{Counters: 2, Turn: turn, Events: []scripted.Event{
		{Name: "a", Rate: rate}, {Name: "b", Rate: rate}, {Name: "c", Rate: rate}, {Name: "d", Rate: rate}}})
	g := open(t, s, substrate.Options{Multiplex: true}, "a", "b", "c", "d")
	s.Advance(8 * turn)
	enabled, ran := make([]uint64, 4), make([]uint64, 4)
	g.(substrate.Timed).Times(enabled, ran)
	for i, v := range values(t, g, 4) {
		require.Equal(t, uint64(8*turn), enabled[i])
		require.Equal(t, uint64(4*turn), ran[i])
		require.Equal(t, uint64(4000), v)
	}
	pinned := open(t, s, substrate.Options{}, "a")
	s.Advance(8 * turn)
	require.Equal(t, []uint64{8000}, values(t, pinned, 1), "one that takes no turns keeps its counter")
	g.(substrate.Timed).Times(enabled, ran)
	require.Equal(t, uint64(8*turn), ran[0]+ran[1]+ran[2]+ran[3]-uint64(16*turn), "the others share what is left")
	require.NoError(t, pinned.Close())
	require.NoError(t, g.Close())
	require.Error(t, g.Close())
}

func TestInheritance(t *testing.T) {
	s := scripted.New(scripted.Config{Events: []scripted.Event{{Name: "a"}}})
	const parent, early, late, grandchild = 1 << 24, 1<<24 + 1, 1<<24 + 2, 1<<24 + 3
	s.Begin(parent, -1)
	s.Begin(early, parent)
	g := open(t, s, substrate.Options{Thread: parent, Inherit: true}, "a")
	s.Begin(late, parent)
	s.Begin(grandchild, late)
	for i, thread := range []int{parent, early, late, grandchild} {
		s.HappenAt(scripted.Place{Thread: thread}, "a", 1<<(4*i))
	}
	require.Equal(t, []uint64{0x1101}, values(t, g, 1), "only what was started since")
}

func TestSlots(t *testing.T) {
	s := scripted.New(scripted.Config{Counters: 1, Slots: true, Events: []scripted.Event{{Name: "a"}, {Name: "b"}}})
	const thread = 1 << 24
	slot, err := s.OpenSlot(thread, "a")
	require.NoError(t, err)
	_, err = s.OpenSlot(thread, "b")
	require.ErrorIs(t, err, substrate.ErrConflict)
	at := scripted.Place{Thread: thread}
	s.HappenAt(at, "a", 5)
	s.AdvanceAt(at, 100)
	count, cycles, err := slot.Switch("b")
	require.NoError(t, err)
	require.Equal(t, []uint64{5, 100}, []uint64{count, cycles})
	s.HappenAt(at, "a", 5)
	s.HappenAt(at, "b", 7)
	s.AdvanceAt(at, 30)
	_, _, err = slot.Switch("c")
	require.ErrorIs(t, err, substrate.ErrUnknownEvent)
	count, cycles, err = slot.Read()
	require.NoError(t, err)
	require.Equal(t, []uint64{7, 30}, []uint64{count, cycles}, "a refused exchange changes nothing")
	require.NoError(t, slot.Close())
	require.NoError(t, slot.Close())
	require.Zero(t, s.Opened())
}

func TestOverflowsThatFindTheQueueFullAreLost(t *testing.T) {
	s := scripted.New(scripted.Config{Overflow: true, Queue: 3, Events: []scripted.Event{{Name: "a"}}})
	var got int
	release := make(chan bool)
	stop, err := s.Sample("a", 10, substrate.Options{}, func(x substrate.Sample) {
		<-release
		got++
	})
	require.NoError(t, err)
	s.Happen("a", 100)
	close(release)
	s.Settle()
	lost, err := stop()
	require.NoError(t, err)
	require.Equal(t, 10, got+int(lost))
	require.NotZero(t, lost)
}

func TestLimits(t *testing.T) {
	s := scripted.New(scripted.Config{Groups: 1, Permit: substrate.User, Events: []scripted.Event{{Name: "a"}, {Name: "all", Process: true}}})
	g := open(t, s, substrate.Options{}, "a", "all")
	_, err := s.Open([]string{"a"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrDescriptors)
	_, err = s.Open([]string{"a:k"}, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrPermission)
	_, err = s.Open([]string{"a"}, substrate.Options{Multiplex: true})
	require.ErrorIs(t, err, substrate.ErrUnsupported)
	_, err = s.OpenSlot(1, "a")
	require.ErrorIs(t, err, substrate.ErrUnsupported)
	s.HappenAt(scripted.Place{Thread: 1 << 24}, "a", 3)
	s.HappenAt(scripted.Place{Thread: 1 << 24}, "all", 3)
	require.Equal(t, []uint64{0, 3}, values(t, g, 2))
	require.NoError(t, g.Close())
	_, err = g.Read(make([]uint64, 2))
	require.Error(t, err)
}
