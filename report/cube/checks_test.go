package cube

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// againstCSV compares every value with those that pycubexr expects, digit for digit.
func againstCSV(inclusive, exclusive string) check {
	return func(t *testing.T, file string, c *Cube) {
		compareCSV(t, filepath.Join(filepath.Dir(file), inclusive), c, true)
		compareCSV(t, filepath.Join(filepath.Dir(file), exclusive), c, false)
	}
}

func compareCSV(t *testing.T, file string, c *Cube, inclusive bool) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.TrimLeadingSpace = true
	lines, err := r.ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+len(c.Paths())*len(c.Locations()))
	require.Len(t, lines[0], 2+len(c.AllMetrics()), "metrics")
	paths := map[string]*CallPath{}
	for _, p := range c.Paths() {
		paths[strconv.Itoa(p.ID)] = p
	}
	columns := map[string]*Location{}
	for _, l := range c.Locations() {
		columns[strconv.Itoa(l.ID)] = l
	}
	for i, name := range lines[0][2:] {
		m := c.Metric(name)
		require.NotNil(t, m, name)
		values := map[string][]Value{}
		for id, p := range paths {
			values[id], err = m.Values(p, inclusive)
			require.NoError(t, err)
		}
		for n, line := range lines[1:] {
			v := values[line[0]][columns[line[1]].Column()]
			if got := asCSV(m, v); got != normalExponent(line[2+i]) {
				t.Fatalf("%s:%d: %s is %s, %s expected", file, n+2, name, got, line[2+i])
			}
		}
	}
}

// asCSV formats a value with the digits that the expected values have.
func asCSV(m *Metric, v Value) string {
	switch m.DType {
	case "DOUBLE", "FLOAT":
		return strconv.FormatFloat(v.Float64(), 'g', 6, 64)
	case "MINDOUBLE", "MAXDOUBLE":
		return strconv.FormatFloat(v.Float64(), 'g', 12, 64)
	}
	return v.String()
}

var threeDigits = regexp.MustCompile(`e-0(\d\d)$`)

// normalExponent removes what some C libraries write more: "1e-005" is "1e-05".
func normalExponent(s string) string {
	return threeDigits.ReplaceAllString(s, "e-$1")
}

// againstOracle compares all exclusive values that are not zero with a list made from the same file by other means.
func againstOracle(t *testing.T, file string, c *Cube) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "oracle.tsv"))
	require.NoError(t, err)
	want := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		f := strings.Split(line, "\t")
		require.Equal(t, "EXCLUSIVE", f[1])
		v, err := strconv.ParseFloat(f[6], 64)
		require.NoError(t, err)
		want[strings.Join(f[:6], "\t")] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	require.NotEmpty(t, want)
	listed := map[string]bool{}
	for key := range want {
		name, _, _ := strings.Cut(key, "\t")
		listed[name] = true
	}
	got := map[string]string{}
	for _, m := range c.AllMetrics() {
		if !listed[m.Name] {
			requireUnlisted(t, m)
			continue
		}
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			require.NoError(t, err)
			for _, l := range c.Locations() {
				if v := r.Value(l.Column()); !v.Zero() {
					key := fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t%d", m.Name, m.Kind, p.ID, callPathName(p), l.Group.Rank, l.Rank)
					got[key] = strconv.FormatFloat(v.Float64(), 'g', -1, 64)
				}
			}
		}
	}
	require.True(t, maps.Equal(want, got), "%d values, %d expected", len(got), len(want))
}

// requireUnlisted requires that a metric is one of the two that the list leaves out, or zero.
func requireUnlisted(t *testing.T, m *Metric) {
	if m.Name == "time" || m.Name == "visits" {
		return
	}
	v, err := m.Total()
	require.NoError(t, err)
	require.True(t, v.Zero(), m.Name)
}

func callPathName(p *CallPath) string {
	if p.Parent == nil {
		return p.Region.Name
	}
	return callPathName(p.Parent) + "/" + p.Region.Name
}

var statLine = regexp.MustCompile(`(?m)^(\w+)\s+(\d+(?:\s+[\d.]+){5,8})\s*$`)

// againstStat compares sums with those of trace.stat, which has ten decimals and added in another order.
func againstStat(t *testing.T, file string, c *Cube) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "trace.stat"))
	require.NoError(t, err)
	patterns := statLine.FindAllStringSubmatch(string(text), -1)
	require.Len(t, patterns, len(regexp.MustCompile(`(?m)^[a-z]`).FindAllString(string(text), -1)))
	for _, line := range patterns {
		m := c.Metric(line[1])
		require.NotNil(t, m, line[1])
		want, err := strconv.ParseFloat(strings.Fields(line[2])[5], 64)
		require.NoError(t, err)
		got, err := m.Total()
		require.NoError(t, err)
		require.InDelta(t, want, got.Float64(), 1e-10, m.Name)
	}
}

// nested requires that no call path takes less time than the call paths below it, so that the rows of inclusive values
// are where they belong.
func nested(t *testing.T, _ string, c *Cube) {
	m := c.Metric("time")
	require.Equal(t, Inclusive, m.Kind)
	for _, p := range c.Paths() {
		values, err := m.Values(p, false)
		require.NoError(t, err)
		for _, v := range values {
			if v.Float64() < -1e-13 {
				t.Fatalf("call path %d takes %s s less than those below it", p.ID, v)
			}
		}
	}
}

// visited requires that time, which is stored inclusive, is there where visits are, which are stored exclusive.
func visited(t *testing.T, _ string, c *Cube) {
	for _, p := range c.Paths() {
		time, err := c.Metric("time").Values(p, true)
		require.NoError(t, err)
		visits, err := c.Metric("visits").Values(p, false)
		require.NoError(t, err)
		for i := range time {
			if visits[i].Zero() != time[i].Zero() {
				t.Fatalf("call path %d: %s visits, %s s", p.ID, visits[i], time[i])
			}
		}
	}
}

// negative requires that so many exclusive values of counters are less than zero, which they keep.
func negative(n int) check {
	return func(t *testing.T, _ string, c *Cube) {
		found := 0
		for _, m := range c.AllMetrics() {
			if m.Kind != Inclusive || m.DType != "UINT64" {
				continue
			}
			for _, p := range c.Paths() {
				values, err := m.Values(p, false)
				require.NoError(t, err)
				for _, v := range values {
					if v.Int64() < 0 && v.Float64() < 0 {
						found++
					}
				}
			}
		}
		require.Equal(t, n, found)
	}
}

// composed requires that time is what its parts are together.
func composed(t *testing.T, _ string, c *Cube) {
	m := c.Metric("time")
	whole, err := m.Total()
	require.NoError(t, err)
	var parts Value
	for _, child := range m.Children {
		v, err := child.Total()
		require.NoError(t, err)
		parts = parts.Add(v)
	}
	require.InEpsilon(t, whole.Float64(), parts.Float64(), 1e-12)
}

// stored compares rows with lines "METRIC: VALUE VALUE …": all locations of the first call path, then of the next.
func stored(lines ...string) check {
	return func(t *testing.T, _ string, c *Cube) {
		for _, line := range lines {
			name, want, _ := strings.Cut(line, ": ")
			var got []string
			for _, p := range c.Paths() {
				r, err := c.Metric(name).Row(p)
				require.NoError(t, err)
				for i := range r.Len() {
					got = append(got, r.Value(i).String())
				}
			}
			require.Equal(t, want, strings.Join(got, " "), name)
		}
	}
}

func total(name, want string) check {
	return func(t *testing.T, _ string, c *Cube) {
		v, err := c.Metric(name).Total()
		require.NoError(t, err)
		require.Equal(t, want, v.String())
	}
}

// cubelibExample is what the example program of cubelib writes.
func cubelibExample(t *testing.T, file string, c *Cube) {
	stored("Uniq_name1: 4 0 5 9 0 0", "Uniq_name2: 2 1 0 3 0 0", "Uniq_name3: 0 0 0 323 0 0")(t, file, c)
	require.Equal(t, "Athena", c.System[0].Children[0].Name)
	require.Equal(t, []Dim{{"", 3, true}, {"", 3, false}}, c.Topologies[1].Dims)
	require.Equal(t, Coord{c.Locations()[1], []int{1, 0}}, c.Topologies[1].Coords[1])
	require.Equal(t, `MY SUPER TOPOL<<d>&&$%&<y;""OGYW 2`, c.Topologies[1].Name)
	require.Equal(t, []string{"http://icl.cs.utk.edu/software/kojak/", "http://www.fz-juelich.de/jsc/kojak/"}, c.Mirrors)
	if c.Version == "4.0" {
		require.Len(t, c.Members, 2)
		b, err := io.ReadAll(c.Members[0].Open())
		require.NoError(t, err)
		require.Contains(t, string(b), "sat on a wall")
		require.Equal(t, 1, c.Metric("Uniq_name1").data.extra)
	}
}

// example is a report of which both trees and values are simple; n scales them.
func example(n float64) check {
	return func(t *testing.T, _ string, c *Cube) {
		main, parallel := c.Paths()[0], c.Paths()[3]
		time, err := c.Metric("time").Values(main, true)
		require.NoError(t, err)
		require.InEpsilonSlice(t, []float64{14 * n, 3.2 * n, 13.9 * n, 3.1 * n}, floats(time), 1e-12)
		own, err := c.Metric("time").Values(main, false)
		require.NoError(t, err)
		require.InDelta(t, (14-5-4.2-3.5)*n, own[0].Float64(), 1e-12)
		visits, err := c.Metric("visits").Values(parallel, false)
		require.NoError(t, err)
		require.Equal(t, []float64{6 * n, 6 * n, 6 * n, 6 * n}, floats(visits))
		all, err := c.Metric("visits").Values(main, true)
		require.NoError(t, err)
		require.Equal(t, []float64{1 + 8 + 7*n + 6*n + 1, 6 * n, 1 + 8 + 7*n + 6*n + 1, 6 * n}, floats(all))
	}
}

func floats(values []Value) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v.Float64()
	}
	return list
}

// allTypes is a report with a metric of each type; numbers count from 1, or from 1.1.
func allTypes(t *testing.T, file string, c *Cube) {
	for _, d := range []string{"INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"} {
		stored(d+": 1 2 3 4 5 6 7 8 9 10 11 12")(t, file, c)
	}
	for _, d := range []string{"DOUBLE", "MINDOUBLE", "MAXDOUBLE"} {
		stored(d+": 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 10.1 11.11 12.12")(t, file, c)
	}
	for name, want := range map[string]string{ // how the value of the first location begins
		"RATE":        "000000000000f03f 000000000000f03f",
		"COMPLEX":     "000000000000f03f 000000000000f03f",
		"TAU_ATOMIC":  "01000000 000000000000f03f 000000000000f03f 000000000000f03f 000000000000f03f",
		"HISTOGRAM5":  "000000000000f03f 0000000000000840 0000000000000000 000000000000f03f 0000000000000040",
		"NDOUBLES10":  "0000000000000000 000000000000f03f 0000000000000040 0000000000000840 0000000000001040",
		"SCALE_FUNC3": "02000000 00000000 0000000000000040 02000000 03000000 04000000 000000000000f03f",
	} {
		r, err := c.Metric(name).Row(c.Paths()[0])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(fmt.Sprintf("%x", r.Raw(0)), strings.ReplaceAll(want, " ", "")), "%s: %x", name, r.Raw(0))
		_, err = c.Metric(name).Values(c.Paths()[0], true)
		require.ErrorIs(t, err, ErrComposite)
	}
}

// same requires that another file has the same metrics and values.
func same(other string) check {
	return func(t *testing.T, file string, c *Cube) {
		require.True(t, maps.Equal(allValues(t, beside(t, file, other)), allValues(t, c)))
	}
}

func differs(other string) check {
	return func(t *testing.T, file string, c *Cube) {
		require.False(t, maps.Equal(allValues(t, beside(t, file, other)), allValues(t, c)))
	}
}

func beside(t *testing.T, file, other string) *Cube {
	c, err := Open(filepath.Join(filepath.Dir(file), other))
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// allValues returns the bytes of all rows that are not zero, by metric and call path.
func allValues(t *testing.T, c *Cube) map[string]string {
	rows := map[string]string{}
	for _, m := range c.AllMetrics() {
		if m.Kind.Derived() {
			continue
		}
		for _, p := range c.Paths() {
			r, err := m.Row(p)
			require.NoError(t, err)
			if !r.Zero() {
				rows[fmt.Sprintf("%s %s %d", m.Name, callPathName(p), p.ID)] = string(r.dense())
			}
		}
	}
	return rows
}

// text3 compares all values of a `.cube` with what is found there by cutting the text.
func text3(t *testing.T, file string, c *Cube) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		text, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	var want, got []string
	for _, matrix := range strings.Split(string(text), `<matrix metricId="`)[1:] {
		metric, _, _ := strings.Cut(matrix, `"`)
		for _, row := range strings.Split(matrix, `<row cnodeId="`)[1:] {
			path, values, _ := strings.Cut(row, `">`)
			values, _, _ = strings.Cut(values, "<")
			for i, v := range strings.Fields(values) {
				if f, err := strconv.ParseFloat(v, 64); err != nil || f != 0 {
					want = append(want, fmt.Sprint(metric, " ", path, " ", i, " ", f))
				}
			}
		}
	}
	for _, m := range c.AllMetrics() {
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			require.NoError(t, err)
			for i, v := range r.All() {
				if !v.Zero() {
					got = append(got, fmt.Sprint(m.ID, " ", p.ID, " ", i, " ", v.Float64()))
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	require.True(t, slices.Equal(want, got), "%d values, %d expected", len(got), len(want))
}
