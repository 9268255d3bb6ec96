package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tracerec/instrument"
	"tracerec/lab/planted/plain"
)

var _ plain.Mutex

func init() {
	register(map[string]func(){
		"store": storeCompacts, "cache": cacheRefreshes, "catalogue": catalogueIsRead, "errgroup-lock": errgroupLock,
		"sessions": sessionHandlers, "loader": genericLoader, "logger": slowLogger, "timers": timersAtALock,
		"counters": embeddedMutex, "transfer": nestedLocks, "lazy": lazyInit, "settings": onceValue,
	})
}

type store struct {
	mu   instrument.Mutex //planted:keep
	data map[int]int
}

// A store is compacted again and again under its only lock.
//
//planted:metric lock_competition
//planted:object store.mu
func storeCompacts() {
	s := &store{data: map[int]int{}}
	stop := make(chan struct{})
	go func() {
		defer instrument.Region("compactor").End()
		for {
			select {
			case <-stop:
				return
			default:
			}
			s.mu.Lock() //planted:cause
			disk(12 * ms)
			s.mu.Unlock()
			disk(ms)
		}
	}()
	var wg instrument.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			defer instrument.Region("client").End()
			for i := range 12 {
				s.mu.Lock() //planted:wait
				s.data[w] += i
				s.mu.Unlock()
				disk(2 * ms)
			}
		})
	}
	wg.Wait()
	close(stop)
}

type cache struct {
	lock  instrument.RWMutex //planted:keep
	value int
}

// A cache is filled anew while it is locked, so that those who read it wait.
//
//planted:metric rw_reader_wait
//planted:object cache.lock
func cacheRefreshes() {
	c := new(cache)
	var over sync.WaitGroup
	stop := make(chan struct{})
	over.Add(1)
	go func() {
		defer over.Done()
		defer instrument.Region("refresh").End()
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * ms):
			}
			c.lock.Lock() //planted:cause
			disk(15 * ms)
			c.value++
			c.lock.Unlock()
		}
	}()
	var g instrument.WaitGroup
	for range 4 {
		g.Go(func() {
			defer instrument.Region("reader").End()
			for range 12 {
				c.lock.RLock() //planted:wait
				compute(200 * time.Microsecond)
				c.lock.RUnlock()
				disk(ms)
			}
		})
	}
	g.Wait()
	close(stop)
	over.Wait()
}

// A writer waits for readers that keep a catalogue locked for long.
//
//planted:metric rw_writer_wait
//planted:object catalogue
func catalogueIsRead() {
	var catalogue instrument.RWMutex //planted:keep
	stop := make(chan struct{})
	for _, long := range []time.Duration{14 * ms, ms} {
		instrument.Go(func() {
			defer instrument.Region("export").End()
			for {
				select {
				case <-stop:
					return
				default:
				}
				catalogue.RLock() //planted:cause
				disk(long)
				catalogue.RUnlock()
				disk(ms)
			}
		})
	}
	disk(3 * ms)
	func() {
		defer instrument.Region("update").End()
		for range 15 {
			catalogue.Lock() //planted:wait
			compute(100 * time.Microsecond)
			catalogue.Unlock()
			disk(ms)
		}
	}()
	close(stop)
}

// Tasks of an errgroup do their work in a critical section.
//
//planted:metric lock_competition
//planted:object results
func errgroupLock() {
	defer instrument.Region("main").End()
	var results instrument.Mutex //planted:keep
	var g errgroup.Group
	g.SetLimit(4)
	for range 16 {
		g.Go(func() error {
			defer instrument.Region("task").End()
			results.Lock() //planted:wait planted:cause
			disk(15 * ms)
			results.Unlock()
			compute(ms)
			return nil
		})
	}
	g.Wait()
}

type sessions struct {
	mu   instrument.Mutex //planted:keep
	last map[string]time.Time
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer instrument.Region("handle").End()
	s.mu.Lock() //planted:wait planted:cause
	s.last[r.URL.Path] = time.Now()
	disk(4 * ms) // saved
	s.mu.Unlock()
	fmt.Fprintln(w, "ok")
}

// The handlers of a web server save sessions under a lock.
//
//planted:metric lock_competition
//planted:object sessions.mu
func sessionHandlers() {
	server := httptest.NewServer(&sessions{last: map[string]time.Time{}})
	defer server.Close()
	var clients sync.WaitGroup
	for c := range 6 {
		clients.Go(func() {
			for range 10 {
				if response, err := http.Get(server.URL + "/" + fmt.Sprint(c)); err == nil {
					response.Body.Close()
				}
			}
		})
	}
	clients.Wait()
}

type table[K comparable, V any] struct {
	guard instrument.Mutex //planted:keep
	m     map[K]V
	load  func(K) V
}

func (t *table[K, V]) Get(k K) V {
	t.guard.Lock() //planted:wait planted:cause
	defer t.guard.Unlock()
	v, ok := t.m[k]
	if !ok {
		v = t.load(k)
		t.m[k] = v
	}
	return v
}

// A generic table loads what is missing while it is locked.
//
//planted:metric lock_competition
//planted:object table.guard
func genericLoader() {
	t := &table[int, string]{m: map[int]string{}, load: func(int) string { disk(8 * ms); return "v" }}
	var wg instrument.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			defer instrument.Region("query").End()
			for i := range 10 {
				t.Get(w*100 + i)
				compute(300 * time.Microsecond)
			}
		})
	}
	wg.Wait()
}

var logLock instrument.Mutex //planted:keep

func logLine(string) {
	logLock.Lock() //planted:wait planted:cause
	disk(2 * ms)
	logLock.Unlock()
}

// Everybody logs to a slow device, one at a time.
//
//planted:metric lock_competition
//planted:object logLock
func slowLogger() {
	done := make(chan bool)
	for range 5 {
		go func() {
			func() {
				defer instrument.Region("job").End()
				for range 20 {
					compute(200 * time.Microsecond)
					logLine("done")
				}
			}()
			done <- true
		}()
	}
	for range 5 {
		<-done
	}
}

// Timers fire together, and what they call needs the same lock.
//
//planted:metric lock_competition
//planted:object state
func timersAtALock() {
	var state instrument.Mutex //planted:keep
	var all sync.WaitGroup
	for i := range 20 {
		all.Add(1)
		time.AfterFunc(time.Duration(i%4)*ms, func() {
			defer all.Done()
			defer instrument.Region("expire").End()
			state.Lock() //planted:wait planted:cause
			disk(10 * ms)
			state.Unlock()
		})
	}
	all.Wait()
}

type tally struct {
	instrument.Mutex //planted:keep
	n                map[string]int
}

func (t *tally) inc(name string) {
	t.Lock() //planted:wait planted:cause
	t.n[name]++
	disk(3 * ms)
	t.Unlock()
}

// A lock is embedded, as many are.
//
//planted:metric lock_competition
//planted:object tally
func embeddedMutex() {
	t := &tally{n: map[string]int{}}
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			defer instrument.Region("worker").End()
			for range 15 {
				compute(300 * time.Microsecond)
				t.inc("done")
			}
			return nil
		})
	}
	g.Wait()
}

type account struct {
	mu      instrument.Mutex
	balance int
}

var ledger instrument.Mutex //planted:keep

// A transfer locks an account and then the ledger, which an auditor keeps.
//
//planted:metric lock_competition
//planted:object ledger
func nestedLocks() {
	accounts := make([]account, 4)
	stop := make(chan struct{})
	instrument.Go(func() {
		defer instrument.Region("audit").End()
		for {
			select {
			case <-stop:
				return
			default:
			}
			ledger.Lock() //planted:cause
			disk(16 * ms)
			ledger.Unlock()
			disk(2 * ms)
		}
	})
	disk(ms)
	var wg instrument.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			defer instrument.Region("transfer").End()
			for range 8 {
				a := &accounts[w]
				a.mu.Lock()
				ledger.Lock() //planted:wait
				a.balance++
				ledger.Unlock()
				a.mu.Unlock()
				disk(ms)
			}
		})
	}
	wg.Wait()
	close(stop)
}

type client struct {
	connect instrument.Once //planted:keep
}

// Everybody waits for the one that connects.
//
//planted:metric once_wait
//planted:object client.connect
func lazyInit() {
	c := new(client)
	var g errgroup.Group
	for range 6 {
		g.Go(func() error {
			defer instrument.Region("fetch").End()
			c.connect.Do(func() { //planted:wait planted:cause
				defer instrument.Region("dial").End()
				disk(150 * ms)
			})
			disk(10 * ms)
			return nil
		})
	}
	g.Wait()
}

// Settings are read when they are first asked for, by many at once.
//
//planted:metric once_wait
func onceValue() {
	settings := instrument.OnceValue(func() int { //planted:wait planted:keep
		defer instrument.Region("parse").End()
		disk(160 * ms)
		return 7
	})
	var wg instrument.WaitGroup
	for range 5 {
		wg.Go(func() {
			defer instrument.Region("start").End()
			disk(2 * ms)
			settings() //planted:wait planted:cause
			compute(2 * ms)
		})
	}
	wg.Wait()
}
