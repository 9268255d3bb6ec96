package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares output with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./report -update and look at the difference")
}

func render(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for name, e := range map[string]*Experiment{"hydro": hydro(), "hostile": hostile(), "empty": empty()} {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
			golden(t, name+".json", render(t, func(w io.Writer) error { return JSON(w, e) }))
		})
	}
	golden(t, "metrics.md", render(t, func(w io.Writer) error { return MetricsMarkdown(w, hydro().Metrics) }))
	golden(t, "metrics.txt", render(t, func(w io.Writer) error { return MetricTree(w, hydro().Metrics) }))
	golden(t, "late_sender.txt", render(t, func(w io.Writer) error { return DescribeMetric(w, hydro().Metrics[3]) }))
}

// Colours must not move anything, and no name may smuggle an escape sequence or a ninth decade of columns in.
func TestWidth(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, e := range map[string]*Experiment{"hydro": hydro(), "hostile": hostile(), "empty": empty()} {
		for _, top := range []int{0, 1, 1000} {
			plainText := render(t, func(w io.Writer) error { return Text(w, e, TextOptions{Top: top}) })
			colored := render(t, func(w io.Writer) error { return Text(w, e, TextOptions{Top: top, Color: true}) })
			require.Equal(t, string(plainText), string(trimEnds(escape.ReplaceAll(colored, nil))), name)
			require.NotContains(t, string(plainText), "\x1b")
			for _, line := range strings.Split(string(plainText), "\n") {
				require.LessOrEqual(t, width(line), pageWidth, "%s: %q", name, line)
				require.Equal(t, strings.TrimRight(line, " "), line)
			}
		}
	}
}

// trimEnds removes the spaces that a colour's end kept at the end of lines.
func trimEnds(b []byte) []byte { return regexp.MustCompile(`(?m) +$`).ReplaceAll(b, nil) }

func TestTop(t *testing.T) {
	e := hydro()
	out := string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{Top: 1}) }))
	require.Contains(t, out, " 1  Late sender")
	require.NotContains(t, out, " 2  Lock competition")
	require.Contains(t, out, "1 more finding (--top 2 shows all)")
}

func TestTotalsAreInclusive(t *testing.T) {
	e := hydro()
	require.Equal(t, int64(3780*ms), e.Total(e.MetricIndex("communication")))
	require.Equal(t, int64(160*ms+1280*ms), e.Total(e.MetricIndex("synchronization")))
	require.Equal(t, e.Total(e.MetricIndex("execution"))+3780*ms+1440*ms, e.Total(e.MetricIndex("time")))
	require.Equal(t, int64(0), e.Total(-1))
}

// The JSON form is a contract: these are the keys programs rely on, and lists are never null.
func TestJSONContract(t *testing.T) {
	for _, e := range []*Experiment{hydro(), hostile(), empty(), {}} {
		out := render(t, func(w io.Writer) error { return JSON(w, e) })
		var top map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(out, &top))
		require.Len(t, top, 8)
		require.Contains(t, top, "verdict")
		for _, list := range []string{"metrics", "findings", "warnings", "processes"} {
			require.True(t, bytes.HasPrefix(top[list], []byte("[")), list)
		}
		require.NotRegexp(t, `"(callpath|locations|causers|worst|args|never_ended|instances)": null`, string(out))
	}
	var doc struct {
		Findings []map[string]any
		Metrics  []map[string]any
		Split    json.RawMessage `json:"critical_path"`
		Lost     json.RawMessage
	}
	require.NoError(t, json.Unmarshal(render(t, func(w io.Writer) error { return JSON(w, hydro()) }), &doc))
	for _, key := range []string{"metric", "callpath", "file", "line", "severity_ns", "critical_ns", "share", "locations", "causers", "advice"} {
		require.Contains(t, doc.Findings[0], key)
	}
	for _, key := range []string{"name", "title", "unit", "parent", "total", "critical"} {
		require.Contains(t, doc.Metrics[0], key)
	}
	require.Equal(t, []any{"step", "exchange", "recv"}, doc.Findings[0]["callpath"])
	require.Equal(t, 0.382697, doc.Findings[0]["share"])
	split := map[string]int64{}
	sum := int64(0)
	require.NoError(t, json.Unmarshal(doc.Split, &split))
	for _, key := range []string{"execution_ns", "runnable_ns", "waiting_ns", "sleep_ns", "external_ns", "not_recorded_ns"} {
		require.Contains(t, split, key)
		sum += split[key]
	}
	require.Equal(t, hydro().Header.Focus, sum)
	require.EqualValues(t, 2, split["by_time"])
	require.JSONEq(t, `{"events": 1, "events_share": 0.005, "time_share": 0.25}`, string(doc.Lost))
}

func TestSeconds(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1000: "1.00 µs", 999_499: "999 µs", 999_500: "1.00 ms", 12_345_678: "12.3 ms", 491_000_000: "491 ms",
		999_999_999: "1.00 s", 1_284_000_000: "1.28 s", 59_960_000_000: "60.0 s", 3_600_000_000_000: "3,600 s", -1500: "−1.50 µs",
		9_996: "10.0 µs", 99_960: "100 µs",
	} {
		require.Equal(t, want, seconds(ns), "%d", ns)
	}
}

func TestQuantity(t *testing.T) {
	require.Equal(t, "1,234,567", quantity(1_234_567, metric.Count))
	require.Equal(t, "−1,000", quantity(-1000, metric.Events))
	require.Equal(t, "700 B", quantity(700, metric.Bytes))
	require.Equal(t, "1.50 MiB", quantity(3<<19, metric.Bytes))
	require.Equal(t, "<0.1 %", percent(1, 1_000_000))
	require.Equal(t, "0 %", percent(0, 5))
	require.Equal(t, "–", percent(1, 0))
}

func TestElide(t *testing.T) {
	require.Equal(t, "worker", elide("worker", 6))
	require.Equal(t, "wo…er", elide("workworker", 5))
	require.Equal(t, "", elide("worker", 0))
	require.Equal(t, "main.(*mesh).solve.func1", goName("main.(*mesh).solve.func1"))
	require.Equal(t, "http.(*conn).serve", goName("http.(*conn).serve"))
	for w := range 60 {
		for _, s := range []string{"e\u0301tude測定" + strings.Repeat("x測", 30), "plain", ""} {
			require.LessOrEqual(t, width(elide(s, w)), w)
			require.Equal(t, w, width(left(s, w)))
			require.Equal(t, w, width(right(s, w)))
		}
	}
	require.Equal(t, "████▌   ", bar(9, 16, 8))
	require.Equal(t, "        ", bar(0, 16, 8))
}

func TestShortFiles(t *testing.T) {
	e := &Experiment{Regions: []Region{{File: "/a/x/main.go"}, {File: "/b/y/main.go"}, {File: "/b/y/other.go"}, {File: ""}}}
	short := e.shortFiles()
	require.Equal(t, "x/main.go", short["/a/x/main.go"])
	require.Equal(t, "y/main.go", short["/b/y/main.go"])
	require.Equal(t, "other.go", short["/b/y/other.go"])
}

// What is not worth looking at comes without advice: it has less than a thousandth of all time, and at most half a per cent of the critical path.
func TestNoAdviceOnTrifles(t *testing.T) {
	e := hydro()
	e.Header.Time, e.Header.Focus = 1_000_000, 10_000
	f := &e.Findings[1]
	require.Equal(t, "lock_competition", e.Metrics[f.Metric].Name)
	for _, c := range []struct {
		severity, critical int64
		advised            bool
	}{{999, 50, false}, {1000, 50, true}, {999, 51, true}, {999, 0, false}} {
		f.Severity, f.Critical = c.severity, c.critical
		require.Equal(t, c.advised, e.Advice(f) != "", c)
	}
	e.Metrics[f.Metric].Name, f.Critical = "external_wait", 0
	for severity, advised := range map[int64]bool{50: false, 51: true} {
		f.Severity, f.Advice = severity, "Look at what feeds it."
		require.Equal(t, advised, e.Advice(f) != "", severity)
	}
}
