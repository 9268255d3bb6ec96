package counters

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/google/pprof/profile"
)

// profileWriter is a profile in the making.
type profileWriter struct {
	profile.Profile
	functions map[[2]string]*profile.Function // by name and file
	locations map[uintptr]*profile.Location   // by the address of the instruction
}

// WritePprof writes the samples as a profile for go tool pprof, compressed with gzip: for each stack the number of
// samples and of the events that they stand for. Lines are found in this process, so the profile needs no binary. What
// was dropped at random is missing; weights and compression have no part in it.
func (h *Histogram) WritePprof(w io.Writer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	unit := "count"
	switch h.event.Unit {
	case "ns":
		unit = "nanoseconds"
	case "bytes":
		unit = "bytes"
	}
	program, _ := os.Executable()
	events := &profile.ValueType{Type: h.event.Name, Unit: unit}
	p := &profileWriter{functions: map[[2]string]*profile.Function{}, locations: map[uintptr]*profile.Location{}, Profile: profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, events}, DefaultSampleType: h.event.Name,
		PeriodType: events, Period: int64(h.threshold),
		Mapping: []*profile.Mapping{{ID: 1, File: program, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}}, // nobody need look for them
	}}
	for _, s := range slices.SortedFunc(maps.Values(h.stacks), byStack) {
		p.sample(s)
	}
	if h.dropped+h.unknown > 0 {
		p.Comments = []string{fmt.Sprintf("%d samples were dropped at random, %d have no program counter.", h.dropped, h.unknown)}
	}
	err := p.CheckValid()
	if err == nil {
		err = p.Write(w)
	}
	if err != nil {
		return fmt.Errorf("profile of %s: %w", h.event.Name, err)
	}
	return nil
}

func byStack(a, b *stackSamples) int {
	return cmp.Or(-cmp.Compare(a.events, b.events), slices.Compare(a.stack, b.stack))
}

// sample adds a stack with its values.
func (p *profileWriter) sample(s *stackSamples) {
	var stack []*profile.Location
	for i, pc := range s.stack {
		if i > 0 {
			pc-- // a return address: the call is before it
		}
		stack = append(stack, p.location(pc))
	}
	p.Sample = append(p.Sample, &profile.Sample{Location: stack, Value: []int64{int64(s.samples), int64(s.events)}})
}

// location returns that of a program counter, with the lines of all functions that are inlined there.
func (p *profileWriter) location(pc uintptr) *profile.Location {
	if l := p.locations[pc]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(p.Location) + 1), Mapping: p.Mapping[0], Address: uint64(pc)}
	p.locations[pc], p.Location = l, append(p.Location, l)
	frames := runtime.CallersFrames([]uintptr{pc + 1}) // it expects return addresses
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "" {
			f.Function = fmt.Sprintf("%#x", pc)
			if pc == 0 {
				f.Function = "unknown"
			}
		}
		l.Line = append(l.Line, profile.Line{Function: p.function(f.Function, f.File), Line: int64(f.Line)})
	}
	return l
}

func (p *profileWriter) function(name, file string) *profile.Function {
	key := [2]string{name, file}
	f := p.functions[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, SystemName: name, Filename: file}
		p.functions[key], p.Function = f, append(p.Function, f)
	}
	return f
}
