package campaign

import (
	"fmt"
	"strings"

	"tracerec/counters/events"
	"tracerec/internal/perfevent"
	"tracerec/metric/spec"
	"tracerec/recorder"
)

// Numbers of counters in the masks of a machine that are no general counters of the processor.
const (
	firstFixed = 32
	firstDebug = 56
	// debugs is how many addresses can be watched in one run: there are four debug registers, and each address takes two, one for
	// the threads and one for the whole process, which tells how much there is at most that is not certain.
	debugs     = 2
	exactDebug = 4 // in a program built with --exact-counters, whose counts are all certain, each takes one
	kernelOnly = 0 // takes no counter: the kernel or the Go runtime counts
)

// machineHere says what can be counted together here: software events always, watchpoints on a few addresses, and hardware events as the processor's table has it. A specification that says what its processor can do knows better.
func machineHere(specs []*spec.Spec, general, watched int) spec.Machine {
	m := spec.Machine{Counters: general, Fits: map[string]uint64{}}
	table, known := events.For(events.Here())
	for _, s := range specs {
		if s.Machine.Counters > 0 || len(s.Machine.Groups) > 0 {
			m.Counters, m.Groups, m.Alone = s.Machine.Counters, s.Machine.Groups, s.Machine.Alone
			for e, mask := range s.Machine.Fits {
				m.Fits[e] = mask
			}
			known = false
		}
	}
	for _, s := range specs {
		var natives []string
		for _, e := range s.Events() {
			natives = append(natives, nativesOf(e)...)
		}
		for _, e := range natives {
			if _, told := m.Fits[e]; told {
				continue
			}
			switch kind(e) {
			case software:
				m.Fits[e] = kernelOnly
			case watchpoint:
				m.Fits[e] = (1<<watched - 1) << firstDebug
			case onProcessor:
				if known {
					fitHardware(&m, e, table)
				}
			}
		}
	}
	return m
}

// fitHardware enters the constraints of a hardware event.
func fitHardware(m *spec.Machine, event string, table *events.Table) {
	entry, ok := table.Find(strings.TrimSuffix(strings.TrimSuffix(event, ":u"), ":k"))
	if !ok {
		return // any general counter
	}
	mask := entry.Counters
	if mask == 0 {
		mask = 1<<m.Counters - 1
	}
	if entry.Fixed > 0 {
		mask |= 1 << (firstFixed + entry.Fixed - 1)
	}
	m.Fits[event] = mask
	if entry.Alone {
		m.Alone = append(m.Alone, event)
	}
}

// eventKind says who counts an event.
type eventKind int

const (
	onProcessor eventKind = iota
	software
	watchpoint
)

func kind(event string) eventKind {
	base := strings.TrimSuffix(strings.TrimSuffix(event, ":u"), ":k")
	named, _ := perfevent.Find(base)
	switch {
	case strings.HasPrefix(event, "mem:"):
		return watchpoint
	case named.Type == perfevent.Software, strings.HasPrefix(event, "go:"), strings.HasPrefix(event, "rusage:"), strings.HasPrefix(event, "msr/"):
		return software
	case strings.Count(base, ":") == 1 && !strings.Contains(base, "/"): // a tracepoint: sched:sched_switch
		return software
	}
	return onProcessor
}

// fitsOneRun says why no run of the program can measure the events together, nil if one can. watched is how many addresses it can watch.
func fitsOneRun(events []string, watched int, program string) error {
	n := 0
	for _, e := range events {
		for _, native := range nativesOf(e) {
			if kind(native) == watchpoint {
				n++
			}
		}
	}
	if n > watched {
		return fmt.Errorf("%d watchpoints, but one run has at most %d; divide them among several sets, or use --plan", n, watched)
	}
	return recorder.Countable(events, program)
}

// usualCounters is how many general counters a processor is taken to have if nothing else is known.
const usualCounters = 4
