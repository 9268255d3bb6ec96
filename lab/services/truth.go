package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Truth is what a server noted of itself. Times are nanoseconds of the wall clock.
type Truth struct {
	Requests []*Served `json:"requests"`
	Waits    []Span    `json:"waits"` // for what the scenario's requests compete for
	Holds    []Span    `json:"holds"` // who had that

	mu sync.Mutex
}

// Served is a request.
type Served struct {
	Goroutine uint64 `json:"g"`
	Path      string `json:"path"`
	Read      int64  `json:"read"` // its last bytes came before the handler, 0 unknown
	Begin     int64  `json:"begin"`
	End       int64  `json:"end"`
	Written   int64  `json:"written"` // its last bytes went, 0 unknown
}

// Span is a time in which a goroutine waited, or had something.
type Span struct {
	Goroutine uint64 `json:"g"`
	Begin     int64  `json:"begin"`
	End       int64  `json:"end"`
	By        string `json:"by,omitempty"` // the function that had it
}

var truth Truth

func (t *Truth) write(file string) error {
	if file == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}

// waited notes a wait that ended now.
func (t *Truth) waited(since time.Time) { t.span(&t.Waits, since, "") }

// held notes that somebody had it until now.
func (t *Truth) held(since time.Time, by string) { t.span(&t.Holds, since, by) }

func (t *Truth) span(list *[]Span, since time.Time, by string) {
	s := Span{goroutine(), since.UnixNano(), time.Now().UnixNano(), by}
	t.mu.Lock()
	*list = append(*list, s)
	t.mu.Unlock()
}

// goroutine returns the number of the goroutine that calls it.
func goroutine() uint64 {
	var b [64]byte
	n, _ := strconv.ParseUint(string(bytes.Fields(b[:runtime.Stack(b[:], false)])[1]), 10, 64)
	return n
}

// watched is a listener whose connections note when they were read and written.
type watched struct{ net.Listener }

func (l watched) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

type conn struct {
	net.Conn
	read    atomic.Int64
	request atomic.Pointer[Served]
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.read.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if s := c.request.Load(); s != nil {
		s.Written = time.Now().UnixNano()
	}
	return n, err
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// witness notes when requests were handled. Of HTTP/2, many have one connection.
func witness(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now().UnixNano() // before the work of noting, which is part of the request
		s := &Served{Goroutine: goroutine(), Path: r.URL.Path, Begin: begin}
		if c, ok := r.Context().Value(connKey{}).(*conn); ok && r.ProtoMajor == 1 {
			s.Read = c.read.Load()
			c.request.Store(s)
		}
		truth.mu.Lock()
		truth.Requests = append(truth.Requests, s)
		truth.mu.Unlock()
		h.ServeHTTP(w, r)
		s.End = time.Now().UnixNano()
	})
}
