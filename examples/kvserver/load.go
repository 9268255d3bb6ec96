package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"

	"tracerec/instrument"
)

// load is what the clients ask of the server.
type load struct {
	url      string
	clients  int
	requests int    // of each client
	size     int    // bytes of a value
	stop     func() // called by the client that is the last to be done

	puts, gets atomic.Int64

	mu     instrument.Mutex
	done   int   // clients
	failed error // what went wrong
}

// start lets all clients do their requests.
func (l *load) start() {
	for id := range l.clients {
		instrument.Go(func() { l.finish(l.client(id)) })
	}
}

// finish notes that a client is done.
func (l *load) finish(err error) {
	l.mu.Lock()
	l.done++
	l.failed = errors.Join(l.failed, err)
	last := l.done == l.clients
	l.mu.Unlock()
	if last {
		l.stop()
	}
}

// result tells, when all clients are done, whether something went wrong.
func (l *load) result() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// client writes and reads keys of its own, so it knows what every read must return.
func (l *load) client(id int) error {
	defer instrument.Region("client").End()
	// One connection for each client: a shared pool would make them wait for each other.
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := http.Client{Transport: transport}

	random := rand.New(rand.NewPCG(uint64(id), 1))
	known := make(map[string][]byte)
	for i := range l.requests {
		url := fmt.Sprintf("%s/%d-%d", l.url, id, random.IntN(8))
		want, ok := known[url]
		if !ok || i%4 == 0 {
			known[url] = text(random, l.size)
			if err := l.put(&c, url, known[url]); err != nil {
				return err
			}
			continue
		}
		if err := l.get(&c, url, want); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) put(c *http.Client, url string, value []byte) error {
	defer instrument.Region("request_put").End()
	l.puts.Add(1)
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(value))
	if err != nil {
		return err
	}
	_, err = do(c, req)
	return err
}

func (l *load) get(c *http.Client, url string, want []byte) error {
	defer instrument.Region("request_get").End()
	l.gets.Add(1)
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	got, err := do(c, req)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("GET %s: not the value that was put", url)
	}
	return err
}

// do sends a request and returns the body of the answer.
func do(c *http.Client, req *http.Request) ([]byte, error) {
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", req.Method, req.URL, resp.Status)
	}
	return body, err
}

// text makes size bytes that compress about as well as prose.
func text(random *rand.Rand, size int) []byte {
	out := make([]byte, 0, size+8)
	for len(out) < size {
		word := random.Uint32() >> random.IntN(30) // short words are frequent
		for ; word > 0; word /= 26 {
			out = append(out, 'a'+byte(word%26))
		}
		out = append(out, ' ')
	}
	return out[:size]
}
