package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	exectrace "runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLive: the address of a program is an input like the trace that it gives.
func TestLive(t *testing.T) {
	if exectrace.IsEnabled() {
		t.Skip("the tests are traced themselves")
	}
	t.Chdir(t.TempDir())
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for _, command := range []string{"analyze --format json", "requests", "stat", "export --to perfetto -o -", "export --to csv -o -"} {
		args := strings.Fields(command)
		status, live, stderr := expert(append(args, s.URL, "--seconds", "0.05", "--save", "app.trace")...)
		require.Zero(t, status, "%s: %s", command, stderr)
		status, saved, stderr := expert(append(args, "app.trace")...)
		require.Zero(t, status, "%s: %s", command, stderr)
		require.Equal(t, strings.ReplaceAll(live, s.URL, "app.trace"), saved, command)
	}
	text, err := os.ReadFile("app.trace")
	require.NoError(t, err)
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000000")
		w.Write(text)
	}))
	t.Cleanup(half.Close)
	status, stdout, stderr := expert("analyze", half.URL)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, half.URL+": cut after ")
	oneLine(t, []string{"analyze", half.URL, "--seconds", "-1"}, "--seconds -1: not a time")
	for _, flag := range []string{"--seconds=5", "--timeout=1s", "--max-size=1G", "--save=x"} {
		name, _, _ := strings.Cut(flag, "=")
		oneLine(t, []string{"analyze", "app.trace", flag}, name+" is for addresses: no input is one")
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gone.Close)
	for _, command := range []string{"analyze @", "requests @", "view @", "stat @", "export @ --to otf2 -o x.otf2", "export @ --to perfetto -o x", "diff @ app.trace", "check @ --max lock_competition"} {
		oneLine(t, strings.Fields(strings.ReplaceAll(command, "@", gone.URL)), gone.URL+": 404 Not Found: no /debug/pprof/trace")
	}
}
