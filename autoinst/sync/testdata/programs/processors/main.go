// Program processors goes on with one processor soon after it began, as with a library that looks what its container may use.
package main

import "runtime"

func main() {
	c := make(chan int)
	runtime.GOMAXPROCS(1)
	go func() { c <- 1 }()
	<-c
}
