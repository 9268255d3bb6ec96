package perf

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// explain turns the kernel's error for event e of a set into one that says what can be done.
func (s *Substrate) explain(err error, set []Encoded, e *Encoded, t target) error {
	fail := func(kind error, why string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", shown(e.Name), kind, fmt.Sprintf(why, args...))
	}
	var errno unix.Errno
	if err == errTaken {
		return fail(substrate.ErrBusy, "other users hold the counters that it needs (the NMI watchdog holds one: sysctl kernel.nmi_watchdog=0); multiplex, or count fewer events")
	} else if err == errBlind {
		return fail(substrate.ErrUnavailable, "watchpoints never count on this machine: it is a virtual one whose processor does not tell of hits")
	} else if !errors.As(err, &errno) {
		return fail(substrate.ErrUnsupported, "%v", err)
	}
	switch errno {
	case unix.EACCES, unix.EPERM:
		return fail(substrate.ErrPermission, "%s", s.permission(e, t))
	case unix.EMFILE, unix.ENFILE:
		return fail(substrate.ErrDescriptors, "%s", descriptors(errno))
	case unix.ENOSPC:
		return s.explainFull(set, e)
	case unix.EBUSY:
		return fail(substrate.ErrBusy, "another user has exclusive use of this PMU; try again later")
	case unix.ESRCH:
		return fail(substrate.ErrGone, "there is no thread %d", t.pid)
	case unix.ENOENT, unix.EOPNOTSUPP, unix.ENXIO, unix.ENODEV, unix.ENOSYS:
		return s.explainMissing(errno, e, t)
	case unix.EINVAL:
		return s.explainInvalid(set, e, t)
	}
	return fail(substrate.ErrUnsupported, "perf_event_open: %v", errno)
}

func (s *Substrate) explainMissing(errno unix.Errno, e *Encoded, t target) error {
	name := shown(e.Name)
	switch {
	case errno == unix.ENODEV && t.cpu >= 0:
		return fmt.Errorf("%s: %w: processor %d is offline; leave it out, or switch it on in /sys/devices/system/cpu/cpu%d/online", name, substrate.ErrGone, t.cpu, t.cpu)
	case errno == unix.ENOSYS:
		return fmt.Errorf("%s: %w: this kernel, or the container's seccomp filter, has no perf_event_open", name, substrate.ErrUnsupported)
	case e.pmu == "cpu":
		return fmt.Errorf("%s: %w: no counter of this processor counts it (a virtual machine without counters?); software events, watchpoints and msr/tsc/ may work", name, substrate.ErrUnavailable)
	case e.Path != "":
		return fmt.Errorf("%s: %w: there is no such program, function or instruction", name, substrate.ErrUnavailable)
	}
	return fmt.Errorf("%s: %w: the kernel does not count it here", name, substrate.ErrUnavailable)
}

func (s *Substrate) explainInvalid(set []Encoded, e *Encoded, t target) error {
	name := shown(e.Name)
	switch {
	case t.cpu >= 0 && !s.hasCPU(t.cpu):
		return fmt.Errorf("%s: %w: there is no processor %d", name, substrate.ErrGone, t.cpu)
	case e.Flags&excludesMode != 0 && e.pmu != "cpu" && e.Type > perfevent.Breakpoint:
		return fmt.Errorf("%s: %w: it cannot be counted separately in user and kernel mode", name, substrate.ErrUnsupported)
	case e.pmu != "" && sameCounters(set, e) > 1:
		return fmt.Errorf("%s: %w: no counter that can count it is free; multiplex, or count it in another set", name, substrate.ErrConflict)
	case e.Type == perfevent.Breakpoint:
		return fmt.Errorf("%s: %w: the processor cannot watch that address and length", name, substrate.ErrUnsupported)
	}
	return fmt.Errorf("%s: %w: the kernel rejects these parameters", name, substrate.ErrUnsupported)
}

func (s *Substrate) hasCPU(cpu int) bool {
	_, err := os.Stat(fmt.Sprintf("/sys/devices/system/cpu/cpu%d", cpu))
	return err == nil
}

// sameCounters counts the events of a set that compete with e for counters.
func sameCounters(set []Encoded, e *Encoded) (n int) {
	for i := range set {
		if set[i].pmu == e.pmu && set[i].Type == perfevent.Breakpoint == (e.Type == perfevent.Breakpoint) {
			n++
		}
	}
	return n
}

// explainFull is for the kernel's ENOSPC: no counter is left.
func (s *Substrate) explainFull(set []Encoded, e *Encoded) error {
	if e.Type != perfevent.Breakpoint {
		return fmt.Errorf("%s: %w: all counters that can count it are in use; multiplex, or count fewer events", shown(e.Name), substrate.ErrNoCounters)
	}
	registers := s.debugRegisters()
	if n := sameCounters(set, e); registers > 0 && n > registers {
		return fmt.Errorf("%s: %w: %d watchpoints for %d debug registers; use several sets", shown(e.Name), substrate.ErrConflict, n, registers)
	}
	return fmt.Errorf("%s: %w: the %d debug registers of the thread are in use (by other sets, or a debugger); stop another set first", shown(e.Name), substrate.ErrNoCounters, registers)
}

// debugRegisters counts how many watchpoints a new thread can have; 0 if that is not known.
func (s *Substrate) debugRegisters() int {
	e := Encoded{Event: perfevent.Event{Type: perfevent.Breakpoint, Config1: 8, Config2: 8, BPType: 2, Flags: perfevent.FlagExcludeKernel}}
	found := make(chan int)
	go func() {
		n := 0
		defer func() { found <- n }() // when all are closed
		lockForever()                 // the thread ends with the goroutine, and nobody else has opened watchpoints on it
		for ; n < 64; n++ {
			a := attribute(&e)
			a.Flags |= perfevent.FlagDisabled
			fd, err := s.sys.open(a, 0, -1, -1, perfevent.OpenCloseExec)
			if err != nil {
				break
			}
			defer unix.Close(fd)
		}
	}()
	return <-found
}

// permission says why an event is not permitted and who can change that.
func (s *Substrate) permission(e *Encoded, t target) string {
	if e.Path != "" {
		return "probes need CAP_PERFMON: run as root"
	}
	text, err := os.ReadFile(s.procs + "/sys/kernel/perf_event_paranoid")
	if err != nil {
		return "allow perf_event_open (in a container: its seccomp profile and CAP_PERFMON)"
	}
	level, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	wanted := 1
	switch {
	case e.Type == perfevent.Tracepoint:
		wanted = -1
	case e.CPUs != nil || t.pid < 0:
		wanted = 0
	case level > 2 && !e.Kernel && e.Flags&perfevent.FlagExcludeUser == 0 && !e.NoExclude:
		wanted = 2 // user mode alone
	}
	return fmt.Sprintf("kernel.perf_event_paranoid is %d: sysctl kernel.perf_event_paranoid=%d, or run with CAP_PERFMON; in a container, its seccomp filter must also permit perf_event_open", level, wanted)
}

func descriptors(errno unix.Errno) string {
	if errno == unix.ENFILE {
		return "the whole system has none left (sysctl fs.file-max)"
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return "raise the limit (ulimit -n)"
	}
	return fmt.Sprintf("every event takes one for each thread, and the limit is %d: ulimit -n %d", limit.Cur, max(limit.Cur, 1024)*4)
}
