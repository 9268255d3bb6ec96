package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// serve runs expert view and returns the address that it prints.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	out, in := io.Pipe()
	root := newRoot()
	root.SetArgs(append([]string{"view"}, args...))
	root.SetOut(in)
	done := make(chan error, 1)
	go func() {
		done <- root.ExecuteContext(ctx)
		in.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(<-done)
	}
	t.Cleanup(func() {
		interrupt()
		require.NoError(t, <-done)
	})
	url = strings.TrimSpace(url)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/\w{26}/$`, url)
	return url
}

// view runs expert view and returns a function that asks it.
func view(t *testing.T, args ...string) (ask func(question string) map[string]any) {
	t.Helper()
	url := serve(t, args...)
	return func(question string) map[string]any {
		response, err := http.Get(url + "api/" + question)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode, "%s", body)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(body, &answer))
		return answer
	}
}

// resource returns the number of a location.
func resource(t *testing.T, meta map[string]any, name string) (index int) {
	for i, n := range meta["system"].(map[string]any)["name"].([]any) {
		if n == name {
			index = i
		}
	}
	require.NotZero(t, index, name)
	return index
}

func TestView(t *testing.T) {
	testkit.NeedDescriptors(t, 256) // commands in this process keep reports open
	dir := archive(t, lockTrace)
	file := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", file)
	require.Equal(t, 0, status, stderr)
	moved := dir + ".moved"
	worker := 0
	for _, args := range [][]string{{dir}, {dir, "--external", file}, {file, "--trace", dir}, {file, "--trace", moved}} {
		if args[len(args)-1] == moved {
			require.NoError(t, os.Rename(dir, moved))
		}
		ask := view(t, args...)
		meta := ask("meta")
		require.Equal(t, "expert", meta["kind"])
		require.Equal(t, true, meta["features"].(map[string]any)["timeline"])
		require.Equal(t, len(args) > 1 && args[1] == "--external", meta["external"] != nil)

		findings := ask("findings")["findings"].([]any)
		require.NotEmpty(t, findings)
		first := findings[0].(map[string]any)
		require.Equal(t, "lock_competition", first["metric"])
		require.Equal(t, 80_000.0, first["severity"])
		require.Contains(t, first["text"], "for main")
		require.NotEmpty(t, first["advice"])
		require.Equal(t, "worker", first["waiters"].([]any)[0].(map[string]any)["name"])

		worker = resource(t, meta, "worker")
		timeline := ask("timeline?begin=15000&end=20000&locations=" + jsonText(t, worker))
		require.Equal(t, "[[15000,20000,0,0,1,0],[15000,20000,1,0,2,0]]", jsonText(t, timeline["rows"].([]any)[0].(map[string]any)["spans"]))
		require.Equal(t, `["lock"]`, jsonText(t, timeline["names"]))
		waits := timeline["waits"].([]any)
		require.Len(t, waits, 1)
		require.Equal(t, "lock_competition", waits[0].(map[string]any)["metric"])
		require.Empty(t, timeline["truncated"])
		arrows := ask("timeline?begin=15000&end=100000&locations=" + jsonText(t, worker))["arrows"]
		require.Equal(t, fmt.Sprintf(`[{"from":%d,"fromTime":90000,"kind":"lock_competition","to":%d,"toTime":91000}]`, resource(t, meta, "main"), worker), jsonText(t, arrows))
	}
	// Without the trace, the longest waits are still known. Where a report says that its trace is, is told but not opened, whatever is there.
	require.NoError(t, os.Rename(moved, dir))
	for _, there := range []bool{true, false} {
		if !there {
			require.NoError(t, os.RemoveAll(dir))
		}
		timeline := view(t, file)("timeline?begin=15000&end=20000&locations=" + jsonText(t, worker))
		require.Equal(t, "there is no trace; only the longest waits are known: expert view --trace DIRECTORY shows all, where the report says that its trace was "+dir,
			timeline["truncated"])
		require.Equal(t, `[{"resource":`+jsonText(t, worker)+`,"spans":[]}]`, jsonText(t, timeline["rows"]))
		require.Len(t, timeline["waits"], 1)
	}
}

// TestViewBegin: times count from the start of the trace everywhere, also if nothing was recorded for long, so what is between begin and begin + span is all there is.
func TestViewBegin(t *testing.T) {
	testkit.NeedDescriptors(t, 256)
	dir := archive(t, readFile(t, servingInput+".txt"))
	ask := view(t, dir)
	meta := ask("meta")
	begin, span := meta["begin"].(float64), meta["span"].(float64)
	require.Equal(t, []float64{1_000_000_000, 56_020_000}, []float64{begin, span})
	for name, want := range map[string]string{"main": `[1000000000,1056010000,0,`, "serve[0]": `[1000100000,1006150000,0,`} {
		timeline := ask(fmt.Sprintf("timeline?begin=%.0f&end=%.0f&locations=%d", begin, begin+span, resource(t, meta, name)))
		require.Contains(t, jsonText(t, timeline["rows"].([]any)[0].(map[string]any)["spans"]), want)
	}
	stats := ask(fmt.Sprintf("stats?metric=%d", slices.IndexFunc(meta["metrics"].([]any), func(m any) bool { return m.(map[string]any)["name"] == "lock_competition" })))
	require.Equal(t, 1_041_110_000.0, stats["instances"].([]any)[0].(map[string]any)["begin"])
	status, text, stderr := expert("analyze", dir)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, text, "the longest began 1.04 s after the start of the trace: serve[1] in lock")
}

// TestViewEarly: if a report takes long, the page can be opened before it is there, and questions wait for it.
func TestViewEarly(t *testing.T) {
	testkit.NeedDescriptors(t, 256)
	file := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", archive(t, lockTrace), "-o", file)
	require.Equal(t, 0, status, stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	setStdin(t, r)
	url := serve(t, "-")
	get := func(what string) string {
		response, err := http.Get(url + what)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode, "%s", body)
		return string(body)
	}
	require.Contains(t, get(""), "The report appears here")
	require.NotEmpty(t, get("app.css"))
	go func() {
		w.Write(text)
		w.Close()
	}()
	require.Contains(t, get("api/meta"), `"expert"`)
	require.Contains(t, get(""), "app.js")
}

func jsonText(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestViewRefuses(t *testing.T) {
	dir := archive(t, lockTrace)
	other := archive(t, "location main\n  0 enter run\n  9 exit\n")
	file := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", file)
	require.Equal(t, 0, status, stderr)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.cubex")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)/2], 0o644))

	oneLine(t, []string{"view"}, "no INPUT")
	oneLine(t, []string{"view", dir, "--http", "0.0.0.0:8080"}, "0.0.0.0:8080", "loopback")
	oneLine(t, []string{"view", dir, "--http", "example.com:80"}, "example.com:80")
	oneLine(t, []string{"view", filepath.Join(dir, "nothing")}, "nothing")
	oneLine(t, []string{"view", cut}, "cut.cubex", "offset")
	oneLine(t, []string{"view", file, "--external", cut}, "cut.cubex", "offset")
	oneLine(t, []string{"view", file, "--trace", filepath.Dir(file)}, filepath.Dir(file))
	oneLine(t, []string{"view", file, "--trace", other}, other, "not made from this trace")
}
