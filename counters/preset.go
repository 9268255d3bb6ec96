package counters

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracerec/counters/events"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
)

// Preset is a portable event name (Browne et al., section 3.2 and appendix) and what it stands for on this processor.
type Preset struct {
	Name        string // PAPI_L1_DCM
	Short       string // L1D misses
	Description string
	Natives     []string // empty: the processor does not have it
	Formula     string   // over the natives: N0, N0 + N1, N0 - N1
}

// Derived reports whether the preset is computed from several events, or from one by a formula.
func (p Preset) Derived() bool { return len(p.Natives) > 1 || p.Formula != "" && p.Formula != "N0" }

// Presets lists all presets, by name, with their natives on this processor.
func Presets() []Preset {
	var out []Preset
	for _, info := range events.Presets() {
		p, _ := DescribePreset(info.Name)
		out = append(out, p)
	}
	return out
}

// DescribePreset describes the preset of that name. The error wraps [ErrUnknownEvent] when there is no such preset, and
// [ErrNoPreset] when this processor does not have it; it is described all the same.
func DescribePreset(name string) (Preset, error) { return describePreset(Substrates(), name) }

func describePreset(from []Substrate, name string) (Preset, error) {
	base, domain, cut := strings.Cut(name, ":")
	p := Preset{Name: name}
	known := false
	for _, info := range events.Presets() {
		if info.Name == base {
			p.Short, p.Description, known = info.Short, info.Description, true
		}
	}
	var found bool
	if p.Formula, p.Natives, found = expand(from, base); !found {
		if !known {
			return Preset{}, fmt.Errorf("%w: there is no preset %q", ErrUnknownEvent, base)
		}
		return p, fmt.Errorf("%s: %w", base, ErrNoPreset)
	}
	if cut { // the domain of a preset is that of its natives
		p.Natives = slices.Clone(p.Natives)
		for i := range p.Natives {
			p.Natives[i] += ":" + domain
		}
	}
	return p, nil
}

// expand asks the substrates, and the table of this processor if its perf events are among them.
func expand(from []Substrate, name string) (formula string, natives []string, ok bool) {
	for _, s := range from {
		if p, has := s.(substrate.Presetter); has {
			if formula, natives, ok = p.Preset(name); ok {
				return formula, natives, true
			}
		}
	}
	if !slices.Contains(from, Substrate(perf.New())) {
		return "", nil, false
	}
	if t, has := events.For(events.Here()); has {
		p, ok := t.Preset(name)
		return p.Formula, p.Natives, ok
	}
	native, ok := generic[name]
	return "N0", []string{native}, ok
}

// generic are the presets of processors without a table, as far as the kernel has names for them.
var generic = map[string]string{
	"PAPI_TOT_CYC": "cycles",
	"PAPI_REF_CYC": "ref-cycles",
	"PAPI_TOT_INS": "instructions",
	"PAPI_BR_INS":  "branches",
	"PAPI_BR_MSP":  "branch-misses",
	"PAPI_L1_LDM":  "L1-dcache-load-misses",
	"PAPI_L1_STM":  "L1-dcache-store-misses",
	"PAPI_L1_ICM":  "L1-icache-load-misses",
	"PAPI_TLB_DM":  "dTLB-load-misses",
	"PAPI_TLB_IM":  "iTLB-load-misses",
}

func isPreset(name string) bool { return strings.HasPrefix(name, "PAPI_") }

// resolvePreset looks up the natives of a preset.
func (s *EventSet) resolvePreset(name string) (entry, error) {
	p, err := describePreset(s.substrates(), name)
	if err != nil {
		return entry{}, err
	}
	e := entry{name: name, event: Event{Name: name, Description: p.Description}}
	for _, n := range p.Natives {
		event, from, err := find(s.substrates(), n)
		if errors.Is(err, ErrUnknownEvent) {
			err = fmt.Errorf("%w: its native event %s is unknown here", ErrNoPreset, n)
		}
		if err != nil {
			return entry{}, fmt.Errorf("%s: %w", name, err)
		}
		e.natives = append(e.natives, native{n, event, from})
		e.event.Unit, e.event.Process = event.Unit, e.event.Process || event.Process
	}
	if p.Derived() {
		if e.formula, err = parseFormula(p.Formula, len(p.Natives)); err != nil {
			return entry{}, fmt.Errorf("%s: %w: %w", name, ErrNoPreset, err)
		}
	}
	return e, nil
}
