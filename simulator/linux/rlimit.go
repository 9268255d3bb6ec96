//go:build linux

package linux

import "syscall"

// rlimit is how much of something a process may have: as it is, and as it may make it.
type rlimit struct{ now, most uint64 }

// Limits of processes by their numbers, which are Linux's.
const (
	limitStack = 3
	limitFiles = 7
	limitKinds = 16
)

const unlimited = ^uint64(0)

// rlimits are the limits of a process. That of files is kept, the others are what they were told to be.
type rlimits [limitKinds]rlimit

// newLimits returns what the first process may.
func newLimits() (l rlimits) {
	for i := range l {
		l[i] = rlimit{unlimited, unlimited}
	}
	l[limitStack] = rlimit{stackSize, unlimited}
	l[limitFiles] = rlimit{maxFiles, maxFiles}
	return l
}

// prlimit tells a limit of a process, and sets it.
func prlimit(t *thread, a [6]uint64) (int64, errno) {
	kind, set, old := uint64(uint32(a[1])), a[2], a[3]
	var wanted []uint64
	var err errno
	if set != 0 {
		if wanted, err = t.p.words(set, 2); err != 0 {
			return 0, err
		}
	}
	p, err := t.relative(a[0])
	switch {
	case kind >= limitKinds:
		return 0, syscall.EINVAL
	case err != 0:
		return 0, err
	}
	before := p.limits[kind]
	switch {
	case set == 0:
	case wanted[0] > wanted[1]:
		return 0, syscall.EINVAL
	case wanted[1] > before.most:
		return 0, syscall.EPERM
	default:
		if p.limits[kind] = (rlimit{wanted[0], wanted[1]}); kind == limitFiles {
			p.files.most = wanted[0]
		}
	}
	if old == 0 {
		return 0, 0
	}
	return 0, t.p.putWords(old, before.now, before.most)
}

func getrlimit(t *thread, a [6]uint64) (int64, errno) { return prlimit(t, [6]uint64{0, a[0], 0, a[1]}) }
func setrlimit(t *thread, a [6]uint64) (int64, errno) { return prlimit(t, [6]uint64{0, a[0], a[1], 0}) }
