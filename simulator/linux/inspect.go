//go:build linux

package linux

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"tracerec/simulator/memory"
	"tracerec/simulator/riscv"
)

// ErrTimeout is the error of a run that took as long as it may.
var ErrTimeout = errors.New("timeout")

// ErrInterrupted is the error of a run after [Kernel.Interrupt].
var ErrInterrupted = errors.New("interrupted")

// ErrBreak is what Run returns before an instruction at one of the addresses of [Kernel.Break] is executed. Run continues.
var ErrBreak = errors.New("breakpoint")

// compressedBreak is c.ebreak, which is as short as any instruction.
var compressedBreak = [2]byte{0x02, 0x90}

// breakpoint is where the program stops: what is there in truth.
type breakpoint struct {
	at   uint64
	code [2]byte
}

// Break makes Run stop before instructions of the program at these addresses. Children stop there as well, until they execute
// another program. The guest sees the break instructions if it reads its code.
func (k *Kernel) Break(addresses ...uint64) error {
	p := k.first
	for _, at := range addresses {
		code, ok := p.space.Bytes(at, 2, memory.Exec)
		if !ok || at%2 != 0 {
			return fmt.Errorf("no code at %#x", at)
		}
		if k.breakpoint(at) != nil {
			continue
		}
		k.breaks = append(k.breaks, breakpoint{at, [2]byte(code)})
		if err := p.patch(at, compressedBreak); err != nil {
			return fmt.Errorf("code at %#x: %w", at, err)
		}
	}
	return nil
}

func (k *Kernel) breakpoint(at uint64) *breakpoint {
	i := slices.IndexFunc(k.breaks, func(b breakpoint) bool { return b.at == at })
	if i < 0 {
		return nil
	}
	return &k.breaks[i]
}

// Broke returns the address at which the last [ErrBreak] stopped the run.
func (k *Kernel) Broke() uint64 { return k.brokeAt }

// Interrupt ends the run soon, with [ErrInterrupted]. It is the one method that any goroutine may call.
func (k *Kernel) Interrupt() { k.interrupted.Store(true) }

// Signal returns the signal that ended the program, 0 for none.
func (k *Kernel) Signal() int {
	if !k.exited {
		return 0
	}
	return k.first.status & 127
}

// Time returns how much virtual time has passed: that of the processor that is furthest ahead.
func (k *Kernel) Time() (t time.Duration) {
	for _, c := range k.cpus {
		t = max(t, time.Duration(c.clock))
	}
	return t
}

// patch changes code.
func (p *process) patch(at uint64, code [2]byte) error {
	for i, b := range code { // which may be on two pages
		r, ok := p.space.Find(at + uint64(i))
		if !ok {
			return fmt.Errorf("%#x is not mapped", at)
		}
		page := (at + uint64(i)) &^ (memory.PageSize - 1)
		if err := p.space.Protect(page, memory.PageSize, memory.Read|memory.Write); err != nil {
			return err
		}
		room, _ := p.space.Bytes(at+uint64(i), 1, memory.Write)
		room[0] = b
		if err := p.space.Protect(page, memory.PageSize, r.Prot); err != nil {
			return err
		}
	}
	p.code.Flush()
	return nil
}

// run lets a thread execute instructions. If it stopped at a breakpoint last, it executes what is there in truth.
func (t *thread) run(budget uint64) riscv.Stop {
	if b := t.k.breakpoint(t.stoppedAt); t.stoppedAt == 0 || b == nil || t.hart.PC != b.at {
		t.stoppedAt = 0
		return t.hart.Run(budget)
	}
	t.stoppedAt = 0
	at := t.hart.PC
	if err := t.p.patch(at, t.k.breakpoint(at).code); err != nil {
		t.k.failure = err
		return riscv.Stop{}
	}
	stop := t.hart.Run(1)
	if err := t.p.patch(at, compressedBreak); err != nil {
		t.k.failure = err
	}
	return stop
}

// atBreak tells whether the thread stopped at a breakpoint.
func (t *thread) atBreak() bool {
	if t.k.breakpoint(t.hart.PC) == nil {
		return false
	}
	code, ok := t.p.space.Bytes(t.hart.PC, 2, memory.Exec)
	if !ok || [2]byte(code) != compressedBreak {
		return false
	}
	t.stoppedAt, t.k.broken, t.k.brokeAt = t.hart.PC, true, t.hart.PC
	return true
}

// Dump writes the state of the machine: processors, processes, their threads with registers, and their mappings.
func (k *Kernel) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "instructions %d\n", k.done)
	for i, c := range k.cpus {
		fmt.Fprintf(b, "cpu %d: %d ns", i, c.clock)
		if c.thread != nil {
			fmt.Fprintf(b, ", thread %d", c.thread.id)
		}
		fmt.Fprintln(b)
	}
	for _, p := range k.all {
		fmt.Fprintf(b, "process %d: %s\n", p.id, p.program)
		if p.dead {
			fmt.Fprintf(b, "  ended, status %#x\n", p.status)
			continue
		}
		for _, t := range p.threads {
			t.dump(b)
		}
		for _, r := range p.space.Regions() {
			fmt.Fprintf(b, "  %010x-%010x %s %s\n", r.Begin, r.End, permissions(r), r.Name)
		}
	}
	return b.Flush()
}

func permissions(r memory.Region) string {
	s := []byte("---p")
	for i, p := range []memory.Prot{memory.Read, memory.Write, memory.Exec} {
		if r.Prot&p != 0 {
			s[i] = "rwx"[i]
		}
	}
	if r.Object != 0 {
		s[3] = 's'
	}
	return string(s)
}

func (t *thread) dump(w io.Writer) {
	state := map[state]string{running: "runs", blocked: fmt.Sprintf("waits in system call %d", t.number), ended: "ended"}[t.state]
	h := t.hart
	fmt.Fprintf(w, "  thread %d: %s, %d instructions\n    pc  %016x\n", t.id, state, h.Retired, h.PC)
	for i := range 32 {
		fmt.Fprintf(w, "    x%-2d %016x  f%-2d %016x\n", i, h.X[i], i, h.F[i])
	}
	fmt.Fprintf(w, "    fflags %02x  frm %d\n", h.Flags, h.Rounding)
}
