//go:build linux

package linux

import (
	"encoding/binary"
	"slices"
	"syscall"

	"tracerec/simulator/softfloat"
)

// Numbers of signals.
const (
	sigHUP   = 1
	sigILL   = 4
	sigTRAP  = 5
	sigABRT  = 6
	sigBUS   = 7
	sigKILL  = 9
	sigSEGV  = 11
	sigPIPE  = 13
	sigCHLD  = 17
	sigCONT  = 18
	sigSTOP  = 19
	sigTTOU  = 22
	sigURG   = 23
	sigWINCH = 28
	signals  = 65
)

// ignored are the signals that do nothing unless there is a handler.
var ignored = map[int]bool{sigCHLD: true, sigCONT: true, sigURG: true, sigWINCH: true}

// signal is one on its way to a thread.
type signal struct {
	number  int
	code    int32
	address uint64
	pid     int
	value   uint64
}

// action is what a process does about a signal.
type action struct {
	handler, flags, mask uint64
}

// Flags of actions.
const (
	onStack  = 0x08000000
	restarts = 0x10000000
	noDefer  = 0x40000000
	oneShot  = 0x80000000
)

// signalStack is the alternate stack of a thread.
type signalStack struct {
	at, size uint64
	disabled bool
}

// send sends a signal to a thread, and ends its waiting if it takes it.
func (t *thread) send(s signal) {
	a := &t.p.actions[s.number]
	if t.state == ended {
		return
	}
	if t.p.jobControl(s.number); stops(s.number) && a.handler == 0 && t.mask>>(s.number-1)&1 == 0 {
		t.p.stop(s.number)
		return
	}
	if a.handler == 1 || a.handler == 0 && ignored[s.number] {
		return
	}
	if s.number < 32 && slices.ContainsFunc(t.pending, func(o signal) bool { return o.number == s.number }) {
		return // ordinary ones do not queue
	}
	t.pending = append(t.pending, s)
	if t.state == blocked && !t.fixed && t.mask>>(s.number-1)&1 == 0 {
		restart := t.restart && a.flags&restarts != 0
		t.wake(-int64(syscall.EINTR))
		if restart {
			t.hart.PC -= 4
			t.hart.X[10] = t.first
		}
	}
}

// fault sends a signal that the running instruction caused. It cannot be blocked or ignored.
func (t *thread) fault(s signal) {
	if a := &t.p.actions[s.number]; a.handler <= 1 || t.mask>>(s.number-1)&1 != 0 {
		t.p.kill(s.number)
		return
	}
	t.handle(s)
}

// deliver lets the thread take the signals that it does not block; false if they end the process.
func (t *thread) deliver() bool {
	for i := 0; i < len(t.pending); i++ {
		s := t.pending[i]
		if t.mask>>(s.number-1)&1 != 0 && s.number != sigKILL {
			continue
		}
		t.pending = slices.Delete(t.pending, i, i+1)
		i--
		switch a := &t.p.actions[s.number]; {
		case a.handler == 1 || a.handler == 0 && ignored[s.number]:
		case stops(s.number) && a.handler == 0:
			if t.p.stop(s.number); t.p.stopped != 0 {
				return false
			}
		case a.handler == 0 || s.number == sigKILL:
			t.p.kill(s.number)
			return false
		default:
			t.handle(s)
		}
		if t.state != running || t.k.failure != nil {
			return false
		}
	}
	if t.restore {
		t.mask, t.restore = t.saved, false
	}
	return true
}

// The frame of a handler on the stack: siginfo, then ucontext. Offsets are those of Linux for RISC-V.
const (
	infoSize      = 128
	contextMask   = 40  // uc_sigmask
	contextRegs   = 176 // uc_mcontext: pc, x1 … x31
	contextFloats = contextRegs + 256
	frameSize     = infoSize + contextFloats + 528
)

// handle calls the handler of a signal.
func (t *thread) handle(s signal) {
	h := t.hart
	a := t.p.actions[s.number]
	sp := h.X[2]
	if a.flags&onStack != 0 && !t.stack.disabled && t.stack.size > 0 && sp-t.stack.at >= t.stack.size {
		sp = t.stack.at + t.stack.size
	}
	sp = (sp - frameSize) &^ 15
	frame, err := t.p.room(sp, frameSize)
	if err != 0 {
		t.p.kill(sigSEGV)
		return
	}
	mask := t.mask
	if t.restore {
		mask, t.restore = t.saved, false
	}
	if !guarded(func() { t.save(frame, s, mask) }) {
		t.p.kill(sigBUS)
		return
	}
	t.mask |= a.mask
	if a.flags&noDefer == 0 {
		t.mask |= 1 << (s.number - 1)
	}
	if a.flags&oneShot != 0 {
		t.p.actions[s.number].handler = 0
	}
	h.X[1], h.X[2] = returnPage, sp
	h.X[10], h.X[11], h.X[12] = uint64(s.number), sp, sp+infoSize
	h.PC = a.handler
}

// save stores the state of the thread in a frame.
func (t *thread) save(frame []byte, s signal, mask uint64) {
	clear(frame)
	le := binary.LittleEndian
	le.PutUint32(frame, uint32(s.number))
	le.PutUint32(frame[8:], uint32(s.code))
	if s.code > 0 {
		le.PutUint64(frame[16:], s.address)
		le.PutUint64(frame[24:], s.value)
	} else {
		le.PutUint32(frame[16:], uint32(s.pid))
		le.PutUint32(frame[20:], 1000)
		le.PutUint64(frame[24:], s.value)
	}
	c := frame[infoSize:]
	le.PutUint64(c[16:], t.stack.at)
	le.PutUint64(c[32:], t.stack.size)
	if t.stack.disabled || t.stack.size == 0 {
		le.PutUint32(c[24:], 2)
	}
	le.PutUint64(c[contextMask:], mask)
	le.PutUint64(c[contextRegs:], t.hart.PC)
	for i := 1; i < 32; i++ {
		le.PutUint64(c[contextRegs+8*i:], t.hart.X[i])
	}
	for i, f := range t.hart.F {
		le.PutUint64(c[contextFloats+8*i:], f)
	}
	le.PutUint32(c[contextFloats+256:], uint32(t.hart.Rounding)<<5|uint32(t.hart.Flags))
}

// sigreturn takes the state back from the frame at the stack pointer.
func (t *thread) sigreturn() {
	frame, err := t.p.bytes(t.hart.X[2], frameSize)
	if err != 0 {
		t.p.kill(sigSEGV)
		return
	}
	le := binary.LittleEndian
	c := frame[infoSize:]
	t.mask = le.Uint64(c[contextMask:])
	t.hart.PC = le.Uint64(c[contextRegs:])
	for i := 1; i < 32; i++ {
		t.hart.X[i] = le.Uint64(c[contextRegs+8*i:])
	}
	for i := range t.hart.F {
		t.hart.F[i] = le.Uint64(c[contextFloats+8*i:])
	}
	fcsr := le.Uint32(c[contextFloats+256:])
	t.hart.Flags, t.hart.Rounding = softfloat.Flags(fcsr&31), softfloat.Rounding(fcsr>>5&7)
	t.hart.Unreserve()
}

// kill ends the process by a signal.
func (p *process) kill(number int) { p.exit(number) }
