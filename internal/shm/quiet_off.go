//go:build !tracerec_runtime

package shm

import "sync"

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1), for a runtime with hooks. This program's has none.
func quiet(n int32) {}

// tryLock is m.TryLock without hooks. There are none.
func tryLock(m *sync.Mutex) bool { return m.TryLock() }

// unlock is m.Unlock without them.
func unlock(m *sync.Mutex) { m.Unlock() }
