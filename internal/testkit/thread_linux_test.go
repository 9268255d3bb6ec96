package testkit

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoOnNewThread(t *testing.T) {
	before := map[int]bool{os.Getpid(): true}
	for range 20 { // threads that wait for something to do
		tid := make(chan int)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			tid <- syscall.Gettid()
		}()
		before[<-tid] = true
		fresh := make(chan int)
		GoOnNewThread(func() { fresh <- syscall.Gettid() })
		thread := <-fresh
		require.NotContains(t, before, thread)
		Until(t, "the thread's end", func() bool { return syscall.Tgkill(os.Getpid(), thread, 0) != nil })
	}
}
