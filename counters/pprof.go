package counters

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"

	"tracerec/internal/protobuf"
)

// Field numbers of the profile format, by message.
const (
	profileType, profileSample, profileMapping, profileLocation, profileFunction, profileString = 1, 2, 3, 4, 5, 6
	profilePeriodType, profilePeriod, profileComment, profileDefault                            = 11, 12, 13, 14

	typeName, typeUnit = 1, 2

	sampleLocation, sampleValue = 1, 2

	mappingID, mappingFile, mappingFunctions, mappingFiles, mappingLines, mappingInline = 1, 5, 7, 8, 9, 10

	locationID, locationMapping, locationAddress, locationLine = 1, 2, 3, 4
	lineFunction, lineNumber                                   = 1, 2

	functionID, functionName, functionSystem, functionFile = 1, 2, 3, 4
)

// profileWriter is a profile in the making.
type profileWriter struct {
	buf       []byte
	strings   map[string]uint64
	list      []string
	functions map[[2]string]uint64 // by name and file
	locations map[uintptr]uint64   // by the address of the instruction
}

// WritePprof writes the samples as a profile for go tool pprof, compressed with gzip: for each stack the number of
// samples and of the events that they stand for. Lines are found in this process, so the profile needs no binary. What
// was dropped at random is missing; weights and compression have no part in it.
func (h *Histogram) WritePprof(w io.Writer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &profileWriter{strings: map[string]uint64{"": 0}, list: []string{""}, functions: map[[2]string]uint64{}, locations: map[uintptr]uint64{}}
	unit := "count"
	switch h.event.Unit {
	case "ns":
		unit = "nanoseconds"
	case "bytes":
		unit = "bytes"
	}
	p.message(profileType, p.valueType("samples", "count"))
	p.message(profileType, p.valueType(h.event.Name, unit))
	for _, s := range slices.SortedFunc(maps.Values(h.stacks), byStack) {
		p.sample(s)
	}
	program, _ := os.Executable()
	m := protobuf.Uint(nil, mappingID, 1)
	m = protobuf.Uint(m, mappingFile, p.text(program))
	for _, has := range []int{mappingFunctions, mappingFiles, mappingLines, mappingInline} {
		m = protobuf.Uint(m, has, 1) // nobody need look for them
	}
	p.message(profileMapping, m)
	p.message(profilePeriodType, p.valueType(h.event.Name, unit))
	p.buf = protobuf.Int(p.buf, profilePeriod, int64(h.threshold))
	p.buf = protobuf.Uint(p.buf, profileDefault, p.text(h.event.Name))
	if h.dropped+h.unknown > 0 {
		note := fmt.Sprintf("%d samples were dropped at random, %d have no program counter.", h.dropped, h.unknown)
		p.buf = protobuf.Uint(p.buf, profileComment, p.text(note))
	}
	for _, s := range p.list {
		p.buf = protobuf.String(p.buf, profileString, s)
	}
	out := gzip.NewWriter(w)
	if _, err := out.Write(p.buf); err != nil {
		return fmt.Errorf("profile of %s: %w", h.event.Name, err)
	}
	return out.Close()
}

func byStack(a, b *stackSamples) int {
	return cmp.Or(-cmp.Compare(a.events, b.events), slices.Compare(a.stack, b.stack))
}

func (p *profileWriter) message(field int, m []byte) { p.buf = protobuf.Bytes(p.buf, field, m) }

// text returns the number of a string.
func (p *profileWriter) text(s string) uint64 {
	id, known := p.strings[s]
	if !known {
		id = uint64(len(p.list))
		p.strings[s] = id
		p.list = append(p.list, s)
	}
	return id
}

func (p *profileWriter) valueType(name, unit string) []byte {
	return protobuf.Uint(protobuf.Uint(nil, typeName, p.text(name)), typeUnit, p.text(unit))
}

// sample writes a stack with its values.
func (p *profileWriter) sample(s *stackSamples) {
	var stack, values []byte
	for i, pc := range s.stack {
		if i > 0 {
			pc-- // a return address: the call is before it
		}
		stack = protobuf.AppendVarint(stack, p.location(pc))
	}
	values = protobuf.AppendVarint(protobuf.AppendVarint(values, s.samples), s.events)
	p.message(profileSample, protobuf.Bytes(protobuf.Bytes(nil, sampleLocation, stack), sampleValue, values))
}

// location returns the number of a program counter, with the lines of all functions that are inlined there.
func (p *profileWriter) location(pc uintptr) uint64 {
	if id, known := p.locations[pc]; known {
		return id
	}
	id := uint64(len(p.locations) + 1)
	p.locations[pc] = id
	m := protobuf.Uint(protobuf.Uint(nil, locationID, id), locationMapping, 1)
	m = protobuf.Uint(m, locationAddress, uint64(pc))
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
		line := protobuf.Uint(nil, lineFunction, p.function(f.Function, f.File))
		m = protobuf.Bytes(m, locationLine, protobuf.Int(line, lineNumber, int64(f.Line)))
	}
	p.message(profileLocation, m)
	return id
}

func (p *profileWriter) function(name, file string) uint64 {
	key := [2]string{name, file}
	id, known := p.functions[key]
	if !known {
		id = uint64(len(p.functions) + 1)
		p.functions[key] = id
		m := protobuf.Uint(nil, functionID, id)
		m = protobuf.Uint(m, functionName, p.text(name))
		m = protobuf.Uint(m, functionSystem, p.text(name))
		p.message(profileFunction, protobuf.Uint(m, functionFile, p.text(file)))
	}
	return id
}
