//go:build linux

package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MapShared makes a mapping that other spaces may have too, in place of what was there: of the host's file from the offset
// of r on, or of zeros if there is no file (fd < 0). A fault is what comes of touching it behind the end of the file.
func (s *Space) MapShared(r Region, fd int) error {
	size := r.End - r.Begin
	if err := s.fits(r.Begin, size); err != nil {
		return err
	}
	flags, offset := unix.MAP_SHARED|unix.MAP_FIXED|unix.MAP_NORESERVE, int64(r.Offset)
	if fd < 0 {
		flags, offset = flags|unix.MAP_ANON, 0
	}
	if _, err := unix.MmapPtr(fd, offset, unsafe.Add(s.Base(), r.Begin), uintptr(size), hostProt(r.Prot), flags); err != nil {
		return err
	}
	s.carve(r.Begin, r.End)
	s.insert(r)
	return nil
}

// Copy returns an address space with the same mappings: shared ones are the same memory, the others copies.
func (s *Space) Copy() (*Space, error) {
	c, err := New(s.limit)
	if err != nil {
		return nil, err
	}
	for _, r := range s.regions {
		if r.Object != 0 {
			err = s.share(c, r)
		} else {
			err = s.duplicate(c, r)
		}
		if err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// share maps the pages of a shared mapping in another space as well.
func (s *Space) share(c *Space, r Region) error {
	size := uintptr(r.End - r.Begin)
	_, err := unix.MremapPtr(unsafe.Add(s.Base(), r.Begin), 0, unsafe.Add(c.Base(), r.Begin), size,
		unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	if err == nil {
		err = unix.Mprotect(c.host[r.Begin:r.End], hostProt(r.Prot))
	}
	if err == nil {
		c.insert(r)
	}
	return err
}

// duplicate copies a private mapping.
func (s *Space) duplicate(c *Space, r Region) error {
	if err := c.Map(r.Begin, r.End-r.Begin, Read|Write, r.Name); err != nil {
		return err
	}
	if err := s.copyTouched(r, c.host[r.Begin:r.End]); err != nil {
		return err
	}
	return c.Protect(r.Begin, r.End-r.Begin, r.Prot)
}

// copyTouched copies a private mapping, or its beginning, to memory that is zero. Pages that were never touched are not copied, which spares
// most of what is reserved.
func (s *Space) copyTouched(r Region, to []byte) error {
	r.End = min(r.End, r.Begin+uint64(len(to)))
	hidden := hostProt(r.Prot)&unix.PROT_READ == 0
	if hidden {
		if err := unix.Mprotect(s.host[r.Begin:r.End], unix.PROT_READ); err != nil {
			return err
		}
	}
	s.touched(r.Begin, r.End, func(at uint64) {
		if page := s.host[at : at+PageSize]; !bytes.Equal(page, zeros[:]) {
			copy(to[at-r.Begin:], page)
		}
	})
	if hidden {
		return unix.Mprotect(s.host[r.Begin:r.End], unix.PROT_NONE)
	}
	return nil
}

// Move moves a range that is within one mapping, and makes it another size there, in place of what was there. What is more is zeros,
// or what follows in the file.
func (s *Space) Move(begin, size, to, newSize uint64) error {
	if err := errors.Join(s.fits(begin, size), s.fits(to, newSize)); err != nil {
		return unix.EINVAL
	}
	r, ok := s.Find(begin)
	if !ok || r.End < begin+min(size, newSize) {
		return unix.EFAULT
	}
	r.Offset += r.to(begin)
	r.Begin, r.End = begin, min(begin+size, r.End)
	moved := r
	moved.Begin, moved.End = to, to+newSize
	if r.Object != 0 {
		_, err := unix.MremapPtr(unsafe.Add(s.Base(), begin), 0, unsafe.Add(s.Base(), to), uintptr(newSize), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
		if err != nil {
			return err
		}
		s.carve(to, to+newSize)
		s.insert(moved)
		return s.Unmap(begin, size)
	}
	if err := s.Map(to, newSize, Read|Write, r.Name); err != nil {
		return err
	}
	if err := s.copyTouched(r, s.host[to:to+newSize]); err != nil {
		return err
	}
	if err := s.Protect(to, newSize, r.Prot); err != nil {
		return err
	}
	return s.Unmap(begin, size)
}

var zeros [PageSize]byte

// touched calls do for every page of a range that has memory of the host, or for all if the host does not tell.
func (s *Space) touched(begin, end uint64, do func(at uint64)) {
	const entry = 8 // bytes per page; the highest two bits say: in memory, swapped out
	table, err := os.Open("/proc/self/pagemap")
	if err == nil {
		defer table.Close()
	}
	var b [1 << 16]byte
	for at := begin; at < end; {
		n := min((end-at)/PageSize, uint64(len(b)/entry))
		part := b[:n*entry]
		known := false
		if err == nil && os.Getpagesize() == PageSize {
			_, e := table.ReadAt(part, int64((uint64(uintptr(s.Base()))+at)/PageSize*entry))
			known = e == nil
		}
		for i := range n {
			if !known || binary.LittleEndian.Uint64(part[i*entry:])>>62 != 0 {
				do(at + i*PageSize)
			}
		}
		at += n * PageSize
	}
}
