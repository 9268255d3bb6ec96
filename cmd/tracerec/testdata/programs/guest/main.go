// Command guest does what its arguments say, one after the other, for tests of the simulator.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unsafe"
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
		case "perf":
			fmt.Println(instructions())
		}
	}
}

// instructions counts those of a loop of 100,000 rounds by a perf event.
func instructions() any {
	runtime.LockOSThread()
	attr := [16]uint64{128 << 32, 1, 0, 0, 0, 1 << 5} // hardware, instructions, without the kernel's
	fd, _, err := syscall.Syscall6(241, uintptr(unsafe.Pointer(&attr)), 0, ^uintptr(0), ^uintptr(0), 0, 0)
	if err != 0 {
		return err
	}
	sum := uint64(1)
	for range 100_000 {
		sum *= 3
	}
	kept = sum
	var value [8]byte
	if _, err := syscall.Read(int(fd), value[:]); err != nil {
		return err
	}
	return binary.LittleEndian.Uint64(value[:])
}

var kept uint64

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
