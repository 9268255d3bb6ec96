package perf

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// here tells whether a reading was taken on the thread that a group counts for, by an undisturbed goroutine.
type here struct {
	tid int // 0: the group counts for something else
}

func (g *group) bindHere() { g.here.tid = unix.Gettid() }

func (g *group) readHere(dst []uint64) (where uint64, err error) {
	return 0, g.readAll(dst, nil, nil)
}

func lockForever() { runtime.LockOSThread() }
