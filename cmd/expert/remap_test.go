package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
	"tracerec/report/query"
)

func TestRemap(t *testing.T) {
	dir := t.TempDir()
	in, out, spec := filepath.Join(dir, "in.cubex"), filepath.Join(dir, "out.cubex"), filepath.Join(dir, "some.spec")
	c := cubetest.Synthetic(4, 10, 20, 1)
	c.Members = append(c.Members, cube.MakeMember("remapping.spec", []byte(`<metrics><metric><uniq_name>metric1</uniq_name></metric></metrics>`)))
	require.NoError(t, c.Save(in))
	require.NoError(t, os.WriteFile(spec, []byte(`<metrics><metric type="POSTDERIVED"><disp_name>All & sundry</disp_name><uniq_name>all</uniq_name>
<dtype>DOUBLE</dtype><cubepl>metric::metric1() < 0 or metric::metric0() + metric::metric2()</cubepl></metric></metrics>`), 0o644))
	expert := func(args ...string) (int, string) {
		var stderr bytes.Buffer
		return execute(append([]string{"remap"}, args...), &bytes.Buffer{}, &stderr), stderr.String()
	}
	roots := func() (names []string) {
		c, err := cube.Open(out)
		require.NoError(t, err)
		defer c.Close()
		for _, m := range c.Metrics {
			names = append(names, m.Name)
		}
		return names
	}

	status, text := expert(in, "-o", out)
	require.Zero(t, status, text)
	require.Equal(t, []string{"metric1", "metric0", "metric2"}, roots(), "the specification first, then the rest")

	status, text = expert(in, "-r", spec, "--define", "twice[ns]=2 * metric::metric0()", "--define", "half=metric::twice()/4", "-o", out)
	require.Zero(t, status, text)
	require.Equal(t, []string{"all", "metric0", "metric2", "twice", "half"}, roots())
	d, err := cube.Open(out)
	require.NoError(t, err)
	defer d.Close()
	m, err := query.New(d)
	require.NoError(t, err)
	want, err := c.Metric("metric0").Total()
	require.NoError(t, err)
	got, err := m.Total(query.What{Metric: m.Metric("half")})
	require.NoError(t, err)
	require.Equal(t, want.Float64()/2, got.Float64())
	require.Equal(t, "ns", d.Metric("twice").Unit)

	status, text = expert(in, "-r", in, "-o", out)
	require.Zero(t, status, text)
	broken := filepath.Join(dir, "broken.spec")
	require.NoError(t, os.WriteFile(broken, []byte("<metrics><metric>"), 0o644))
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{in, "-r", broken, "-o", out}, "broken.spec: offset 17: "},
		{[]string{out, "-o", dir + "/x"}, "says nothing about the hierarchy"},
		{[]string{in, "-o", dir}, "is a directory"},
		{[]string{in, "-r", dir, "-o", out}, "no specification of metrics"},
		{[]string{in, "-r", out, "-o", dir + "/x"}, "the report has no specification"},
		{[]string{in, "--define", "x", "-o", out}, `"x" is not NAME=EXPRESSION`},
		{[]string{in, "--define", "x[ns=1", "-o", out}, "the unit does not end"},
		{[]string{in, "--define", "x y=1", "-o", out}, `"x y" is no name`},
		{[]string{in, "--define", "x=1 +", "-o", out}, "metric x: offset 3"},
		{[]string{in, "--define", "x=metric::nothing()", "-o", out}, `the report has no metric "nothing"`},
		{[]string{in, "--define", "metric1=1", "-o", out}, "the report has one of this name"},
	} {
		status, text := expert(x.args...)
		require.Equal(t, 2, status, x.args)
		require.Contains(t, text, x.want)
		require.Equal(t, 1, strings.Count(text, "\n"), text)
	}
}
