//go:build linux

package simulated

import (
	"tracerec/simulator/riscv"
	"tracerec/trace/wire"
)

// operation is what a goroutine does with a channel or a WaitGroup: a call of one of the runtime's functions that do it, from its
// entry to its return. Only one is done at a time.
type operation struct {
	does   special // nothing: there is none
	back   uint64  // where the function returns to
	depth  uint64  // of the stack when it was called
	object uint32  // 0 for a channel that is nil
	region uint32
	since  int64
	open   bool // its begin is in the archive

	cases, sends uint64 // of a select: where they are, from the upper end of the stack; those that send come first
}

// objectKey is where a channel or WaitGroup is in the program's memory.
type objectKey struct {
	kind wire.ObjectKind
	at   uint64
}

// siteKey is an operation and where the program does it.
type siteKey struct {
	name string
	pc   uint64
}

// names are what operations are called, as those of instrumented programs.
var names = map[special]string{sends: wire.SendBegin.String(), receives: wire.RecvBegin.String(), selects: wire.SelectBegin.String(), closes: wire.Close.String(),
	joins: wire.JoinBegin.String()}

// operate begins an operation of a goroutine, which enters the function that does it.
func (r *recording) operate(h *riscv.Hart, l *location, does special, depth uint64) {
	t, p := r.clock(), l.p
	o := operation{does: does, back: h.X[1], depth: depth, since: max(t, l.last)}
	l.uses = append(l.uses[:0], h.X[10])
	switch does {
	case sends, receives, closes:
		o.region = l.site(names[does])
		if at := h.X[10]; at != 0 {
			size, _ := word(r.turn, at+8)
			o.object = p.object(objectKey{wire.Channel, at}, size, o.region)
		}
		if does == closes {
			l.event(l.meets(t), wire.Close, o.region, wire.ObjectWord(o.object, 0))
			return
		}
	case selects:
		o.region, o.cases, o.sends = l.site(names[does]), l.high-h.X[10], h.X[13]
		l.uses = l.uses[:0]
		for n := range min(h.X[13]+h.X[14], maxCases) {
			at, _ := word(r.turn, h.X[10]+caseSize*n)
			l.uses = append(l.uses, at)
		}
	case joins:
		o.region = l.site(names[does])
		o.object = p.object(objectKey{wire.WaitGroup, h.X[10]}, 0, o.region)
	case adds:
		object, n := p.object(objectKey{wire.WaitGroup, h.X[10]}, 0, 0), int64(h.X[11])
		t = l.meets(t)
		switch {
		case n > 0:
			l.event(t, wire.Add, 0, wire.ObjectWord(object, uint32(n)))
		case n < 0:
			l.event(t, wire.Done, 0, wire.ObjectWord(object, uint32(-n)))
		}
		return
	}
	if does != makes {
		l.used(o.since)
	}
	l.doing = o
}

// within tells whether the location is within an operation.
func (l *location) within() bool { return l.doing.does != nothing && l.doing.does != makes }

// The runtime's cases of a select.
const (
	caseSize = 16
	maxCases = 1 << 16
)

// meets returns the time of what the location does now with the channels or the WaitGroup that it uses. The clocks of processors
// differ by up to 1 µs, but who finds what another one did is not before it.
func (l *location) meets(t int64) int64 {
	t = max(t, l.last)
	for _, at := range l.uses {
		if at != 0 {
			t = max(t, l.p.used[at])
		}
	}
	l.used(t)
	return t
}

// used notes that the location does something with them at a time.
func (l *location) used(t int64) {
	for _, at := range l.uses {
		if at != 0 {
			l.p.used[at] = max(t, l.p.used[at])
		}
	}
}

// began makes sure that the begin of the operation is in the archive.
func (l *location) began() {
	o := &l.doing
	if o.open {
		return
	}
	o.open = true
	switch o.does {
	case sends:
		l.event(o.since, wire.SendBegin, o.region, wire.ObjectWord(o.object, 0))
	case receives:
		l.event(o.since, wire.RecvBegin, o.region, wire.ObjectWord(o.object, 0))
	case joins:
		l.event(o.since, wire.JoinBegin, o.region, wire.ObjectWord(o.object, 0))
	case selects:
		l.event(o.since, wire.SelectBegin, o.region)
	}
}

// operated ends the operation. What did not happen, and did not wait either, is not in the archive.
func (r *recording) operated(h *riscv.Hart, l *location, returned bool) {
	o := l.doing
	t, first, second := r.clock(), h.X[10]&0xff, h.X[11]&0xff
	outcome, done := wire.OK, first != 0
	switch {
	case o.does == makes:
		if returned {
			delete(l.p.objects, objectKey{wire.Channel, h.X[10]})
			delete(l.p.used, h.X[10])
		}
		l.doing = operation{}
		return
	case !returned:
		outcome, done = wire.Panicked, false
	case o.does == joins:
		done = true
	case o.does == selects:
		r.chose(h, l, t, int64(h.X[10]), second != 0)
		l.doing = operation{}
		return
	case o.does == receives && done && second == 0:
		outcome = wire.Closed
	case !done:
		outcome = wire.Failed
	}
	if done {
		l.began()
	}
	if l.doing.open {
		l.event(l.meets(t), wire.Leave, uint32(outcome))
		l.written()
	}
	l.doing = operation{}
}

// chose ends a select, of which a case was chosen, none if it is negative.
func (r *recording) chose(h *riscv.Hart, l *location, t int64, choice int64, received bool) {
	o := &l.doing
	if choice < 0 {
		if o.open {
			l.event(t, wire.Leave, uint32(wire.Failed))
		}
		return
	}
	l.began()
	outcome := wire.Sent
	switch {
	case uint64(choice) < o.sends:
	case received:
		outcome = wire.Received
	default:
		outcome = wire.Closed
	}
	at, _ := word(r.turn, l.high-o.cases+caseSize*uint64(choice))
	object := uint32(0)
	if at != 0 {
		size, _ := word(r.turn, at+8)
		object = l.p.object(objectKey{wire.Channel, at}, size, o.region)
	}
	l.event(l.meets(t), wire.Chose, uint32(outcome), wire.ObjectWord(object, 0))
	l.written()
}

// object returns the number of a channel or WaitGroup.
func (p *process) object(k objectKey, size uint64, region uint32) uint32 {
	id := p.objects[k]
	if id == 0 {
		p.made++
		id = p.made
		p.objects[k] = id
		p.defs = append(p.defs, wire.Def{Type: wire.DefObject, ID: id, Object: k.kind, Size: size, Region: region})
	}
	return id
}

// site returns the region of an operation that the location does where it is.
func (l *location) site(name string) uint32 {
	k := siteKey{name, l.start}
	var f *function
	if n := len(l.frames); n > 0 {
		f, k.pc = l.frames[n-1].function, l.frames[n-1].site
	}
	id, ok := l.p.sites[k]
	if !ok {
		if f == nil {
			f = l.p.image.at(k.pc)
		}
		id = l.p.siteOf(name, f, k.pc)
		l.p.sites[k] = id
	}
	return id
}
