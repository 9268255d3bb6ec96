package cache

// Outcome is what became of an access: a set of the following.
type Outcome uint32

// What an access met. Nothing of it is a hit everywhere.
const (
	MissL1 Outcome = 1 << iota
	MissL2
	MissL3 // also counted if there is no L3: the access went to memory
	MissTLB
	MissTLB2
	WriteBack1 // a line had to leave L1 and was stored to the next cache
	WriteBack2
	WriteBack3
	kind1 // two bits
	kind2 = kind1 << 2
	kind3 = kind2 << 2
)

// KindL1 returns the kind of a miss in the first cache.
func (o Outcome) KindL1() Kind { return Kind(o / kind1 & 3) }

// KindL2 returns the kind of a miss in the second cache.
func (o Outcome) KindL2() Kind { return Kind(o / kind2 & 3) }

// KindL3 returns the kind of a miss in the third cache.
func (o Outcome) KindL3() Kind { return Kind(o / kind3 & 3) }

// Hierarchy is the caches and translation buffers of one processor. A cache holds lines by address; it does not have to hold
// what the ones before it hold. A line that is written back goes into the next cache, if need be in place of another.
type Hierarchy struct {
	l1i, l1d, l2, l3 *level // l3 may be nil
	itlb, dtlb, tlb2 *level // tlb2 may be nil
	code, data       *Quick
}

// NewHierarchies makes the hierarchies of n processors. If classify is set, misses are told apart, which costs time.
func NewHierarchies(m *Machine, n int, classify bool) ([]*Hierarchy, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	make1 := func(g *Geometry, classify bool) *level {
		if g == nil {
			return nil
		}
		c, _ := newLevel(*g, classify) // was checked
		return c
	}
	var all []*Hierarchy
	for range n {
		h := &Hierarchy{l1i: make1(&m.L1I, classify), l1d: make1(&m.L1D, classify), l2: make1(&m.L2, classify), l3: make1(m.L3, classify),
			itlb: make1(&m.ITLB, false), dtlb: make1(&m.DTLB, false), tlb2: make1(m.TLB2, false)}
		h.code, h.data = newQuick(h.l1i, h.itlb), newQuick(h.l1d, h.dtlb)
		if m.Shared && len(all) > 0 {
			if m.L3 != nil {
				h.l3 = all[0].l3
			} else {
				h.l2 = all[0].l2
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// Data accesses size bytes at an address, at most as many as a line has. What happens to any of its lines and pages happens to the access.
func (h *Hierarchy) Data(address, size uint64, store bool) Outcome {
	line, last := h.l1d.lineOf(address), h.l1d.lineOf(address+size-1)
	page, lastPage := h.dtlb.lineOf(address), h.dtlb.lineOf(address+size-1)
	o := h.translate(h.dtlb, page)
	if lastPage != page {
		o |= h.translate(h.dtlb, lastPage)
	}
	o |= h.access(h.l1d, line, store)
	if last != line {
		return o.and(h.access(h.l1d, last, store))
	}
	h.data.admit(h.l1d, h.dtlb)
	return o
}

// Fetch reads the line of instructions at an address.
func (h *Hierarchy) Fetch(address uint64) Outcome {
	o := h.translate(h.itlb, h.itlb.lineOf(address)) | h.access(h.l1i, h.l1i.lineOf(address), false)
	h.code.admit(h.l1i, h.itlb)
	return o
}

// Quick returns what [Hierarchy.Data] needs not be asked for, and what [Hierarchy.Fetch] need not.
func (h *Hierarchy) Quick() (data, code *Quick) { return h.data, h.code }

// and joins the outcomes of two halves of an access; of a miss of both, the kind is the first's.
func (o Outcome) and(p Outcome) Outcome {
	for _, level := range [...]struct{ miss, kind Outcome }{{MissL1, kind1}, {MissL2, kind2}, {MissL3, kind3}} {
		if o&level.miss != 0 {
			p &^= 3 * level.kind
		}
	}
	return o | p
}

func (h *Hierarchy) translate(tlb *level, page uint64) Outcome {
	switch {
	case tlb.access(page, false).Hit:
		return 0
	case h.tlb2 == nil || !h.tlb2.access(page, false).Hit:
		return MissTLB | MissTLB2
	}
	return MissTLB
}

func (h *Hierarchy) access(l1 *level, line uint64, store bool) Outcome {
	r := l1.access(line, store)
	address := line << l1.shift
	if r.Hit {
		if store && l1.g.WriteThrough {
			h.second(address, true)
		}
		return 0
	}
	o := MissL1 | Outcome(r.Kind)*kind1
	if r.WrittenBack {
		o |= WriteBack1 | h.second(r.Victim<<l1.shift, true)&(WriteBack2|WriteBack3)
	}
	return o | h.second(address, store && (l1.g.NoWriteAllocate || l1.g.WriteThrough))
}

// second accesses the caches behind the first.
func (h *Hierarchy) second(address uint64, store bool) Outcome {
	r := h.l2.access(h.l2.lineOf(address), store)
	if r.Hit {
		if store && h.l2.g.WriteThrough {
			h.third(address, true)
		}
		return 0
	}
	o := MissL2 | Outcome(r.Kind)*kind2
	if r.WrittenBack {
		o |= WriteBack2 | h.third(r.Victim<<h.l2.shift, true)&WriteBack3
	}
	return o | h.third(address, store && (h.l2.g.NoWriteAllocate || h.l2.g.WriteThrough))
}

func (h *Hierarchy) third(address uint64, store bool) Outcome {
	if h.l3 == nil {
		return MissL3
	}
	r := h.l3.access(h.l3.lineOf(address), store)
	if r.Hit {
		return 0
	}
	o := MissL3 | Outcome(r.Kind)*kind3
	if r.WrittenBack {
		o |= WriteBack3
	}
	return o
}
