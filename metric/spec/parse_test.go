package spec

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// All faults of a file are reported, each with its place.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"compose A = B - C", "1:15: \"-\": a composition only adds names; write compute for other sums"},
		{"measure A = B + C", "1:15: \"+\": one event is measured, or the first there is of several with | between"},
		{"compose A", `1:10: the end of the line, but "=" is needed`},
		{"compose = A", `1:9: "=", but a name is needed`},
		{"compute A = B / C", "1:15: a computation adds, subtracts and multiplies by whole numbers; write a ratio for the rest"},
		{"compute A = B * C", "1:15: a product in a computation needs a whole number up to 1048576"},
		{"compute A = B * 0.5", "1:15: a product in a computation needs a whole number up to 1048576"},
		{"compute A = B + 5", "1:17: a number alone cannot be counted; it can only multiply"},
		{"compute A = 1000000 * (1000000 * B)", "1:32: a factor of 1000000000000, at most 1048576 is allowed"},
		{"compute A = (B - C", `1:19: the end of the line, but ")" is needed`},
		{"compute A = B C", "1:15: C does not belong here"},
		{"compute A = 1x + B", "1:13: 1x is no number; put names that begin with a digit in quotes"},
		{"measure time = x", "1:9: time is the time that was spent; it needs no definition"},
		{"constitute A = B", "1:1: constitute begins no statement; there are absent, aggroup, compose, compute, cpu, describe, like, machine, measure, ratio, rest, root, set, title and unit"},
		{"override root A", "1:10: root cannot be overridden"},
		{"ratio R [high=x] = A / B", "1:15: x, but a number is needed"},
		{"ratio R [hi=1] = A / B", "1:10: hi is no attribute; there are high, least, low and unit"},
		{"ratio R [low=1 low=2] = A", "1:16: low is given twice"},
		{"set S = a, b a", "1:14: a is in the set S twice"},
		{"compose A = B + C + B", "1:21: B is in A twice"},
		{"compose A = B\ncompose B = C\ncompute C = A - d", "1:9: A is made of itself: A, B, C, A"},
		{"measure A = A", "1:9: A is made of itself: A, A"},
		{"root A", "1:6: no statement makes A"},
		{"rest A\nmeasure A = b", "1:6: A is said to be measured by nothing, but there is a statement for it"},
		{"describe A \"text\"", "1:10: nothing else says what A is"},
		{"measure A = b\nunit A = metres", "2:10: metres is no unit; there are ns, bytes, cycles and events"},
		{"describe A text", "1:12: text, but a text in quotes is needed"},
		{"title \"open", "1:7: the quote is not closed\nf:1:12: the end of the line, but a text in quotes is needed"},
		{"measure A = \x01b", "1:13: character U+0001 cannot be part of a specification"},
		{"measure A = b\xff", "1:14: this is not UTF-8"},
		{"machine counters = 0", "1:20: the number of counters is from 1 to 64"},
		{"machine fits 64 = a", "1:14: 64 is no counter; they are numbered from 0 to 63"},
		{"machine speed = 3", "1:9: speed says nothing of a machine; there are alone, counters, fits and group"},
		{"cpu family=six", "1:1: six is no number or range of numbers"},
		{"cpu", "1:4: a processor needs attributes: arch, family, model, name and vendor"},
		{"like nobody", "1:6: specification nobody: not among those that are shipped: " + strings.Join(Shipped(), ", ")},
		{"compose A = B -\n C\nmeasure\n\nfoo\n  compute D = E ) F", `1:15: "-": a composition only adds names; write compute for other sums
f:3:8: the end of the line, but a name is needed
f:5:1: foo begins no statement; there are absent, aggroup, compose, compute, cpu, describe, like, machine, measure, ratio, rest, root, set, title and unit
f:6:17: ")" does not belong here`},
	} {
		require.EqualError(t, problems(c.text), "f:"+c.want, "%s", c.text)
	}
}

func TestLinesAreContinuedAtOperators(t *testing.T) {
	for _, text := range []string{
		"compose A = b + c + d",
		"compose A = b +\n\n   # comment\nc + d",
		"compose A = b\n+ c\n\n\n+ d # comment",
		"compose A =\r\n b +\r\n c\r\n + d\r\n",
		"compose \"A\" = \"b\"+c+\"d\"",
	} {
		require.Equal(t, "A 6\n  b 1\n  c 2\n  d 3\n", tree(parse(t, text), "b=1 c=2 d=3"), text)
	}
	s := parse(t, "aggroup S = a b\nset T = c,\n  d\nset U = e f")
	require.Equal(t, []Set{{Name: "S", Events: []string{"a", "b"}}, {Name: "T", Events: []string{"c", "d"}}, {Name: "U", Events: []string{"e", "f"}}}, s.Sets)
}

// Expressions follow the usual rules, whatever stands in the way of a computer's numbers.
func TestRatios(t *testing.T) {
	values := map[string]float64{"a": 12, "b": 4, "c": 3, metric.Time: 1000, "zero": 0, "huge": 1e308}
	value := func(name string) (float64, bool) { v, ok := values[name]; return v, ok }
	for _, c := range []struct {
		text  string
		least float64
		want  float64 // NaN: none
	}{
		{"a / b / c", 1, 1}, {"a / (b / c)", 1, 9}, {"a - b - c", 1, 5}, {"a - b * c", 1, 0}, {"-a + b", 1, -8}, {"- (a - b) * 2", 1, -16},
		{"min(a, b, c) / max(b, c)", 1, 0.75}, {"a * 1e9 / time", 1, 12e6}, {"a / b", 5, math.NaN()}, {"a / b", 4, 3}, {"a / zero", 0, math.NaN()},
		{"a / (b - a)", 0, math.NaN()}, {"a / 0.5", 1, 24}, {"a / unknown", 0, math.NaN()}, {"huge * huge / a", 0, math.NaN()}, {"zero / a", 1, 0},
	} {
		s := parse(t, "ratio R = "+c.text)
		v, ok := s.ratios[0].alternatives[0].Value(c.least, value)
		require.Equal(t, !math.IsNaN(c.want), ok, c.text)
		if ok {
			require.InDelta(t, c.want, v, 1e-9, c.text)
		}
	}
}

func TestCubePL(t *testing.T) {
	e := parse(t, "ratio R = (A - B) / max(A, L1-x) * 2e9 / time - C / 2").ratios[0].alternatives[0]
	require.Equal(t, []string{"A", "B", "L1-x", "C"}, e.Names())
	names := map[string]string{"A": "a", "B": "b", "C": "c", "L1-x": "l1x", metric.Time: "t"}
	require.Equal(t, "{ if ((metric::t() >= 10) and (max(metric::a(), metric::l1x()) >= 10)) { ${ratio} = "+
		"(((((metric::a() - metric::b()) / max(metric::a(), metric::l1x())) * 2000000000) / metric::t()) - (metric::c() / 2)); }; return ${ratio}; }",
		e.CubePL(10, func(n string) [3]string { return [3]string{names[n]} }))
}

func TestUnitsAndDescriptions(t *testing.T) {
	s := parse(t, `title "A title"
		compose CYCLES = A + B
		measure A = a
		measure B = b
		unit CYCLES = cycles
		unit B = ns
		describe A "What A is"
		describe S "What S is"
		describe R "What R is"
		set S = a
		ratio R [unit="per cycle" low=-1 high=2.5 least=1e3] = A / CYCLES
		ratio Q = A / CYCLES`)
	r := s.Resolve([]string{"a", "b"})
	require.Equal(t, "A title", s.Title)
	require.Equal(t, []string{"cycles", "cycles", "ns"}, []string{r.Nodes[0].Unit, r.Nodes[1].Unit, r.Nodes[2].Unit})
	require.Equal(t, "What A is", r.Nodes[1].Description)
	require.Equal(t, "What S is", s.Sets[0].Description)
	require.Equal(t, "test", r.Nodes[0].Spec)
	q := r.Ratios[0]
	q.Expression = nil
	require.Equal(t, Ratio{Name: "R", Unit: "per cycle", Low: -1, High: 2.5, Least: 1000, Description: "What R is"}, q)
	require.Equal(t, 1.0, r.Ratios[1].Least)
}

func TestEventsOfASpecification(t *testing.T) {
	s := parse(t, "compose A = B + c + OTHER\nmeasure B = d | e\ncompute F = B - g | h - i\ncompute J = k\nset S = l\nrest OTHER\nabsent m")
	require.Equal(t, []string{"c", "d", "e", "g", "h", "i", "k", "l"}, s.Events())
	require.Equal(t, [][]string{{"d", "g"}, {"h", "i"}}, s.Together())
	require.Equal(t, []string{"A", "F", "J"}, s.Roots())
}

func TestUserModeCountsStandForAll(t *testing.T) {
	s := parse(t, "measure CYCLES = cycles\nratio R = cycles / time")
	r := s.Resolve([]string{"cycles:u"})
	require.Equal(t, []Term{{0, 1}}, r.Nodes[0].Form)
	require.Empty(t, r.Unlisted)
	r = s.Resolve([]string{"cycles:u", "cycles"})
	require.Equal(t, []Term{{1, 1}}, r.Nodes[0].Form)
	require.Equal(t, []string{"cycles:u"}, r.Unlisted)
}

// Whatever is in a file, reading and resolving it takes bounded time and memory.
func TestHostileText(t *testing.T) {
	long := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"deep parentheses": "compute A = " + strings.Repeat("(", 20000),
		"deep signs":       "compute A = " + strings.Repeat("- ", 20000) + "b",
		"long sum":         "compute A = b" + strings.Repeat(" + b", 20000),
		"long composition": "compose A = b" + long(20000, func(i int) string { return fmt.Sprint(" + b", i) }),
		"deep hierarchy":   long(4000, func(i int) string { return fmt.Sprintf("compose A%d = A%d + e\n", i, i+1) }),
		"long circle":      long(4000, func(i int) string { return fmt.Sprintf("compute A%d = A%d\n", i, (i+1)%4000) }),
		"many circles":     long(4000, func(i int) string { return fmt.Sprintf("compute A%d = A%d + A%d\n", i, i, i+1) }),
		"many roots": long(2000, func(i int) string { return fmt.Sprintf("compose R%d = C0 + a%d\n", i, i) }) +
			long(60, func(i int) string { return fmt.Sprintf("compose C%d = C%d + c%d + d%d + e%d\n", i, i+1, i, i, i) }),
		"doubling":     long(60, func(i int) string { return fmt.Sprintf("compute A%d = A%d + A%d\n", i, i+1, i+1) }),
		"statements":   strings.Repeat("root a\n", 20000),
		"faults":       strings.Repeat("x\n", 20000),
		"quotes":       strings.Repeat("\"", 100001),
		"likes":        strings.Repeat("like papi\n", 4000),
		"long name":    "measure " + strings.Repeat("n", 1<<19) + " = x",
		"no text":      "",
		"large":        strings.Repeat("#", 2<<20),
		"alternatives": "ratio A = a" + strings.Repeat(" | a / b", 20000),
		"wide everything": long(60, func(i int) string {
			return fmt.Sprintf("compute X%d = e0%s + X%d\n", i, long(900, func(j int) string { return fmt.Sprint(" + e", j+900*i) }), i+1)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := Parse("f", []byte(text))
			if err != nil {
				require.LessOrEqual(t, len(err.(Problems)), maxProblems+1)
				require.Less(t, len(err.Error()), 1<<17)
			} else {
				events := s.Events()
				r := s.Resolve(events)
				require.LessOrEqual(t, len(r.Nodes), maxForms)
				s.Together()
			}
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30), "in all, most of it garbage")
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("f", text)
		if err != nil {
			require.NotEmpty(t, err.(Problems))
			return
		}
		events := s.Events()
		s.Together()
		for _, measured := range [][]string{events, events[len(events)/2:], nil} {
			r := s.Resolve(measured)
			values := make([]int64, len(measured))
			for i := range values {
				values[i] = int64(i)
			}
			for i := range r.Nodes {
				n := &r.Nodes[i]
				require.Less(t, n.Parent, i)
				n.Value(values)
				for _, term := range n.Form {
					require.Less(t, term.Event, len(measured))
					require.NotZero(t, term.Times)
				}
			}
			for _, q := range r.Ratios {
				q.Expression.Value(q.Least, func(string) (float64, bool) { return 2, true })
				again, err := ParseExpr(q.Expression.String())
				require.NoError(t, err)
				require.Equal(t, q.Expression.Names(), again.Names())
			}
		}
	})
}
