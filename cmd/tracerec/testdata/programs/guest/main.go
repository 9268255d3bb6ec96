// Command guest does what its arguments say, one after the other, for tests of the simulator.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

func main() {
	for _, arg := range os.Args[1:] {
		what, with, _ := strings.Cut(arg, "=")
		switch what {
		case "read":
			content, err := os.ReadFile(with)
			fmt.Printf("%q %v\n", content, err)
		case "write":
			fmt.Println(os.WriteFile(with, []byte("written"), 0o644))
		case "stdin":
			content, err := io.ReadAll(os.Stdin)
			fmt.Printf("%q %v\n", content, err)
		case "env":
			env := os.Environ()
			slices.Sort(env)
			fmt.Println(env)
		case "dir":
			fmt.Println(os.Getwd())
		case "work":
			work()
		case "exit":
			fmt.Fprintln(os.Stderr, "leaving")
			os.Exit(7)
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "spin":
			for {
			}
		case "unsupported":
			syscall.RawSyscall(9999, 0, 0, 0)
		}
	}
}

// work goes over numbers on two goroutines.
func work() {
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() { touch(make([]int64, 4096*(i+1))) })
	}
	all.Wait()
}

//go:noinline
func touch(numbers []int64) {
	for round := range 3 {
		for i := range numbers {
			numbers[i] += int64(round)
		}
	}
}
