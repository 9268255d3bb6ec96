// Command migrants has goroutines that change threads all the time and store to watched variables, and prints what each of them
// has done where: the truth that its counters are compared with.
//
//	migrants ROUNDS COMPUTE
package main

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"tracerec/counters"
	"tracerec/instrument"
	"tracerec/internal/goid"
	"tracerec/internal/witness"
)

// A and B are watched.
var A, B uint64

// worker is a goroutine with its truth: stores by variable and region.
type worker struct {
	number int
	truth  map[string]*[2]int
	region string
	pipe   [2]*os.File
	peer   chan int
	next   func() (int, bool)
}

//go:noinline
func (w *worker) store() { w.storeIn(w.region, w.number%2) }

func (w *worker) storeIn(region string, variable int) {
	t := w.truth[region]
	if t == nil {
		t = new([2]int)
		w.truth[region] = t
	}
	if variable == 0 {
		storeA()
	} else {
		storeB()
	}
	t[variable]++
}

// generate is a coroutine: it stores to the other variable for whoever calls it, but in its own region.
func (w *worker) generate(yield func(int) bool) {
	other := 1 - w.number%2
	for i := 0; yield(1); i++ {
		w.storeIn(w.region, other)
		if i != 10 {
			continue
		}
		own := "generator" + strconv.Itoa(w.number)
		s := instrument.Region(own)
		w.storeIn(own, other)
		yield(1)
		w.storeIn(own, other)
		s.End()
	}
}

//go:noinline
func storeA() { A = uint64(len(os.Args)) }

//go:noinline
func storeB() { B = uint64(len(os.Args)) }

func (w *worker) in(region string, f func()) {
	s := instrument.Region(region)
	outer := w.region
	w.region += "/" + region
	f()
	w.region = outer
	s.End()
}

var sink [64]float64

func (w *worker) compute(d time.Duration) {
	x := 1.0
	w.store()
	for start := time.Now(); time.Since(start) < d; {
		for range 500 {
			x = x*1.0000001 + 1
		}
	}
	w.store()
	sink[w.number] = x
}

// leave takes the goroutine off its thread, in one of the ways that there are.
func (w *worker) leave(way int, contended *sync.Mutex) {
	switch way % 10 {
	case 0:
		runtime.Gosched()
	case 1:
		time.Sleep(time.Microsecond)
	case 2:
		w.peer <- 1
		<-w.peer
	case 3:
		instrument.Sleep(time.Microsecond)
	case 4:
		var b [1]byte
		w.pipe[1].Write(b[:])
		w.pipe[0].Read(b[:])
	case 5:
		syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 100}) // blocks in the kernel: the processor is taken away
	case 6:
		contended.Lock()
		runtime.Gosched()
		contended.Unlock()
	case 7:
		w.next() // a coroutine
	case 8:
		runtime.LockOSThread()
		runtime.Gosched()
		runtime.UnlockOSThread()
	case 9:
		runtime.GC()
	}
}

func (w *worker) run(rounds int, d time.Duration, contended *sync.Mutex) {
	for r := range rounds {
		w.in("compute", func() { w.compute(d) })
		w.in("hop", func() {
			for i := range 4 {
				w.store()
				w.leave(r+i*3+w.number, contended)
				w.store()
			}
		})
		if r%4 > 0 {
			continue
		}
		w.in("often", func() { // as often as a number of eight bits comes round
			w.store()
			for range 256 {
				w.next()
			}
			w.store()
		})
	}
	w.alone()
}

// alone computes on a thread of its own until it did so once without losing the processor, and without the scheduler's work in between, which
// is the thread's but not the goroutine's. It prints how long the thread ran by the kernel's task-clock at least, in the region, and at
// most, with entering and leaving it.
func (w *worker) alone() {
	clock, err := counters.Start("task-clock") // locks the goroutine
	if err != nil {
		return
	}
	defer clock.Stop()
	witness.Find()
	now := func() int64 {
		v, _ := clock.Read()
		return v[0]
	}
	spent := int64(0)
	for try := 0; spent == 0; try++ {
		region := "locked" + strconv.Itoa(try)
		outside := now()
		w.in(region, func() {
			scheduled, lost, begin := witness.Find().Interval(goid.G()), switches(), now()
			w.compute(300 * time.Microsecond)
			if took := now() - begin; switches() == lost && (scheduled == 0 || witness.Find().Undisturbed(goid.G(), scheduled)) {
				spent = took
			}
		})
		if spent > 0 {
			fmt.Printf("clock %s/%s %d %d\n", w.region, region, spent, now()-outside)
		}
	}
}

// switches returns how often the thread has lost its processor.
func switches() int64 {
	var u syscall.Rusage
	const thread = 1
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return u.Nvcsw + u.Nivcsw
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	d, _ := time.ParseDuration(os.Args[2])
	var all sync.WaitGroup
	var contended sync.Mutex
	var workers []*worker
	for k := range 12 {
		w := &worker{number: k, truth: map[string]*[2]int{}, peer: make(chan int)}
		workers = append(workers, w)
		w.pipe[0], w.pipe[1], _ = os.Pipe()
		go func() {
			for range w.peer {
				w.peer <- 1
			}
		}()
		all.Go(func() {
			name := "w" + strconv.Itoa(k)
			defer instrument.Region(name).End()
			w.region = name
			var stop func()
			w.next, stop = iter.Pull(w.generate)
			defer stop()
			w.run(rounds, d, &contended)
		})
	}
	all.Wait()
	for _, w := range workers {
		for region, n := range w.truth {
			fmt.Printf("stores %s %d %d\n", region, n[0], n[1])
		}
	}
}
