package gotrace_test

import (
	"io"
	"net"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/trace/wire"
)

func readsPipe(f *os.File)   { f.Read(make([]byte, 1)) }
func accepts(l net.Listener) { l.Accept() }

func readsConnection(c net.Conn) { c.Read(make([]byte, 1)) }

// TestPipe: what is read from a pipe is no network, and who accepts connections waits for these.
func TestPipe(t *testing.T) {
	text := traced(t, func() {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c, err := net.Dial("udp", "127.0.0.1:9")
		require.NoError(t, err)
		for f, end := range map[string]struct{ begin, end func() }{
			"readsPipe":       {func() { readsPipe(r) }, func() { w.Close() }},
			"accepts":         {func() { accepts(l) }, func() { l.Close() }},
			"readsConnection": {func() { readsConnection(c) }, func() { c.Close() }},
		} {
			done := make(chan bool)
			go func() { end.begin(); close(done) }()
			stuck(t, f, "IO wait")
			end.end()
			<-done
		}
	})
	e := analyzed(t, opened(t, text))
	for function, name := range map[string]string{"readsPipe": wire.Pipe, "accepts": wire.Accept, "readsConnection": wire.Network} {
		require.True(t, slices.ContainsFunc(e.Regions, func(r report.Region) bool {
			return r.Operation && r.Name == name && r.Func == "tracerec/exchange/gotrace_test."+function
		}), "%s: %v", function, e.Regions)
	}
}

func writer(w io.Writer) { w.Write(make([]byte, 1)) }

// TestPipesInMemory: who writes to a pipe in memory sends, and who reads from it receives, though both select.
func TestPipesInMemory(t *testing.T) {
	text := traced(t, func() {
		r, w := io.Pipe()
		here, there := net.Pipe()
		for _, pipe := range []struct {
			io.Reader
			io.Writer
		}{{r, w}, {here, there}} {
			done := make(chan bool)
			go func() { writer(pipe.Writer); close(done) }()
			stuck(t, "writer", "select")
			reader(pipe.Reader)
			<-done
			done = make(chan bool)
			go func() { reader(pipe.Reader); close(done) }()
			stuck(t, "reader", "select")
			writer(pipe.Writer)
			<-done
		}
	})
	e := analyzed(t, opened(t, text))
	for _, want := range []string{
		"late_receiver: select in io.(*pipe).write < select in io.(*pipe).read",
		"late_sender: select in io.(*pipe).read < select in io.(*pipe).write",
		"late_receiver: select in writer < select in reader", // net's own functions are no places
		"late_sender: select in reader < select in writer",
	} {
		require.Contains(t, waits(e), want)
	}
}
