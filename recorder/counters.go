//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracerec/counters"
	"tracerec/counters/hardware"
	"tracerec/counters/perf"
	"tracerec/counters/sample"
	"tracerec/internal/launch"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// Countable returns why counters cannot be read together at the regions of a program, nil if they can. The error is a
// *launch.Error if the program is not found.
func Countable(names []string, program string) error {
	path, err := launch.Find(program)
	if err != nil || len(names) == 0 {
		return err
	}
	_, err = handDown(names, path)
	return err
}

// handDown returns the counters as the program at path is told of them. Presets become sums of the processor's events, and the
// symbols of watchpoints addresses. The error says which name is none that can be read at regions, and why.
func handDown(names []string, path string) (specs []string, err error) {
	kernel := 0
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("counter %s is named twice", name)
		}
		s, err := specOf(name, path)
		if err != nil {
			return nil, err
		}
		kernel += len(s.Terms)
		specs = append(specs, s.String())
	}
	if len(names) > sample.MaxEvents || kernel > sample.MaxEvents {
		return nil, fmt.Errorf("%d counters, made of %d events: at most %d can be read together", len(names), kernel, sample.MaxEvents)
	}
	return specs, countable(names, path)
}

// specOf resolves a name.
func specOf(name, path string) (s sample.Spec, err error) {
	if metric, ok := counters.GoMetric(name); ok {
		if e, _, err := counters.Find(name); err == nil && e.Gauge {
			return s, fmt.Errorf("%s is a level, not a count, so regions have no differences of it; use tracerec live, or instrument.NewMetric", name)
		}
		return sample.Spec{Name: name, Metric: metric}, nil
	}
	p, err := counters.DescribePreset(name)
	if errors.Is(err, counters.ErrNoPreset) {
		return s, err
	}
	natives, signs := []string{name}, []bool{false}
	if err == nil {
		if natives = p.Natives; p.Formula != "" {
			if signs, err = sumSigns(p.Formula, len(natives)); err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	s.Name = name
	for i, native := range natives {
		if native, err = perf.Addressed(native, path); err != nil {
			return s, err
		}
		t, err := termOf(native)
		if err != nil {
			return s, err
		}
		t.Negative = signs[i]
		s.Terms = append(s.Terms, t)
	}
	return s, nil
}

// sumSigns returns which natives a formula such as N0 + N1 - N2 subtracts. Every native must occur once.
func sumSigns(formula string, natives int) ([]bool, error) {
	signs, seen := make([]bool, natives), make([]bool, natives)
	negative := false
	for i, word := range strings.Fields(formula) {
		if i%2 == 1 {
			if word != "+" && word != "-" {
				return nil, fmt.Errorf("it is computed as %s, which cannot be summed over regions; name its events, see tracerec counters", formula)
			}
			negative = word == "-"
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(word, "N"))
		if err != nil || n < 0 || n >= natives || seen[n] {
			return nil, fmt.Errorf("it is computed as %s, which cannot be summed over regions; name its events, see tracerec counters", formula)
		}
		signs[n], seen[n] = negative, true
	}
	if slices.Contains(seen, false) {
		return nil, fmt.Errorf("its formula %s does not use each of its events", formula)
	}
	return signs, nil
}

// termOf encodes a kernel event.
func termOf(name string) (t sample.Term, err error) {
	found, from, err := counters.Find(name)
	if err != nil {
		return t, err
	}
	e, err := perf.Attr(name)
	switch {
	case from.Name() != perf.New().Name():
		return t, fmt.Errorf("%s cannot be read at regions: it counts for the process and is no event of the kernel", found.Name)
	case err != nil:
		return t, err
	case e.CPUs != nil:
		return t, fmt.Errorf("%s cannot be read at regions: it counts for processors, not for threads", name)
	case e.Path != "":
		return t, fmt.Errorf("%s cannot be read at regions: it is a probe", name)
	}
	return sample.Term{Event: e.Event}, nil
}

// countable returns an error if the events cannot be counted together here.
func countable(names []string, path string) error {
	if len(names) == 0 {
		return nil
	}
	set := counters.New()
	defer set.Close()
	for _, name := range names {
		name, err := perf.Addressed(name, path)
		if err == nil {
			err = set.Add(name)
		}
		if err != nil {
			return err
		}
	}
	if err := set.Start(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(names, ","), err)
	}
	return set.Stop(nil)
}

// missingText is what an archive says of a counter that the program could not open; without a name it is a remark of all.
func missingText(d wire.Def) string {
	if d.Name == "" {
		return d.Unit
	}
	return fmt.Sprintf("counter %s is missing (%s)", d.Name, d.Unit)
}

// processor returns what this machine is, for the archive.
func processor() (trace.Processor, uint64) {
	cpu, clock := hardware.ProcessorHere()
	khz := clock.Base
	if khz == 0 {
		khz = clock.Now // a virtual machine knows no other
	}
	return trace.Processor(cpu), uint64(max(khz, 0)) * 1000
}
