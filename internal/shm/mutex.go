package shm

import (
	"runtime"
	"sync"
)

// BriefMutex is a mutex for sections of a microsecond or so. A goroutine that is parked for one goes behind all
// runnable ones, which may be a million: this one insists for a while first. If its holder has lost its processor, it lets others run,
// and tries again. Those that are parked are given the mutex one by one, and each of them keeps all others waiting until it has a processor.
// A runtime with hooks records nothing of it, nor of what its holder does.
type BriefMutex struct{ mu sync.Mutex }

// holds says to a runtime with hooks that the running goroutine waits for the recorder, if it waits now: that it is measurement overhead.
const holds = 1 << 16

// Lock locks m. In a nosplit function, the scheduler cannot come in between it and Unlock.
//
//go:nosplit
func (m *BriefMutex) Lock() {
	quiet(1)
	for range 100 {
		for range 2000 {
			if tryLock(&m.mu) {
				return
			}
		}
		runtime.Gosched()
	}
	quiet(holds)
	m.mu.Lock()
	quiet(-holds)
}

// TryLock locks m if nobody has locked it.
func (m *BriefMutex) TryLock() bool {
	quiet(1)
	if tryLock(&m.mu) {
		return true
	}
	quiet(-1)
	return false
}

// Unlock unlocks m.
//
//go:nosplit
func (m *BriefMutex) Unlock() {
	unlock(&m.mu)
	quiet(-1)
}
