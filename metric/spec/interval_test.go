package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomly makes an expression; next gives the names.
func randomly(r *rand.Rand, depth int, next func() string) string {
	if depth == 0 || r.IntN(5) == 0 {
		if r.IntN(6) == 0 {
			return fmt.Sprint(1 + r.IntN(9))
		}
		return next()
	}
	x, y := randomly(r, depth-1, next), randomly(r, depth-1, next)
	switch r.IntN(8) {
	case 0, 1:
		return "(" + x + " + " + y + ")"
	case 2, 3:
		return "(" + x + " - " + y + ")"
	case 4:
		return "(" + x + " * " + y + ")"
	case 5:
		return "min(" + x + ", " + y + ")"
	case 6:
		return "max(" + x + ", -" + y + ")"
	}
	return "(" + x + " / " + y + ")"
}

// corners calls visit with every choice of ends of intervals.
func corners(box map[string]Interval, names []string, visit func(map[string]float64)) {
	for mask := range 1 << len(names) {
		at := map[string]float64{}
		for k, n := range names {
			if at[n] = box[n].Low; mask>>k&1 == 1 {
				at[n] = box[n].High
			}
		}
		visit(at)
	}
}

// What an expression may be is never beyond its interval, wherever in theirs the values are; and where each name occurs once, both ends
// are values that it has.
func TestIntervalsHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	single, held, tight := 0, 0, 0
	for n := range 4000 {
		count := 0
		next := func() string { // each name once in every other case
			if count++; n%2 == 0 {
				return fmt.Sprintf("x%d", count)
			}
			return fmt.Sprintf("x%d", r.IntN(3))
		}
		text := randomly(r, 1+r.IntN(3), next)
		e, err := ParseExpr(text)
		if err != nil || len(e.Names()) == 0 || len(e.Names()) > 8 {
			continue
		}
		box := map[string]Interval{}
		for _, name := range e.Names() {
			low := float64(r.IntN(40) - 10)
			box[name] = Interval{low, low + float64(max(0, r.IntN(40)-10))}
		}
		value := func(name string) (Interval, bool) { return box[name], true }
		i, ok := e.Interval(0.5, value)
		low, high := math.Inf(1), math.Inf(-1)
		all := true
		at := func(x map[string]float64) {
			v, has := e.Value(0.5, func(name string) (float64, bool) { return x[name], true })
			if all = all && has; has && ok {
				room := 1e-9 * max(1, math.Abs(v))
				require.LessOrEqual(t, i.Low-room, v, "%s %v", text, box)
				require.GreaterOrEqual(t, i.High+room, v, "%s %v", text, box)
			}
			low, high = min(low, v), max(high, v)
			held++
		}
		corners(box, e.Names(), at)
		for range 20 {
			x := map[string]float64{}
			for name, b := range box {
				x[name] = b.Low + r.Float64()*(b.High-b.Low)
			}
			at(x)
		}
		if n%2 != 0 {
			continue
		}
		single++
		require.False(t, ok && !all, "%s %v", text, box)
		if ok && !strings.Contains(text, "/") || ok && all {
			tight++
			require.InDelta(t, low, i.Low, 1e-9*max(1, math.Abs(low)), "%s %v", text, box)
			require.InDelta(t, high, i.High, 1e-9*max(1, math.Abs(high)), "%s %v", text, box)
		}
	}
	t.Logf("%d values held, of %d expressions with each name once %d had both ends", held, single, tight)
	require.Greater(t, tight, 500)
}

func TestIntervalsOfRelatedTerms(t *testing.T) {
	box := map[string]Interval{"a": {100, 150}, "b": {10, 40}, "c": {7, 7}}
	for _, c := range []struct {
		text      string
		low, high float64
		ok        bool
	}{
		{"a - a", 0, 0, true},
		{"(a + b - a) / c", 10.0 / 7, 40.0 / 7, true},
		{"b / (a + b)", 10.0 / 160, 40.0 / 140, true}, // a share never exceeds the whole
		{"b / b", 1, 1, true},
		{"(a - b) / a", 1 - 40.0/100, 1 - 10.0/150, true},
		{"2 * a - a / 2", 150, 225, true},
		{"a / (b - 20)", 0, 0, false}, // may be divided by nothing
		{"a / (c - c)", 0, 0, false},
		{"c / 2", 3.5, 3.5, true},
		{"c * (a - b)", 420, 980, true},
		{"a / d", 0, 0, false}, // there is no d
	} {
		e, err := ParseExpr(c.text)
		require.NoError(t, err)
		i, ok := e.Interval(1, func(name string) (Interval, bool) { x, ok := box[name]; return x, ok })
		require.Equal(t, c.ok, ok, c.text)
		if ok {
			require.InDelta(t, c.low, i.Low, 1e-12, c.text)
			require.InDelta(t, c.high, i.High, 1e-12, c.text)
		}
	}
}

// Random specifications, with random values of which parts are uncertain: every metric's truth lies between what is certain with what it
// may be less, and with what it may be more; and both ends are reached.
func TestMarginsOfSpecifications(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	metrics := 0
	for range 300 {
		events := []string{"e0", "e1", "e2", "e3", "e4"}
		known := append([]string(nil), events...)
		var text strings.Builder
		for k := range 6 {
			name, operands := fmt.Sprintf("M%d", k), []string{}
			for range 2 + r.IntN(3) {
				factor := ""
				if r.IntN(3) == 0 {
					factor = fmt.Sprint(2+r.IntN(5), " * ")
				}
				operands = append(operands, factor+known[r.IntN(len(known))])
			}
			sum := operands[0]
			for _, o := range operands[1:] {
				sum += []string{" + ", " - "}[r.IntN(2)] + o
			}
			fmt.Fprintf(&text, "compute %s = %s\n", name, sum)
			known = append(known, name)
		}
		s, err := Parse("random", []byte(text.String()))
		require.NoError(t, err, text.String())
		n := len(events)
		certain, uncertain, truth := make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range events {
			certain[i], uncertain[i] = r.Int64N(1000), max(0, r.Int64N(600)-200)
			truth[i] = certain[i] + r.Int64N(uncertain[i]+1)
		}
		for _, node := range s.Resolve(events).Nodes {
			metrics++
			more, less := Margins[0].Form(node.Form), Margins[1].Form(node.Form)
			at := func(form []Term, values []int64) int64 { return (&Node{Form: form}).Value(values) }
			low, high := at(node.Form, certain)+at(less, uncertain), at(node.Form, certain)+at(more, uncertain)
			v := node.Value(truth)
			require.True(t, low <= v && v <= high, "%d %d %d %s", low, v, high, text.String())
			least, most := int64(math.MaxInt64), int64(math.MinInt64)
			for mask := range 1 << n {
				corner := append([]int64(nil), certain...)
				for i := range corner {
					corner[i] += int64(mask>>i&1) * uncertain[i]
				}
				least, most = min(least, node.Value(corner)), max(most, node.Value(corner))
			}
			require.Equal(t, []int64{least, most}, []int64{low, high}, text.String())
		}
	}
	require.Greater(t, metrics, 1500)
}
