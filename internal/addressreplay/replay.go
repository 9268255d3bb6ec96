// Package addressreplay computes from address traces what caches would do, in two other ways than the simulator: [Replay] with sets that are
// lists, [Stacks] by the theory of stacks. Tests compare all three.
package addressreplay

import (
	"fmt"
	"io"
	"math"

	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
)

// Misses is what became of the accesses of a trace in the caches of a machine. Of accesses that were undone it has nothing.
type Misses struct {
	Fetches                              uint64 // lines of instructions
	FetchL1, FetchL2, FetchL3            uint64
	FetchTLB                             uint64
	Loads, LoadL1, LoadL2, LoadL3        uint64
	Stores, StoreL1, StoreL2, StoreL3    uint64
	DataTLB                              uint64
	TLB2                                 uint64
	WriteBacks, WriteBacks2, WriteBacks3 uint64 // lines written back by each cache
}

// Replay computes what the accesses of a trace meet in the caches and translation buffers of a machine, which begin empty. It is a second
// implementation, written for clarity: sets are lists of lines. [cache.Random] is not replayed.
func Replay(r *addresstrace.Reader, m *cache.Machine) (Misses, error) {
	if err := m.Check(); err != nil {
		return Misses{}, err
	}
	for _, g := range geometries(m) {
		if g.Replacement == cache.Random {
			return Misses{}, fmt.Errorf("replacement %q: a replay has other random numbers", g.Replacement)
		}
	}
	p := &replay{machine: m, processors: map[uint64]*processor{}}
	p.place(0)
	for {
		record, err := r.Next()
		if err == io.EOF {
			return p.misses, nil
		}
		if err == nil {
			err = p.record(record)
		}
		if err != nil {
			return p.misses, err
		}
	}
}

func geometries(m *cache.Machine) []*cache.Geometry {
	all := []*cache.Geometry{&m.L1I, &m.L1D, &m.L2, &m.ITLB, &m.DTLB}
	for _, g := range []*cache.Geometry{m.L3, m.TLB2} {
		if g != nil {
			all = append(all, g)
		}
	}
	return all
}

// replay is the state of a replay.
type replay struct {
	machine    *cache.Machine
	processors map[uint64]*processor
	now        *processor
	shared     *lists // the last cache, if it is one for all
	line       uint64 // of instructions, that was fetched last
	misses     Misses
	last       [2]Misses // before each of the last two accesses, which may be undone
}

// processor is the caches of one.
type processor struct {
	l1i, l1d, l2, l3 *lists
	itlb, dtlb, tlb2 *lists
}

// place goes on on another processor.
func (p *replay) place(cpu uint64) {
	p.line = math.MaxUint64
	if p.now = p.processors[cpu]; p.now != nil {
		return
	}
	m := p.machine
	n := &processor{newLists(&m.L1I), newLists(&m.L1D), newLists(&m.L2), newLists(m.L3), newLists(&m.ITLB), newLists(&m.DTLB), newLists(m.TLB2)}
	last := &n.l2
	if m.L3 != nil {
		last = &n.l3
	}
	if m.Shared && p.shared != nil {
		*last = p.shared
	}
	p.shared = *last
	p.processors[cpu], p.now = n, n
}

func (p *replay) record(r addresstrace.Record) error {
	size := max(1, uint64(r.Size))
	switch r.Op {
	case addresstrace.CPU:
		p.place(r.Address)
	case addresstrace.Fetch:
		length := p.machine.L1I.Line
		for line := r.Address / length; line <= (r.Address+size-1)/length; line++ {
			if line != p.line {
				p.line = line
				p.fetch(line * length)
			}
		}
	case addresstrace.Read, addresstrace.Write:
		p.last[0], p.last[1] = p.last[1], p.misses
		p.data(r.Address, size, r.Op == addresstrace.Write)
	case addresstrace.Undone:
		if r.Address < 1 || r.Address > 2 {
			return fmt.Errorf("%w: %d accesses undone", addresstrace.ErrCorrupt, r.Address)
		}
		p.undo(p.last[2-r.Address])
	}
	return nil
}

// undo takes back what was counted of accesses; what they did to the caches stays, and so do lines written back.
func (p *replay) undo(to Misses) {
	to.WriteBacks, to.WriteBacks2, to.WriteBacks3 = p.misses.WriteBacks, p.misses.WriteBacks2, p.misses.WriteBacks3
	to.Fetches, to.FetchL1, to.FetchL2, to.FetchL3, to.FetchTLB = p.misses.Fetches, p.misses.FetchL1, p.misses.FetchL2, p.misses.FetchL3, p.misses.FetchTLB
	p.misses = to
}

// met is what an access met: at which caches it missed, and which of them wrote lines back.
type met struct{ miss, wrote [3]bool }

func (a *met) or(b met) {
	for i := range a.miss {
		a.miss[i] = a.miss[i] || b.miss[i]
		a.wrote[i] = a.wrote[i] || b.wrote[i]
	}
}

func one(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

func (p *replay) fetch(address uint64) {
	n, v := p.now, &p.misses
	v.Fetches++
	first, second := n.translate(n.itlb, address, address)
	v.FetchTLB += one(first)
	v.TLB2 += one(second)
	m := n.level([]*lists{n.l1i, n.l2, n.l3}, address, false)
	v.FetchL1 += one(m.miss[0])
	v.FetchL2 += one(m.miss[1])
	v.FetchL3 += one(m.miss[2])
	v.WriteBacks2 += one(m.wrote[1])
	v.WriteBacks3 += one(m.wrote[2])
}

func (p *replay) data(address, size uint64, store bool) {
	n, v := p.now, &p.misses
	last := address + size - 1
	first, second := n.translate(n.dtlb, address, last)
	v.DataTLB += one(first)
	v.TLB2 += one(second)
	m := n.level([]*lists{n.l1d, n.l2, n.l3}, address, store)
	if n.l1d.line(address) != n.l1d.line(last) {
		m.or(n.level([]*lists{n.l1d, n.l2, n.l3}, last, store))
	}
	v.WriteBacks += one(m.wrote[0])
	v.WriteBacks2 += one(m.wrote[1])
	v.WriteBacks3 += one(m.wrote[2])
	to := [...]*uint64{&v.Loads, &v.LoadL1, &v.LoadL2, &v.LoadL3}
	if store {
		to = [...]*uint64{&v.Stores, &v.StoreL1, &v.StoreL2, &v.StoreL3}
	}
	*to[0]++
	for i, miss := range m.miss {
		*to[i+1] += one(miss)
	}
}

// translate looks for the pages of an access, and tells whether a first buffer and then the second one had not all of them.
func (n *processor) translate(tlb *lists, address, last uint64) (first, second bool) {
	pages := []uint64{tlb.line(address)}
	if page := tlb.line(last); page != pages[0] {
		pages = append(pages, page)
	}
	for _, page := range pages {
		if hit, _, _ := tlb.access(page, false); hit {
			continue
		}
		first = true
		if n.tlb2 != nil {
			hit, _, _ := n.tlb2.access(page, false)
			second = second || !hit
		}
	}
	return first, second
}

// level accesses a cache, and those behind it as far as needed. Memory is behind the last.
func (n *processor) level(caches []*lists, address uint64, store bool) (m met) {
	c := caches[0]
	if c == nil { // it is memory; there is a miss in what is not there
		m.miss[0] = true
		return m
	}
	hit, dirty, victim := c.access(c.line(address), store)
	m.miss[0] = !hit
	if hit && !(store && c.g.WriteThrough) || len(caches) == 1 {
		m.wrote[0] = dirty
		return m
	}
	behind := func(b met) met {
		return met{[3]bool{m.miss[0], b.miss[0], b.miss[1]}, [3]bool{m.wrote[0], b.wrote[0], b.wrote[1]}}
	}
	if hit { // the store goes through, and meets nothing that is counted
		n.level(caches[1:], address, true)
		return m
	}
	var written met
	if dirty {
		m.wrote[0] = true
		written = n.level(caches[1:], victim*c.g.Line, true)
		written.miss = [3]bool{}
	}
	below := n.level(caches[1:], address, store && (c.g.NoWriteAllocate || c.g.WriteThrough))
	below.or(written)
	return behind(below)
}
