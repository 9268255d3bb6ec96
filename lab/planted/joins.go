package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tracerec/instrument"
	"tracerec/lab/planted/plain"
)

func init() {
	register(map[string]func(){
		"straggler": straggler, "phases": unevenPhases, "parallel": genericFor, "queue": condQueue, "pool": condPool,
		"snapshot": broadcast, "stencil": unevenBarrier, "database": connectionPool, "reports": workerQueue, "service": endless,
		"library": silentMain, "compute": computes, "idle-workers": idleWorkers, "sleep": sleeps,
	})
}

// One of the goroutines that are waited for has far more to do.
//
//planted:metric join_wait
//planted:object wg
func straggler() {
	defer instrument.Region("main").End()
	var wg instrument.WaitGroup //planted:keep
	for i := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer instrument.Region("shard").End()
			if i == 3 {
				disk(180 * ms)
			}
			disk(10 * ms)
		}()
	}
	wg.Wait() //planted:wait
	compute(5 * ms)
}

// Each phase waits for all of its parts, which are uneven.
//
//planted:metric join_wait
//planted:object phase
func unevenPhases() {
	defer instrument.Region("main").End()
	for n := range 8 {
		var phase instrument.WaitGroup //planted:keep
		for i := range 4 {
			phase.Go(func() {
				defer instrument.Region("part").End()
				if i == n%4 {
					disk(20 * ms)
				}
				compute(500 * time.Microsecond)
			})
		}
		phase.Wait() //planted:wait
	}
}

// parallel calls f on all parts of a range at the same time.
func parallel[T any](parts []T, f func(T)) {
	var all instrument.WaitGroup //planted:keep
	for _, p := range parts {
		all.Add(1)
		go func() {
			defer all.Done()
			f(p)
		}()
	}
	all.Wait() //planted:wait
}

// A library's loop has uneven blocks.
//
//planted:metric join_wait
//planted:object all
func genericFor() {
	defer instrument.Region("main").End()
	for range 6 {
		parallel([]int{1, 1, 1, 28}, func(n int) {
			defer instrument.Region("block").End()
			disk(time.Duration(n) * ms)
		})
	}
}

type queue struct {
	mu    sync.Mutex
	cond  *instrument.Cond
	items []int
}

func (q *queue) get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait() //planted:wait
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v
}

func (q *queue) put(v int) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.cond.Signal() //planted:cause
}

// A queue with a condition is filled slowly.
//
//planted:metric cond_wait
//planted:object queue.cond
func condQueue() {
	defer instrument.Region("main").End()
	q := new(queue)
	q.cond = instrument.NewCond(&q.mu) //planted:keep
	go func() {
		defer instrument.Region("crawl").End()
		for i := range 22 {
			disk(9 * ms)
			q.put(i)
		}
	}()
	for range 22 {
		q.get()
		compute(300 * time.Microsecond)
	}
}

type pool struct {
	mu   sync.Mutex
	free *instrument.Cond
	busy int
}

func (p *pool) run(f func()) {
	p.mu.Lock()
	for p.busy == 4 {
		p.free.Wait() //planted:wait
	}
	p.busy++
	p.mu.Unlock()
	go func() {
		defer instrument.Region("task").End()
		f()
		p.mu.Lock()
		p.busy--
		p.mu.Unlock()
		p.free.Signal() //planted:cause
	}()
}

// All workers of a pool are busy when the next task comes.
//
//planted:metric cond_wait
//planted:object pool.free
func condPool() {
	defer instrument.Region("main").End()
	p := new(pool)
	p.free = instrument.NewCond(&p.mu) //planted:keep
	for range 40 {
		p.run(func() { disk(20 * ms) })
	}
}

// All wait for the next version, which takes long.
//
//planted:metric cond_wait
//planted:object changed
func broadcast() {
	var mu sync.Mutex
	changed := instrument.NewCond(&mu) //planted:keep
	version := 0
	go func() {
		defer instrument.Region("rebuild").End()
		for range 10 {
			disk(18 * ms)
			mu.Lock()
			version++
			mu.Unlock()
			changed.Broadcast() //planted:cause
		}
	}()
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			defer instrument.Region("follow").End()
			for seen := 0; seen < 10; {
				mu.Lock()
				for version == seen {
					changed.Wait() //planted:wait
				}
				seen = version
				mu.Unlock()
				compute(300 * time.Microsecond)
			}
			return nil
		})
	}
	g.Wait()
}

// Steps of several goroutines end at a barrier, and one comes late each time.
//
//planted:metric barrier_wait
//planted:object step
func unevenBarrier() {
	step := instrument.NewBarrier(4)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			defer instrument.Region("domain").End()
			for range 10 {
				if i == 2 {
					disk(18 * ms)
				}
				compute(300 * time.Microsecond)
				step.Wait() //planted:wait planted:cause
			}
		})
	}
	wg.Wait()
}

// Handlers share two connections to a database.
//
//planted:metric late_sender
//planted:object conns
func connectionPool() {
	conns := make(chan int, 2)
	conns <- 1
	conns <- 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer instrument.Region("query").End()
		c := instrument.Recv(conns) //planted:wait
		disk(10 * ms)
		instrument.Send(conns, c) //planted:cause
		fmt.Fprintln(w, c)
	}))
	defer server.Close()
	load(server.URL, 6, 6)
}

// load puts load on a server.
func load(url string, clients, requests int) {
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range requests {
				if response, err := http.Get(url); err == nil {
					response.Body.Close()
				}
			}
		})
	}
	all.Wait()
}

// Handlers give their work to a single worker and wait for its answer.
//
//planted:metric late_sender
func workerQueue() {
	work := make(chan chan int, 8)
	go func() {
		defer instrument.Region("render").End()      //planted:work
		for answer := range instrument.Range(work) { //planted:keep
			compute(5 * ms)
			instrument.Send(answer, 1) //planted:cause
		}
	}()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer instrument.Region("report").End()
		answer := make(chan int, 1)
		instrument.Send(work, answer)            //planted:keep
		fmt.Fprintln(w, instrument.Recv(answer)) //planted:wait
	}))
	defer server.Close()
	load(server.URL, 4, 10)
}

var index instrument.Mutex //planted:keep

// A service has no end: somebody stops it while it serves. Its handlers wait for an index.
//
//planted:metric lock_competition
//planted:object index
func endless() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer instrument.Region("search").End()
		index.Lock() //planted:wait planted:cause
		disk(4 * ms)
		index.Unlock()
		fmt.Fprintln(w, "found")
	}))
	go load(server.URL, 6, 1e6)
	time.AfterFunc(350*ms, func() { os.Exit(0) })
	select {}
}

// The program itself is not recorded, only a library that it uses.
//
//planted:metric lock_competition
//planted:object registry
func silentMain() {
	var registry instrument.Mutex //planted:keep
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 12 {
				disk(500 * time.Microsecond)
				func() {
					defer instrument.Region("register").End()
					registry.Lock() //planted:wait planted:cause
					disk(4 * ms)
					registry.Unlock()
				}()
			}
		}()
	}
	all.Wait()
}

// One computes, and nobody waits for it but main at the end.
//
//planted:metric execution
func computes() {
	defer instrument.Region("main").End()
	done := make(chan bool)
	instrument.Go(func() {
		defer instrument.Close(done)
		defer instrument.Region("solve").End()
		for range 10 {
			func() {
				defer instrument.Region("iterate").End()
				compute(15 * ms)
			}()
		}
	})
	for range 10 {
		func() {
			defer instrument.Region("check").End()
			compute(30 * ms)
		}()
	}
	instrument.Recv2(done)
}

// Workers wait for work that never comes, while the program computes something else.
//
//planted:metric execution
func idleWorkers() {
	defer instrument.Region("main").End()
	jobs := make(chan int)
	for range 6 {
		instrument.Go(func() {
			defer instrument.Region("worker").End()
			for range instrument.Range(jobs) {
				compute(ms)
			}
		})
	}
	for range 4 {
		func() {
			defer instrument.Region("simulate").End()
			compute(50 * ms)
		}()
	}
}

// A program sleeps.
//
//planted:metric sleep
func sleeps() {
	defer instrument.Region("main").End()
	for range 5 {
		func() {
			defer instrument.Region("poll").End()
			instrument.Sleep(40 * ms) //planted:wait
			compute(ms)
		}()
	}
}

var _ plain.Mutex
