package requests_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/gotrace"
)

// TestHTTP: the requests that a server of net/http answers are found in its execution trace, each takes at least as long as its handler, and those that sleep
// are named. The reader of such traces moves events at the boundaries of its parts; there, one in thousands may be lost.
func TestHTTP(t *testing.T) {
	const clients, each = 3, 30
	var mu sync.Mutex
	var mux http.ServeMux
	mux.HandleFunc("/sleep", sleeps)
	mux.HandleFunc("/lock", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		time.Sleep(time.Microsecond)
		mu.Unlock()
	})
	mux.HandleFunc("/at-once", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "done") })
	server := httptest.NewServer(&mux)
	defer server.Close()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			client := http.Client{Transport: new(http.Transport)}
			defer client.CloseIdleConnections()
			for i := range each {
				r, err := client.Get(server.URL + []string{"/sleep", "/lock", "/at-once"}[i%3])
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	server.Close()
	trace.Stop()
	a, damage, err := gotrace.Open("test", &out)
	require.NoError(t, err)
	require.NoError(t, damage)
	defer a.Close()
	r := found(t, a)
	all := r.Requests[0]
	require.Equal(t, "(all)", all.Name)
	require.InDelta(t, clients*each, all.Count+all.Cut, 1)
	require.InDelta(t, clients*each, all.Count, 2)
	sleep := named(t, r, "requests_test.sleeps")
	require.InDelta(t, clients*each/3, sleep.Count, 1)
	require.GreaterOrEqual(t, sleep.P50, int64(pause))
	require.Equal(t, "http", sleep.Kind)
	for _, c := range r.Requests {
		sum := int64(0)
		for _, d := range times(c.Parts) {
			sum += d
		}
		require.Equal(t, c.Mean, sum)
	}
}

const pause = 50 * time.Microsecond

func sleeps(http.ResponseWriter, *http.Request) { time.Sleep(pause) }
