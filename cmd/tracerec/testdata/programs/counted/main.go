// Command counted stores to three variables, known numbers of times, in two regions, and says so. With the name of a file and a
// number it counts its runs there, and ends with status 3 in the run of that number; 0 is all of them.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"tracerec/instrument"
)

var a, b, c uint64

//go:noinline
func store(p *uint64, times int) {
	for range times {
		*p++
	}
}

func main() {
	runtime.LockOSThread()
	first := instrument.Region("first")
	store(&a, 100)
	store(&b, 200)
	first.End()
	second := instrument.Region("second")
	store(&c, 300)
	store(&a, 400)
	second.End()
	fmt.Println("stored")
	if len(os.Args) < 3 {
		return
	}
	f, err := os.OpenFile(os.Args[1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	f.WriteString(".")
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	if bad, _ := strconv.Atoi(os.Args[2]); bad == 0 || info.Size() == int64(bad) {
		os.Exit(3)
	}
}
