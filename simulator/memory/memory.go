//go:build linux

// Package memory is the address space of a simulated process: a range of the host's addresses, reserved as a whole, in
// which mappings of the guest are mappings of the host. A guest address is an offset, so an access costs one
// comparison and one instruction. The protection of the host's pages keeps the guest from what it may not touch.
package memory

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PageSize is the size of pages of the guest.
const PageSize = 4096

// guard is beyond the guest's last address, so that an access that begins below it cannot leave the reservation.
const guard = 1 << 20

// Prot says what a mapping permits.
type Prot uint8

// The permissions.
const (
	Read Prot = 1 << iota
	Write
	Exec
)

// Region is a mapping [Begin, End).
type Region struct {
	Begin, End uint64
	Prot       Prot
	Name       string // of what is mapped, for people
	Object     uint64 // number of what is shared with other mappings, 0 of a private one
	Offset     uint64 // of Begin in the object
}

// Space is an address space. Its methods must not be called concurrently.
type Space struct {
	host    []byte
	limit   uint64
	regions []Region // ascending, disjoint
	recent  int      // of them, the one that was looked for last
}

// ErrAddresses is the error of a host that has no more addresses for a space.
var ErrAddresses = errors.New("out of address space (ulimit -v)")

// New reserves an address space of that many bytes, a multiple of the page size. It takes no memory. The error is
// [ErrAddresses] if the host has no such range.
func New(size uint64) (*Space, error) {
	host, err := unix.Mmap(-1, 0, int(size+guard), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		if err == unix.ENOMEM {
			err = ErrAddresses
		}
		return nil, fmt.Errorf("cannot reserve %d MiB of addresses: %w", size>>20, err)
	}
	return &Space{host: host, limit: size}, nil
}

// Close gives all of it back. Nothing may touch it any more.
func (s *Space) Close() error { return unix.Munmap(s.host) }

// Base returns the host's address of the guest's address 0.
func (s *Space) Base() unsafe.Pointer { return unsafe.Pointer(&s.host[0]) }

// Limit returns the first address that the guest does not have.
func (s *Space) Limit() uint64 { return s.limit }

// HostToGuest returns the guest's address of an address of the host, if it has one.
func (s *Space) HostToGuest(host uintptr) (uint64, bool) {
	offset := uint64(host - uintptr(s.Base()))
	return offset, offset < uint64(len(s.host))
}

// Regions lists the mappings in ascending order. The caller must not change them.
func (s *Space) Regions() []Region { return s.regions }

// fits checks a range of whole pages.
func (s *Space) fits(begin, size uint64) error {
	if begin%PageSize != 0 || size%PageSize != 0 || size == 0 || begin >= s.limit || size > s.limit-begin {
		return unix.EINVAL
	}
	return nil
}

// Map makes a mapping of zeros, in place of what was there.
func (s *Space) Map(begin, size uint64, p Prot, name string) error {
	if err := s.fits(begin, size); err != nil {
		return err
	}
	if err := s.remap(begin, size, hostProt(p)); err != nil {
		return err
	}
	s.carve(begin, begin+size)
	s.insert(Region{Begin: begin, End: begin + size, Prot: p, Name: name})
	return nil
}

// Unmap ends the mappings in a range.
func (s *Space) Unmap(begin, size uint64) error {
	if err := s.fits(begin, size); err != nil {
		return err
	}
	s.carve(begin, begin+size)
	return s.remap(begin, size, unix.PROT_NONE)
}

// remap replaces pages by fresh ones.
func (s *Space) remap(begin, size uint64, prot int) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Add(s.Base(), begin), uintptr(size), prot,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE|unix.MAP_FIXED)
	return err
}

// Protect changes the permissions of a range, all of which must be mapped.
func (s *Space) Protect(begin, size uint64, p Prot) error {
	if err := s.fits(begin, size); err != nil {
		return err
	}
	end := begin + size
	if !s.mapped(begin, end) {
		return unix.ENOMEM
	}
	if err := unix.Mprotect(s.host[begin:end], hostProt(p)); err != nil {
		return err
	}
	for _, r := range s.carve(begin, end) {
		r.Prot = p
		s.insert(r)
	}
	return nil
}

// Zero makes the private pages of a range read as zeros again and gives their memory back.
func (s *Space) Zero(begin, size uint64) error {
	if err := s.fits(begin, size); err != nil {
		return err
	}
	for _, r := range s.regions {
		from, to := max(r.Begin, begin), min(r.End, begin+size)
		if from < to && r.Object == 0 {
			if err := s.remap(from, to-from, hostProt(r.Prot)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Find returns the mapping that holds an address.
func (s *Space) Find(address uint64) (Region, bool) {
	i := s.at(address)
	if i == len(s.regions) || s.regions[i].Begin > address {
		return Region{}, false
	}
	return s.regions[i], true
}

// at returns the index of the first mapping that ends behind an address.
func (s *Space) at(address uint64) int {
	if i := s.recent; i < len(s.regions) && address < s.regions[i].End && (i == 0 || address >= s.regions[i-1].End) {
		return i
	}
	i, _ := slices.BinarySearchFunc(s.regions, address, func(r Region, a uint64) int {
		if r.End <= a {
			return -1
		}
		return 1
	})
	s.recent = i
	return i
}

// Free returns the highest range of that size below a limit, and not below least, that nothing is mapped in.
func (s *Space) Free(size, least, below uint64) (uint64, bool) {
	end := min(below, s.limit)
	for i := len(s.regions) - 1; ; i-- {
		begin := least
		if i >= 0 {
			begin = max(least, s.regions[i].End)
		}
		if end > begin && end-begin >= size {
			return (end - size) &^ (PageSize - 1), true
		}
		if i < 0 {
			return 0, false
		}
		end = min(end, s.regions[i].Begin)
	}
}

// Bytes returns the memory of a range, if all of it is mapped and permits what is asked for.
func (s *Space) Bytes(begin, size uint64, p Prot) ([]byte, bool) {
	end := begin + size
	if end < begin || end > s.limit {
		return nil, false
	}
	for at := begin; at < end; {
		r, ok := s.Find(at)
		if !ok || r.Prot&p != p {
			return nil, false
		}
		at = r.End
	}
	return s.host[begin:end:end], true
}

// mapped tells whether all of a range is.
func (s *Space) mapped(begin, end uint64) bool {
	_, ok := s.Bytes(begin, end-begin, 0)
	return ok
}

// carve takes a range out of the mappings and returns the parts that were taken.
func (s *Space) carve(begin, end uint64) (taken []Region) {
	var kept []Region
	first := s.at(begin)
	last := first
	for ; last < len(s.regions) && s.regions[last].Begin < end; last++ {
		r := s.regions[last]
		if r.Begin < begin {
			left := r
			left.End = begin
			kept = append(kept, left)
		}
		if r.End > end {
			right := r
			right.Offset += r.to(end)
			right.Begin = end
			kept = append(kept, right)
		}
		r.Offset += r.to(max(r.Begin, begin))
		r.Begin, r.End = max(r.Begin, begin), min(r.End, end)
		taken = append(taken, r)
	}
	s.regions = slices.Replace(s.regions, first, last, kept...)
	return taken
}

// insert adds a mapping where there is none, joined with neighbours that are alike.
func (s *Space) insert(r Region) {
	i := s.at(r.Begin)
	if i > 0 && alike(s.regions[i-1], r) && s.regions[i-1].End == r.Begin {
		r.Begin, r.Offset = s.regions[i-1].Begin, s.regions[i-1].Offset
		i--
		s.regions = slices.Delete(s.regions, i, i+1)
	}
	if i < len(s.regions) && alike(r, s.regions[i]) && s.regions[i].Begin == r.End {
		r.End = s.regions[i].End
		s.regions = slices.Delete(s.regions, i, i+1)
	}
	s.regions = slices.Insert(s.regions, i, r)
}

// alike tells whether b continues a, which is before it.
func alike(a, b Region) bool {
	return a.Prot == b.Prot && a.Name == b.Name && a.Object == b.Object && a.Offset+a.to(b.Begin) == b.Offset
}

// to returns how far into the object an address is from the beginning of the region, 0 in a private one.
func (r Region) to(address uint64) uint64 {
	if r.Object == 0 {
		return 0
	}
	return address - r.Begin
}

// hostProt returns the host's permissions; what the guest executes, the host reads.
func hostProt(p Prot) int {
	prot := unix.PROT_NONE
	if p&(Read|Exec) != 0 {
		prot |= unix.PROT_READ
	}
	if p&Write != 0 {
		prot |= unix.PROT_READ | unix.PROT_WRITE
	}
	return prot
}
