// Command signals gets one signal of two that it asks for.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	go reload(never)
	once := make(chan os.Signal, 1)
	signal.Notify(once, syscall.SIGUSR2)
	syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	<-once
	plain := make(chan int, 1)
	plain <- 1
	<-plain
}

func reload(c <-chan os.Signal) {
	for range c {
		println("reload")
	}
}
