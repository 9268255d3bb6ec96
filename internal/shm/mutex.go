package shm

import "sync"

// BriefMutex is a mutex for sections of a microsecond or so. A goroutine that is parked for one goes behind all
// runnable ones, which may be a million: this one insists for a while first. A runtime with hooks records nothing of it, nor of what
// its holder does.
type BriefMutex struct{ mu sync.Mutex }

// Lock locks m. In a nosplit function, the scheduler cannot come in between it and Unlock.
//
//go:nosplit
func (m *BriefMutex) Lock() {
	quiet(1)
	for range 2000 {
		if tryLock(&m.mu) {
			return
		}
	}
	m.mu.Lock()
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
