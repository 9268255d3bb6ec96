package shm

import "sync"

// BriefMutex is a mutex for sections of a microsecond or so. A goroutine that is parked for one goes behind all
// runnable ones, which may be a million: this one insists for a while first.
type BriefMutex struct{ mu sync.Mutex }

// Lock locks m. In a nosplit function, the scheduler cannot come in between it and Unlock.
//
//go:nosplit
func (m *BriefMutex) Lock() {
	for range 2000 {
		if m.mu.TryLock() {
			return
		}
	}
	m.mu.Lock()
}

// TryLock locks m if nobody has locked it.
func (m *BriefMutex) TryLock() bool { return m.mu.TryLock() }

// Unlock unlocks m.
//
//go:nosplit
func (m *BriefMutex) Unlock() { m.mu.Unlock() }
