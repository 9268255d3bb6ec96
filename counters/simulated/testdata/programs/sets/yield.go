package main

import "syscall"

// yield makes so many system calls.
func yield(n int) {
	for range n {
		syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
	}
}
