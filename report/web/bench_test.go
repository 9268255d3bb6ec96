package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// shapes of a report with five million values: as full rows, and scattered.
var shapes = []struct {
	name                      string
	metrics, paths, locations int
	fill                      float64
}{
	{"full", 20, 25, 10_000, 1},
	{"scattered", 50, 1000, 10_000, 0.01},
}

// BenchmarkOpen measures what there is between the command and the first paint: reading, and the answer to the first question.
func BenchmarkOpen(b *testing.B) {
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "report.cubex")
			require.NoError(b, cubetest.Synthetic(s.metrics, s.paths, s.locations, s.fill).Save(file))
			runtime.GC()
			for b.Loop() {
				began := time.Now()
				r, c := open(b, file)
				b.ReportMetric(float64(time.Since(began).Milliseconds()), "open-ms")
				server := quiet(b, r)
				b.ReportMetric(float64(time.Since(began).Milliseconds()), "ready-ms")
				body := get(b, server, "api/meta")
				b.ReportMetric(float64(time.Since(began).Milliseconds()), "meta-ms")
				b.ReportMetric(float64(len(body))/1e6, "meta-MB")
				server.listener.Close()
				c.Close()
			}
		})
	}
}

// BenchmarkSelect measures the answer to a selection that was never made before, over the socket.
func BenchmarkSelect(b *testing.B) {
	for _, s := range shapes {
		file := filepath.Join(b.TempDir(), s.name+".cubex")
		require.NoError(b, cubetest.Synthetic(s.metrics, s.paths, s.locations, s.fill).Save(file))
		for _, question := range []string{"calls?metric=%d&self=0", "calls?metric=%d&self=0&at=5", "flat?metric=%d&self=0", "system?metric=%d&self=0&path=1&incl=1"} {
			b.Run(s.name+"/"+question, func(b *testing.B) {
				r, c := open(b, file)
				defer c.Close()
				server := quiet(b, r)
				stop := serve(b, server)
				defer stop()
				get(b, server, "api/meta")
				var all, most time.Duration
				n := 0
				for b.Loop() {
					began := time.Now()
					body := get(b, server, fmt.Sprintf("api/"+question, n%s.metrics))
					took := time.Since(began)
					if n++; n > s.metrics {
						continue // it is known by now
					}
					all, most = all+took, max(most, took)
					b.ReportMetric(float64(len(body))/1e6, "MB")
				}
				b.ReportMetric(float64(all.Microseconds())/1000/float64(min(n, s.metrics)), "first-ms")
				b.ReportMetric(float64(most.Microseconds())/1000, "slowest-ms")
			})
		}
	}
}

func open(b *testing.B, file string) (*Report, *cube.Cube) {
	c, err := cube.Open(file)
	require.NoError(b, err)
	m, err := query.New(c)
	require.NoError(b, err)
	return &Report{Model: m}, c
}

func quiet(b *testing.B, r *Report) *Server {
	l, err := Listen("")
	require.NoError(b, err)
	s := NewServer(l)
	require.NoError(b, s.Show(r))
	return s
}

// serve serves until the function returned is called.
func serve(b *testing.B, s *Server) func() {
	server := http.Server{Handler: s.Handler()}
	go server.Serve(s.listener)
	return func() { server.Close() }
}

// get asks a server, with or without its socket being served.
func get(b *testing.B, s *Server, question string) []byte {
	if question == "api/meta" {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", s.URL()+question, nil))
		return w.Body.Bytes()
	}
	response, err := http.Get(s.URL() + question)
	require.NoError(b, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	require.Equal(b, 200, response.StatusCode, "%s", body)
	return body
}
