package limit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, place string
		want        Limit
	}{
		{"lock_competition=5%", "", Limit{Metric: "lock_competition", Bound: Bound{Kind: share, Number: 5}}},
		{" time = 2.5 s ", "", Limit{Metric: "time", Bound: Bound{Kind: fixed, Number: 2.5, Unit: "s"}}},
		{"late_sender@main/solve=200ms", "main/solve", Limit{Metric: "late_sender", Bound: Bound{Kind: fixed, Number: 200, Unit: "ms"}}},
		{"late_sender@main ▸ solve=.5%", "main/solve", Limit{Metric: "late_sender", Bound: Bound{Kind: share, Number: 0.5}}},
		{"x=20% of critical_path", "", Limit{Metric: "x", Bound: Bound{Kind: share, Number: 20, Of: "critical_path"}}},
		{"visits@/main/**/f*=30Ki", "/main/**/f*", Limit{Metric: "visits", Bound: Bound{Kind: fixed, Number: 30, Unit: "Ki"}}},
		{"messages=0", "", Limit{Metric: "messages", Bound: Bound{Kind: fixed}}},
		{"late_sender", "", Limit{Metric: "late_sender", Bound: Bound{Kind: same}}},
		{"late_sender@f=+10%", "f", Limit{Metric: "late_sender", Bound: Bound{Kind: moreShare, Number: 10}}},
		{"late_sender=+3us", "", Limit{Metric: "late_sender", Bound: Bound{Kind: moreFixed, Number: 3, Unit: "us"}}},
		{`t@a\/b/operator\==1s`, `a\/b/operator\=`, Limit{Metric: "t", Bound: Bound{Kind: fixed, Number: 1, Unit: "s"}}},
		{"t@GET /user/{id}=1s", "GET /user/{id}", Limit{Metric: "t", Bound: Bound{Kind: fixed, Number: 1, Unit: "s"}}},
		{`t@\0=1s`, "0", Limit{Metric: "t", Bound: Bound{Kind: fixed, Number: 1, Unit: "s"}}},
		{`t@/GET \/user\/{id} ▸ f=1s`, `/GET \/user\/{id}/f`, Limit{Metric: "t", Bound: Bound{Kind: fixed, Number: 1, Unit: "s"}}},
		{"t@operator==1s", `operator\=`, Limit{Metric: "t", Bound: Bound{Kind: fixed, Number: 1, Unit: "s"}}},
	} {
		l, err := Parse(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.place, l.Place.String(), c.text)
		l.Place = Place{}
		require.Equal(t, c.want, l, c.text)
	}
	for text, what := range map[string]string{
		"": "no metric", "=5%": "no metric", "@f=5%": "no metric", "a=": "not a number", "a=5x": `unknown unit "x"`, "a=-5%": "not a number",
		"a=+": "not a number", "a=5%of": "after the per cent sign", "a=5% of b c": "after the per cent sign", "a=+5% of b": "an increase by nothing",
		"a=1e5": "unknown unit", "a=1.2.3": "not a number", "a@=5%": "no place", "a@/=5%": "no place", "a@f//g=5%": "an empty name",
		"a@f/**=5%": "ends in a name", "a=" + strings.Repeat("9", 400): "not a number",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, what, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestParsePercent(t *testing.T) {
	p, err := ParsePercent("12.5%")
	require.NoError(t, err)
	require.Equal(t, 12.5, p)
	for _, bad := range []string{"", "10", "5ms", "+5%", "5% of time", "-5%", "x%"} {
		_, err := ParsePercent(bad)
		require.ErrorContains(t, err, "not a percentage", bad)
	}
}

func TestRead(t *testing.T) {
	list, err := read("limits", strings.NewReader("# what we promise\n\nlate_sender = 5%   # of the time\nlocks@a\\#b=3\n"))
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "late_sender=5%", list[0].String())
	require.Equal(t, `locks@a\#b=3`, list[1].String())
	_, err = read("limits", strings.NewReader("\na=5%\nb=5x"))
	require.EqualError(t, err, `limits:3: limit "b=5x": unknown unit "x"; there are %, ns, us, ms, s, min, h, k, M, G, T, Ki, Mi, Gi, Ti`)
	_, err = read("limits", strings.NewReader("# nothing\n"))
	require.EqualError(t, err, "limits: no limits")
	_, err = read("limits", strings.NewReader(strings.Repeat("x", 1<<20)))
	require.ErrorContains(t, err, "limits: ")
}

// A limit that can be read is written so that it reads as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"lock_competition=5%", "late_sender@main/solve=200ms", "a@/b/**/c*d=20% of e", "a=+3Ki", `a@\ x\//y\=`, "a@b ▸ c", "a@***=1", "x@\\\u00a0y", `a\ =1`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(l.String())
		require.NoError(t, err, "%q", l.String())
		require.Equal(t, l, again, "%q", l.String())
	})
}

// TestPlaceWithSlashes: a name with slashes is found as it is written, and with them escaped, but not a part of it.
func TestPlaceWithSlashes(t *testing.T) {
	path := func(name string, children ...*cube.CallPath) *cube.CallPath {
		return &cube.CallPath{Region: &cube.Region{Name: name}, Children: children}
	}
	c := &cube.Cube{Roots: []*cube.CallPath{path("serve", path("GET /user/{id}", path("f"))), path("GET /user/{id}"), path("GET", path("x"))}}
	var connect func(*cube.CallPath)
	connect = func(p *cube.CallPath) {
		for _, child := range p.Children {
			child.Parent = p
			connect(child)
		}
	}
	for _, p := range c.Roots {
		connect(p)
	}
	for text, want := range map[string]int{"GET /user/{id}": 2, `GET \/user\/{id}`: 2, "/GET /user/{id}": 1, "serve/GET /user/{id}": 1, "serve ▸ GET /user/{id} ▸ f": 1, "/serve/GET /user/{id}/f": 1,
		"user/{id}": 0, "ET /user/{id}": 0, "GET /user": 0, "/GET /user/{id}/f": 0, "GET/x": 1, "GET": 1, "GET / x": 1} {
		p, err := parsePlace(text)
		require.NoError(t, err, text)
		require.Len(t, p.Find(c), want, text)
	}
}
