package shm

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// createFile makes a sparse file that must not exist. The lock, which the kernel takes back when the
// process ends, shows that the process lives.
func createFile(path string, size int64) (int, error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, &os.PathError{Op: "create", Path: path, Err: err}
	}
	syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) // without it the process id decides
	if err := syscall.Ftruncate(fd, size); err != nil {
		syscall.Close(fd)
		return -1, &os.PathError{Op: "truncate", Path: path, Err: err}
	}
	return fd, nil
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

// allocate gives a range of the file memory, or disk space, of its own, so that touching it cannot fail.
//
//go:nosplit
func allocate(fd int, offset, length int64) error {
	for {
		switch err := fallocate(fd, offset, length); err {
		case 0:
			return nil
		case syscall.EINTR: // the runtime's own signals
		case syscall.EOPNOTSUPP, syscall.ENOSYS:
			return writeZeros(fd, offset, length)
		default:
			return err
		}
	}
}

// fallocate is raw: in an ordinary system call, the scheduler takes the processor from the goroutine after 20 µs.
//
//go:nosplit
func fallocate(fd int, offset, length int64) syscall.Errno {
	if bits.UintSize == 32 { // numbers take two words each
		_, _, err := syscall.RawSyscall6(syscall.SYS_FALLOCATE, uintptr(fd), 0, uintptr(offset), uintptr(offset>>32),
			uintptr(length), uintptr(length>>32))
		return err
	}
	_, _, err := syscall.RawSyscall6(syscall.SYS_FALLOCATE, uintptr(fd), 0, uintptr(offset), uintptr(length), 0, 0)
	return err
}

func writeZeros(fd int, offset, length int64) error {
	zeros := make([]byte, min(length, blockSize))
	for length > 0 {
		n, err := syscall.Pwrite(fd, zeros[:min(length, int64(len(zeros)))], offset)
		if err != nil && err != syscall.EINTR {
			return err
		}
		offset, length = offset+int64(max(n, 0)), length-int64(max(n, 0))
	}
	return nil
}

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
func fileLimit() int64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l) != nil || uint64(l.Cur) > 1<<62 {
		return 1 << 62
	}
	return int64(l.Cur)
}

// locked tells whether another descriptor holds the file's lock.
func locked(fd int) bool {
	if syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return true
	}
	syscall.Flock(fd, syscall.LOCK_UN)
	return false
}

// bootTicks returns when a process started, in the kernel's clock ticks since boot; 0 if it does not run.
func bootTicks(pid int) uint64 {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name, in brackets, may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || fields[state][0] == 'Z' || fields[state][0] == 'X' {
		return 0
	}
	ticks, _ := strconv.ParseUint(string(fields[start]), 10, 64)
	return ticks
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
