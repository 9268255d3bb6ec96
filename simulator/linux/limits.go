//go:build linux

package linux

import (
	"fmt"

	"tracerec/simulator/memory"
)

// takes returns how many bytes of memory a range of addresses takes at most: what is mapped there and may be accessed, but files that are
// shared. It does not depend on what the host keeps in its memory, so that a limit is met at the same instruction every time.
func takes(s *memory.Space, begin, end uint64) (n uint64) {
	for _, r := range s.Regions() {
		if from, to := max(r.Begin, begin), min(r.End, end); from < to && r.Prot != 0 && (r.Object == 0 || r.Object >= anonymousObjects) {
			n += to - from
		}
	}
	return n
}

// fits tells whether there may be so many bytes more, if others are given back.
func (k *Kernel) fits(more, back uint64) bool {
	if k.o.MaxMemory == 0 || more <= back {
		return true
	}
	var sum uint64
	counted := map[*image]bool{}
	for _, p := range k.all {
		if !p.dead && !counted[p.image] {
			counted[p.image] = true
			sum += takes(p.space, 0, addresses)
		}
	}
	return sum-back+more <= k.o.MaxMemory
}

// mayMap tells whether a range of the process may be mapped, whatever is there now.
func (p *process) mayMap(begin, size uint64, prot memory.Prot) bool {
	if p.k.o.MaxMemory == 0 || prot == 0 {
		return true
	}
	return p.k.fits(size, takes(p.space, begin, begin+size))
}

// mayProtect tells whether a range of the process may have these permissions: what was not accessible may take memory then.
func (p *process) mayProtect(begin, size uint64, prot memory.Prot) bool {
	if p.k.o.MaxMemory == 0 || prot == 0 {
		return true
	}
	var more uint64
	for _, r := range p.space.Regions() {
		if from, to := max(r.Begin, begin), min(r.End, begin+size); from < to && r.Prot == 0 && r.Object == 0 {
			more += to - from
		}
	}
	return p.k.fits(more, 0)
}

// checkStart is the error of a program that has not enough memory to begin.
func (k *Kernel) checkStart(p *process) error {
	if n := takes(p.space, 0, addresses); !k.fits(n, 0) {
		return fmt.Errorf("%w: the program needs %d KiB at its start, and may have %d", ErrMemory, n>>10, k.o.MaxMemory>>10)
	}
	return nil
}
