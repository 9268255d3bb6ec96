package sample

import (
	"errors"
	"strings"

	"tracerec/simulator/guest"
)

// simulated reads events of the simulator on which the program runs. It counts for each goroutine, so all of a goroutine's life is one interval,
// and what is asked disturbs nothing.
type simulated struct {
	counters *guest.Counters
	modes    []mode
}

// mode says which part of an event is meant: NAME:u is what is executed, NAME:k what the kernel does by the simulator's model,
// and NAME is both.
type mode struct{ user, kernel bool }

// MaxSimulated is the largest number of events of the simulator in a set.
const MaxSimulated = 64

// openSimulated opens an event set of events of the simulator.
func (s *Set) openSimulated(names []string) error {
	o := &simulated{modes: make([]mode, len(names))}
	base := make([]string, len(names))
	for i, name := range names {
		var part string
		base[i], part, _ = strings.Cut(name, ":")
		o.modes[i] = mode{part != "k", part != "u"}
	}
	err := errors.New("more events than can be read together")
	if len(names) <= MaxSimulated {
		o.counters, err = guest.Init(guest.Caller)
	}
	if err == nil {
		err = o.counters.Select(base...)
	}
	if err != nil {
		for _, name := range names {
			s.missing = append(s.missing, Missing{name, err.Error()})
		}
		return errNone
	}
	s.simulated, s.names = o, names
	return nil
}

// read stores a reading and returns the number of its words.
func (s *simulated) read(dst []uint64) int {
	var kernel [MaxSimulated]uint64
	n := len(s.modes)
	dst[0] = 1
	if _, err := s.counters.Now(dst[1:1+n], kernel[:n]); err != nil {
		return 1
	}
	for i, m := range s.modes {
		if !m.user {
			dst[1+i] = 0
		}
		if m.kernel && kernel[i] != guest.Absent {
			dst[1+i] += kernel[i]
		}
	}
	return 1 + n
}
