// Command named operates on objects of all kinds, however programs write that. The comment of a line says, as what reads the source
// does, which operation it is, what the program calls the object, and with ! that the name means the same elsewhere.
package main

import (
	"context"
	"sync"
	"time"

	"tracerec/analyzer/pipeline/testdata/named/store"
	"tracerec/instrument"
)

type DB struct {
	metalock instrument.Mutex
	rw       instrument.RWMutex
	file     *file
	jobs     chan int
	quit     chan struct{}
	shards   [4]shard
	byName   map[string]*instrument.Mutex
	down     []*instrument.Mutex
	pair     struct{ left, right instrument.Mutex }
	deep
}

type file struct{ sync instrument.Mutex }

type shard struct {
	instrument.RWMutex
	n int
}

type deep struct{ under instrument.Mutex }

type Server struct {
	db    *DB
	wg    instrument.WaitGroup
	ready *instrument.Cond
	start instrument.Once
	sem   chan struct{}
	timer *time.Ticker
	ctx   context.Context
	meet  *instrument.Barrier
	outer store.Outer
}

type Pool[T any] struct {
	idle instrument.Mutex
	free chan T
}

func (p *Pool[T]) put(v T) {
	p.idle.Lock() // lock Pool.idle !
	p.idle.Unlock()
	instrument.Send(p.free, v) // send Pool.free !
}

type guard struct{ instrument.Mutex }

type wrapped struct{ guard }

var (
	registry instrument.Mutex
	table    instrument.RWMutex
	counts   struct{ mu, other instrument.Mutex }
	stripes  [3]instrument.Mutex
	events   = make(chan int, 9)
	group    instrument.WaitGroup
	setup    = instrument.OnceValue(func() int { return 7 })
	def      = &DB{}
	one      guard
)

func newDB() *DB {
	return &DB{file: &file{}, jobs: make(chan int, 9), quit: make(chan struct{}, 9), byName: map[string]*instrument.Mutex{"x": {}}, down: []*instrument.Mutex{{}, {}}}
}

func (db *DB) fields() {
	db.metalock.Lock() // lock DB.metalock !
	db.metalock.Unlock()
	(*db).metalock.Lock() // lock DB.metalock !
	db.metalock.Unlock()
	db.rw.RLock() // rlock DB.rw !
	db.rw.RUnlock()
	db.rw.Lock() // lock DB.rw !
	db.rw.Unlock()
	r := db.rw.RLocker()
	r.Lock() // rlock DB.rw !
	r.Unlock()
	db.file.sync.Lock() // lock file.sync !
	db.file.sync.Unlock()
	db.under.Lock() // lock deep.under !
	db.under.Unlock()
	db.deep.under.Lock() // lock deep.under !
	db.deep.under.Unlock()
	db.pair.left.Lock() // lock DB.pair.left !
	db.pair.left.Unlock()
	db.
		metalock.
		Lock() // lock DB.metalock !
	db.metalock.Unlock()
}

func (db *DB) elements() {
	db.byName["x"].Lock() // lock DB.byName[…] !
	db.byName["x"].Unlock()
	for i := range db.down {
		db.down[i].Lock() // lock DB.down[…] !
		db.down[i].Unlock()
	}
	for _, mu := range db.down {
		mu.Lock() // lock DB.down[…] !
		mu.Unlock()
	}
	for _, mu := range db.byName {
		mu.Lock() // lock DB.byName[…] !
		mu.Unlock()
	}
	db.shards[1].RLock() // rlock shard.RWMutex !
	db.shards[1].RUnlock()
	s := &db.shards[2]
	s.Lock() // lock shard.RWMutex !
	s.Unlock()
	db.shards[3].RWMutex.Lock() // lock shard.RWMutex !
	db.shards[3].Unlock()
	stripes[2].Lock() // lock stripes[…] !
	stripes[2].Unlock()
}

func (db *DB) values() {
	mu := &db.metalock
	mu.Lock() // lock DB.metalock !
	mu.Unlock()
	lock := db.metalock.Lock
	lock() // lock DB.metalock !
	db.metalock.Unlock()
	var l sync.Locker = &db.metalock
	l.Lock() // lock DB.metalock !
	l.Unlock()
	jobs := db.jobs
	instrument.Send(jobs, 1) // send DB.jobs !
	instrument.Recv(jobs)    // recv DB.jobs !
	either := &db.metalock
	if len(db.down) == 7 {
		either = &registry
	}
	either.Lock() // lock either
	either.Unlock()
	func() {
		mu.Lock() // lock DB.metalock !
		defer mu.Unlock()
	}()
	own := new(instrument.Mutex)
	own.Lock() // lock own
	own.Unlock()
	var plain instrument.Mutex
	plain.Lock() // lock plain
	plain.Unlock()
	instrument.Go(func() {
		plain.Lock() // lock plain
		plain.Unlock()
		instrument.Send(db.quit, struct{}{}) // send DB.quit !
	})
	instrument.Recv(db.quit) // recv DB.quit !
	db.lockOf("x").Lock()    // lock DB.lockOf(…) !
	db.lockOf("x").Unlock()
	a, b := new(instrument.Mutex), new(instrument.Mutex)
	func() { a.Lock(); b.Lock() }() // lock
	func() { a.Unlock(); b.Unlock() }()
}

func (db *DB) lockOf(name string) *instrument.Mutex { return db.byName[name] }

func variables() {
	registry.Lock() // lock registry !
	registry.Unlock()
	table.RLock() // rlock table !
	table.RUnlock()
	counts.mu.Lock() // lock counts.mu !
	counts.mu.Unlock()
	def.metalock.Lock() // lock DB.metalock !
	def.metalock.Unlock()
	one.Lock() // lock guard.Mutex !
	one.Unlock()
	w := wrapped{}
	w.Lock() // lock guard.Mutex !
	w.Unlock()
	instrument.Send(events, 1)           // send events !
	for range instrument.Range(events) { // recv events !
		break
	}
	group.Add(1)
	group.Done()
	group.Wait()        // wait group !
	setup()             // once setup !
	store.Shared.Lock() // lock store.Shared !
	store.Shared.Unlock()
	p := store.New()
	p.Mu.Lock() // lock p.Mu
	p.Mu.Unlock()
	p.Use()
}

func inner(mu *instrument.Mutex, out chan<- int) {
	mu.Lock() // lock DB.metalock !
	mu.Unlock()
	instrument.Send(out, 1) // send DB.jobs !
}

func middle(db *DB) {
	inner(&db.metalock, db.jobs)
	inner(&db.metalock, db.jobs)
}

func many(mu *instrument.Mutex) {
	mu.Lock() // lock mu
	mu.Unlock()
}

func handedOn(again *instrument.Mutex, n int) {
	again.Lock() // lock registry !
	again.Unlock()
	if n > 0 {
		handedOn(again, n-1)
	}
}

func stored(mu *instrument.Mutex) {
	mu.Lock() // lock mu
	mu.Unlock()
}

func of[T any](ch chan T) T {
	return instrument.Recv(ch) // recv events !
}

func all(list ...*instrument.Mutex) {
	for _, mu := range list {
		mu.Lock() // lock list[…]
		mu.Unlock()
	}
}

func parameters(db *DB) {
	middle(db)
	many(&db.metalock)
	many(&registry)
	handedOn(&registry, 2)
	f := stored
	f(&registry)
	instrument.Send(events, 2) // send events !
	of(events)
	all(&registry, &db.metalock)
	func(mu *instrument.Mutex) {
		mu.Lock() // lock file.sync !
		mu.Unlock()
	}(&db.file.sync)
	work := func(in chan int) {
		instrument.Recv(in) // recv queue
	}
	queue := make(chan int, 1)
	instrument.Send(queue, 1) // send queue
	work(queue)
	func(locks ...func()) {
		locks[0]() // lock
	}(db.rw.Lock)
	db.rw.Unlock()
}

func (s *Server) joins() {
	s.wg.Add(1)
	s.wg.Done()
	s.wg.Wait() // wait Server.wg !
	var wg instrument.WaitGroup
	wg.Go(func() {})
	wg.Wait()             // wait wg
	s.start.Do(func() {}) // once Server.start !
	s.meet.Wait()         // barrier Server.meet !
	s.db.metalock.Lock()  // lock DB.metalock !
	s.db.metalock.Unlock()
	s.outer.Inner.Mu.Lock() // lock Server.outer.Inner.Mu !
	s.outer.Inner.Mu.Unlock()
	errs := errors{}
	errs.Go(func() {})
	errs.wait()
}

// errors is a group as errgroup has it.
type errors struct{ wg instrument.WaitGroup }

func (e *errors) Go(f func()) { e.wg.Go(f) }

func (e *errors) wait() {
	e.wg.Wait() // wait errors.wg !
}

func (s *Server) atEnd() {
	s.wg.Add(1)
	s.wg.Done()
	defer s.wg.Wait() // wait Server.wg !
	s.sem <- struct{}{}
	<-s.sem
}

func (s *Server) conditions() {
	done := false
	s.ready.L.Lock() // lock Server.ready.L !
	instrument.Go(func() {
		s.ready.L.Lock() // lock Server.ready.L !
		done = true
		s.ready.Broadcast() // broadcast Server.ready !
		s.ready.L.Unlock()
	})
	s.ready.Signal() // signal Server.ready !
	for !done {
		s.ready.Wait() // condwait Server.ready !
	}
	s.ready.L.Unlock()
}

func (s *Server) semaphores() {
	instrument.Send(s.sem, struct{}{}) // send Server.sem !
	instrument.Recv(s.sem)             // recv Server.sem !
	sem := s.sem
	instrument.Send(sem, struct{}{}) // send Server.sem !
	<-s.sem
}

func (s *Server) timers() {
	instrument.Recv(time.After(time.Millisecond)) // recv time.After(…) !
	instrument.Recv(s.timer.C)                    // recv Server.timer.C !
	t := time.NewTimer(1)
	instrument.Recv(t.C)          // recv t.C
	instrument.Recv(s.ctx.Done()) // recv Server.ctx.Done() !
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	instrument.Recv2(ctx.Done())  // recv ctx.Done()
	instrument.Recv(s.db.makes()) // recv DB.makes() !
}

func (db *DB) makes() chan int {
	c := make(chan int, 1)
	instrument.Send(c, 1) // send c
	return c
}

// selects has channels that are used in select statements only; the comments behind cases are about the channels' definitions.
func (s *Server) selects() {
	only, other := make(chan int, 1), make(chan int)
	only <- 1
	sel := instrument.Select() // select
	select {
	case v, ok := <-only:
		_ = v
		sel.Received(only, ok) // select only
	case other <- 1:
		sel.Sent(other)
	}
	alone := make(chan int, 1)
	again := instrument.Select() // select alone
	select {
	case alone <- 1:
		again.Sent(alone) // select alone
	default:
		again.Default()
	}
	third := instrument.Select() // select
	select {
	case <-s.db.quit:
		third.Received(s.db.quit, true)
	case <-s.ctx.Done():
		third.Received(s.ctx.Done(), false)
	}
	tick := time.NewTicker(1)
	fourth := instrument.Select() // select
	select {
	case <-tick.C:
		fourth.Received(tick.C, true) // select tick.C
	case <-s.db.quit:
		fourth.Received(s.db.quit, true)
	}
}

func generics() {
	p := &Pool[int]{free: make(chan int, 1)}
	p.put(1)
	q := &Pool[string]{free: make(chan string, 1)}
	q.put("x")
	q.idle.Lock() // lock Pool.idle !
	q.idle.Unlock()
	pick[int](p).Lock() // lock pick(…)
	p.idle.Unlock()
}

func pick[T any](p *Pool[T]) *instrument.Mutex { return &p.idle }

func main() {
	defer instrument.Region("main").End()
	db := newDB()
	db.fields()
	db.elements()
	db.values()
	variables()
	parameters(db)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := &Server{db: db, ready: instrument.NewCond(&instrument.Mutex{}), sem: make(chan struct{}, 3), timer: time.NewTicker(time.Millisecond), ctx: ctx, meet: instrument.NewBarrier(1)}
	s.joins()
	s.atEnd()
	s.conditions()
	s.semaphores()
	s.timers()
	s.selects()
	generics()
}
