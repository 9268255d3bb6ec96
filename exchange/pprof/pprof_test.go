package pprof_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/pprof"
	"tracerec/internal/cubetest"
	"tracerec/internal/testkit"
	"tracerec/internal/tracetest"
	"tracerec/patterns"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/table"
	"tracerec/trace"
)

// demo is the report of a synthetic trace with most kinds of waits.
func demo(t *testing.T) *cube.Cube {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, 20_000, 1))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("synthetic", bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	c, err := e.Report("")
	require.NoError(t, err)
	return c
}

func model(t *testing.T, c *cube.Cube) *query.Model {
	m, problems, err := query.Display(c)
	require.NoError(t, err)
	require.Empty(t, problems)
	return m
}

// write writes a profile to a file.
func write(t *testing.T, m *query.Model) (file string, notes []string) {
	t.Helper()
	var out bytes.Buffer
	notes, err := pprof.Write(&out, m, pprof.Options{Metrics: m.Metrics, Program: "demo"})
	require.NoError(t, err)
	p, err := profile.ParseData(out.Bytes())
	require.NoError(t, err)
	require.NoError(t, p.CheckValid())
	file = filepath.Join(t.TempDir(), "profile.pb.gz")
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	return file, notes
}

// tool returns the pprof of the Go tools, or skips the test if there is none.
func tool(t *testing.T) string {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	if err != nil {
		t.Skip("no go tool pprof here")
	}
	return strings.TrimSpace(string(out))
}

// weights are what pprof says of a function.
type weights struct{ flat, cum int64 }

// expected is what expert stat says of the regions, in the unit of the profile, and how much may be lost by rounding.
func expected(m *query.Model, q *query.Metric) (want map[string]weights, tolerance float64) {
	scale := 1.0
	if q.Unit == "sec" {
		scale = 1e9
	}
	list := []*query.Metric{q}
	want = map[string]weights{}
	for _, r := range stat(m, table.StatOptions{Metrics: list}) {
		name := r.Labels[0].(string)
		w := want[name]
		w.flat += int64(math.Round(r.Values[0].Float64() * scale))
		want[name] = w
	}
	// Regions may have the same name, which pprof counts once in a stack, so calls are counted by call path.
	for _, r := range stat(m, table.StatOptions{Metrics: list, CallPaths: true}) {
		stack := slices.Clone(r.Labels[0].([]string))
		slices.Sort(stack)
		for _, name := range slices.Compact(stack) {
			w := want[name]
			w.cum += int64(math.Round(r.Values[0].Float64() * scale))
			want[name] = w
		}
	}
	if q.DType == "DOUBLE" || q.DType == "FLOAT" || q.Kind.Derived() {
		tolerance = 1 + float64(len(m.Cube.Paths())*len(m.Cube.Locations()))/2
	}
	return want, tolerance
}

func stat(m *query.Model, o table.StatOptions) []table.Row {
	x, err := table.Stat(m, o)
	if err != nil {
		panic(err)
	}
	return x.Rows
}

// agree compares all functions.
func agree(t *testing.T, m *query.Model, q *query.Metric, got map[string]weights) (compared int) {
	t.Helper()
	want, tolerance := expected(m, q)
	for name := range got {
		require.Contains(t, want, name, q.Name)
	}
	for name, w := range want {
		require.InDelta(t, w.flat, got[name].flat, tolerance, "%s: %s, flat", q.Name, name)
		require.InDelta(t, w.cum, got[name].cum, tolerance, "%s: %s, cum", q.Name, name)
	}
	return len(want)
}

// reports returns what to test with: a report of ours, and two of Scalasca if they are there, with -short one.
func reports(t *testing.T) map[string]*cube.Cube {
	list := map[string]*cube.Cube{"demo": demo(t)}
	for i, name := range []string{"partdiff2", "npb-btmzS_4x2"} {
		if i > 0 && testing.Short() {
			break // the larger one
		}
		c, err := cube.Open(filepath.Join("../../../shared/data/oracle", name, "scout.cubex"))
		if os.IsNotExist(err) {
			t.Logf("%s is not here", name)
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		list[name] = c
	}
	return list
}

var topLine = regexp.MustCompile(`^ *(-?\d+)(?:ns|B)? +\S+% +\S+% +(-?\d+)(?:ns|B)? +\S+%  (.*)$`)

// What go tool pprof -top prints for each sample type is what expert stat says.
func TestTop(t *testing.T) {
	program := tool(t)
	for name, c := range reports(t) {
		t.Run(name, func(t *testing.T) {
			m := model(t, c)
			file, _ := write(t, m)
			script := "nodefraction=0\nnodecount=1000000\n"
			var list []*query.Metric
			for _, q := range m.Metrics {
				if q.Err == nil && q.Additive {
					list = append(list, q)
					unit := map[string]string{"ns": "ns", "sec": "ns", "bytes": "B"}[q.Unit]
					script += "sample_index=" + q.Name + "\nunit=" + cmp.Or(unit, "count") + "\ntop\n"
				}
			}
			cmd := exec.Command(program, file)
			cmd.Stdin = strings.NewReader(script)
			out, err := cmd.Output()
			require.NoError(t, err)
			parts := strings.Split(string(out), "Showing nodes accounting for")[1:]
			require.Len(t, parts, len(list), "%s", out)
			compared := 0
			for i, q := range list {
				got := map[string]weights{}
				for line := range strings.Lines(parts[i]) {
					if f := topLine.FindStringSubmatch(strings.TrimRight(line, "\n")); f != nil {
						flat, err := strconv.ParseInt(f[1], 10, 64)
						require.NoError(t, err)
						cum, err := strconv.ParseInt(f[2], 10, 64)
						require.NoError(t, err)
						got[f[3]] = weights{flat, cum}
					}
				}
				compared += agree(t, m, q, got)
			}
			require.Greater(t, compared, 100)
			t.Logf("%d metrics, %d functions with values", len(list), compared)
		})
	}
}

var topTable = regexp.MustCompile(`makeTopTable\( *-?\d+ *, (\[.*\]|null)\)`)

// What the web pages of go tool pprof -http show is the same.
func TestHTTP(t *testing.T) {
	program := tool(t)
	for name, c := range reports(t) {
		t.Run(name, func(t *testing.T) {
			m := model(t, c)
			address := serve(t, program, m)
			compared := 0
			for _, q := range m.Metrics {
				want, _ := expected(m, q)
				if q.Err == nil && q.Additive && len(want) > 0 { // pprof has no page without samples
					compared += agree(t, m, q, page(t, address+"/ui/top?nf=0&n=1000000&si="+q.Name))
				}
			}
			require.Greater(t, compared, 100)
		})
	}
}

// serve starts pprof and returns its address.
func serve(t *testing.T, program string, m *query.Model) (address string) {
	file, _ := write(t, m)
	cmd := exec.Command(program, "-no_browser", "-http=localhost:", file)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for s := bufio.NewScanner(stderr); address == "" && s.Scan(); {
		if _, found, ok := strings.Cut(s.Text(), "http://"); ok {
			address = "http://" + found
		}
	}
	require.NotEmpty(t, address)
	go io.Copy(io.Discard, stderr)
	return address
}

// page returns what a page of pprof shows of functions.
func page(t *testing.T, address string) map[string]weights {
	var r *http.Response
	testkit.Until(t, "a page", func() (ok bool) { // pprof tells its address before it listens there
		var err error
		r, err = http.Get(address)
		return err == nil
	})
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	f := topTable.FindSubmatch(text)
	require.NotNil(t, f, "%s", address)
	var rows []struct {
		Name      string
		Flat, Cum int64
	}
	require.NoError(t, json.Unmarshal(f[1], &rows))
	got := map[string]weights{}
	for _, row := range rows {
		got[row.Name] = weights{row.Flat, row.Cum}
	}
	return got
}

// Stacks have the lines of calls, and samples say where in the system they are from.
func TestSamples(t *testing.T) {
	program := tool(t)
	file, _ := write(t, model(t, cubetest.Synthetic(2, 6, 2, 1)))
	out, err := exec.Command(program, "-raw", file).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "metric0/nanoseconds[dflt] metric1/nanoseconds")
	require.Regexp(t, `location:\[worker\[1\]\] machine:\[machine\] process:\[worker\]`, string(out))
	require.Contains(t, string(out), "region5 /src/file5.go:5:0 s=5()")
}

func TestDeterministic(t *testing.T) {
	c := demo(t)
	var first []byte
	for range 3 {
		m := model(t, c)
		file, notes := write(t, m)
		require.Empty(t, notes)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		if first == nil {
			first = b
		}
		require.True(t, bytes.Equal(first, b))
	}
}

// Values that a profile cannot hold are changed, and this is said.
func TestNotes(t *testing.T) {
	c := &cube.Cube{Regions: []*cube.Region{{Name: "main", Begin: -1}}}
	c.Roots = []*cube.CallPath{{Region: c.Regions[0], Line: -1}}
	c.System = []*cube.SystemNode{{Groups: []*cube.LocationGroup{{Locations: []*cube.Location{{}}}}}}
	values := []cube.Value{cube.Float(0.5), cube.Float(1 << 63), cube.Float(1.5e-9), cube.Float(1), cube.Float(math.NaN()), cube.Float(math.Inf(1))}
	for i, m := range []cube.Metric{{DType: "DOUBLE", Unit: "occ"}, {DType: "DOUBLE", Unit: "occ"}, {DType: "DOUBLE", Unit: "sec"}, {DType: "MAXDOUBLE"},
		{DType: "DOUBLE", Unit: "sec"}, {DType: "DOUBLE", Unit: "sec"}} {
		m.ID, m.Name = i, fmt.Sprintf("m%d", i)
		c.Metrics = append(c.Metrics, &m)
	}
	require.NoError(t, c.Complete())
	for i, m := range c.Metrics {
		r, err := cube.MakeRow(m.DType, values[i:i+1])
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Roots[0], r))
	}
	m := model(t, c)
	_, notes := write(t, m)
	require.Equal(t, []string{"m3 is left out: its values cannot be added", "m0 has fractions, which were rounded",
		"m1 has values too large for a profile, which were limited", "m5 has values too large for a profile, which were limited"}, notes)
	_, err := pprof.Write(io.Discard, m, pprof.Options{Metrics: []*query.Metric{m.Metric("m3")}})
	require.ErrorContains(t, err, "no metric whose values can be added")
	_, err = pprof.Write(io.Discard, m, pprof.Options{Metrics: slices.Repeat([]*query.Metric{m.Metric("m0")}, 1001)})
	require.ErrorContains(t, err, "1001 metrics")
}
