// Package pmu describes performance monitoring units as data: how many counters there are, how wide they are, and which
// event fits on which of them. It decides which groups of events are on counters, as the Linux kernel does, and knows
// what the kernel's names for events mean. The simulated machine has such a unit for its guests; a [Source]
// supplies the counts.
package pmu

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"tracerec/internal/perfevent"
	"tracerec/simulator/description"
)

// PMU describes a performance monitoring unit of a processor; every processor has one.
type PMU struct {
	Name  string `json:"-"`
	Title string `json:"title"`

	Device   string   `json:"device"`           // its name in /sys/bus/event_source/devices
	Counters int      `json:"counters"`         // that can be programmed
	Fixed    []string `json:"fixed,omitempty"`  // what the counters behind those count, one event each
	Bits     int      `json:"bits"`             // width of a counter
	Narrow   bool     `json:"narrow,omitempty"` // nobody widens the counters to 64 bits: values begin again at 0
	Limits   []Limit  `json:"limits,omitempty"` // the first that names an event counts; events without one fit everywhere
	Rotation int64    `json:"rotation"`         // of groups that do not fit together, ns of virtual time
	Paranoid int      `json:"paranoid"`         // kernel.perf_event_paranoid, for users without privileges
}

// Limit says that events fit on certain counters only.
type Limit struct {
	Events   []string `json:"events"` // patterns of path.Match
	Counters []int    `json:"counters"`
}

// Source counts what the threads of a run do.
type Source interface {
	// PMUEvents lists what is counted, in ascending order of the codes.
	PMUEvents() []Event
	// Count returns how often an event has happened so far in user mode and in the kernel, in the thread whose turn it is.
	Count(code uint64) (user, kernel uint64)
	// Most returns how often an event can happen in one instruction, at most.
	Most(code uint64) uint64
}

// Event is something that a source counts.
type Event struct {
	Code              uint64 // never 0
	Name, Description string
}

//go:embed machines/*.json
var machines embed.FS

// Names returns the names of the units that there are, sorted.
func Names() []string { return description.Names(machines) }

// Named returns the unit of a name.
func Named(name string) (*PMU, error) {
	p, err := description.Named(machines, "PMU", name, (*PMU).Check)
	if err != nil {
		return nil, err
	}
	p.Name = name
	return p, nil
}

// Read reads a unit's description, which is JSON.
func Read(r io.Reader) (*PMU, error) { return description.Read(r, new(PMU), (*PMU).Check) }

// Open returns the unit that somebody names, or describes in a file.
func Open(name string) (*PMU, error) {
	if description.IsFile(name) {
		return description.File(name, "PMU", Read)
	}
	p, err := Named(name)
	if err != nil {
		err = fmt.Errorf("%w; or give a description in a FILE.json", err)
	}
	return p, err
}

// most is how many counters a unit may have: each is a bit of a mask.
const most = 64

// Check tells what is wrong with the description.
func (p *PMU) Check() error {
	switch {
	case p.Counters < 1 || p.Counters > most || p.Counters+len(p.Fixed) > most:
		return fmt.Errorf("%d counters and %d fixed ones: at least 1, and at most %d together", p.Counters, len(p.Fixed), most)
	case p.Bits < 8 || p.Bits > 64:
		return fmt.Errorf("bits: %d, must be from 8 to 64", p.Bits)
	case p.Rotation < 1000:
		return fmt.Errorf("rotation: %d ns, must be at least 1000", p.Rotation)
	case p.Device == "" || strings.ContainsAny(p.Device, "/ \n\x00") || p.Device[0] == '.':
		return fmt.Errorf("device: %q is not a name", p.Device)
	}
	for i, l := range p.Limits {
		for _, e := range l.Events {
			if _, err := path.Match(e, ""); err != nil {
				return fmt.Errorf("limit %d: %q: %w", i, e, err)
			}
		}
		if len(l.Counters) == 0 {
			return fmt.Errorf("limit %d: no counters", i)
		}
		for _, c := range l.Counters {
			if c < 0 || c >= p.Counters {
				return fmt.Errorf("limit %d: there is no counter %d", i, c)
			}
		}
	}
	return nil
}

// Mask returns the counters that an event fits on, bit by bit: first those that can be programmed, then the fixed ones.
func (p *PMU) Mask(event string) (mask uint64) {
	mask = 1<<p.Counters - 1
	for _, l := range p.Limits {
		if slices.ContainsFunc(l.Events, func(e string) bool { ok, _ := path.Match(e, event); return ok }) {
			mask = 0
			for _, c := range l.Counters {
				mask |= 1 << c
			}
			break
		}
	}
	for i, f := range p.Fixed {
		if f == event {
			mask |= 1 << (p.Counters + i)
		}
	}
	return mask
}

// ErrNone is the error of a code that no event of the unit has, or that its source does not count.
var ErrNone = errors.New("no such event")

// Resolve returns what the kernel's code for an event means, for the types of hardware, caches and raw codes. The error is
// [ErrNone], or another one if no processor has such a code.
func Resolve(events []Event, typ uint32, config uint64) (Event, error) {
	find := func(is func(e Event) bool) (Event, error) {
		if i := slices.IndexFunc(events, is); i >= 0 {
			return events[i], nil
		}
		return Event{}, ErrNone
	}
	names, ok := []string(nil), true
	switch typ {
	case perfevent.Raw:
		return find(func(e Event) bool { return e.Code == config })
	case perfevent.Hardware:
		if ok = config < uint64(len(hardware)); ok {
			names = hardware[config]
		}
	case perfevent.Cache:
		names, ok = cacheEvent(config)
	}
	if !ok {
		return Event{}, errCode
	}
	if len(names) == 0 {
		return Event{}, ErrNone
	}
	name := names[0]
	if _, err := find(func(e Event) bool { return e.Name == "PAPI_L3_TCM" }); err != nil {
		name = names[len(names)-1]
	}
	return find(func(e Event) bool { return e.Name == name })
}

var errCode = errors.New("not the code of an event")

// hardware are the events of the first type, by their codes: of the last cache, with three levels and with two.
var hardware = [perfevent.HardwareCodes][]string{
	perfevent.Cycles:          {"PAPI_TOT_CYC"},
	perfevent.Instructions:    {"PAPI_TOT_INS"},
	perfevent.CacheReferences: {"PAPI_L3_TCA", "PAPI_L2_TCA"},
	perfevent.CacheMisses:     {"PAPI_L3_TCM", "PAPI_L2_TCM"},
	perfevent.Branches:        {"PAPI_BR_INS"},
	perfevent.BranchMisses:    {"PAPI_BR_MSP"},
}

// caches are the events of the third type: by cache, then by operation (load, store), then accesses and misses.
var caches = [perfevent.Caches][2][2][]string{
	perfevent.L1D:        {{{"PAPI_L1_DCR"}, {"PAPI_L1_LDM"}}, {{"PAPI_L1_DCW"}, {"PAPI_L1_STM"}}},
	perfevent.L1I:        {{{"PAPI_L1_ICA"}, {"PAPI_L1_ICM"}}},
	perfevent.LastLevel:  {{{"PAPI_L2_LDM", "PAPI_L1_LDM"}, {"PAPI_L3_LDM", "PAPI_L2_LDM"}}, {{"PAPI_L2_STM", "PAPI_L1_STM"}, {"PAPI_L3_STM", "PAPI_L2_STM"}}},
	perfevent.ITLB:       {{{}, {"PAPI_TLB_IM"}}},
	perfevent.BranchUnit: {{{"PAPI_BR_CN"}, {"PAPI_BR_MSP"}}},
}

// cacheEvent takes a code apart; false if it is none.
func cacheEvent(config uint64) ([]string, bool) {
	cache, operation, result := config&0xff, config>>8&0xff, config>>16&0xff
	if cache >= uint64(len(caches)) || operation >= perfevent.Operations || result > 1 || config>>24 != 0 {
		return nil, false
	}
	if operation == perfevent.Prefetch { // nothing is fetched ahead
		return nil, true
	}
	return caches[cache][operation][result], true
}
