package main

import (
	"math"
	"runtime"
	"sync"
	"time"

	"tracerec/instrument"
)

// plant is one wait that was made on purpose.
type plant struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Region string `json:"region"`     // in which the wait happens, "" if in none
	Causer string `json:"causer"`     // region of who causes it, "" if nobody in the trace does
	Length int64  `json:"planted_ns"` // how long the causer really kept the waiter, ns
}

// planter makes one wait.
type planter struct {
	plant
	length time.Duration
	turns  int64          // of a loop that takes as long
	others sync.WaitGroup // of the standard library: its waits are not part of the trace
}

// cases lists the waits in the order in which they are made.
var cases = []struct {
	name, metric string
	causer       bool
	run          func(*planter)
}{
	{"late_sender", "late_sender", true, lateSender},
	{"late_sender_select", "late_sender", true, lateSenderSelect},
	{"late_receiver", "late_receiver", true, lateReceiver},
	{"full_buffer", "full_buffer", true, fullBuffer},
	{"late_close", "late_close", true, lateClose},
	{"lock_competition", "lock_competition", true, lockCompetition},
	{"rw_writer_competition", "lock_competition", true, writerWaitsForWriter},
	{"rw_reader_wait", "rw_reader_wait", true, readerWaitsForWriter},
	{"rw_writer_wait", "rw_writer_wait", true, writerWaitsForReader},
	{"once_wait", "once_wait", true, onceWait},
	{"join_wait", "join_wait", true, joinWait},
	{"cond_wait", "cond_wait", true, condWait},
	{"barrier_wait", "barrier_wait", true, barrierWait},
	{"external_wait", "external_wait", false, externalWait},
	{"sleep", "sleep", false, sleep},
	{"wakeup", "wakeup", false, busy(wakeup)},
	{"barrier_completion", "barrier_completion", false, busy(barrierCompletion)},
	{"start_latency", "start_latency", false, busy(startLatency)},
}

// plantAll makes one wait of each kind.
func plantAll(length time.Duration) []plant {
	var plants []plant
	for _, c := range cases {
		p := &planter{plant: plant{Name: c.name, Metric: c.metric, Region: c.name}, length: length}
		if c.causer {
			p.Causer = c.name + "_causer"
		}
		c.run(p)
		p.others.Wait()
		plants = append(plants, p.plant)
	}
	return plants
}

// waits runs f as the one who waits.
func (p *planter) waits(f func()) {
	defer instrument.Region(p.Region).End()
	f()
}

// causes runs f on a goroutine of its own as the one who is waited for.
func (p *planter) causes(f func()) {
	p.others.Add(1)
	instrument.Go(func() {
		defer p.others.Done()
		defer instrument.Region(p.Name + "_causer").End()
		f()
	})
}

// pause keeps the waiter waiting.
func (p *planter) pause() {
	start := time.Now()
	time.Sleep(p.length)
	p.Length += int64(time.Since(start))
}

// holding runs a causer that pauses while it holds something, and returns as soon as it does.
func (p *planter) holding(take, give func()) {
	held := make(chan bool)
	p.causes(func() {
		take()
		close(held)
		p.pause()
		give()
	})
	<-held
}

func lateSender(p *planter) {
	ch := make(chan int)
	p.causes(func() { p.pause(); instrument.Send(ch, 1) })
	p.waits(func() { instrument.Recv(ch) })
}

func lateSenderSelect(p *planter) {
	ch, never := make(chan int), make(chan int)
	p.causes(func() { p.pause(); instrument.Send(ch, 1) })
	p.waits(func() {
		sel := instrument.Select()
		select {
		case _, ok := <-ch:
			sel.Received(ch, ok)
		case _, ok := <-never:
			sel.Received(never, ok)
		}
	})
}

func lateReceiver(p *planter) {
	ch := make(chan int)
	p.causes(func() { p.pause(); instrument.Recv(ch) })
	p.waits(func() { instrument.Send(ch, 1) })
}

func fullBuffer(p *planter) {
	ch := make(chan int, 2)
	instrument.Send(ch, 1)
	instrument.Send(ch, 2)
	p.causes(func() { p.pause(); instrument.Recv(ch) })
	p.waits(func() { instrument.Send(ch, 3) })
}

func lateClose(p *planter) {
	ch := make(chan int)
	p.causes(func() { p.pause(); instrument.Close(ch) })
	p.waits(func() { instrument.Recv2(ch) })
}

func lockCompetition(p *planter) {
	var mu instrument.Mutex
	p.holding(mu.Lock, mu.Unlock)
	p.waits(func() { mu.Lock(); mu.Unlock() })
}

func writerWaitsForWriter(p *planter) {
	var mu instrument.RWMutex
	p.holding(mu.Lock, mu.Unlock)
	p.waits(func() { mu.Lock(); mu.Unlock() })
}

func readerWaitsForWriter(p *planter) {
	var mu instrument.RWMutex
	p.holding(mu.Lock, mu.Unlock)
	p.waits(func() { mu.RLock(); mu.RUnlock() })
}

func writerWaitsForReader(p *planter) {
	var mu instrument.RWMutex
	p.holding(mu.RLock, mu.RUnlock)
	p.waits(func() { mu.Lock(); mu.Unlock() })
}

func onceWait(p *planter) {
	var once instrument.Once
	running := make(chan bool)
	p.causes(func() { once.Do(func() { close(running); p.pause() }) })
	<-running
	p.waits(func() { once.Do(func() {}) })
}

func joinWait(p *planter) {
	var wg instrument.WaitGroup
	wg.Add(1)
	p.causes(func() { p.pause(); wg.Done() })
	p.waits(wg.Wait)
}

func condWait(p *planter) {
	cond := instrument.NewCond(new(instrument.Mutex))
	ready := false
	p.causes(func() {
		p.pause()
		cond.L.Lock()
		ready = true
		cond.L.Unlock()
		cond.Signal()
	})
	p.waits(func() {
		cond.L.Lock()
		for !ready {
			cond.Wait()
		}
		cond.L.Unlock()
	})
}

func barrierWait(p *planter) {
	b := instrument.NewBarrier(3)
	p.causes(func() { p.pause(); b.Wait() })
	p.others.Add(1)
	instrument.Go(func() { defer p.others.Done(); b.Wait() })
	p.waits(func() { b.Wait() })
}

// externalWait is ended by a timer, which leaves no events.
func externalWait(p *planter) {
	ch := make(chan int)
	p.waits(func() {
		start := time.Now()
		time.AfterFunc(p.length, func() {
			p.Length = int64(time.Since(start))
			ch <- 1
		})
		instrument.Recv(ch)
	})
}

func sleep(p *planter) {
	start := time.Now()
	p.waits(func() { instrument.Sleep(p.length) })
	p.Length = int64(time.Since(start))
}

// busy runs f with a single processor, which the planter can keep from everybody else by spinning.
func busy(f func(*planter)) func(*planter) {
	return func(p *planter) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		p.turns = turnsFor(p.length)
		f(p)
	}
}

// settle gives all others the time to come to where they block, and begins a new time slice.
func settle() { time.Sleep(20 * time.Millisecond) }

func wakeup(p *planter) {
	ch := make(chan int)
	p.others.Add(1)
	instrument.Go(func() {
		defer p.others.Done()
		p.waits(func() { instrument.Recv(ch) })
	})
	settle()
	instrument.Send(ch, 1)
	p.spin()
}

func barrierCompletion(p *planter) {
	b := instrument.NewBarrier(2)
	p.others.Add(1)
	instrument.Go(func() {
		defer p.others.Done()
		p.waits(func() { b.Wait() })
	})
	settle()
	b.Wait()
	p.spin()
}

// startLatency belongs to no region: the goroutine has not come to one yet.
func startLatency(p *planter) {
	settle()
	p.others.Add(1)
	instrument.Go(p.others.Done)
	p.Region = ""
	p.spin()
}

// spin keeps the processor for about the planned length: it makes no call at which the scheduler could step in.
func (p *planter) spin() {
	start := time.Now()
	count(p.turns)
	p.Length = int64(time.Since(start))
}

// turnsFor returns how many turns of count take about so long.
func turnsFor(length time.Duration) int64 {
	const few = 1 << 20
	best := time.Duration(math.MaxInt64)
	for range 5 {
		start := time.Now()
		count(few)
		best = min(best, time.Since(start))
	}
	return int64(few * (float64(length) / float64(best)))
}

//go:noinline
func count(turns int64) (x int64) {
	for i := range turns {
		x ^= i * x
	}
	return x
}
