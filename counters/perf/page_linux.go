package perf

import (
	"errors"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A counter of the processor can be read without the kernel where that permits it (cap_user_rdpmc): the page that is
// mapped for an event names the counter and what to add. Its layout and the protocol are those of
// linux/perf_event.h.

// capUserRdpmc is the bit of the page's capabilities that permits programs to read counters.
const capUserRdpmc = 1 << 2

// mapPages maps the pages of the group's events, if all can be read without the kernel now.
func (g *group) mapPages() {
	if len(g.bundles) != 1 || g.multiplex || readCounter == nil || g.bundles[0].pmu != "cpu" {
		return
	}
	b := &g.bundles[0]
	for _, fd := range b.fds {
		mem, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
		if err == nil {
			g.pages = append(g.pages, mem)
		}
		if err != nil || page(mem).Capabilities&capUserRdpmc == 0 {
			g.unmapPages()
			return
		}
	}
}

func page(mem []byte) *unix.PerfEventMmapPage {
	return (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0]))
}

func (g *group) unmapPages() error {
	var errs []error
	for _, mem := range g.pages {
		errs = append(errs, unix.Munmap(mem))
	}
	g.pages = nil
	return errors.Join(errs...)
}

// readPages reads all events by their pages; false when that is not possible now. It must run on the thread that they
// count for.
func (g *group) readPages(dst []uint64) bool {
	if g.pages == nil {
		return false
	}
	for k, to := range g.bundles[0].to {
		v, ok := readPage(page(g.pages[k]), readCounter)
		if !ok {
			return false
		}
		dst[to] = v
	}
	return true
}

// readPage returns the value of a page's event. The kernel steps the page's lock before and after it changes it.
func readPage(p *unix.PerfEventMmapPage, counter func(index uint32) uint64) (uint64, bool) {
	for range 16 {
		lock := atomic.LoadUint32(&p.Lock)
		index := atomic.LoadUint32(&p.Index)
		offset := atomic.LoadInt64(&p.Offset)
		width := p.Pmc_width
		if p.Capabilities&capUserRdpmc == 0 || index == 0 || width == 0 || width > 64 {
			return 0, false // not on a counter now
		}
		v := int64(counter(index-1)) << (64 - width) >> (64 - width)
		if lock&1 == 0 && atomic.LoadUint32(&p.Lock) == lock {
			return uint64(offset + v), true
		}
	}
	return 0, false
}
