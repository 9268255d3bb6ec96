package gotrace_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	exp "golang.org/x/exp/trace"

	"tracerec/exchange/gotrace"
)

// busy is a trace of goroutines that pass values on, or the file that GOTRACE names.
func busy(b *testing.B) []byte {
	if name := os.Getenv("GOTRACE"); name != "" {
		text, err := os.ReadFile(name)
		require.NoError(b, err)
		return text
	}
	return traced(b, func() {
		first := make(chan int)
		c := first
		for range 8 {
			in, out := c, make(chan int)
			go func() {
				for v := range in {
					out <- v
				}
				close(out)
			}()
			c = out
		}
		go func() {
			for i := range 20_000 {
				first <- i
			}
			close(first)
		}()
		ranges(c)
	})
}

// BenchmarkReader is the peer: only reading, by x/exp/trace.
func BenchmarkReader(b *testing.B) {
	text := busy(b)
	events := 0
	for b.Loop() {
		r, err := exp.NewReader(bytes.NewReader(text))
		require.NoError(b, err)
		for events = 0; ; events++ {
			if _, err = r.ReadEvent(); err != nil {
				break
			}
		}
		require.Equal(b, io.EOF, err)
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkOpen reads the same as an archive.
func BenchmarkOpen(b *testing.B) {
	text := busy(b)
	for b.Loop() {
		a, damage, err := gotrace.Open("bench", bytes.NewReader(text))
		require.NoError(b, err)
		require.NoError(b, damage)
		require.NoError(b, a.Close())
	}
}
