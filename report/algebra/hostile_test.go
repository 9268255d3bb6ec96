package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
)

// Files can say anything about runs; nothing of it may lead to more than an error.
func TestWrongRuns(t *testing.T) {
	fresh := func() Input {
		a, b := random(1, true), random(2, true)
		return made(t, "mean")(Mean(a, b))
	}
	other := random(3, true)
	for _, c := range []struct {
		name, err string
		change    func(c *cube.Cube)
	}{
		{"runs that are none", "expert.runs.cubex", func(c *cube.Cube) { c.Members = []*cube.Member{cube.MakeMember(runsMember, []byte("nothing"))} }},
		{"runs of another report", "does not belong", func(c *cube.Cube) {
			a, b := random(17, true), random(18, true)
			c.Members = made(t, "x")(Mean(a, b)).Cube.Members
		}},
		{"no runs", "", func(c *cube.Cube) { c.Members = nil }},
		{"no number of runs", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, runsAttr, "many") }},
		{"fewer than no runs", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, runsAttr, "-3") }},
		{"too many runs", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, runsAttr, "99999999999999999999") }},
		{"numbers without a small denominator", "", func(c *cube.Cube) {
			setAttr(&c.Metric("time").Attrs, runsAttr, "1048573 1048571 1048559 1048549 1048517 1048507")
		}},
		{"sums that are not there", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, sumAttr, "nowhere") }},
		{"sums of itself", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, sumAttr, "time") }},
		{"squares of itself", "", func(c *cube.Cube) { setAttr(&c.Metric("time").Attrs, squaresAttr, "time") }},
		{"parts of itself", "", func(c *cube.Cube) { setAttr(&c.Metric("share").Attrs, composeAttr, "share work nowhere") }},
		{"a creator that is not there", "", func(c *cube.Cube) {
			setAttr(&c.Locations()[0].Group.Attrs, creatorAttr, "4711")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := fresh()
			c.change(in.Cube)
			SpreadOf(in.Cube)
			for _, op := range []func() (*Result, error){
				func() (*Result, error) { return Diff(in, other) },
				func() (*Result, error) { return Merge(other, in) },
				func() (*Result, error) { return Mean(in, in, other) },
				func() (*Result, error) {
					return Cut(in, CutOptions{Prune: []string{pathName(in.Cube.Roots[0].Children[0])}})
				},
			} {
				r, err := op()
				if c.err != "" {
					require.ErrorContains(t, err, c.err)
					continue
				}
				require.NoError(t, err)
				made(t, "result")(r, nil)
				if _, err := ChangesOf(r.Cube); err != nil {
					require.ErrorIs(t, err, errNoDifference)
				}
			}
			_, err := Compare(in, other)
			require.True(t, err == nil || c.err != "", "%v", err)
		})
	}
}
