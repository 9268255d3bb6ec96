// Switched lets a part of itself be traced: the instructions of fill, and its accesses to a slice. It prints where they are.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"unsafe"

	"tracerec/simulator/guest"
)

//go:noinline
func fill(s []uint32) {
	for i := range s {
		s[i] = uint32(i)
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	s := make([]uint32, 1000)
	begin := reflect.ValueOf(fill).Pointer()
	code := guest.Range{Begin: begin, End: begin}
	for runtime.FuncForPC(code.End).Entry() == begin {
		code.End++
	}
	at := uintptr(unsafe.Pointer(&s[100]))
	data := guest.Range{Begin: at, End: at + 4*500}
	fill(s)
	must(guest.Trace(code, data))
	fill(s)
	must(guest.Untrace())
	fill(s)
	fmt.Println(code.Begin, code.End, data.Begin, data.End)
	must(guest.Trace(guest.Range{}, guest.Range{}))
	must(guest.Untrace())
}
