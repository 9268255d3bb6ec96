package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) *Spec {
	t.Helper()
	s, err := Parse("test.spec", []byte(text))
	require.NoError(t, err)
	return s
}

// tree writes resolved metrics with the values of events, "A=1 B=2", one a line, indented, with what is unaccounted of a sum.
func tree(s *Spec, text string) string {
	names, values := eventValues(text)
	r := s.Resolve(names)
	depth := make([]int, len(r.Nodes))
	own := make([]int64, len(r.Nodes))
	children := make([]bool, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		own[i] = n.Value(values)
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
			own[n.Parent] -= n.Value(values)
			children[n.Parent] = true
		}
	}
	var b strings.Builder
	for i := range r.Nodes {
		n := &r.Nodes[i]
		mark, rest := "", ""
		if len(n.Missing) > 0 {
			mark = "~"
		}
		if n.Kind == Remainder {
			rest = " inferred"
		}
		if children[i] && own[i] != 0 {
			rest += fmt.Sprintf(" unaccounted %d", own[i])
		}
		fmt.Fprintf(&b, "%s%s%s %d%s\n", strings.Repeat("  ", depth[i]), mark, n.Name, n.Value(values), rest)
	}
	return b.String()
}

func TestComposeMeasureCompute(t *testing.T) {
	s := parse(t, `
		compose CYCLES = BUSY + STALL   # a comment
		measure CYCLES = cycles
		compose STALL = a + b +

			c-d
		compute HIT = refs - misses
		compose ACCESS = HIT + MISS
		compute MISS = misses
	`)
	require.Equal(t, "CYCLES 100\n  BUSY 40 inferred\n  STALL 60\n    a 10\n    b 20\n    c-d 30\nACCESS 50\n  HIT 45\n  MISS 5\n",
		tree(s, "cycles=100 a=10 b=20 c-d=30 refs=50 misses=5"))
	require.Equal(t, "CYCLES 100 unaccounted 70\n  ~STALL 30\n    a 10\n    b 20\n~ACCESS 5\n  MISS 5\n", tree(s, "misses=5 b=20 a=10 cycles=100"))
	require.Equal(t, []string{"CYCLES: cycles was not measured", "STALL: a, b and c-d were not measured", "HIT: refs was not measured"}, s.Resolve([]string{"misses"}).Dropped)
}
