// Ends ends in the way that its argument names.
package main

import (
	"os"
	"sync"
	"syscall"
)

//go:noinline
func spin() {
	for {
	}
}

//go:noinline
func unknownCall() { syscall.RawSyscall(4000, 0, 0, 0) }

//go:noinline
func killed() { syscall.Kill(syscall.Getpid(), syscall.SIGKILL) }

//go:noinline
func often(n int) (sum int) {
	for i := range n {
		sum += small(i)
	}
	return sum
}

//go:noinline
func small(n int) int { return n & 1 }

func illegal()

func main() {
	var wait sync.WaitGroup
	wait.Add(1)
	go func() { // which never ends
		wait.Done()
		select {}
	}()
	wait.Wait()
	switch os.Args[1] {
	case "spin":
		spin()
	case "unknown":
		unknownCall()
	case "killed":
		killed()
	case "illegal":
		illegal()
	case "often":
		println(often(1000))
	}
}
