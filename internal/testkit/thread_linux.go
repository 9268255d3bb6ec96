package testkit

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// GoOnNewThread runs f as a goroutine on a thread that did not exist before, which ends with it. A goroutine that is merely bound to a
// thread may get any, also the first one, which never ends. Where /proc does not list threads it is just not the first.
func GoOnNewThread(f func()) {
	old := map[string]bool{strconv.Itoa(os.Getpid()): true}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		old[thread.Name()] = true
	}
	found := make(chan struct{})
	var try func()
	try = func() {
		runtime.LockOSThread()
		if !old[strconv.Itoa(syscall.Gettid())] {
			close(found)
			f()
			return
		}
		go try() // elsewhere, as this thread is held
		<-found
		runtime.UnlockOSThread()
	}
	go try()
}
