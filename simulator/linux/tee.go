//go:build linux

package linux

import "tracerec/simulator/riscv"

// Tee returns an observer that lets several observe a run, in their order. Of what the first one is silent about (it has a method Silent that says
// so), the others learn only its turns and the life of processes: such code touches no caches, and is no part of the program.
// Observers that keep something in [riscv.Block.Note] cannot share a run.
func Tee(first Observer, others ...Observer) Observer {
	if len(others) == 0 {
		return first
	}
	t := &tee{first: first, others: others, silent: func() bool { return false }}
	if s, ok := first.(interface{ Silent() bool }); ok {
		t.silent = s.Silent
	}
	return t
}

type tee struct {
	first  Observer
	others []Observer
	silent func() bool
}

// Silent tells whether the first observer is.
func (t *tee) Silent() bool { return t.silent() }

func (t *tee) Turn(turn Turn) {
	t.first.Turn(turn)
	for _, o := range t.others {
		o.Turn(turn)
	}
}

func (t *tee) Block(h *riscv.Hart, b *riscv.Block, n int) {
	if t.first.Block(h, b, n); t.silent() {
		return
	}
	for _, o := range t.others {
		o.Block(h, b, n)
	}
}

func (t *tee) Memory(h *riscv.Hart, in *riscv.Instruction, address uint64) {
	if t.first.Memory(h, in, address); t.silent() {
		return
	}
	for _, o := range t.others {
		o.Memory(h, in, address)
	}
}

func (t *tee) Left(h *riscv.Hart, b *riscv.Block, next uint64) {
	if t.first.Left(h, b, next); t.silent() {
		return
	}
	for _, o := range t.others {
		o.Left(h, b, next)
	}
}

func (t *tee) Undone(h *riscv.Hart, b *riscv.Block, i, n int) {
	if t.first.Undone(h, b, i, n); t.silent() {
		return
	}
	for _, o := range t.others {
		o.Undone(h, b, i, n)
	}
}

func (t *tee) tell(what func(l Lifecycle)) {
	for _, o := range append([]Observer{t.first}, t.others...) {
		if l, ok := o.(Lifecycle); ok {
			what(l)
		}
	}
}

func (t *tee) Loaded(process int, program []byte) {
	t.tell(func(l Lifecycle) { l.Loaded(process, program) })
}

func (t *tee) Forked(parent, child int) {
	t.tell(func(l Lifecycle) { l.Forked(parent, child) })
}

func (t *tee) Ended(process, thread int) {
	t.tell(func(l Lifecycle) { l.Ended(process, thread) })
}
