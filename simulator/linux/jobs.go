//go:build linux

package linux

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// stops tells whether a signal stops a process that does not handle it.
func stops(number int) bool { return number >= sigSTOP && number <= sigTTOU }

// Changes of a process that its parent may wait for, beside its end.
const (
	changeNone = iota
	changeStopped
	changeContinued
)

// job is what is known of a process that was stopped or continued.
type job struct {
	stopped int       // by this signal; 0: it is not
	held    []*thread // that are ready to run, but for that
	change  int       // that was not waited for
	by      int       // the signal of it
}

// stop stops a process, by a signal that it does not handle.
func (p *process) stop(number int) {
	if p.stopped != 0 || number != sigSTOP && p.k.orphaned(p.group) {
		return // there would be nobody to continue it
	}
	p.stopped = number
	mine := func(t *thread) bool { return t.p == p }
	for _, t := range p.k.ready {
		if mine(t) {
			p.held = append(p.held, t)
		}
	}
	p.k.ready = slices.DeleteFunc(p.k.ready, mine)
	for i := range p.k.cpus {
		if c := &p.k.cpus[i]; c.thread != nil && mine(c.thread) {
			if t := c.thread; t.state == running {
				t.since = max(t.since, c.clock)
				p.k.enqueue(t)
			}
			c.thread = nil
		}
	}
	for _, t := range p.threads {
		if t.state == blocked && (t.number == 22 || t.number == 441) { // epoll_pwait and epoll_pwait2 are not taken up again
			t.wake(-int64(syscall.EINTR))
		}
	}
	p.changed(changeStopped, number)
}

// proceed lets a process that was stopped run on.
func (p *process) proceed() {
	held := p.held
	p.stopped, p.held = 0, nil
	for _, t := range held {
		p.k.enqueue(t)
	}
}

// changed lets the parent know that the process was stopped or continued.
func (p *process) changed(what, by int) {
	p.change, p.by, p.k.changed = what, by, true
	const noStops = 1
	if parent := p.parent; parent != nil && parent.actions[sigCHLD].flags&noStops == 0 {
		code, value := p.news()
		parent.signal(signal{number: sigCHLD, code: code, address: uint64(p.id) | 1000<<32, value: value})
	}
}

// jobControl does what a signal does whether it is handled or not: SIGCONT and SIGKILL let a stopped process run on.
func (p *process) jobControl(number int) {
	switch {
	case number == sigCONT:
		p.forgo(stops)
		if p.stopped != 0 {
			p.proceed()
			p.changed(changeContinued, sigCONT)
		}
	case number == sigKILL && p.stopped != 0:
		p.proceed()
	case stops(number):
		p.forgo(func(n int) bool { return n == sigCONT })
	}
}

// forgo takes signals back that have not arrived.
func (p *process) forgo(which func(number int) bool) {
	for _, t := range p.threads {
		t.pending = slices.DeleteFunc(t.pending, func(s signal) bool { return which(s.number) })
	}
}

// orphaned tells whether no process of a group has its parent in the same session and another group, one that could continue it.
func (k *Kernel) orphaned(group int) bool {
	return !slices.ContainsFunc(k.all, func(p *process) bool {
		return p.group == group && !p.dead && p.led(p.parent)
	})
}

// led tells whether a process with that parent is what keeps its group from being an orphan.
func (p *process) led(parent *process) bool {
	return parent != nil && parent.group != p.group && parent.session == p.session
}

// hangUp ends or continues the stopped processes of groups that have become orphans.
func (k *Kernel) hangUp(groups []int) {
	for _, g := range groups {
		member := func(p *process) bool { return p.group == g && !p.dead }
		if !k.orphaned(g) || !slices.ContainsFunc(k.all, func(p *process) bool { return member(p) && p.stopped != 0 }) {
			continue
		}
		for _, p := range slices.Clone(k.all) {
			if member(p) {
				p.signal(signal{number: sigHUP})
				p.signal(signal{number: sigCONT})
			}
		}
	}
}

// news says how the process ended, or else changed last, as siginfo does.
func (p *process) news() (code int32, value uint64) {
	const exited, killed, stopped, continued = 1, 2, 5, 6
	switch n := p.status & 127; {
	case p.dead && n != 0:
		return killed, uint64(n)
	case p.dead:
		return exited, uint64(p.status >> 8)
	case p.change == changeStopped:
		return stopped, uint64(p.by)
	}
	return continued, sigCONT
}

// waitStatus is that as wait4 tells it.
func (p *process) waitStatus() uint32 {
	switch code, value := p.news(); {
	case p.dead:
		return uint32(p.status)
	case code == 5:
		return uint32(value)<<8 | 0x7f
	}
	return 0xffff
}

// deadlock is the error of a run in which nothing can happen any more.
func (k *Kernel) deadlock() error {
	var stopped []string
	for _, p := range k.all {
		if p.stopped != 0 {
			stopped = append(stopped, fmt.Sprintf("process %d is stopped by signal %d", p.id, p.stopped))
		}
	}
	if len(stopped) > 0 {
		return &Fatal{0, strings.Join(stopped, ", ") + ", and no process is left to continue it"}
	}
	return &Fatal{0, "all threads wait for each other"}
}
