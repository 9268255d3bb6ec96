package levels_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// plain keeps the levels with the forgotten ones among them, as events count them.
type plain []string

// event applies an event and returns what it closed, innermost first, and the number of levels that were missing.
func (p *plain) event(k wire.Kind, id uint32, name string) (closed []string, missing int) {
	// All others show that their location does something else than the select that it was in.
	tells := []wire.Kind{wire.Time, wire.Lost, wire.Overhead, wire.Begin, wire.Blocked, wire.Leave, wire.Chose, wire.Passed, wire.Reached, wire.OnceRun, wire.Counters,
		wire.Ready, wire.Running, wire.Syscall, wire.Assist, wire.Stopped, wire.Parked, wire.TaskLeft, wire.TaskEnd}
	if n := len(*p) - 1; !slices.Contains(tells, k) {
		for ; n >= 0 && (*p)[n] == "gone"; n-- { // no level any more
		}
		if n >= 0 && strings.HasPrefix((*p)[n], "select") {
			closed, (*p)[n] = append(closed, (*p)[n]), "gone"
		}
	}
	pop := func() {
		n := len(*p) - 1
		if (*p)[n] != "gone" {
			closed = append(closed, (*p)[n])
		}
		*p = (*p)[:n]
	}
	count := 0
	switch k {
	case wire.Exit:
		count = int(id) + 1
	case wire.Lost:
		count = int(id)
	case wire.End:
		count = len(*p)
	case wire.Leave, wire.Chose, wire.Passed, wire.Reached:
		at := len(*p) - 1
		for ; at >= 0 && strings.HasPrefix((*p)[at], "enter"); at-- {
		}
		if count = len(*p) - at; at < 0 {
			return closed, 1
		}
	}
	for ; count > 0 && len(*p) > 0; count-- {
		pop()
	}
	if k.Does() == wire.Opens {
		*p = append(*p, name)
	}
	return closed, count
}

// open returns the levels that are open, outermost first.
func (p plain) open() []string {
	return slices.DeleteFunc(slices.Clone(p), func(s string) bool { return s == "gone" })
}

// operation returns the innermost operation, "" if there is none or it is gone.
func (p plain) operation() string {
	for _, s := range slices.Backward(p) {
		if !strings.HasPrefix(s, "enter") {
			return strings.TrimPrefix(s, "gone")
		}
	}
	return ""
}

// follow applies an event to a stack, and returns the same as [plain.event].
func follow(s *levels.Stack[string], k wire.Kind, id uint32, name string) (closed []string, missing uint64) {
	if k == wire.Exit {
		top := s.Top()
		if s.Exit(id) {
			return []string{top.Of}, 0
		}
	}
	if s.Forgets(k) {
		closed = append(closed, s.Forget().Of)
	}
	if k.Does() == wire.Leaves {
		if l := s.Leave(); l != nil {
			return append(closed, l.Of), 0
		}
	}
	list, missing := s.Close(k, id)
	for _, l := range slices.Backward(list) {
		closed = append(closed, l.Of)
	}
	if k.Does() == wire.Opens {
		*s.Open(k) = name
	}
	return closed, missing
}

func names(s *levels.Stack[string]) []string {
	list := []string{}
	for _, l := range s.Levels {
		list = append(list, l.Of)
	}
	return list
}

func TestAgreesWithPlain(t *testing.T) {
	forgotten := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s levels.Stack[string]
		p := plain{}
		for i := range 60 {
			spec := wire.Specs[r.IntN(len(wire.Specs))]
			k, id := spec.Kind, uint32(r.IntN(4))
			if r.IntN(3) == 0 {
				k = []wire.Kind{wire.Enter, wire.Exit, wire.SelectBegin, wire.Leave}[r.IntN(4)]
			}
			if k == wire.Exit && r.IntN(4) > 0 {
				id = 0
			}
			name := k.String() + string(rune('a'+i%26))
			want, missed := p.event(k, id, name)
			got, missing := follow(&s, k, id, name)
			require.Equal(t, want, got, "%d: %s %d", seed, k, id)
			require.EqualValues(t, missed, missing, "%d: %s %d", seed, k, id)
			require.Equal(t, p.open(), names(&s))
			operation := ""
			if o := s.Operation(); o != nil {
				operation = o.Of
			}
			require.Equal(t, p.operation(), operation)
			counts := s.Forgotten()
			if n := uint32(len(p) - len(s.Levels)); n == 0 {
				require.Nil(t, counts)
			} else {
				forgotten++
				sum := uint32(0)
				for _, c := range counts {
					sum += c
				}
				require.Equal(t, n, sum)
			}
			if r.IntN(5) == 0 { // goes on with a stack that was made again
				again := levels.Stack[string]{}
				for _, l := range s.Levels {
					*again.Open(l.Kind) = l.Of
				}
				again.Remember(counts)
				s = again
			}
		}
	}
	require.Greater(t, forgotten, 5000)
}

// A Once whose function forgets a select: the select ends at what follows it, but the exit of its region counts it.
func TestForgottenSelect(t *testing.T) {
	var s levels.Stack[string]
	for _, k := range []wire.Kind{wire.Enter, wire.OnceBegin, wire.Enter, wire.SelectBegin} {
		*s.Open(k) = k.String()
	}
	require.False(t, s.Forgets(wire.Blocked))
	require.True(t, s.Forgets(wire.Close))
	require.Equal(t, "select", s.Forget().Of)
	require.Equal(t, []string{"enter", "once", "enter"}, names(&s))
	require.False(t, s.Exit(0), "the innermost level that events count is the select")
	require.Nil(t, s.Operation())
	closed, missing := s.Close(wire.Exit, 1)
	require.Len(t, closed, 1)
	require.Zero(t, missing)
	require.Equal(t, "once", s.Operation().Of)
	closed, _ = s.Close(wire.Leave, 0)
	require.Len(t, closed, 1)
	require.True(t, s.Exit(0))
	_, missing = s.Close(wire.Exit, 0)
	require.EqualValues(t, 1, missing)
}
