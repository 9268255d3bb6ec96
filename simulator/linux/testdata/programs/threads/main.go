// Command threads does what needs all of a small Linux: goroutines on several threads, timers, collections, signals.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
)

func main() {
	values := make(chan int)
	var sum int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for v := range values {
				mu.Lock()
				sum += v
				mu.Unlock()
			}
		})
	}
	for i := range 1000 {
		values <- i
	}
	close(values)
	group.Wait()
	fmt.Println("sum", sum)

	start := time.Now()
	time.Sleep(50 * time.Millisecond)
	fmt.Println("slept", time.Since(start) >= 50*time.Millisecond && time.Since(start) < 100*time.Millisecond)

	stop := false
	go func() {
		for !stop { // only a signal gets it off its thread
		}
	}()
	runtime.Gosched()
	runtime.GC()
	stop = true

	x := make([]int, 100_000)
	for i := range x {
		x[i] = (i * 7919) % 100_003
	}
	sort.Ints(x)
	fmt.Println("sorted", x[0], x[len(x)-1])
	names := map[int]string{}
	for i := range 20_000 {
		names[i] = fmt.Sprint(i)
	}
	fmt.Println("names", len(names), len(os.Args), os.Getenv("COLOUR"))

	content, err := os.ReadFile("/data/in")
	fmt.Printf("%q %v\n", content, err)
	fmt.Println(os.WriteFile("/data/in", nil, 0o644) != nil, os.WriteFile("/out/file", []byte("written"), 0o644))
	_, err = os.Stat("/etc/passwd")
	fmt.Println(err)

	defer func() {
		fmt.Println("recovered:", recover())
		os.Exit(7)
	}()
	var nowhere *int
	fmt.Println(*nowhere)
}
