//go:build linux

package recorder

import (
	"debug/elf"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"tracerec/counters"
	"tracerec/counters/hardware"
	"tracerec/counters/perf"
	"tracerec/counters/sample"
	"tracerec/trace"
	"tracerec/trace/wire"
)

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
		return nil, fmt.Errorf("%d counters made of %d events asked for; at most %d can be read together", len(names), kernel, sample.MaxEvents)
	}
	return specs, countable(names, path)
}

// specOf resolves a name.
func specOf(name, path string) (s sample.Spec, err error) {
	if metric, ok := counters.GoMetric(name); ok {
		if e, _, err := counters.Find(name); err == nil && e.Gauge {
			return s, fmt.Errorf("%s is a level and not a count, so regions have no differences of it; use tracerec live, or instrument.NewMetric", name)
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
		if native, err = addressed(native, path); err != nil {
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
				return nil, fmt.Errorf("it is computed as %s, which cannot be added up over regions; name the events: tracerec counters", formula)
			}
			negative = word == "-"
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(word, "N"))
		if err != nil || n < 0 || n >= natives || seen[n] {
			return nil, fmt.Errorf("it is computed as %s, which cannot be added up over regions; name the events: tracerec counters", formula)
		}
		signs[n], seen[n] = negative, true
	}
	if slices.Contains(seen, false) {
		return nil, fmt.Errorf("it is computed as %s, without all of its events", formula)
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
		return t, fmt.Errorf("%s counts for the process by other means than the kernel's events; at regions it cannot be read", found.Name)
	case err != nil:
		return t, err
	case e.CPUs != nil:
		return t, fmt.Errorf("%s counts for whole processors and not for threads; at regions it cannot be read", name)
	case e.Path != "":
		return t, fmt.Errorf("%s: probes cannot be read at regions", name)
	}
	return sample.Term{Type: e.Type, Config: e.Config, Config1: e.Config1, Config2: e.Config2, BPType: e.BPType, Flags: e.Flags,
		Kernel: e.Kernel, NoExclude: e.NoExclude}, nil
}

// watched is a watchpoint on a symbol: its length, access and modifiers are optional.
var watched = regexp.MustCompile(`^mem:(.*?)(\+(?:0x)?[0-9a-fA-F]+)?(/[0-9]+)?(:[a-z:]+)?$`)

// addressed puts the address of the program's variable into a watchpoint such as mem:main.counter/8:w.
func addressed(name, path string) (string, error) {
	m := watched.FindStringSubmatch(name)
	if m == nil || m[1] == "" || strings.HasPrefix(m[1], "0x") {
		return name, nil
	}
	if err := watchable(m[3], m[4]); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if _, err := strconv.ParseUint(m[1], 10, 64); err == nil {
		return name, nil
	}
	address, size, err := symbol(path, m[1])
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if m[2] != "" {
		offset, err := strconv.ParseUint(m[2][1:], 0, 32)
		if err != nil {
			return "", fmt.Errorf("%s: %q is no offset", name, m[2])
		}
		address += offset
	}
	if m[3] == "" {
		m[3] = "/8"
		if size == 1 || size == 2 || size == 4 {
			m[3] = fmt.Sprintf("/%d", size)
		}
	}
	if length, _ := strconv.ParseUint(m[3][1:], 10, 8); address%length != 0 {
		return "", fmt.Errorf("%s: its address 0x%x is no multiple of the length, %d; watch fewer bytes", name, address, length)
	}
	return fmt.Sprintf("mem:0x%x%s%s", address, m[3], m[4]), nil
}

// watchable tells what is wrong with the length and the access of a watchpoint, each with the character before it, or absent.
func watchable(length, access string) error {
	if length != "" && !slices.Contains([]string{"/1", "/2", "/4", "/8"}, length) {
		return fmt.Errorf("the length is 1, 2, 4 or 8 bytes, not %s", length[1:])
	}
	kinds, _, more := strings.Cut(strings.TrimPrefix(access, ":"), ":")
	if access == "" || !more && strings.Trim(kinds, "ukp") == "" {
		return nil // modifiers alone
	}
	switch kinds {
	case "w", "rw", "wr":
		return nil
	case "r":
		if runtime.GOARCH == "amd64" {
			return errors.New("r: x86 cannot watch reads alone; use rw, which counts reads and writes")
		}
		return nil
	case "x":
		return errors.New("x: a variable is not executed; the access is w, r or rw")
	}
	return fmt.Errorf("the access is w, r or rw, not %s", kinds)
}

// symbol looks a variable up in the symbol table of a program.
func symbol(path, name string) (address, size uint64, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, 0, fmt.Errorf("%s has no symbols to look it up in: %w", path, err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		return 0, 0, fmt.Errorf("%s is loaded anywhere in memory (PIE), so the address is not known before; build it with -buildmode=exe", path)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return 0, 0, fmt.Errorf("%s has no symbol table; build it without -ldflags=-s", path)
	}
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			return s.Value, s.Size, nil
		}
	}
	return 0, 0, fmt.Errorf("%s has no variable %s (name it with its package: main.counter)", path, name)
}

// countable returns an error if the events cannot be counted together here.
func countable(names []string, path string) error {
	if len(names) == 0 {
		return nil
	}
	set := counters.New()
	defer set.Close()
	for _, name := range names {
		name, err := addressed(name, path)
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
	m := hardware.Here()
	khz := m.Clock.Base
	if khz == 0 {
		khz = m.Clock.Now // a virtual machine knows no other
	}
	return trace.Processor(m.CPU), uint64(max(khz, 0)) * 1000
}
