package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// backend is the address of the other machine, which answers /1ms after a millisecond.
var backend string

var client = http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// fetch asks the other machine.
func fetch(path string) {
	r, err := client.Get("http://" + backend + path)
	if err != nil {
		return
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

// catalogue is what requests look things up in. Every fiftieth look-up asks the other machine while it holds the lock.
type catalogue struct {
	mu    sync.Mutex
	items map[string]int
	reads int
}

func mutexSlow(mux *http.ServeMux) {
	c := &catalogue{items: map[string]int{}}
	mux.HandleFunc("GET /a", func(w http.ResponseWriter, r *http.Request) {
		compute(100 * time.Microsecond)
		c.get("x")
		fmt.Fprintln(w, "ok")
	})
}

func (c *catalogue) get(name string) int {
	t := time.Now()
	c.mu.Lock()
	truth.waited(t)
	defer c.mu.Unlock()
	if c.reads++; c.reads%50 == 0 {
		c.refresh()
	}
	return c.items[name]
}

func (c *catalogue) refresh() {
	defer truth.held(time.Now(), "refresh")
	fetch("/8ms")
}

var hot sync.Mutex

// mutexHot has a lock that is held for a quarter of a millisecond of computing by every request.
func mutexHot(mux *http.ServeMux) { mux.HandleFunc("GET /a", handleHot) }

func handleHot(w http.ResponseWriter, _ *http.Request) {
	compute(80 * time.Microsecond)
	hot.Lock()
	hotSection()
	hot.Unlock()
	fmt.Fprintln(w, "ok")
}

func hotSection() { compute(250 * time.Microsecond) }

type job struct{ reply chan int }

var jobs = make(chan job, 64)

// pool has two workers for all requests.
func pool(mux *http.ServeMux) {
	go worker()
	go worker()
	mux.HandleFunc("GET /a", handleThumb)
}

func worker() {
	for j := range jobs {
		resize()
		j.reply <- 1
	}
}

func resize() {
	compute(200 * time.Microsecond)
	time.Sleep(1500 * time.Microsecond)
}

func handleThumb(w http.ResponseWriter, r *http.Request) {
	j := job{make(chan int, 1)}
	jobs <- j
	select {
	case <-j.reply:
	case <-r.Context().Done():
	}
	fmt.Fprintln(w, "ok")
}

var users, prices atomic.Int64

// downstream asks the other machine, which is slow for every fortieth request.
func downstream(mux *http.ServeMux) { mux.HandleFunc("GET /a", handleUser) }

func handleUser(w http.ResponseWriter, _ *http.Request) {
	compute(50 * time.Microsecond)
	if users.Add(1)%40 == 0 {
		slowUser()
	} else {
		fetch("/1ms")
	}
	fmt.Fprintln(w, "ok")
}

func slowUser() { fetch("/25ms") }

// fanOut asks four goroutines, of which one is slow for every fortieth request.
func fanOut(mux *http.ServeMux) { mux.HandleFunc("GET /a", handleOffer) }

func handleOffer(w http.ResponseWriter, _ *http.Request) {
	var wg sync.WaitGroup
	n := prices.Add(1)
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if i == 2 && n%40 == 0 {
				partPrice()
			} else {
				partStock()
			}
		}()
	}
	wg.Wait()
	fmt.Fprintln(w, "ok")
}

func partPrice() { fetch("/25ms") }

func partStock() {
	compute(50 * time.Microsecond)
	time.Sleep(time.Millisecond)
}

var (
	settings     sync.RWMutex
	settingsSeen int
)

// readersChain has readers that wait for a writer, which waits for a reader that is slow.
func readersChain(mux *http.ServeMux) {
	go exportLoop()
	go reloadLoop()
	mux.HandleFunc("GET /a", handleRead)
}

func handleRead(w http.ResponseWriter, _ *http.Request) {
	t := time.Now()
	settings.RLock()
	truth.waited(t)
	compute(50 * time.Microsecond)
	settings.RUnlock()
	fmt.Fprintln(w, "ok")
}

func exportLoop() {
	for {
		time.Sleep(40 * time.Millisecond)
		exportAll()
	}
}

func exportAll() {
	settings.RLock()
	t := time.Now()
	time.Sleep(12 * time.Millisecond)
	truth.held(t, "exportAll")
	settings.RUnlock()
}

func reloadLoop() {
	for {
		time.Sleep(5 * time.Millisecond)
		settings.Lock()
		settingsSeen++
		settings.Unlock()
	}
}

// connectionPool has one connection to a database, which some reports keep for long.
func connectionPool(mux *http.ServeMux) {
	db = openDatabase()
	db.SetMaxOpenConns(1)
	mux.HandleFunc("GET /a", func(w http.ResponseWriter, r *http.Request) { handleAccount(r.Context(), w) })
	mux.HandleFunc("GET /b", func(w http.ResponseWriter, r *http.Request) { handleReport(r.Context(), w) })
}

func handleAccount(ctx context.Context, w http.ResponseWriter) {
	query(ctx, "account")
	fmt.Fprintln(w, "ok")
}

func handleReport(ctx context.Context, w http.ResponseWriter) {
	query(ctx, "report")
	fmt.Fprintln(w, "ok")
}

type node struct {
	left, right *node
	values      [4]int
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

var (
	live []*node
	sink atomic.Pointer[node]
)

// pressure allocates much, while there is much to look through.
func pressure(mux *http.ServeMux) {
	debug.SetGCPercent(8)
	for range 64 {
		live = append(live, tree(13))
	}
	mux.HandleFunc("GET /a", handleAlloc)
}

func handleAlloc(w http.ResponseWriter, _ *http.Request) {
	for range 4 {
		sink.Store(tree(10))
	}
	fmt.Fprintln(w, "ok")
}
