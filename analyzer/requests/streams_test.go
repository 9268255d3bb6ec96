package requests_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/gotrace"
	"tracerec/report"
)

// TestStreams: what took its connection over is a stream, and so is what sends what it has early, again and again, for half of its time; not what does so twice, or
// begins late. By hand.
func TestStreams(t *testing.T) {
	serve := func(name string, begin, end int, calls ...string) string {
		text := fmt.Sprintf("location %s\n  0 begin net/http.(*conn).serve\n  %d enter ServeHTTP @/go/src/net/http/server.go:1(net/http.serverHandler.ServeHTTP)\n"+
			"  %d enter %[1]s @main.go:9(main.%[1]s)\n", name, begin, begin)
		for _, c := range calls {
			at, what, _ := strings.Cut(c, " ")
			text += "  " + at + " enter call @/go/src/net/http/server.go:2(net/http.(*response)." + what + ")\n  " + at + " exit\n"
		}
		if end == 0 {
			return text
		}
		return text + fmt.Sprintf("  %d exit\n  %d exit\n  %d end\n", end, end, end+10)
	}
	r := of(t, serve("socket", 100, 900, "110 Hijack")+
		serve("events", 100, 900, "200 FlushError", "300 FlushError", "600 FlushError")+ // 400 of 800
		serve("page", 100, 900, "200 FlushError", "300 FlushError", "599 FlushError")+
		serve("twice", 100, 900, "110 FlushError", "890 FlushError")+
		serve("plain", 100, 150)+
		serve("open", 100, 0, "200 FlushError", "500 FlushError", "910 FlushError"))
	kinds := map[string]string{}
	for _, c := range r.Requests[1:] {
		kinds[c.Name] = c.Kind
	}
	require.Equal(t, map[string]string{"socket": "stream", "events": "stream", "page": "http", "twice": "http", "plain": "http", "open": "stream"}, kinds)
	all, events := r.Requests[0], named(t, r, "events")
	require.Equal(t, []any{3, 0, int64(800), int64(550)}, []any{all.Count, all.Cut, all.P50, all.Mean}) // page, twice, plain
	require.Equal(t, []any{1, 0, int64(800)}, []any{events.Count, events.Cut, events.Mean})
	require.Equal(t, 1, named(t, r, "open").Cut)

	var text bytes.Buffer
	require.NoError(t, report.RequestsText(&text, &report.Experiment{Sidecar: report.Sidecar{Requests: r.Requests}}, 9))
	require.Contains(t, text.String(), "events, stream\n")
	require.NotContains(t, text.String(), "of events, ", "how long a stream lasts is nothing to find fault with")
}

// TestStreamsOfGRPC: calls of streaming methods are streams, in the older way to serve them and in the newer one; by hand.
func TestStreamsOfGRPC(t *testing.T) {
	call := func(name string, functions ...string) string {
		text := "location " + name + "\n  100 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept\n"
		for _, f := range append(functions, "example.com/guide._Guide_"+name+"_Handler") {
			text += "  100 enter " + f[strings.LastIndexByte(f, '.')+1:] + " @server.go:1(" + f + ")\n"
		}
		return text + strings.Repeat("  150 exit\n", len(functions)+1) + "  150 end\n"
	}
	const server = "google.golang.org/grpc.(*Server)."
	r := of(t, "location accept\n  0 begin google.golang.org/grpc.(*Server).serveStreams\n  10 create Get\n  20 create Put\n  30 create List\n  40 create Watch\n  900 end\n"+
		call("Get", server+"processUnaryRPC")+call("Put", server+"processRPC", server+"register.(*Server).wrapUnaryHandler.func1")+
		call("List", server+"processStreamingRPC")+call("Watch", server+"processRPC", "main.intercept"))
	kinds := map[string]string{}
	for _, c := range r.Requests[1:] {
		kinds[c.Name] = c.Kind
	}
	require.Equal(t, map[string]string{"Guide/Get": "grpc", "Guide/Put": "grpc", "Guide/List": "stream", "Guide/Watch": "stream"}, kinds)
}

// TestIntercepted: in a recording, interceptors tell the method that is called, whichever of them and of the program's functions come first; by hand.
func TestIntercepted(t *testing.T) {
	const unary, stream, logs, auth, get = "google.golang.org/grpc.UnaryServerInterceptor", "google.golang.org/grpc.StreamServerInterceptor", "main.logs", "main.auth", "main.(*server).Get"
	text := "location accept\n  0 begin google.golang.org/grpc.(*Server).serveStreams\n  10 create g0\n  20 create g1\n  30 create g2\n  900 end\n"
	for i, c := range []struct {
		method string
		calls  []string
	}{
		{"Guide/Get", []string{unary, logs, unary, auth, get}},
		{"Guide/List", []string{unary, logs}}, // whose function is inlined
		{"Guide/Watch", []string{stream, logs, stream, auth}},
	} {
		text += fmt.Sprintf("location g%d\n  100 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept\n", i)
		for _, f := range c.calls {
			name := f[strings.LastIndexByte(f, '.')+1:]
			if f == unary || f == stream {
				name = c.method
			}
			text += "  100 enter " + name + " @server.go:1(" + f + ")\n"
		}
		text += strings.Repeat("  150 exit\n", len(c.calls)) + "  150 end\n"
	}
	kinds := map[string]string{}
	for _, c := range of(t, text).Requests[1:] {
		kinds[c.Name] = c.Kind
	}
	require.Equal(t, map[string]string{"Guide/Get": "grpc", "Guide/List": "grpc", "Guide/Watch": "stream"}, kinds)
}

// TestStreamsServed: the same in the execution trace of a server of net/http.
func TestStreamsServed(t *testing.T) {
	var mux http.ServeMux
	mux.HandleFunc("/events", feeds)
	mux.HandleFunc("/socket", takesOver)
	mux.HandleFunc("/sleep", sleeps)
	server := httptest.NewServer(&mux)
	defer server.Close()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	for _, path := range []string{"/events", "/sleep", "/events", "/sleep"} {
		r, err := http.Get(server.URL + path)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, r.Body)
		require.NoError(t, err)
		r.Body.Close()
	}
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	fmt.Fprint(c, "GET /socket HTTP/1.1\r\nHost: here\r\n\r\n")
	for range 3 {
		fmt.Fprintln(c, "ping")
		line, err := bufio.NewReader(c).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "pong\n", line)
	}
	c.Close()
	server.Close()
	trace.Stop()
	a, damage, err := gotrace.Open("test", &out)
	require.NoError(t, err)
	require.NoError(t, damage)
	defer a.Close()
	r := found(t, a)
	kinds := map[string]bool{}
	for _, c := range r.Requests {
		kinds[c.Name+" "+c.Kind] = true
	}
	for _, want := range []string{"requests_test.feeds stream", "requests_test.takesOver stream", "requests_test.sleeps http"} {
		require.True(t, kinds[want], "%s: %v", want, kinds)
	}
}

func feeds(w http.ResponseWriter, _ *http.Request) {
	for i := range 100 {
		time.Sleep(pause)
		fmt.Fprintln(w, "data:", i)
		w.(http.Flusher).Flush()
	}
}

func takesOver(w http.ResponseWriter, _ *http.Request) {
	c, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	for {
		if _, err := buf.ReadString('\n'); err != nil {
			return
		}
		time.Sleep(pause)
		io.WriteString(c, "pong\n")
	}
}
