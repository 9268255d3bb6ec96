package perf

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is a buffer that the kernel writes records into.
type ring struct {
	fd   int
	mem  []byte // one page that describes it, then data
	data []byte
	copy []byte // of a record that goes over the end
}

// ringPages is how many pages of data a ring has, a power of two; fewer when less memory may be locked.
const ringPages = 32

func openRing(fd int) (*ring, error) {
	page := os.Getpagesize()
	var err error
	for n := ringPages; n > 0; n /= 2 {
		var mem []byte
		if mem, err = unix.Mmap(fd, 0, (1+n)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			return &ring{fd: fd, mem: mem, data: mem[page:]}, nil
		}
		if err != unix.EPERM && err != unix.ENOMEM {
			break
		}
	}
	return nil, err
}

func (r *ring) close() error { return unix.Munmap(r.mem) }

// drain hands over all records that are complete. A record is only valid until handle returns.
func (r *ring) drain(handle func(kind uint32, body []byte)) {
	p := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	head := atomic.LoadUint64(&p.Data_head)
	tail := atomic.LoadUint64(&p.Data_tail)
	for head-tail >= recordHeader && head-tail <= uint64(len(r.data)) {
		header := r.at(tail, recordHeader)
		kind, size := binary.NativeEndian.Uint32(header), uint64(binary.NativeEndian.Uint16(header[6:]))
		if size < recordHeader || size > head-tail {
			break
		}
		handle(kind, r.at(tail, size)[recordHeader:])
		tail += size
		atomic.StoreUint64(&p.Data_tail, tail) // the kernel may write there again
	}
	atomic.StoreUint64(&p.Data_tail, head)
}

// at returns n bytes of the data from a position that counts on beyond the end.
func (r *ring) at(position, n uint64) []byte {
	size := uint64(len(r.data))
	from := position % size
	if from+n <= size {
		return r.data[from : from+n]
	}
	r.copy = append(append(r.copy[:0], r.data[from:]...), r.data[:n-(size-from)]...)
	return r.copy
}
