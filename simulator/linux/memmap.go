//go:build linux

package linux

import (
	"errors"
	"slices"
	"syscall"

	"tracerec/simulator/memory"
)

// pages rounds up to whole pages; 0 if there are none or too many.
func pages(n uint64) uint64 {
	if n > addresses {
		return 0
	}
	return (n + memory.PageSize - 1) &^ (memory.PageSize - 1)
}

func brk(t *thread, a [6]uint64) (int64, errno) {
	p := t.p
	end := pages(a[0])
	switch {
	case a[0] < p.least || end == 0:
	case end > p.breakAt:
		if _, taken := p.space.Find(p.breakAt); !taken && end < mapsBelow && p.free(p.breakAt, end-p.breakAt) &&
			p.mayMap(p.breakAt, end-p.breakAt, memory.Read|memory.Write) &&
			p.space.Map(p.breakAt, end-p.breakAt, memory.Read|memory.Write, "[heap]") == nil {
			p.breakAt = end
			return int64(a[0]), 0
		}
	case end < p.breakAt:
		if p.space.Unmap(end, p.breakAt-end) == nil {
			p.breakAt = end
		}
		return int64(a[0]), 0
	default:
		return int64(a[0]), 0
	}
	return int64(p.breakAt), 0
}

// free tells whether nothing is mapped in a range.
func (p *process) free(begin, size uint64) bool {
	for _, r := range p.space.Regions() {
		if r.Begin < begin+size && r.End > begin {
			return false
		}
	}
	return true
}

// Flags of mmap.
const (
	mapShared    = 1
	mapPrivate   = 2
	mapFixed     = 0x10
	mapAnonymous = 0x20
	mapNoReplace = 0x100000
)

// anonymousObjects is where the numbers of shared memory that is no file begin.
const anonymousObjects = 1 << 32

func mmap(t *thread, a [6]uint64) (int64, errno) {
	p, size, flags := t.p, pages(a[1]), a[3]
	f := new(open)
	if a[5]%memory.PageSize != 0 {
		return 0, syscall.EINVAL
	}
	if flags&mapAnonymous == 0 {
		var err errno
		if f, err = p.files.get(a[4]); err != 0 {
			return 0, err
		}
	}
	if size == 0 {
		if a[1] == 0 {
			return 0, syscall.EINVAL
		}
		return 0, syscall.ENOMEM
	}
	if flags&(mapShared|mapPrivate) == 0 {
		return 0, syscall.EINVAL
	}
	var content []byte
	object, fd := memory.Region{Prot: memory.Prot(a[2] & 7)}, -1
	if flags&mapAnonymous == 0 {
		m, ok := f.file.(*regular)
		e, isEvent := f.file.(*event)
		switch {
		case isEvent:
			b, err := e.mapping(t, size, a[2], flags, a[5])
			if err != 0 {
				return 0, err
			}
			object.Object, fd = b.object, b.fd
		case f.flags&3 == oWriteOnly:
			return 0, syscall.EACCES
		case !ok:
			return 0, syscall.ENODEV
		case a[5] > 1<<62:
			return 0, syscall.EOVERFLOW
		case flags&mapShared != 0 && a[2]&4 != 0:
			return 0, syscall.EACCES // code that another process may change or cut off
		case flags&mapShared != 0:
			object.Object, object.Offset = f.inode, a[5]
			fd = int(m.Fd())
		default:
			var err errno
			if content, err = m.content(); err != 0 {
				return 0, err
			}
			content = content[min(a[5], uint64(len(content))):]
		}
	} else if flags&mapShared != 0 {
		t.k.objects++
		object.Object = anonymousObjects + t.k.objects
	}
	at := a[0]
	switch fixed := flags&(mapFixed|mapNoReplace) != 0; {
	case fixed && (at+size > addresses || at+size < at):
		return 0, syscall.ENOMEM
	case fixed && at%memory.PageSize != 0:
		return 0, syscall.EINVAL
	case flags&mapNoReplace != 0 && !p.free(at, size):
		return 0, syscall.EEXIST
	case !fixed:
		if at = pages(at); at < mapsAbove || at+size > mapsBelow || !p.free(at, size) {
			var ok bool
			if at, ok = p.space.Free(size, mapsAbove, mapsBelow); !ok {
				return 0, syscall.ENOMEM
			}
		}
	}
	if fileShared := object.Object != 0 && object.Object < anonymousObjects; !fileShared && !p.mayMap(at, size, object.Prot) {
		return 0, syscall.ENOMEM
	}
	if object.Object != 0 {
		p.code.Flush()
		object.Begin, object.End = at, at+size
		if err := p.space.MapShared(object, fd); err != nil {
			return 0, number(err)
		}
		return int64(at), 0
	}
	if err := p.mapAt(at, size, memory.Prot(a[2]&7), content); err != 0 {
		return 0, err
	}
	return int64(at), 0
}

func (p *process) mapAt(at, size uint64, prot memory.Prot, content []byte) errno {
	if err := p.space.Map(at, size, prot|memory.Write, ""); err != nil {
		return number(err)
	}
	if len(content) > 0 {
		room, _ := p.space.Bytes(at, size, memory.Write)
		copy(room, content)
	}
	if prot&memory.Exec != 0 {
		p.code.Flush()
	}
	return number(p.space.Protect(at, size, prot))
}

// number returns the error number of an error of the host.
func number(err error) errno {
	if err == nil {
		return 0
	}
	var n syscall.Errno
	if errors.As(err, &n) {
		return n
	}
	return syscall.EIO
}

func munmap(t *thread, a [6]uint64) (int64, errno) {
	size := pages(a[1])
	if size == 0 {
		return 0, syscall.EINVAL
	}
	t.p.code.Flush()
	return 0, number(t.p.space.Unmap(a[0], size))
}

func mprotect(t *thread, a [6]uint64) (int64, errno) {
	size := pages(a[1])
	if a[0]%memory.PageSize != 0 || a[2]&^7 != 0 {
		return 0, syscall.EINVAL
	}
	if size == 0 && a[1] != 0 {
		return 0, syscall.ENOMEM
	}
	if size == 0 {
		return 0, 0
	}
	if a[2]&4 != 0 && slices.ContainsFunc(t.p.space.Regions(), func(r memory.Region) bool {
		return r.Object != 0 && r.Begin < a[0]+size && r.End > a[0]
	}) {
		return 0, syscall.EACCES
	}
	if !t.p.mayProtect(a[0], size, memory.Prot(a[2]&7)) {
		return 0, syscall.ENOMEM
	}
	t.p.code.Flush()
	return 0, number(t.p.space.Protect(a[0], size, memory.Prot(a[2]&7)))
}

// madvise gives memory back where that can be seen, and gets some on demand: for a file that processes share, the host's file system must
// have it.
func madvise(t *thread, a [6]uint64) (int64, errno) {
	const dontNeed, populateWrite = 4, 23
	begin, size, advice := a[0], pages(a[1]), int32(a[2])
	known := advice >= 0 && advice <= 25 && (advice <= dontNeed || advice >= 8) || advice == 100 || advice == 101
	if begin%memory.PageSize != 0 || !known || size == 0 && a[1] != 0 {
		return 0, syscall.EINVAL
	}
	if size == 0 {
		return 0, 0
	}
	if advice == dontNeed {
		if err := t.p.space.Zero(begin, size); err != nil {
			return 0, number(err)
		}
	}
	room, ok := t.p.space.Bytes(begin, size, 0)
	if !ok {
		return 0, syscall.ENOMEM // of the rest it is done
	}
	if advice == populateWrite {
		if err := syscall.Madvise(room, populateWrite); err != syscall.EINVAL { // a host older than Linux 5.14
			return 0, number(err)
		}
	}
	return 0, 0
}

// mremap makes a mapping smaller or larger, and moves it if it may and must.
func mremap(t *thread, a [6]uint64) (int64, errno) {
	const mayMove, fixed = 1, 2
	p, at, before, after, flags, to := t.p, a[0], pages(a[1]), pages(a[2]), a[3], a[4]
	switch {
	case flags&^(mayMove|fixed) != 0 || flags == fixed || at%memory.PageSize != 0 || before == 0 || after == 0:
		return 0, syscall.EINVAL
	case flags&fixed != 0 && (to%memory.PageSize != 0 || to > addresses-after || to < at+before && at < to+after):
		return 0, syscall.EINVAL
	}
	r, ok := p.space.Find(at)
	switch {
	case !ok || after > before && r.End < at+before:
		return 0, syscall.EFAULT
	case after <= before && flags&fixed == 0:
		if after < before {
			p.code.Flush()
			return int64(at), number(p.space.Unmap(at+after, before-after))
		}
		return int64(at), 0
	case r.End < at+min(before, after):
		return 0, syscall.EFAULT
	case flags&fixed == 0 && r.Object == 0 && r.End == at+before && at+after <= mapsBelow && p.free(r.End, after-before):
		if !p.mayMap(r.End, after-before, r.Prot) {
			return 0, syscall.ENOMEM
		}
		p.code.Flush()
		return int64(at), number(p.space.Map(r.End, after-before, r.Prot, r.Name))
	case flags&mayMove == 0:
		return 0, syscall.ENOMEM
	case flags&fixed == 0:
		if to, ok = p.space.Free(after, mapsAbove, mapsBelow); !ok {
			return 0, syscall.ENOMEM
		}
	}
	if !p.mayMap(to, after, r.Prot) {
		return 0, syscall.ENOMEM
	}
	p.code.Flush()
	return int64(to), number(p.space.Move(at, before, to, after))
}

// flushInstructions makes the program's new code known: riscv_flush_icache. Harts have no caches of their own for what was decoded, so
// the flag for one of them (local) makes no difference.
func flushInstructions(t *thread, a [6]uint64) (int64, errno) {
	const local = 1
	if a[2]&^local != 0 {
		return 0, syscall.EINVAL
	}
	t.p.code.Flush()
	return 0, 0
}
