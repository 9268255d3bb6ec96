package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var embedded embed.FS

// assets is the page: index.html and what it loads.
var assets, _ = fs.Sub(embedded, "assets")

// Listen opens a socket for a server. The address is host:port, a port, or "" for any free port; its host must be the loopback interface.
func Listen(address string) (net.Listener, error) {
	host, port, err := split(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() { // localhost, by a hosts file for instance
		l.Close()
		return nil, notLoopback(address)
	}
	return l, nil
}

func split(address string) (host, port string, err error) {
	if address == "" {
		return "127.0.0.1", "0", nil
	}
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		return "127.0.0.1", address, nil
	}
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("address %q: neither HOST:PORT nor PORT", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", "", fmt.Errorf("address %q: %q is not a port number", address, port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", "", notLoopback(address)
	}
	return host, port, nil
}

func notLoopback(address string) error {
	return fmt.Errorf("address %q: not the loopback interface; use a tunnel such as ssh -L to view a report from another machine", address)
}

// Server serves one report to one person, from when it is there. Until then the page says how far it is, and questions wait.
type Server struct {
	listener net.Listener
	token    string
	ready    chan struct{} // closed when there is a report
	api      *api          // of the report
	mu       sync.Mutex
	cache    cache
	doing    string // how far the report is
}

// NewServer prepares to serve a report on a socket made by Listen.
func NewServer(l net.Listener) *Server {
	return &Server{listener: l, token: strings.ToLower(rand.Text()), ready: make(chan struct{}), cache: cache{left: cacheSize}}
}

// Show is told the report, once.
func (s *Server) Show(r *Report) (err error) {
	if s.api, err = newAPI(r); err == nil {
		close(s.ready)
	}
	return err
}

// URL returns the address of the page. Whoever knows it can see the report.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" + s.token + "/" }

// Serve answers requests until the context ends. It closes the socket.
func (s *Server) Serve(ctx context.Context) error {
	server := http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    2 * maxTarget,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// headerTimeout is how long a client may take to send its request.
var headerTimeout = 10 * time.Second

// Handler returns what answers the requests, with all checks of who asks.
func (s *Server) Handler() http.Handler {
	address := s.listener.Addr().String()
	hosts := []string{address}
	if _, port, err := net.SplitHostPort(address); err == nil {
		// No name server is asked for localhost, so no other site can be called so.
		hosts = append(hosts, "localhost:"+port)
	}
	return &guard{hosts: hosts, token: s.token, next: http.HandlerFunc(s.answer)}
}

// answer serves a file of the page or an answer of the interface.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if !s.wait(w, r) {
		return
	}
	if name, isAPI := strings.CutPrefix(r.URL.Path, "api/"); isAPI {
		s.ask(w, r, name)
		return
	}
	name := r.URL.Path
	if name == "" {
		name = "index.html"
	}
	content, err := fs.ReadFile(assets, name)
	if err != nil {
		refusal(w, http.StatusNotFound, "there is no such page")
		return
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	s.send(w, r, kind, &response{body: content})
}

// contentTypes are the types of the page's files; they do not depend on the machine's tables.
var contentTypes = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json"}

// ask answers a question about the report. Answers are kept, since the page asks the same again and again.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, name string) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		refusal(w, http.StatusBadRequest, "the question cannot be read")
		return
	}
	key := name + "?" + values.Encode()
	s.mu.Lock()
	kept := s.cache.get(key)
	s.mu.Unlock()
	if kept == nil {
		body, err := s.answerSafely(name, values)
		if err != nil {
			refusal(w, status(err), err.Error())
			return
		}
		kept = &response{body: body}
		s.mu.Lock()
		s.cache.put(key, kept)
		s.mu.Unlock()
	}
	s.send(w, r, "application/json", kept)
}

// answerSafely answers a question. A defect costs this answer, not the server.
func (s *Server) answerSafely(name string, values url.Values) (body []byte, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			body, err = nil, fmt.Errorf("a defect of the program: %v", defect)
		}
	}()
	return s.api.answer(name, values)
}

// worthZipping is the size from which on an answer is compressed. The loopback interface is fast, but a tunnel may be behind it.
const worthZipping = 64 << 10

// send sends a response in the form that the client understands.
func (s *Server) send(w http.ResponseWriter, r *http.Request, kind string, answer *response) {
	h := w.Header()
	h.Set("Content-Type", kind)
	body := answer.body
	if len(body) >= worthZipping {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = answer.zip()
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// response is an answer, compressed when that is first asked for.
type response struct {
	body   []byte
	once   sync.Once
	zipped []byte
}

func (r *response) zip() []byte {
	r.once.Do(func() {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		z.Write(r.body)
		z.Close()
		r.zipped = b.Bytes()
	})
	return r.zipped
}

// cacheSize is how many bytes of answers are kept.
const cacheSize = 64 << 20

// cache keeps the answers used last.
type cache struct {
	left    int
	entries map[string]*entry
	clock   uint64
}

type entry struct {
	*response
	used uint64
}

func (c *cache) get(key string) *response {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.clock++
	e.used = c.clock
	return e.response
}

// put keeps an answer, at the expense of those that were not used for longest.
func (c *cache) put(key string, r *response) {
	cost := func(key string, r *response) int { return len(key) + len(r.body) + len(r.body)/2 + 256 }
	if c.entries == nil {
		c.entries = map[string]*entry{}
	}
	if old := c.entries[key]; old != nil {
		return // two asked at once
	}
	if cost(key, r) > cacheSize/4 {
		return
	}
	c.clock++
	c.entries[key] = &entry{r, c.clock}
	for c.left -= cost(key, r); c.left < 0; {
		oldest := ""
		for k, e := range c.entries {
			if oldest == "" || e.used < c.entries[oldest].used {
				oldest = k
			}
		}
		c.left += cost(oldest, c.entries[oldest].response)
		delete(c.entries, oldest)
	}
}
