//go:build linux

package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that a process has used, user and system time of all its threads, ns; 0 if that is not
// known. It may be dead, as long as nobody has waited for it.
func cpuTime(pid int) int64 {
	const scheduled = 2 // which of the process's clocks, see clock_getcpuclockid(3)
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0
	}
	return t.Nano()
}

// used notes how much processor time the process has used since it began to record.
func (p *process) used() {
	switch {
	case p.over || p.hidden:
	case p.machine != nil: // all its time is the program's, as its kernel says, too
		p.out.CPUTime(p.machine.monotonic() - int64(p.info.Start.Ticks))
	default:
		p.ceased, _ = p.view.Finished()
		p.usedUntil(cpuTime(p.info.PID))
	}
}

// usedUntil notes that the process has used so much since it was started, if that is known. What it became (exec), and what it used when it recorded no
// more, does not count. Less than what was known is no news of it: when it has gone, another process may have its number.
func (p *process) usedUntil(t int64) {
	if p.ceased > 0 {
		t = min(t, p.ceased)
	}
	if p.next == nil && p.machine == nil && t > p.info.Used+p.spent {
		p.spent = t - p.info.Used
		p.out.CPUTime(p.spent)
	}
}

// recordsItself tells whether the process is the recorder's own, which may have run for long before.
func (p *process) recordsItself() bool { return p.machine == nil && p.info.PID == os.Getpid() }
