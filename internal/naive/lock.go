package naive

import (
	"cmp"
	"slices"

	"tracerec/trace/wire"
)

// hold is the time in which a location held a lock.
type hold struct {
	op       *op
	by       *op   // the acquisition, or the release if another location released it
	from     int64 // begin of the acquisition, but not before the end of the previous hold
	begin    int64
	end      int64
	released bool
	shared   bool
}

const never = int64(1) << 62

func isShared(o *op) bool { return o.mode == wire.Shared }

func acquisition(o *op) bool {
	return o.kind == wire.LockBegin && !o.open && o.outcome == wire.OK
}

// lock derives what the acquisitions of a lock waited for.
func (n *analysis) lock(ops []*op) {
	exclusive, shared := holds(ops)
	for _, o := range ops {
		if o.kind != wire.LockBegin || o.blocked < 0 && !o.open {
			continue
		}
		any := false
		if isShared(o) {
			any = n.reader(o, ops, exclusive)
		} else {
			any = n.writer(o, exclusive, shared, slices.ContainsFunc(ops, func(o *op) bool { return o.kind == wire.LockBegin && isShared(o) }))
		}
		if !any && o.open {
			n.unmatched(o)
			o.holder = ownHold(o, exclusive, shared)
		}
	}
}

// ownHold returns the acquisition of the hold of its own location for which o waits: the exclusive one, or of the shared ones that which ends last; nil if
// there is none.
func ownHold(o *op, exclusive, shared []*hold) *op {
	var last *hold
	for _, h := range slices.Concat(shared, exclusive) {
		if h.by.loc != o.loc || h.begin > o.begin || h.end <= o.begin || h.end < o.end || h.shared && isShared(o) {
			continue
		}
		if last == nil || !h.shared || h.end > last.end || h.end == last.end && h.begin >= last.begin {
			last = h
		}
	}
	if last == nil {
		return nil
	}
	return last.by
}

// holds finds the holds of both modes: exclusive ones by (begin, end), shared ones by acquisition.
func holds(ops []*op) (exclusive, shared []*hold) {
	all, left := pairWithin(ops)
	pairAcross(all, left)
	for _, h := range all {
		if h.shared {
			shared = append(shared, h)
		} else {
			exclusive = append(exclusive, h)
		}
	}
	slices.SortStableFunc(exclusive, func(a, b *hold) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return cmp.Compare(a.end, b.end) // those without release come last
	})
	for _, h := range all {
		if t := abandoned(h, all); !h.released {
			h.end = t
		} else if h.by != h.op && t < h.end {
			h.end, h.by = t, h.op
		}
	}
	for i, h := range exclusive {
		h.from = h.op.begin
		if i > 0 {
			h.from = min(max(h.from, exclusive[i-1].end), h.begin)
		}
		if i+1 < len(exclusive) {
			if exclusive[i+1].begin < h.end {
				h.by = h.op
			}
			h.end = max(h.begin, min(h.end, exclusive[i+1].begin))
		}
	}
	return exclusive, shared
}

// pairWithin pairs acquisitions with releases of the same location. It returns all holds and the releases left over.
func pairWithin(ops []*op) (all []*hold, left []*op) {
	for i, o := range ops {
		if acquisition(o) {
			all = append(all, &hold{op: o, by: o, begin: o.end, end: never, shared: isShared(o)})
		}
		if o.kind != wire.Release {
			continue
		}
		var latest *hold
		for _, h := range all {
			if h.op.loc == o.loc && h.shared == isShared(o) && !h.released && !replaced(h, ops[:i]) {
				latest = h
			}
		}
		if latest == nil {
			left = append(left, o)
			continue
		}
		latest.end, latest.released = o.begin, true
	}
	return all, left
}

// replaced says whether the location of an exclusive hold acquired the lock again before it released it.
func replaced(h *hold, ops []*op) bool {
	if h.shared {
		return false
	}
	for _, o := range ops {
		if o.loc == h.op.loc && o.seq > h.op.seq && acquisition(o) && !isShared(o) {
			return true
		}
	}
	return false
}

// pairAcross pairs releases with holds of other locations.
func pairAcross(all []*hold, left []*op) {
	for _, r := range sorted(left, func(*op) bool { return true }, (*op).start) {
		var latest *hold
		for _, h := range all {
			if !h.released && h.shared == isShared(r) && h.begin <= r.begin && (latest == nil || h.begin >= latest.begin) {
				latest = h
			}
		}
		if latest != nil {
			latest.end, latest.released, latest.by = r.begin, true, r
		}
	}
}

// abandoned is the end of a hold without release: when somebody else must have got the lock.
func abandoned(h *hold, all []*hold) int64 {
	end := never
	for _, o := range all {
		if o.begin > h.begin && (!o.shared || !h.shared) {
			end = min(end, o.begin)
		}
	}
	return end
}

// outlasts says whether h ends later than o, or began earlier if they end together.
func (h *hold) outlasts(o *hold) bool {
	return o == nil || h.end > o.end || h.end == o.end && h.begin < o.begin
}

// writer derives the waits of an exclusive acquisition.
func (n *analysis) writer(o *op, exclusive, shared []*hold, readers bool) (any bool) {
	from := o.begin
	for _, h := range exclusive {
		if h.end > o.begin && h.begin < o.end {
			since := h.begin
			if readers {
				since = h.from
			}
			if h.by.loc != o.loc && n.wait(o, "lock_competition", since, h.end, h.by) {
				any = true
			}
			from = max(from, h.end)
		}
	}
	var last *hold
	for _, h := range shared {
		if h.by.loc != o.loc && h.end > from && (h.end <= o.end || o.open) && h.outlasts(last) {
			last = h
		}
	}
	if last != nil && n.wait(o, "rw_writer_wait", from, last.end, last.by) {
		any = true
	}
	return any
}

// reader derives the waits of a shared acquisition.
func (n *analysis) reader(o *op, ops []*op, exclusive []*hold) (any bool) {
	for _, h := range exclusive {
		if h.by.loc != o.loc && h.begin < o.end && n.wait(o, "rw_reader_wait", h.from, h.end, h.by) {
			any = true
		}
	}
	if !o.open {
		return any
	}
	pending := sorted(ops, func(p *op) bool { return p.kind == wire.LockBegin && !isShared(p) && p.open }, (*op).start)
	if len(pending) > 0 && pending[0].loc != o.loc {
		from := pending[0].begin
		for _, h := range exclusive {
			from = max(from, h.end)
		}
		any = n.wait(o, "rw_reader_wait", from, never, pending[0]) || any
	}
	return any
}
