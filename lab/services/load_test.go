package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// load is what clients do to a server, each on a connection of its own.
type load struct {
	clients int
	think   time.Duration // on average, between an answer and the next request
	paths   []string      // one of which each request asks for, all as often
	length  time.Duration
	http2   bool
}

// run puts a server under load, and returns how long the answers took.
func (l load) run(t *testing.T, address string) (took []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(l.length)
	for i := range l.clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			ask, closes, err := l.dial(address)
			if err != nil {
				t.Error(err)
				return
			}
			defer closes()
			for time.Now().Before(end) {
				time.Sleep(time.Duration(random.ExpFloat64() * float64(l.think)))
				begin := time.Now()
				if err := ask(l.paths[random.IntN(len(l.paths))]); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took
}

// dial connects a client. Those of HTTP/1 are as simple as can be, since they need processors, too.
func (l load) dial(address string) (ask func(path string) error, closes func(), err error) {
	if l.http2 {
		p := new(http.Protocols)
		p.SetUnencryptedHTTP2(true)
		c := http.Client{Transport: &http.Transport{Protocols: p}}
		return func(path string) error {
			r, err := c.Get("http://" + address + path)
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			return err
		}, c.CloseIdleConnections, nil
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	r := bufio.NewReader(c)
	return func(path string) error {
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		return discard(r)
	}, func() { c.Close() }, nil
}

// discard reads an answer.
func discard(r *bufio.Reader) error {
	length := 0
	for {
		s, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if s == "\r\n" {
			break
		}
		fmt.Sscanf(s, "Content-Length: %d", &length)
	}
	_, err := r.Discard(length)
	return err
}

// otherMachine answers each request after the time that its path says.
func otherMachine(t *testing.T) (address string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := time.ParseDuration(r.URL.Path[1:])
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(d)
		fmt.Fprintln(w, "ok")
	}))
	t.Cleanup(s.Close)
	address, ok := strings.CutPrefix(s.URL, "http://")
	require.True(t, ok)
	return address
}
