//go:build linux

package linux

import (
	"fmt"
	"slices"
	"syscall"
)

// call is the body of a system call: what it returns, or an error.
type call func(t *thread, a [6]uint64) (int64, errno)

// calls are the system calls by their numbers, which are those of the generic table.
var calls map[uint64]call

func init() {
	calls = map[uint64]call{
		17: getcwd, 19: eventfd, 20: epollCreate, 21: epollControl, 22: epollWait, 441: epollWait2,
		23: dup, 24: dup3, 25: fcntl, 29: ioctl,
		32: flock, 43: statfs, 44: fstatfs, 47: fallocate, 434: pidfdOpen,
		34: mkdirat, 35: unlinkat, 36: symlinkat, 37: linkat, 38: renameat, 276: renameat, 45: truncate, 46: ftruncate, 48: faccessat, 439: faccessat, 49: chdir, 50: fchdir,
		52: fchmod, 53: fchmodat, 452: fchmodat, 55: nothing, 54: nothing,
		56: openat, 57: closeFile, 59: pipe2, 61: getdents, 62: lseek, 63: read, 64: write, 65: readv, 66: writev, 67: pread, 68: pwrite,
		72: pselect, 73: ppoll, 78: readlinkat, 79: fstatat, 80: fstat, 81: nothing, 82: nothing, 83: nothing, 88: utimensat,
		93: exitThread, 94: exitGroup, 96: setTIDAddress, 98: futex, 99: nothing,
		101: nanosleep, 113: clockGettime, 114: clockGetres, 115: clockNanosleep, 169: gettimeofday,
		122: nothing, 123: schedGetaffinity, 124: schedYield,
		129: kill, 130: tkill, 131: tgkill, 132: sigaltstack, 133: sigsuspend, 134: sigaction, 135: sigprocmask, 139: nil, 140: nothing, 141: getpriority,
		153: times, 160: uname, 165: getrusage, 168: getCPU, 163: getrlimit, 164: setrlimit, 261: prlimit, 166: umask,
		143: setUser, 144: setUser, 145: setUser, 146: setUser, 147: setUser, 149: setUser, 158: nothing, 159: setGroups,
		172: getpid, 173: getppid, 174: user, 175: user, 176: user, 177: user, 178: gettid, 179: sysinfo,
		214: brk, 215: munmap, 216: mremap, 222: mmap, 226: mprotect, 227: nothing, 233: madvise,
		198: newSocket, 199: socketpair, 200: bind, 201: listen, 202: accept, 242: accept, 203: connect, 204: getsockname, 205: getpeername,
		206: sendto, 207: recvfrom, 208: setsockopt, 209: getsockopt, 210: shutdown, 211: sendmsg, 212: recvmsg,
		154: setpgid, 155: getpgid, 156: getsid, 157: setsid, 221: execve, 95: waitid, 260: wait4, 279: memfdCreate,
		220: clone, 259: flushInstructions, 278: getrandom, 283: membarrier, CallThrough: callThrough,
	}
}

// refused are the system calls that are answered with an error on purpose: programs do without them. docs/simulator.md says why.
var refused = map[uint64]refusal{
	33:  {"mknodat", syscall.EPERM},
	39:  {"umount2", syscall.EPERM},
	40:  {"mount", syscall.EPERM},
	71:  {"sendfile", syscall.EINVAL},
	75:  {"vmsplice", syscall.ENOSYS},
	76:  {"splice", syscall.EINVAL},
	77:  {"tee", syscall.ENOSYS},
	103: {"setitimer", syscall.ENOSYS},
	107: {"timer_create", syscall.ENOSYS},
	117: {"ptrace", syscall.EPERM},
	167: {"prctl", syscall.ENOSYS},
	232: {"mincore", syscall.ENOSYS},
	241: {"perf_event_open", syscall.ENOSYS},
	243: {"recvmmsg", syscall.ENOSYS},
	258: {"riscv_hwprobe", syscall.ENOSYS},
	269: {"sendmmsg", syscall.ENOSYS},
	285: {"copy_file_range", syscall.ENOSYS},
	291: {"statx", syscall.ENOSYS},
	293: {"rseq", syscall.ENOSYS},
	424: {"pidfd_send_signal", syscall.ENOSYS},
	425: {"io_uring_setup", syscall.ENOSYS},
	435: {"clone3", syscall.ENOSYS},
	436: {"close_range", syscall.ENOSYS},
	437: {"openat2", syscall.ENOSYS},
}

// refusal is a system call's name and answer.
type refusal struct {
	name   string
	answer errno
}

// call makes the system call that the registers ask for.
func (t *thread) call() {
	h := t.hart
	t.number, t.first = h.X[17], h.X[10]
	t.restart = false
	if t.number == 139 {
		if !guarded(t.sigreturn) {
			t.p.kill(sigBUS)
		}
		return
	}
	do := calls[t.number]
	if t.number == perfEventOpen && t.k.perf != nil {
		do = openEvent
	}
	if do == nil {
		r, ok := refused[t.number]
		if !ok {
			r.answer = t.unsupported(fmt.Sprintf("system call %d", t.number), syscall.ENOSYS)
		}
		h.X[10] = uint64(result(0, r.answer))
		return
	}
	v, err := int64(0), syscall.EFAULT
	guarded(func() { v, err = do(t, [6]uint64{h.X[10], h.X[11], h.X[12], h.X[13], h.X[14], h.X[15]}) })
	if t.state == running {
		h.X[10] = uint64(result(v, err))
	}
}

// callThrough lets the services answer.
func callThrough(t *thread, a [6]uint64) (int64, errno) {
	if t.k.o.Services == nil {
		return 0, syscall.ENOSYS
	}
	cpu := slices.IndexFunc(t.k.cpus, func(c cpu) bool { return c.thread == t })
	v := t.k.o.Services.Call(Turn{t.p.id, t.id, cpu, t.p.space, t.hart}, a)
	if v < 0 {
		return 0, errno(-v)
	}
	return v, 0
}

// userID is the number of the guest's user and group.
const userID = 1000

func nothing(*thread, [6]uint64) (int64, errno) { return 0, 0 }

func getpid(t *thread, _ [6]uint64) (int64, errno) { return int64(t.p.id), 0 }
func gettid(t *thread, _ [6]uint64) (int64, errno) { return int64(t.id), 0 }
func user(*thread, [6]uint64) (int64, errno)       { return userID, 0 }

// setUser lets a process be the user and group that it is: there is no other, and no privilege to become one. It is for all calls that set some
// of them; ones that stay as they are, are -1.
func setUser(t *thread, a [6]uint64) (int64, errno) {
	n := map[uint64]int{143: 2, 144: 1, 145: 2, 146: 1, 147: 3, 149: 3}[t.number]
	for _, id := range a[:n] {
		if id := int32(id); id != userID && (id != -1 || n == 1) {
			if id == -1 {
				return 0, syscall.EINVAL
			}
			return 0, syscall.EPERM
		}
	}
	return 0, 0
}

func setGroups(*thread, [6]uint64) (int64, errno) { return 0, syscall.EPERM }

// getpriority returns 20 less how nice a process is: no process is nicer than others.
func getpriority(*thread, [6]uint64) (int64, errno) { return 20, 0 }

func umask(*thread, [6]uint64) (int64, errno)      { return maskOf, 0 }
func membarrier(*thread, [6]uint64) (int64, errno) { return 0, 0 }

func exitGroup(t *thread, a [6]uint64) (int64, errno) {
	t.p.exit(int(a[0]&0xff) << 8)
	return 0, 0
}

// uname describes the machine; nothing of it is the host's.
func uname(t *thread, a [6]uint64) (int64, errno) {
	const field = 65
	var b [6 * field]byte
	for i, s := range []string{"Linux", "simulator", "6.6.0", "#1", "riscv64", "(none)"} {
		copy(b[i*field:], s)
	}
	return 0, t.p.put(a[0], b[:])
}

func sysinfo(t *thread, a [6]uint64) (int64, errno) {
	b := make([]byte, 112)
	if err := t.p.put(a[0], b); err != 0 {
		return 0, err
	}
	return 0, t.p.putWords(a[0], uint64(t.k.now()/1e9), 0, 0, 0, 8<<30, 6<<30)
}

func getrandom(t *thread, a [6]uint64) (int64, errno) {
	n := min(a[1], 1<<20)
	b, err := t.p.room(a[0], n)
	for i := range b {
		b[i] = byte(t.k.random.Uint32())
	}
	return int64(n), err
}

// getrusage says that all time is the program's.
func getrusage(t *thread, a [6]uint64) (int64, errno) {
	if err := t.p.put(a[1], make([]byte, 144)); err != 0 {
		return 0, err
	}
	d := int64(t.p.instructions())
	switch int32(a[0]) {
	case 1:
		d = int64(t.hart.Retired)
	case -1:
		d = int64(t.p.childTime)
	}
	return 0, t.p.putWords(a[1], uint64(d/1e9), uint64(d%1e9/1000))
}

func times(t *thread, a [6]uint64) (int64, errno) {
	const tick = 10_000_000
	if a[0] != 0 {
		if err := t.p.putWords(a[0], t.p.instructions()/tick, 0, t.p.childTime/tick, 0); err != 0 {
			return 0, err
		}
	}
	return t.k.now() / tick, 0
}
