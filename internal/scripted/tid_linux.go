package scripted

import "syscall"

// gettid returns the calling thread.
func gettid() int { return syscall.Gettid() }
