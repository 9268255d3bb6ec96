package instrument

import (
	"sync"

	"tracerec/trace/wire"
)

// Mutex is a [sync.Mutex]. The zero value is unlocked. It must not be copied after first use.
type Mutex struct {
	mu sync.Mutex
	object
}

// Lock locks m, waiting while it is locked.
func (m *Mutex) Lock() {
	if current.Load() != nil {
		m.lock()
	} else {
		m.mu.Lock()
	}
}

//go:noinline
func (m *Mutex) lock() {
	if se := current.Load(); se != nil {
		se.acquire(m.of(se, wire.Mutex, 0, "lock"), wire.Exclusive, se.site("lock"), &m.mu)
	} else {
		m.mu.Lock()
	}
}

// TryLock locks m if it is not locked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if current.Load() != nil {
		return m.tryLock()
	}
	return m.mu.TryLock()
}

//go:noinline
func (m *Mutex) tryLock() bool {
	if se := current.Load(); se != nil {
		return se.tryAcquire(m.of(se, wire.Mutex, 0, "lock"), wire.Exclusive, se.site("lock"), &m.mu)
	}
	return m.mu.TryLock()
}

// Unlock unlocks m. It is a fatal error if m is not locked.
func (m *Mutex) Unlock() {
	if current.Load() != nil {
		m.object.release(wire.Mutex, wire.Exclusive, m.mu.Unlock)
	} else {
		m.mu.Unlock()
	}
}

// release records that a lock is about to be given up, and does it.
//
//go:noinline
func (o *object) release(kind wire.ObjectKind, mode uint32, unlock func()) {
	if se := current.Load(); se != nil {
		se.point(wire.Release, 0, wire.ObjectWord(o.of(se, kind, 0, "unlock"), mode))
	}
	g := mine()
	g.quiet()
	unlock()
	g.loud()
}

// tryLocker is a lock that can be tried.
type tryLocker interface {
	TryLock() bool
	Lock()
}

// acquire takes a lock, first without waiting.
func (se *session) acquire(id, mode, region uint32, l tryLocker) {
	lock, g := wire.ObjectWord(id, mode), mine()
	g.quiet()
	if l.TryLock() {
		g.loud()
		se.locked(region, lock)
		return
	}
	op := se.begin(wire.LockBegin, region, lock)
	op.blocked()
	l.Lock()
	g.loud()
	op.leave(wire.OK, true)
}

func (se *session) tryAcquire(id, mode, region uint32, l tryLocker) bool {
	op := se.begin(wire.LockBegin, region, wire.ObjectWord(id, mode))
	g := mine()
	g.quiet()
	locked := l.TryLock()
	g.loud()
	outcome := wire.OK
	if !locked {
		outcome = wire.Failed
	}
	op.leave(outcome, false)
	return locked
}

// RWMutex is a [sync.RWMutex]. The zero value is unlocked. It must not be copied after first use.
type RWMutex struct {
	mu sync.RWMutex
	object
}

// readSide is an RWMutex as a lock of readers.
type readSide sync.RWMutex

func (r *readSide) Lock()         { (*sync.RWMutex)(r).RLock() }
func (r *readSide) TryLock() bool { return (*sync.RWMutex)(r).TryRLock() }

// Lock locks m for writing.
func (m *RWMutex) Lock() {
	if current.Load() != nil {
		m.lock()
	} else {
		m.mu.Lock()
	}
}

//go:noinline
func (m *RWMutex) lock() {
	if se := current.Load(); se != nil {
		se.acquire(m.of(se, wire.RWMutex, 0, "lock"), wire.Exclusive, se.site("lock"), &m.mu)
	} else {
		m.mu.Lock()
	}
}

// TryLock locks m for writing if nobody holds it, and reports whether it did.
func (m *RWMutex) TryLock() bool {
	if current.Load() != nil {
		return m.tryLock()
	}
	return m.mu.TryLock()
}

//go:noinline
func (m *RWMutex) tryLock() bool {
	if se := current.Load(); se != nil {
		return se.tryAcquire(m.of(se, wire.RWMutex, 0, "lock"), wire.Exclusive, se.site("lock"), &m.mu)
	}
	return m.mu.TryLock()
}

// Unlock unlocks m for writing. It is a fatal error if m is not locked for writing.
func (m *RWMutex) Unlock() {
	if current.Load() != nil {
		m.object.release(wire.RWMutex, wire.Exclusive, m.mu.Unlock)
	} else {
		m.mu.Unlock()
	}
}

// RLock locks m for reading. It must not be used by a goroutine that has it locked for reading already.
func (m *RWMutex) RLock() {
	if current.Load() != nil {
		m.rlock()
	} else {
		m.mu.RLock()
	}
}

//go:noinline
func (m *RWMutex) rlock() {
	if se := current.Load(); se != nil {
		se.acquire(m.of(se, wire.RWMutex, 0, "rlock"), wire.Shared, se.site("rlock"), (*readSide)(&m.mu))
	} else {
		m.mu.RLock()
	}
}

// TryRLock locks m for reading if no writer holds or awaits it, and reports whether it did.
func (m *RWMutex) TryRLock() bool {
	if current.Load() != nil {
		return m.tryRLock()
	}
	return m.mu.TryRLock()
}

//go:noinline
func (m *RWMutex) tryRLock() bool {
	if se := current.Load(); se != nil {
		return se.tryAcquire(m.of(se, wire.RWMutex, 0, "rlock"), wire.Shared, se.site("rlock"), (*readSide)(&m.mu))
	}
	return m.mu.TryRLock()
}

// RUnlock undoes one RLock. It is a fatal error if m is not locked for reading.
func (m *RWMutex) RUnlock() {
	if current.Load() != nil {
		m.object.release(wire.RWMutex, wire.Shared, m.mu.RUnlock)
	} else {
		m.mu.RUnlock()
	}
}

// RLocker returns a [sync.Locker] whose Lock and Unlock call m.RLock and m.RUnlock.
func (m *RWMutex) RLocker() sync.Locker { return (*rlocker)(m) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
