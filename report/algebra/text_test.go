package algebra

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
	"tracerec/report/cube"
)

// versions makes the means of three runs each of a program before and after a change.
func versions(t *testing.T) (before, after Input) {
	run := func(name string, solve, wait, other int64, path string) Input {
		b := build(t).path("main/solve:10/wait:12").path("main/" + path)
		time := b.metric("time")
		time.Title = "Time"
		wasted := b.metric("wait")
		b.c.Metrics, time.Children = b.c.Metrics[:1], []*cube.Metric{wasted}
		visits := b.metric("visits")
		visits.Unit = "occ"
		return b.done(name, map[string]map[string]int64{
			"time":   {"main/solve:10": solve * 1e6, "main/solve:10/wait:12": wait * 1e6, "main/" + path: other * 1e6},
			"wait":   {"main/solve:10/wait:12": wait * 1e6},
			"visits": {"main/solve:10": 3, "main/solve:10/wait:12": solve / 100},
		})
	}
	mean := func(name string, solve, wait, other int64, path string) Input {
		var in []Input
		for i := range int64(3) {
			in = append(in, run(fmt.Sprintf("%s%d", name, i), solve+i, wait+10*i, other, path))
		}
		return made(t, name)(Mean(in...))
	}
	return mean("before", 400, 200, 50, "parse"), mean("after", 300, 205, 20, "scan")
}

func TestText(t *testing.T) {
	a, b := versions(t)
	d := made(t, "d")(Diff(a, b))
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, x.Text(&text, TextOptions{Top: 5, Notes: []string{"a control character: \x1b"}}))
	require.Equal(t, `after takes 18.9 % less time than before: 536 ms instead of 661 ms, which is more than noise (±24.9 ms).
The largest change that is more than noise: −100 ms, Time in main/solve (a.go:10).

Whole program
     change       before        after               noise
    −125 ms       661 ms       536 ms   −18.9 %    ±24.9 ms  Time, all locations together
   +5.00 ms       210 ms       215 ms    +2.4 %   ~±22.7 ms    wait

Less time in after, by metric and call path
     change       before        after               noise
    −100 ms       401 ms       301 ms   −24.9 %    ±2.27 ms  Time in main/solve (a.go:10)
   −50.0 ms      50.0 ms            0      gone          ±0  Time in main/parse

More time in after, by metric and call path
     change       before        after               noise
   +20.0 ms            0      20.0 ms       new          ±0  Time in main/scan
   +5.00 ms       210 ms       215 ms    +2.4 %   ~±22.7 ms  wait in main/solve/wait (a.go:12)

Only in before
  main/parse with 50.0 ms

Only in after
  main/scan with 20.0 ms

Other metrics
     change       before        after               noise
         −1            7            6   −14.3 %          ±0  visits, most in main/solve/wait (a.go:12)

~ stands before the noise of a change that is no larger.
Note: a control character: �
`, text.String())
}

func TestJSON(t *testing.T) {
	a, b := versions(t)
	d := made(t, "d")(Diff(a, b))
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, x.JSON(&text, TextOptions{Top: 1}))
	var got struct {
		A     string
		RunsB int `json:"runs_b"`
		Calls []struct {
			Metric string
			Path   []string
			File   string
			Line   int
			Delta  float64
			Beyond bool `json:"beyond_noise"`
		}
		Gone  []struct{ Path []string } `json:"only_in_a"`
		Notes []string
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &got))
	require.Equal(t, "before", got.A)
	require.Equal(t, 3, got.RunsB)
	require.Len(t, got.Calls, 1)
	require.Equal(t, []string{"main", "solve"}, got.Calls[0].Path)
	require.Equal(t, -1e8, got.Calls[0].Delta)
	require.Equal(t, "/src/a.go", got.Calls[0].File)
	require.Equal(t, 10, got.Calls[0].Line)
	require.True(t, got.Calls[0].Beyond)
	require.Equal(t, []string{"main", "parse"}, got.Gone[0].Path)
	require.Equal(t, []string{}, got.Notes)
}

func TestSummary(t *testing.T) {
	a, _ := versions(t)
	x, err := Summarize(a.Cube)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, x.Text(&text))
	require.Equal(t, `3 runs: before0, before1, before2

       mean       least    greatest   deviation       noise  for the whole program
     661 ms      650 ms      672 ms     11.0 ms    ±27.3 ms  Time
     210 ms      200 ms      220 ms     10.0 ms    ±24.8 ms    wait
          7           7           7           0          ±0  visits
`, text.String())
}

// Numbers that are too long for their column are rounded, never cut.
func TestLongNumbers(t *testing.T) {
	run := func(name string, visits int64) Input {
		b := build(t).path("main")
		b.metric("visits").Unit = "occ"
		return b.done(name, map[string]map[string]int64{"visits": {"main": visits}})
	}
	d := made(t, "d")(Diff(run("one", 7), run("many", 123_456_789_012)))
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, x.Text(&text, TextOptions{Top: 5}))
	require.Contains(t, text.String(), "     +123 G            7        123 G   ×17.6 G  visits, most in main\n")
}

// The sign of a change is before its value; "+<0.1 %" says no more than "<0.1 %".
func TestRelative(t *testing.T) {
	for want, c := range map[string]Change{"<0.1\u00a0%": {A: 10000, B: 10001}, "+0.1\u00a0%": {A: 1000, B: 1001}, "−0.1\u00a0%": {A: 1000, B: 999}, "0 %": {A: 3, B: 3}} {
		require.Equal(t, readable.Loose(want), readable.Loose(relative(c)))
	}
	require.Equal(t, "<0.1 %", readable.Loose(relative(Change{A: 10000, B: 9999})))
}
