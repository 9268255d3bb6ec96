package main

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tracerec/instrument"
	"tracerec/lab/planted/plain"
)

func init() {
	register(map[string]func(){
		"pipeline": slowStage, "consumer": slowConsumer, "logger-channel": unbufferedLogger, "actor": actorReplies,
		"futures": futures, "fan-in": fanIn, "semaphore": semaphore, "done": closedLate, "stages": genericStages,
		"ready": readyForAll, "producer": errgroupProducer, "batches": batches, "select": selectResults, "gate": tokenGate,
	})
}

// The middle stage of a pipeline is slow.
//
//planted:metric late_sender
//planted:object parsed
func slowStage() {
	defer instrument.Region("main").End()
	raw, parsed := make(chan int, 4), make(chan int, 4)
	go func() {
		defer instrument.Region("read").End()
		for i := range 25 {
			disk(ms)
			instrument.Send(raw, i)
		}
		instrument.Close(raw)
	}()
	go func() {
		defer instrument.Region("parse").End()
		for v := range instrument.Range(raw) { //planted:keep
			disk(9 * ms)
			instrument.Send(parsed, v) //planted:cause
		}
		instrument.Close(parsed) //planted:keep
	}()
	for range instrument.Range(parsed) { //planted:wait
		compute(300 * time.Microsecond)
	}
}

// What is sent is consumed slowly, and the buffer is full most of the time.
//
//planted:metric full_buffer
//planted:object out
func slowConsumer() {
	defer instrument.Region("main").End()
	out, done := make(chan int, 2), make(chan bool)
	go func() {
		defer close(done)
		defer instrument.Region("write").End()
		for range instrument.Range(out) { //planted:cause
			disk(9 * ms)
		}
	}()
	func() {
		defer instrument.Region("produce").End()
		for i := range 25 {
			compute(300 * time.Microsecond)
			instrument.Send(out, i) //planted:wait
		}
	}()
	instrument.Close(out) //planted:keep
	<-done
}

// Several goroutines hand lines to one that writes slowly, without a buffer.
//
//planted:metric late_receiver
//planted:object lines
func unbufferedLogger() {
	lines := make(chan string)
	go func() {
		defer instrument.Region("log").End()
		for range instrument.Range(lines) { //planted:cause
			disk(4 * ms)
		}
	}()
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			defer instrument.Region("work").End()
			for range 12 {
				compute(200 * time.Microsecond)
				instrument.Send(lines, "x") //planted:wait
			}
			return nil
		})
	}
	g.Wait()
	close(lines)
}

type ask struct{ reply chan int }

// An actor answers questions one after the other, and those who ask wait for their turn.
//
//planted:metric late_sender
func actorReplies() {
	box := make(chan ask, 16)
	go func() {
		defer instrument.Region("actor").End()
		for a := range instrument.Range(box) { //planted:keep
			disk(4 * ms)
			instrument.Send(a.reply, 1) //planted:cause
		}
	}()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer instrument.Region("customer").End()
			for range 12 {
				a := ask{make(chan int, 1)}
				instrument.Send(box, a)  //planted:keep
				instrument.Recv(a.reply) //planted:wait
				compute(200 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
}

// future runs f by a plain go statement, in a library that nobody records.
func future[T any](f func() T) <-chan T {
	ch := make(chan T, 1)
	go func() { instrument.Send(ch, f()) }() //planted:cause
	return ch
}

// Each piece of work gets a goroutine, and is then waited for at once.
//
//planted:metric late_sender
func futures() {
	var wg instrument.WaitGroup
	wg.Go(func() {
		defer instrument.Region("dispatch").End()
		for range 16 {
			instrument.Recv(future(func() int { //planted:wait
				defer instrument.Region("compute").End()
				compute(10 * ms)
				return 1
			}))
		}
	})
	wg.Wait()
}

// Results of several come together; one of them is slow.
//
//planted:metric late_sender
//planted:object merged
func fanIn() {
	defer instrument.Region("main").End()
	merged := make(chan int)
	var senders sync.WaitGroup
	for w := range 3 {
		senders.Add(1)
		go func() {
			defer senders.Done()
			defer instrument.Region("source").End()
			if w == 0 {
				disk(200 * ms)
			}
			for i := range 5 {
				disk(ms)
				instrument.Send(merged, i) //planted:cause
			}
		}()
	}
	for range 15 {
		instrument.Recv(merged) //planted:wait
	}
	senders.Wait()
}

// Two may work at the same time: the others wait for a place.
//
//planted:metric full_buffer
//planted:object places
func semaphore() {
	places := make(chan struct{}, 2)
	var wg instrument.WaitGroup
	for range 8 {
		wg.Go(func() {
			defer instrument.Region("download").End()
			for range 3 {
				instrument.Send(places, struct{}{}) //planted:wait
				disk(15 * ms)
				instrument.Recv(places) //planted:cause
			}
		})
	}
	wg.Wait()
}

// A goroutine tells that it is done by closing a channel, late.
//
//planted:metric late_close
//planted:object done
func closedLate() {
	defer instrument.Region("main").End()
	done := make(chan struct{})
	time.AfterFunc(ms, func() {
		defer instrument.Region("flush").End()
		disk(180 * ms)
		instrument.Close(done) //planted:cause
	})
	instrument.Recv2(done) //planted:wait
	compute(5 * ms)
}

// stage runs f on all that comes in.
func stage[A, B any](name string, in <-chan A, f func(A) B) <-chan B {
	out := make(chan B)
	go func() {
		defer instrument.Close(out) //planted:keep
		defer instrument.Region(name).End()
		for v := range instrument.Range(in) { //planted:wait
			instrument.Send(out, f(v)) //planted:cause
		}
	}()
	return out
}

// Stages of a generic pipeline, the second of which is slow.
//
//planted:metric late_sender
func genericStages() {
	defer instrument.Region("main").End()
	in := make(chan int)
	go func() {
		defer instrument.Region("count").End()
		for i := range 20 {
			instrument.Send(in, i) //planted:keep
		}
		instrument.Close(in) //planted:keep
	}()
	words := stage("look up", in, func(i int) string { disk(9 * ms); return "w" })
	lengths := stage("measure", words, func(s string) int { compute(100 * time.Microsecond); return len(s) })
	for range instrument.Range(lengths) { //planted:wait
	}
}

// Everybody waits until the tables have been loaded.
//
//planted:metric late_close
//planted:object ready
func readyForAll() {
	ready := make(chan struct{})
	go func() {
		defer instrument.Region("load tables").End()
		disk(150 * ms)
		instrument.Close(ready) //planted:cause
	}()
	var g errgroup.Group
	for range 5 {
		g.Go(func() error {
			defer instrument.Region("serve").End()
			instrument.Recv2(ready) //planted:wait
			disk(5 * ms)
			return nil
		})
	}
	g.Wait()
}

// One produces for several consumers, too slowly.
//
//planted:metric late_sender
//planted:object jobs
func errgroupProducer() {
	jobs := make(chan int)
	g, ctx := errgroup.WithContext(context.Background())
	g.Go(func() error {
		defer close(jobs)
		defer instrument.Region("list").End()
		for i := range 25 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			disk(8 * ms)
			instrument.Send(jobs, i) //planted:cause
		}
		return nil
	})
	for range 3 {
		g.Go(func() error {
			defer instrument.Region("convert").End()
			for range instrument.Range(jobs) { //planted:wait
				compute(500 * time.Microsecond)
			}
			return nil
		})
	}
	g.Wait()
}

// Batches are filled and emptied in turns, and filling takes long.
//
//planted:metric late_sender
//planted:object full
func batches() {
	defer instrument.Region("main").End()
	full, empty := make(chan []int, 2), make(chan []int, 2)
	empty <- nil
	empty <- nil
	go func() {
		defer instrument.Region("fill").End()
		for b := range instrument.Range(empty) {
			disk(10 * ms)
			instrument.Send(full, append(b[:0], 1, 2, 3)) //planted:cause
		}
	}()
	for range 20 {
		b := instrument.Recv(full) //planted:wait
		compute(ms)
		instrument.Send(empty, b)
	}
}

// Results are taken by select, beside a context.
//
//planted:metric late_sender
//planted:object results
func selectResults() {
	defer instrument.Region("main").End()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	results := make(chan int)
	for w := range 2 {
		go func() {
			defer instrument.Region("search").End()
			for i := range 8 {
				disk(time.Duration(18+2*w) * ms)
				instrument.Send(results, i) //planted:cause
			}
		}()
	}
	for range 16 {
		sel := instrument.Select() //planted:wait
		select {                   //planted:wait
		case <-results:
			sel.Received(results, true)
		case <-ctx.Done():
			sel.Received(ctx.Done(), false)
		}
	}
}

// Tokens are given back late by whoever has them.
//
//planted:metric late_sender
//planted:object tokens
func tokenGate() {
	tokens := make(chan int, 2)
	tokens <- 1
	tokens <- 2
	var wg instrument.WaitGroup
	for range 6 {
		wg.Go(func() {
			defer instrument.Region("upload").End()
			for range 4 {
				t := instrument.Recv(tokens) //planted:wait
				disk(15 * ms)
				instrument.Send(tokens, t) //planted:cause
			}
		})
	}
	wg.Wait()
}

var _ plain.Mutex
