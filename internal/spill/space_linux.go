package spill

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// space is the temporary file; the zero space is memory.
type space struct {
	file  *os.File
	size  int64    // of the file
	statm *os.File // tells what is resident
}

const supported = true

// open makes the file. It has no name from the beginning, or where the file system cannot do that, loses it at once.
func (s *space) open(dir string) (err error) {
	if s.statm, err = os.Open("/proc/self/statm"); err != nil {
		return fmt.Errorf("a limit on memory needs it: %w", err)
	}
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		s.file = os.NewFile(uintptr(fd), filepath.Join(dir, "expert"))
		return nil
	}
	f, err := os.CreateTemp(dir, "expert-")
	if err != nil {
		return fmt.Errorf("no temporary file: %w (TMPDIR says where)", err)
	}
	s.file = f
	return os.Remove(f.Name())
}

func (s *space) close() {
	for _, f := range []*os.File{s.file, s.statm} {
		if f != nil {
			f.Close()
		}
	}
}

// more returns size bytes that are zero. Those of the file have their place on disk, so that touching them cannot fail.
func (s *space) more(size int) ([]byte, error) {
	if s.file == nil {
		return mapped(-1, 0, size, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	}
	room := int64(rounded(size))
	err := unix.Fallocate(int(s.file.Fd()), 0, s.size, room)
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = s.fill(room)
	}
	if err != nil {
		return nil, fmt.Errorf("temporary file in %s, beside %d MB that it has: %w (TMPDIR says where, --memory how much is needed there)",
			filepath.Dir(s.file.Name()), s.size>>20, err)
	}
	b, err := mapped(int(s.file.Fd()), s.size, size, unix.MAP_SHARED)
	if err == nil {
		_ = unix.Madvise(b, unix.MADV_RANDOM) // else the system may bring 2 MB for each touch, and a search in a long list more than may be
	}
	s.size += room
	return b, err
}

// mapped maps size bytes of a file, or of none. Unlike what unix.Mmap returns, parts can be given back.
func mapped(fd int, at int64, size, flags int) ([]byte, error) {
	p, err := unix.MmapPtr(fd, at, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), size), nil
}

// fill writes zeros where the file system cannot reserve.
func (s *space) fill(room int64) error {
	zeros := make([]byte, part)
	for at := int64(0); at < room; at += part {
		if _, err := s.file.WriteAt(zeros, s.size+at); err != nil {
			return err
		}
	}
	return nil
}

// longer returns what more returned with size bytes, nil if it can only be copied.
func (s *space) longer(b []byte, size int) []byte {
	if s.file != nil { // what is behind it there is of others
		return nil
	}
	p, err := unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), nil, uintptr(size), unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), size)
}

func unmap(b []byte) {
	_ = unix.Madvise(b, unix.MADV_REMOVE) // of a file, so that it takes no place any more
	_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
}

// putAside lets the pages of a file be in the file only.
func putAside(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

// residentNow returns how much of the process is in memory.
func (s *space) residentNow() int64 {
	var buf [128]byte
	n, _ := s.statm.ReadAt(buf[:], 0)
	_, rest, _ := bytes.Cut(buf[:n], []byte(" "))
	pages, _, _ := bytes.Cut(rest, []byte(" "))
	v, _ := strconv.ParseInt(string(pages), 10, 64)
	return v * int64(os.Getpagesize())
}
