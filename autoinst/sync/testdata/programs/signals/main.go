// Command signals gets two signals that it asks for.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	hup, reloaded := make(chan os.Signal, 1), make(chan int)
	signal.Notify(hup, syscall.SIGUSR1)
	go reload(hup, reloaded)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-reloaded
	once := make(chan os.Signal, 1)
	signal.Notify(once, syscall.SIGUSR2)
	syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	<-once
	plain := make(chan int, 1)
	plain <- 1
	<-plain
}

func reload(c <-chan os.Signal, done chan<- int) {
	for range c {
		done <- 1
	}
}
