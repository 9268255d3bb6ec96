package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/tracestat"
)

// answerOf asks a server and decodes its answer.
func answerOf(t *testing.T, s *Server, question string) map[string]any {
	t.Helper()
	response, body := call(t, s.URL()+"api/"+question, nil)
	require.Equal(t, 200, response.StatusCode, body)
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	var answer map[string]any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	require.NoError(t, d.Decode(&answer), body)
	return answer
}

// told writes a value as JSON.
func told(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestMeta(t *testing.T) {
	r := small(t)
	r.Problems = []string{"something"}
	m := answerOf(t, start(t, r), "meta")
	require.Equal(t, `"small"`, told(t, m["title"]))
	require.Equal(t, `"cube"`, told(t, m["kind"]))
	require.Equal(t, `["something"]`, told(t, m["problems"]))
	metrics := m["metrics"].([]any)
	require.Len(t, metrics, 3)
	require.Equal(t, "[-1,0,-1]", told(t, []any{metrics[0].(map[string]any)["parent"], metrics[1].(map[string]any)["parent"], metrics[2].(map[string]any)["parent"]}))
	require.Equal(t, "nonsense(", metrics[2].(map[string]any)["expression"])
	require.NotEmpty(t, metrics[2].(map[string]any)["error"])
	// All digits arrive, and what cannot be computed is null.
	require.Equal(t, `{"in":{"incl":[null,null,null],"self":[null,null,null]},"incl":[1152921504606847142,2,null],"self":[1152921504606847140,2,null]}`, told(t, m["totals"]))
	require.Equal(t, `{"file":[-1,0,1],"files":["main.go","missing.go"],"line":[-1,5,2],"note":["","",""],"parent":[-1,0,0],"region":[0,1,0]}`, told(t, m["paths"]))
	require.Equal(t, `{"cls":["machine","process","thread","thread","thread"],"leaf":[-1,-1,0,1,2],"name":["machine","p","a","b","c"],"parent":[-1,0,1,1,1]}`, told(t, m["system"]))
	require.Nil(t, m["external"])

	r.External = &External{File: "other.cubex", Model: small(t).Model}
	m = answerOf(t, start(t, r), "meta")
	require.Equal(t, `{"file":"other.cubex","totals":[1152921504606847142,2,null]}`, told(t, m["external"]))
}

func TestValues(t *testing.T) {
	s := start(t, small(t))
	for question, want := range map[string]string{
		"calls?metric=0&self=0":                  `{"error":"","excl":[60,6,1152921504606847076],"incl":[1152921504606847142,6,1152921504606847076]}`,
		"calls?metric=0&self=1":                  `{"error":"","excl":[60,4,1152921504606847076],"incl":[1152921504606847140,4,1152921504606847076]}`,
		"calls?metric=0&self=0&at=3":             `{"error":"","excl":[20,2,0],"incl":[22,2,0]}`,
		"flat?metric=0&self=0":                   `{"error":"","excl":[1152921504606847136,6],"incl":[1152921504606847142,6]}`,
		"flat?metric=1&self=0&at=4":              `{"error":"","excl":[0,0],"incl":[0,0]}`,
		"system?metric=1&self=0&path=1&incl=1":   `[2,2,1,1,0]`,
		"system?metric=0&self=0&path=0&incl=0":   `[60,60,10,20,30]`,
		"system?metric=0&self=0&region=1&incl=1": `[6,6,1,2,3]`,
	} {
		answer := answerOf(t, s, question)
		if values, ok := answer["values"]; ok {
			require.Equal(t, want, told(t, values), question)
			continue
		}
		require.Equal(t, want, told(t, answer), question)
	}
	odd := answerOf(t, s, "calls?metric=2&self=0")
	require.NotEmpty(t, odd["error"])
}

func TestWrongQuestions(t *testing.T) {
	s := start(t, small(t))
	for _, question := range []string{"calls", "calls?metric=-1", "calls?metric=3", "calls?metric=x", "calls?metric=0&self=2", "calls?metric=0&metric=1",
		"calls?metric=0&at=5", "calls?metric=0&more=1", "calls?metric=99999999999999999999", "flat?metric=0&at=", "system?metric=0&path=3", "system?metric=0&region=2",
		"system?metric=0&path=0&region=0", "stats?metric=0&self=0", "meta?x=1", "causers?metric=0", "timeline?begin=0&end=0&locations=0",
		"timeline?begin=0&end=1&locations=", "timeline?begin=0&end=1&locations=9", "timeline?begin=x&end=1&locations=0",
		"timeline?begin=0&end=1&width=9999&locations=0", "timeline?begin=0&end=1&locations=" + strings.Repeat("0,", 256) + "0", "source", "source?path=0&region=0", "source?path=-1"} {
		response, body := call(t, s.URL()+"api/"+question, nil)
		require.Equal(t, 400, response.StatusCode, "%s: %s", question, body)
		var answer struct{ Error string }
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
		require.NotEmpty(t, answer.Error)
	}
}

func TestZipping(t *testing.T) {
	s := start(t, small(t))
	response, body := call(t, s.URL()+"app.js", nil) // the client asks for gzip by itself, and unpacks it
	require.Equal(t, 200, response.StatusCode)
	require.True(t, response.Uncompressed)
	plain, same := call(t, s.URL()+"app.js", func(r *http.Request) { r.Header.Set("Accept-Encoding", "identity") })
	require.False(t, plain.Uncompressed)
	require.Equal(t, same, body)
	require.Equal(t, fmt.Sprint(len(same)), plain.Header.Get("Content-Length"))
}

func TestCache(t *testing.T) {
	c := cache{left: cacheSize}
	for i := range 100 {
		c.put(fmt.Sprint(i), &response{body: make([]byte, cacheSize/20)})
		require.NotNil(t, c.get("0"), "what is used stays")
	}
	require.Nil(t, c.get("1"))
	require.NotNil(t, c.get("99"))
	require.Less(t, len(c.entries), 20)
	c.put("huge", &response{body: make([]byte, cacheSize)})
	require.Nil(t, c.get("huge"))
	require.GreaterOrEqual(t, c.left, 0)
}

func TestSource(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write(root, "main.go", "one\ntwo\nthree\nfour\nfive\n"+strings.Repeat("x", 1000)+"\n\xff\xfe\n")
	write(root, "unnamed.go", "classified")
	write(root, "sub/moved.go", "moved")
	write(outside, "secret.go", "classified")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.go"), filepath.Join(root, "link.go")))
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "dir")))
	require.NoError(t, os.Symlink("main.go", filepath.Join(root, "inside.go")))

	files := []string{filepath.Join(root, "main.go"), "main.go", filepath.Join(root, "inside.go"), "/elsewhere/sub/moved.go", // may be seen
		filepath.Join(root, "link.go"), "link.go", filepath.Join(root, "dir/secret.go"), filepath.Join(outside, "secret.go"), "../" + filepath.Base(outside) + "/secret.go",
		root + "/../" + filepath.Base(outside) + "/secret.go", "/etc/passwd", "../../../../../../etc/passwd", "/dev/zero", root, "dir", "nothing.go", "\x00", "main.go\x00"}
	const seen = 4
	r := small(t)
	for _, f := range files {
		r.Model.Cube.Regions = append(r.Model.Cube.Regions, &cube.Region{Name: f, Module: f, Begin: 1, End: 1})
	}
	link := filepath.Join(t.TempDir(), "link") // as /proc/self/root is one
	require.NoError(t, os.Symlink("/", link))
	r.Recorded = []string{"/", ".", "", "relative", link, filepath.Join(link, outside), root}
	for _, moved := range []bool{false, true} {
		if moved {
			r.Roots = []string{root}
		}
		s := start(t, r)
		for i, f := range files {
			response, body := call(t, s.URL()+fmt.Sprintf("api/source?region=%d", i+2), nil)
			require.NotContains(t, body, "classified", f)
			require.NotContains(t, body, "root:", f)
			if i < seen-1 || i < seen && moved {
				require.Equal(t, 200, response.StatusCode, "%s: %s", f, body)
			} else {
				require.True(t, strings.HasPrefix(body, `{"error":`), "%s: %s", f, body)
			}
		}
		answer := answerOf(t, s, "source?path=1")
		require.Equal(t, "5", told(t, answer["line"]))
		lines := answer["lines"].([]any)
		require.Equal(t, "five", lines[4])
		require.Less(t, len(lines[5].(string)), 500)
		require.Equal(t, "\ufffd", lines[6])
		require.Equal(t, false, answer["changed"]) // as nobody knows when it was recorded
		require.Equal(t, `[3,9]`, told(t, []any{answerOf(t, s, "source?path=0")["begin"], answerOf(t, s, "source?path=0")["end"]}))
	}
}

// A report is not believed where source is, whatever it calls it, and of a recording nothing but Go's source is shown.
func TestSourceOfStrangers(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"main.go", "key.pem"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("classified\n"), 0o644))
	}
	r := small(t)
	for _, f := range []string{filepath.Join(root, "main.go"), filepath.Join(root, "key.pem"), "/proc/self/root" + filepath.Join(root, "main.go")} {
		r.Model.Cube.Regions = append(r.Model.Cube.Regions, &cube.Region{Name: f, Module: f, Begin: 1, End: 1})
	}
	r.Model.Cube.Attrs = []cube.Attr{{Key: "source_roots", Value: root + "\n/proc/self/root"}}
	r.Experiment = &report.Experiment{Sidecar: report.Sidecar{Origin: report.Origin{Sources: []string{root, "/proc/self/root"}}}}
	var err error
	r.Model, err = query.New(r.Model.Cube) // which has more regions now
	require.NoError(t, err)
	shown := func(region int) string {
		_, body := call(t, start(t, r).URL()+fmt.Sprintf("api/source?region=%d", region), nil)
		return body
	}
	for region := 2; region < 5; region++ {
		require.Contains(t, shown(region), "say with --source where")
	}
	var html bytes.Buffer
	require.NoError(t, WriteHTML(&html, r))
	require.NotContains(t, html.String(), "classified")
	r.Recorded = []string{root, "/proc/self/root", "/proc/self/root" + root}
	require.Contains(t, shown(2), "classified")
	require.NotContains(t, shown(3), "classified")
	require.NotContains(t, shown(4), "classified")
	r.Recorded, r.Roots = nil, []string{root}
	require.Contains(t, shown(3), "classified")
}

func TestSourceChanged(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "main.go")
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\nthree\nfour\nfive\n"), 0o644))
	recorded := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for after, changed := range map[time.Duration]bool{-time.Hour: false, time.Hour: true} {
		require.NoError(t, os.Chtimes(file, time.Time{}, recorded.Add(after)))
		r := small(t)
		r.Recorded = []string{root}
		r.Model.Cube.Attrs = []cube.Attr{{Key: "start", Value: "2026-05-04T03:02:01.000Z"}}
		require.Equal(t, changed, answerOf(t, start(t, r), "source?path=1")["changed"])
	}
}

// fakeTimeline answers every request with one span per location.
type fakeTimeline struct{}

func (fakeTimeline) Window(q report.WindowRequest) (*report.Window, error) {
	w := &report.Window{Begin: q.Begin, End: q.End, Names: []string{"run"}, Truncated: fmt.Sprint("width ", q.Width)}
	for _, l := range q.Locations {
		w.Rows = append(w.Rows, report.WindowRow{Location: l, Spans: []report.Span{{Begin: q.Begin + int64(l), End: q.End, Depth: 1, Kind: report.InBlocked, Merged: 3}}})
	}
	w.Arrows = []report.Arrow{{From: 0, To: 2, FromTime: 7, ToTime: 8, Kind: "create"}}
	return w, nil
}

// toldTimeline knows who ended two waits.
type toldTimeline struct{}

func (toldTimeline) Window(q report.WindowRequest) (*report.Window, error) {
	return &report.Window{Begin: q.Begin, End: q.End, Arrows: []report.Arrow{{From: 1, FromTime: 30, To: 0, ToTime: 31, Kind: "unlock"},
		{From: 2, FromTime: 40, To: 0, ToTime: 41, Kind: "unlock"}}}, nil
}

// goneTimeline answers with rows whose locations end at 35, unless they are the first.
type goneTimeline struct{}

func (goneTimeline) Window(q report.WindowRequest) (*report.Window, error) {
	w := &report.Window{Begin: q.Begin, End: q.End}
	for _, l := range q.Locations {
		w.Rows = append(w.Rows, report.WindowRow{Location: l, Ended: 35 * int64(min(l, 1))})
	}
	return w, nil
}

func TestTimeline(t *testing.T) {
	r := small(t)
	s := start(t, r)
	require.Equal(t, `{"arrows":[],"begin":5,"end":50,"names":[],"rows":[{"resource":3,"spans":[]}],"truncated":"there is no trace; only the longest waits are known","waits":[]}`,
		told(t, answerOf(t, s, "timeline?begin=5&end=50&locations=3")))
	r.Timeline = fakeTimeline{}
	r.Experiment = &report.Experiment{Locations: make([]report.Location, 3)}
	require.Equal(t, `{"arrows":[{"from":2,"fromTime":7,"kind":"create","to":4,"toTime":8}],"begin":5,"end":50,"names":["run"],`+
		`"rows":[{"resource":4,"spans":[[7,50,1,0,2,3]]},{"resource":3,"spans":[[6,50,1,0,2,3]]}],"truncated":"width 800","waits":[]}`,
		told(t, answerOf(t, start(t, r), "timeline?begin=5&end=50&locations=4,3&width=800")))
	r.Timeline = goneTimeline{}
	r.Experiment.Metrics = []metric.Metric{{Name: r.Model.Metrics[0].Name, Kind: metric.WaitState}}
	r.Experiment.Stats = []report.Stats{{Count: 2, Worst: []report.Instance{{Location: 0, Begin: 20, End: 40, Waited: 15, Causer: 1}, {Location: 0, Begin: 10, End: 30, Causer: 1}}}}
	require.Equal(t, `[{"from":3,"fromTime":30,"kind":"`+r.Model.Metrics[0].Name+`","to":2,"toTime":30}]`,
		told(t, answerOf(t, start(t, r), "timeline?begin=5&end=50&locations=2,3")["arrows"]), "who was waited for is gone at 40")
	r.Timeline = toldTimeline{}
	require.Equal(t, `[{"from":3,"fromTime":30,"kind":"`+r.Model.Metrics[0].Name+`","to":2,"toTime":31},{"from":4,"fromTime":40,"kind":"unlock","to":2,"toTime":41}]`,
		told(t, answerOf(t, start(t, r), "timeline?begin=5&end=50&locations=2,3")["arrows"]), "who was waited for longest did not end the wait at 40")
	response, _ := call(t, start(t, r).URL()+"api/timeline?begin=5&end=50&locations=1", nil)
	require.Equal(t, 400, response.StatusCode)
}

// What would change how its neighbours look, or a terminal obeys, is not sent.
func TestNamesAreHarmless(t *testing.T) {
	r := small(t)
	r.Model.Cube.Regions[1].Name = "a\u202eb\x1b[31mc\u2066d\x7fe\u0085f\bg\\u202e\tπ 測"
	s := start(t, r)
	name := answerOf(t, s, "meta")["regions"].([]any)[1].(map[string]any)["name"]
	require.Equal(t, "a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffdf\ufffdg\\u202e\tπ 測", name)
	for _, x := range []any{"", "plain", "\"\\", []int{1}, "\u2028"} {
		want, err := json.Marshal(x)
		require.NoError(t, err)
		got, err := marshal(x)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}

// Of an instance in which several ranks wait, the file has the sum of their waits.
func TestSummedInstances(t *testing.T) {
	r := small(t)
	p := &tracestat.Pattern{Count: 1, Worst: []tracestat.Instance{{CallPath: 1, Enter: 1, Exit: 1.5, Duration: 0.5}}}
	a := &api{Report: r, model: r.Model, places: newPlaces(r.Model)}
	require.False(t, a.foreignStats(p).Summed)
	p.Worst[0].Duration = 1.25
	require.True(t, a.foreignStats(p).Summed)
}
