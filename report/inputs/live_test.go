package inputs

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	exectrace "runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const tracePath = "/debug/pprof/trace"

// serve is a program at an address, whose trace is what answer gives.
func serve(t *testing.T, answer http.HandlerFunc) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(tracePath, answer)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(func() { Take(Capture{}) })
	return s.URL
}

// text returns what an input holds.
func text(t *testing.T, input string) string {
	t.Helper()
	r, done, err := Open(input)
	require.NoError(t, err)
	defer done()
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(all)
}

const beginning = "go 1.26 trace\x00\x00\x00"

// TestLive: a trace is taken once, for as long as is wanted, and kept if that is wanted.
func TestLive(t *testing.T) {
	asked := []string{}
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.FormValue("seconds"))
		io.WriteString(w, beginning+"and more")
	})
	for _, c := range []struct {
		input, seconds string
		wanted         float64
	}{
		{address, "5", 0}, {address + "/", "0.5", 0.5}, {address + "/debug/pprof/", "2", 2}, {address + tracePath, "5", 0},
		{address + tracePath + "?seconds=3", "3", 0}, {address + tracePath + "?seconds=3", "1", 1}, {address + tracePath + "?seconds=no", "5", 0},
	} {
		save := filepath.Join(t.TempDir(), "app.trace")
		Take(Capture{Seconds: c.wanted, Extra: time.Hour, Most: 1 << 20, Save: save})
		asked = asked[:0]
		for range 2 {
			require.Equal(t, beginning+"and more", text(t, c.input))
		}
		require.Equal(t, []string{c.seconds}, asked, c.input)
		require.NoError(t, Damage(c.input))
		require.Equal(t, save, File(c.input))
		require.Equal(t, beginning+"and more", text(t, save))
	}
	_, _, err := Open(strings.Replace(address, "127.0.0.1", "localhost", 1))
	require.ErrorContains(t, err, "--save keeps one trace, not several")
}

// TestLiveNone: why there is no trace is said in one line, with what helps.
func TestLiveNone(t *testing.T) {
	release := make(chan bool)
	defer close(release)
	for want, answer := range map[string]http.HandlerFunc{
		"500 Internal Server Error: Could not enable tracing: execution tracer already enabled: try again once": func(w http.ResponseWriter, r *http.Request) {
			if exectrace.Start(io.Discard) == nil {
				defer exectrace.Stop()
			}
			pprof.Trace(w, r) // refuses in these words
		},
		"404 Not Found: no /debug/pprof/trace: the program must import net/http/pprof": http.NotFound,
		"403 Forbidden: not for you": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "not for you\nat all", http.StatusForbidden)
		},
		`offset 0: no Go execution trace, as it starts with "<html>"`: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"the answer is empty": func(http.ResponseWriter, *http.Request) {},
		"no end within 100ms": func(http.ResponseWriter, *http.Request) { <-release },
		"400 Bad Request: profile duration exceeds server's WriteTimeout: ask for fewer --seconds": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "profile duration exceeds server's WriteTimeout", http.StatusBadRequest)
		},
	} {
		address := serve(t, answer)
		Take(Capture{Seconds: 0.1, Most: 1 << 20})
		if !strings.HasPrefix(want, "no end") {
			Take(Capture{Seconds: 0.1, Extra: time.Hour, Most: 1 << 20})
		}
		_, err := Stat(address)
		require.ErrorContains(t, err, address+": "+want)
		require.NotContains(t, err.Error(), "\n")
		_, _, again := Open(address)
		require.Equal(t, err, again, "it is not asked again")
	}
	for address, want := range map[string]string{"http://127.0.0.1:1": "connection refused", "http://": "an address without a host", "http://[": "missing ']'"} {
		Take(Capture{Extra: time.Hour, Most: 1})
		_, err := Stat(address)
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, "http://me:xxxxx@host", Called("http://me:secret@host"))
}

// TestLiveCut: what came until something went wrong is used, and that is said.
func TestLiveCut(t *testing.T) {
	release := make(chan bool)
	defer close(release)
	write := func(w http.ResponseWriter, text string) {
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	for _, c := range []struct {
		want, holds string
		how         Capture
		answer      http.HandlerFunc
	}{
		{"cut after 19 bytes: unexpected EOF", beginning + "abc", Capture{Extra: time.Hour, Most: 1 << 20}, func(w http.ResponseWriter, _ *http.Request) {
			write(w, beginning+"abc")
			panic(http.ErrAbortHandler)
		}},
		{"cut after 18 bytes: --max-size 18 is reached", beginning + "ab", Capture{Extra: time.Hour, Most: 18}, func(w http.ResponseWriter, _ *http.Request) { write(w, beginning+"abc") }},
		{"cut after 19 bytes: no end within 2s", beginning + "abc", Capture{Seconds: 1, Extra: time.Second, Most: 1 << 20}, func(w http.ResponseWriter, _ *http.Request) {
			write(w, beginning+"abc")
			<-release
		}},
	} {
		address := serve(t, c.answer)
		Take(c.how)
		require.Equal(t, c.holds, text(t, address))
		require.EqualError(t, Damage(address), address+": "+c.want)
	}
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, beginning) })
	Take(Capture{Extra: time.Hour, Most: 16})
	require.Equal(t, beginning, text(t, address))
	require.NoError(t, Damage(address), "it fits")
	Take(Capture{Extra: time.Hour, Most: 16, Save: filepath.Join(t.TempDir(), "no", "such")})
	_, err := Stat(address)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestSave: a trace is not saved over what the command reads or writes itself, and what is chosen of it only if there is one.
func TestSave(t *testing.T) {
	t.Cleanup(func() { Take(Capture{}) })
	dir := t.TempDir()
	there := filepath.Join(dir, "there.trace")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	require.NoError(t, os.Symlink(there, filepath.Join(dir, "link")))
	const program = "http://127.0.0.1:1"
	for _, c := range []struct {
		save, want string
		named      []string
		flags      []string
	}{
		{there, "", []string{program, "", filepath.Join(dir, "other")}, []string{"save"}},
		{"", "", []string{there}, nil},
		{there, "--save " + there + ": the command itself reads or writes that file", []string{program, there}, nil},
		{there, "--save " + there + ": the command itself reads or writes that file", []string{program, filepath.Join(dir, "link")}, nil},
		{filepath.Join(dir, "new"), "--save " + filepath.Join(dir, "new") + ": the command itself reads or writes that file", []string{program, filepath.Join(dir, ".", "new")}, nil},
		{there, "--save is for addresses: no input is one", []string{filepath.Join(dir, "other")}, []string{"save"}},
		{"", "--timeout is for addresses: no input is one", []string{there}, []string{"timeout", "seconds"}},
		{"", "", []string{there, program}, []string{"seconds"}},
	} {
		err := Take(Capture{Save: c.save, Flags: c.flags}, c.named...)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestMostBytes: the largest limit is one, too.
func TestMostBytes(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, beginning) })
	require.NoError(t, Take(Capture{Extra: time.Hour, Most: math.MaxInt64}))
	require.Equal(t, beginning, text(t, address))
}

// TestProfile: a CPU profile is only taken of a program of which the address is given, not beside another address.
func TestProfile(t *testing.T) {
	for path, want := range map[string]bool{"": true, "/debug/pprof/": true, tracePath: false, "/service/trace": false} {
		profile := make(chan bool, 1)
		mux := http.NewServeMux()
		mux.HandleFunc("/debug/pprof/profile", func(http.ResponseWriter, *http.Request) { profile <- true })
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			if want {
				<-profile // or this never ends
				profile <- true
			}
			io.WriteString(w, beginning)
		})
		s := httptest.NewServer(mux)
		require.NoError(t, Take(Capture{Seconds: 0.01, Extra: time.Hour, Most: 1 << 20}))
		require.Equal(t, beginning, text(t, s.URL+path))
		s.Close()
		require.Len(t, profile, map[bool]int{true: 1}[want], path)
	}
	Take(Capture{})
}
