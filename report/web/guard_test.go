package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// start serves a report on a real socket and returns the server.
func start(t *testing.T, r *Report) *Server {
	t.Helper()
	l, err := Listen("")
	require.NoError(t, err)
	s := NewServer(l)
	require.NoError(t, s.Show(r))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return s
}

// TestWaiting: what is asked before there is a report.
func TestWaiting(t *testing.T) {
	before := patience
	t.Cleanup(func() { patience = before })
	patience.page, patience.others = 0, 0
	l, err := Listen("")
	require.NoError(t, err)
	s := NewServer(l)
	ask := func(what string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", s.URL()+what, nil)
		s.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	defer l.Close()
	status, page := ask("")
	require.Equal(t, 200, status)
	require.Contains(t, page, ">Preparing the report<")
	for _, line := range []string{"\r\x1b[Kreading events: 7 %", "\r\x1b[Kmatching <operations>: 8 %"} {
		n, err := s.Write([]byte(line))
		require.NoError(t, err)
		require.Equal(t, len(line), n)
	}
	_, page = ask("index.html")
	require.Contains(t, page, ">Matching &lt;operations&gt;: 8 %<")
	require.NotContains(t, page, "Reading")
	status, page = ask("api/meta")
	require.Equal(t, 503, status)
	require.Contains(t, page, "not there yet: matching")
	status, _ = ask("app.css")
	require.Equal(t, 200, status)
	s.Write([]byte("\r\x1b[K"))
	_, page = ask("")
	require.Contains(t, page, ">Preparing the report<")
	require.NoError(t, s.Show(small(t)))
	patience = before
	_, page = ask("")
	require.Contains(t, page, "app.js")
	status, _ = ask("api/meta")
	require.Equal(t, 200, status)
}

// call makes a request that may be changed before it is sent.
func call(t *testing.T, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestWhoIsAnswered(t *testing.T) {
	s := start(t, small(t))
	port := s.listener.Addr().(*net.TCPAddr).Port
	for name, c := range map[string]struct {
		status int
		change func(*http.Request)
	}{
		"the page":                      {200, nil},
		"localhost":                     {200, func(r *http.Request) { r.Host = fmt.Sprintf("localhost:%d", port) }},
		"from the page":                 {200, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }},
		"typed in":                      {200, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }},
		"its own origin":                {200, func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }},
		"HEAD":                          {200, func(r *http.Request) { r.Method = "HEAD" }},
		"a name that was made to be us": {403, func(r *http.Request) { r.Host = fmt.Sprintf("evil.example:%d", port) }},
		"our address without port":      {403, func(r *http.Request) { r.Host = "127.0.0.1" }},
		"another port":                  {403, func(r *http.Request) { r.Host = fmt.Sprintf("127.0.0.1:%d", port+1) }},
		"another origin":                {403, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		"our origin but https":          {403, func(r *http.Request) { r.Header.Set("Origin", "https://"+r.URL.Host) }},
		"a page without origin":         {403, func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"another site":                  {403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"another port of the same host": {403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
		"POST":                          {405, func(r *http.Request) { r.Method = "POST" }},
		"OPTIONS":                       {405, func(r *http.Request) { r.Method = "OPTIONS" }},
		"DELETE":                        {405, func(r *http.Request) { r.Method = "DELETE" }},
		"no token":                      {404, func(r *http.Request) { r.URL.Path = "/" }},
		"an empty token":                {404, func(r *http.Request) { r.URL.Path = "//" }},
		"part of the token":             {404, func(r *http.Request) { r.URL.Path = r.URL.Path[:10] + "/" }},
		"another token":                 {404, func(r *http.Request) { r.URL.Path = "/" + strings.Repeat("a", 26) + "/" }},
		"the token without slash":       {200, func(r *http.Request) { r.URL.Path = strings.TrimSuffix(r.URL.Path, "/") }}, // sent on
		"part of the token, no slash":   {404, func(r *http.Request) { r.URL.Path = r.URL.Path[:10] }},
		"another site without slash": {403, func(r *http.Request) {
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}},
		"a page that is not there":       {404, func(r *http.Request) { r.URL.Path += "nothing.html" }},
		"a file of the machine":          {404, func(r *http.Request) { r.URL.Path += "../../../../etc/passwd" }},
		"a file of the machine, encoded": {404, func(r *http.Request) { r.URL.Path += "..%2f..%2fetc/passwd" }},
		"a directory":                    {404, func(r *http.Request) { r.URL.Path += "." }},
		"a question that is none":        {404, func(r *http.Request) { r.URL.Path += "api/shutdown" }},
		"a huge question":                {414, func(r *http.Request) { r.URL.RawQuery = strings.Repeat("a", maxTarget) }},
		"a question without sense":       {400, func(r *http.Request) { r.URL.Path += "api/calls"; r.URL.RawQuery = "metric=%zz" }},
	} {
		response, body := call(t, s.URL(), c.change)
		require.Equal(t, c.status, response.StatusCode, "%s: %s", name, body)
		require.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'self'", name)
		require.NotContains(t, response.Header.Get("Content-Security-Policy"), "unsafe", name)
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"), name)
		require.Equal(t, "no-referrer", response.Header.Get("Referrer-Policy"), name)
		require.Equal(t, "same-origin", response.Header.Get("Cross-Origin-Resource-Policy"), name)
		require.NotContains(t, response.Header, "Access-Control-Allow-Origin", name)
		if c.status == 200 {
			require.Equal(t, strings.TrimPrefix(s.URL(), "http://"+s.listener.Addr().String()), response.Request.URL.Path, name)
		} else {
			require.NotContains(t, body, s.token, name)
			require.Contains(t, body, `{"error":`, name)
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	a, b := start(t, small(t)), start(t, small(t))
	require.Len(t, a.token, 26)
	require.NotEqual(t, a.token, b.token)
}

func TestListen(t *testing.T) {
	for _, address := range []string{"", "0", "127.0.0.1:0", "localhost:0", ":0"} {
		l, err := Listen(address)
		require.NoError(t, err, address)
		require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback())
		l.Close()
	}
	for _, address := range []string{"0.0.0.0:0", "192.168.0.1:80", "[::]:0", "example.com:80", "8.8.8.8:80", "http://127.0.0.1:80", "127.0.0.1", "99999",
		"127.0.0.1:http", "127.0.0.1:-1"} {
		_, err := Listen(address)
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "\n")
		require.Contains(t, err.Error(), address)
	}
}

// Clients that do not go on are not waited for.
func TestSlowClients(t *testing.T) {
	saved := headerTimeout
	headerTimeout = 200 * time.Millisecond
	t.Cleanup(func() { headerTimeout = saved })
	s := start(t, small(t))
	for name, beginning := range map[string]string{
		"silence":                 "",
		"half a request":          "GET /" + s.token + "/ HTTP/1.1\r\nHost: ",
		"headers without an end":  "GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n",
		"a body that never comes": "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
	} {
		c, err := net.Dial("tcp", s.listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, beginning)
		require.NoError(t, err)
		end := make(chan struct{})
		go func() { io.Copy(io.Discard, c); close(end) }()
		testkit.Receive(t, "the server to hang up after "+name, end)
		c.Close()
	}
}

func TestHugeHeaders(t *testing.T) {
	s := start(t, small(t))
	c, err := net.Dial("tcp", s.listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	fmt.Fprintf(c, "GET /%s/ HTTP/1.1\r\nHost: %s\r\nX-A: %s\r\n\r\n", s.token, s.listener.Addr(), strings.Repeat("x", 64<<10))
	line, err := bufio.NewReader(c).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, " 431 ")
}

// A defect costs one answer. That the name is of a question is all that the server knows of it.
func TestDefect(t *testing.T) {
	answers["defect"] = func(*api, *question) (any, error) { panic("as intended") }
	t.Cleanup(func() { delete(answers, "defect") })
	s := start(t, small(t))
	r, body := call(t, s.URL()+"api/defect", nil)
	require.Equal(t, http.StatusInternalServerError, r.StatusCode)
	require.Contains(t, body, "a defect of the program: as intended")
	r, _ = call(t, s.URL()+"api/meta", nil)
	require.Equal(t, http.StatusOK, r.StatusCode)
}
