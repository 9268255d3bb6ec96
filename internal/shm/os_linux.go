package shm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"tracerec/internal/rawfile"
)

// createFile makes a sparse file that must not exist, and maps it. No descriptor stays open: the program may close those that it does not
// know and give their numbers to files of its own, and what would be done to the buffer would be done to these. A mapping is nobody
// else's. It also keeps the lock of the file, which the kernel takes back when the process ends or becomes another program, and which
// so shows that it lives; locked is false where the file system has no locks.
func createFile(path string, size int64) (mem []byte, locked bool, err error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, false, &os.PathError{Op: "create", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	syscall.Fchmod(fd, 0o600) // the recorder opens it, too, whatever the umask
	locked = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) == nil
	if err := syscall.Ftruncate(fd, size); err != nil {
		return nil, false, &os.PathError{Op: "truncate", Path: path, Err: err}
	}
	if mem, err = mapFile(fd, int(size)); err != nil {
		return nil, false, &os.PathError{Op: "map", Path: path, Err: err}
	}
	return mem, locked, nil
}

func openFile(path string) (fd int, size int64, err error) {
	fd, err = syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, 0, err
	}
	var st syscall.Stat_t
	if err = syscall.Fstat(fd, &st); err == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = fmt.Errorf("not a regular file")
	}
	if err != nil {
		syscall.Close(fd)
		return -1, 0, err
	}
	return fd, st.Size, nil
}

func closeFile(fd int) { syscall.Close(fd) }

func mapFile(fd, size int) ([]byte, error) {
	return syscall.Mmap(fd, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func unmapFile(mem []byte) { syscall.Munmap(mem) }

// allocate gives never used pages of a mapped file memory, or disk space, of their own, so that touching them cannot fail. It knows
// the file by the mapping alone, see createFile.
//
//go:nosplit
func allocate(address, length uintptr) syscall.Errno {
	const populateWrite = 23 // MADV_POPULATE_WRITE, since Linux 5.14
	for {
		// Raw: in an ordinary system call, the scheduler takes the processor from the goroutine after 20 µs.
		switch _, _, err := syscall.RawSyscall(syscall.SYS_MADVISE, address, length, populateWrite); err {
		case syscall.EINTR, syscall.EAGAIN:
		case syscall.EINVAL:
			return touch(address, length)
		default:
			return err
		}
	}
}

// touch is allocate for older kernels: it has the kernel itself store into each page, which answers with an error where
// a store of the program would be a fault.
//
//go:nosplit
func touch(address, length uintptr) syscall.Errno {
	for end := address + length; address < end; address += pageSize {
		const block, maskBytes = 0, 8
		if _, _, err := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, block, 0, address, maskBytes, 0, 0); err != 0 {
			return err
		}
		*(*uint64)(pointer(address)) = 0 // instead of the mask of signals
	}
	return 0
}

// pointer makes a pointer of an address outside of the Go heap.
//
//go:nosplit
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func freeSpace(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	if st.Blocks == 0 {
		return 1 << 62, nil // a tmpfs without limit
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// fileLimit returns the largest size of a file that this process may write.
func fileLimit() int64 { return limit(syscall.RLIMIT_FSIZE) }

// addressSpace returns how much this process may still map.
func addressSpace() int64 {
	most := limit(syscall.RLIMIT_AS)
	if most == unlimited {
		return most
	}
	sizes, _ := rawfile.Read("/proc/self/statm")
	first, _, _ := bytes.Cut(sizes, []byte(" "))
	mapped, _ := strconv.ParseInt(string(first), 10, 64)
	return max(0, most-mapped*int64(os.Getpagesize()))
}

const unlimited = 1 << 62

// limit returns a limit of this process.
func limit(resource int) int64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(resource, &l) != nil || uint64(l.Cur) > unlimited {
		return unlimited
	}
	return int64(l.Cur)
}

// locked tells whether another descriptor holds the file's lock.
func locked(fd int) bool {
	if syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) != nil { // shared: others who ask do not count
		return true
	}
	syscall.Flock(fd, syscall.LOCK_UN)
	return false
}

// awaitUnlocked returns when nobody else holds the file's lock, false if that cannot be waited for.
func awaitUnlocked(path string) bool {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(fd, syscall.LOCK_SH)
	}
	return err == nil
}

// bootTicks returns when a process, a number or "self", started, in the kernel's clock ticks since boot; 0 if it does not run. It is not known
// where /proc cannot be read: after chroot, or for want of descriptors.
func bootTicks(pid string) (ticks uint64, known bool) {
	stat, err := rawfile.Read("/proc/" + pid + "/stat")
	if err != nil {
		gone := errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH)
		return 0, gone && syscall.Access("/proc/self/stat", 0) == nil
	}
	// The name, in brackets, may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || fields[state][0] == 'Z' || fields[state][0] == 'X' {
		return 0, true
	}
	ticks, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	return ticks, true
}

// runs tells whether a process runs that started at a time of its boot ticks, 0 if that is not known.
func runs(pid int, born uint64) bool {
	if ticks, known := bootTicks(strconv.Itoa(pid)); known {
		return ticks != 0 && (ticks == born || born == 0)
	}
	return syscall.Kill(pid, 0) != syscall.ESRCH
}

// executes tells whether the process that was born then has memory, and so is not on its way out.
func executes(pid int, born uint64) bool {
	sizes, err := rawfile.Read("/proc/" + strconv.Itoa(pid) + "/statm")
	return err == nil && !bytes.HasPrefix(sizes, []byte("0 ")) && runs(pid, born)
}

// CPUTime is the processor time that this process has used, ns. The scheduler does not know of the call.
func CPUTime() uint64 {
	var u syscall.Rusage
	syscall.RawSyscall(syscall.SYS_GETRUSAGE, syscall.RUSAGE_SELF, uintptr(unsafe.Pointer(&u)), 0)
	return uint64(u.Utime.Nano() + u.Stime.Nano())
}

// fileSize returns how long a file is, -1 if that is not known.
func fileSize(fd int) int64 {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return -1
	}
	return st.Size
}

func extend(fd int, size int64) { syscall.Ftruncate(fd, size) }

// names tells whether a path leads to an open file.
func names(path string, fd int) bool {
	var named, open syscall.Stat_t
	return syscall.Lstat(path, &named) == nil && syscall.Fstat(fd, &open) == nil && named.Dev == open.Dev && named.Ino == open.Ino
}

// Memory returns zeroed memory outside of the Go heap, for the life of the process. It panics when there is
// none, as the runtime does.
func Memory(size int) unsafe.Pointer {
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("tracerec: out of memory: " + err.Error())
	}
	return unsafe.Pointer(&mem[0])
}
