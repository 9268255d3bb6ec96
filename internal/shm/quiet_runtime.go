//go:build tracerec_runtime

package shm

import (
	"sync"
	_ "unsafe" // for go:linkname
)

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1).
//
//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)

// tryLock is m.TryLock without the hooks.
//
//go:linkname tryLock internal/sync.tracerecTry
func tryLock(m *sync.Mutex) bool

// unlock is m.Unlock without them.
//
//go:linkname unlock internal/sync.tracerecFree
func unlock(m *sync.Mutex)
