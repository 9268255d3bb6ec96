//go:build linux

package recorder

import (
	"os"

	"golang.org/x/sys/unix"

	"tracerec/internal/clock"
	"tracerec/trace"
)

// watch notes when the process dies: the recorder looks into the buffers less often than the time of death should
// be exact. Where the system does not tell, because the process is dead already for instance, died stays nil.
func (p *process) watch() {
	fd, err := unix.PidfdOpen(p.info.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	p.pidfd = os.NewFile(uintptr(fd), "process") // waits without a thread of its own
	if !p.view.Alive() {                         // the number is perhaps another's by now
		p.pidfd.Close()
		return
	}
	p.watched = make(chan struct{})
	kind := p.info.Clock
	go func() {
		defer close(p.watched)
		raw, err := p.pidfd.SyscallConn()
		if err != nil {
			return
		}
		raw.Read(func(fd uintptr) bool {
			dead := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, _ := unix.Poll(dead, 0); n == 0 {
				return false
			}
			at := trace.Stamp(clock.Take(kind))
			p.died, p.atDeath = &at, cpuTime(p.info.PID)
			return true
		})
	}()
}

// end returns when the process ended: if dead when it died, or otherwise if that is not known, or if it became another program
// (exec). One that still runs ends for the archive now.
func (p *process) end(otherwise trace.Stamp) trace.Stamp {
	if p.machine != nil {
		otherwise, _ = p.machine.Ended(p.info.PID, p.info.Start.Ticks)
		return otherwise
	}
	if p.view.Alive() {
		return p.now()
	}
	if p.view.Replaced() {
		return otherwise
	}
	if p.watched != nil {
		<-p.watched
	}
	if p.died != nil {
		p.usedUntil(p.atDeath)
		return *p.died
	}
	return otherwise
}

// start is when the process began to record. As the end of a dead process it stands for its last event, because the
// archive lets no process end before that.
func (p *process) start() trace.Stamp { return trace.Stamp(p.info.Start) }

// stamps are one instant on the clocks of all kinds.
type stamps [clock.Time + 1]trace.Stamp

func takeStamps() (at stamps) {
	for kind := clock.Monotonic; int(kind) < len(at); kind++ {
		at[kind] = trace.Stamp(clock.Take(kind))
	}
	return at
}
