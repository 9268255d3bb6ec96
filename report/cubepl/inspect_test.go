package cubepl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInspect(t *testing.T) {
	p, err := Parse(`{ ${x}[${i}] = metric::a(i); if (metric::fixed::b(e) > 0) { ${y} = metric::a(i) + metric::a(); }
		elseif (1) { cube::metric::set::c("value", "VOID"); } else { while (0) { ${z} = metric::call::d(${k}, e, 1, i); }; };
		return -max(metric::context::e(*, e), |${w}|) * (${t} =~ /x/); }`)
	require.NoError(t, err)
	require.Equal(t, []Reference{{"a", Inclusive, Same, false}, {"b", Exclusive, Same, true}, {"a", Same, Same, false},
		{"d", Exclusive, Inclusive, true}, {"e", Same, Exclusive, false}}, p.References())
	require.Equal(t, []string{"i", "k", "t", "w", "x", "y", "z"}, p.Variables())
	require.Equal(t, []string{"x", "y", "z"}, p.Assigned())
	require.True(t, p.Sets())

	p, err = Parse("1 + ${x}")
	require.NoError(t, err)
	require.Empty(t, p.References())
	require.Empty(t, p.Assigned())
	require.False(t, p.Sets())
}

func TestCloneOfGlobals(t *testing.T) {
	g := NewGlobals()
	p, err := Parse(`{ global(a); ${a}[0] = 1; ${a}[1] = "x"; }`)
	require.NoError(t, err)
	c := newCube(t)
	require.NoError(t, p.Bind(NewContext(c, g)).Run())
	h := g.Clone()
	q, err := Parse(`{ ${a}[0] = 2; ${a}[1] = 3; }`)
	require.NoError(t, err)
	require.NoError(t, q.Bind(NewContext(c, h)).Run())
	require.Equal(t, []Value{Number(1), Text("x")}, []Value{g.Get("a", 0), g.Get("a", 1)})
	require.Equal(t, []Value{Number(2), Number(3)}, []Value{h.Get("a", 0), h.Get("a", 1)})
	require.True(t, h.Has("a") && !h.Has("b"))
}
