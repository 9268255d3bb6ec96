package counters

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"

	"tracerec/internal/protobuf"
)

// Field numbers of the format, by message.
const (
	profileType, profileSample, profileMapping, profileLocation, profileFunction, profileString = 1, 2, 3, 4, 5, 6 // Profile
	profilePeriodType, profilePeriod, profileComment, profileDefault                            = 11, 12, 13, 14

	typeName, typeUnit                                           = 1, 2        // ValueType
	sampleLocation, sampleValue                                  = 1, 2        // Sample
	mappingID, mappingFile                                       = 1, 5        // Mapping
	mappingFunctions, mappingFiles, mappingLines, mappingInlined = 7, 8, 9, 10 // Mapping: nobody need look for them
	locationID, locationMapping, locationAddress, locationLine   = 1, 2, 3, 4  // Location
	lineFunction, lineNumber                                     = 1, 2        // Line
	functionID, functionName, functionSystem, functionFile       = 1, 2, 3, 4  // Function
)

// profileWriter is a profile in the making: the message so far, and what has a number in it.
type profileWriter struct {
	message   []byte
	strings   map[string]uint64
	list      []string             // strings by number
	functions map[[2]string]uint64 // by name and file
	locations map[uintptr]uint64   // by the address of the instruction
}

// WritePprof writes the samples as a profile for go tool pprof, compressed with gzip: for each stack the number of
// samples and of the events that they stand for. Lines are found in this process, so the profile needs no binary. What
// was dropped at random is missing; weights and compression have no part in it.
func (h *Histogram) WritePprof(w io.Writer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &profileWriter{strings: map[string]uint64{}, functions: map[[2]string]uint64{}, locations: map[uintptr]uint64{}}
	p.text("") // is number 0
	unit := "count"
	switch h.event.Unit {
	case "ns":
		unit = "nanoseconds"
	case "bytes":
		unit = "bytes"
	}
	p.add(profileType, p.valueType("samples", "count"))
	p.add(profileType, p.valueType(h.event.Name, unit))
	p.add(profilePeriodType, p.valueType(h.event.Name, unit))
	p.message = protobuf.Int(p.message, profilePeriod, int64(h.threshold))
	p.message = protobuf.Uint(p.message, profileDefault, p.text(h.event.Name))
	p.mapping()
	for _, s := range slices.SortedFunc(maps.Values(h.stacks), byStack) {
		p.sample(s)
	}
	if h.dropped+h.unknown > 0 {
		comment := fmt.Sprintf("%d samples were dropped at random, %d have no program counter.", h.dropped, h.unknown)
		p.message = protobuf.Uint(p.message, profileComment, p.text(comment))
	}
	for _, s := range p.list {
		p.message = protobuf.String(p.message, profileString, s)
	}
	out := gzip.NewWriter(w)
	_, err := out.Write(p.message)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("profile of %s: %w", h.event.Name, err)
	}
	return nil
}

func byStack(a, b *stackSamples) int {
	return cmp.Or(-cmp.Compare(a.events, b.events), slices.Compare(a.stack, b.stack))
}

// add adds a message to the profile.
func (p *profileWriter) add(field int, message []byte) {
	p.message = protobuf.Bytes(p.message, field, message)
}

// text returns the number of a string.
func (p *profileWriter) text(s string) uint64 {
	n, known := p.strings[s]
	if !known {
		n = uint64(len(p.list))
		p.strings[s], p.list = n, append(p.list, s)
	}
	return n
}

func (p *profileWriter) valueType(name, unit string) []byte {
	return protobuf.Uint(protobuf.Uint(nil, typeName, p.text(name)), typeUnit, p.text(unit))
}

// mapping adds the program.
func (p *profileWriter) mapping() {
	program, _ := os.Executable()
	m := protobuf.Uint(protobuf.Uint(nil, mappingID, 1), mappingFile, p.text(program))
	for _, known := range []int{mappingFunctions, mappingFiles, mappingLines, mappingInlined} {
		m = protobuf.Uint(m, known, 1)
	}
	p.add(profileMapping, m)
}

// sample adds a stack with its values.
func (p *profileWriter) sample(s *stackSamples) {
	var m []byte
	for i, pc := range s.stack {
		if i > 0 {
			pc-- // a return address: the call is before it
		}
		m = protobuf.Uint(m, sampleLocation, p.location(pc))
	}
	m = protobuf.Uint(protobuf.Uint(m, sampleValue, s.samples), sampleValue, s.events)
	p.add(profileSample, m)
}

// location returns the number of that of a program counter, with the lines of all functions that are inlined there.
func (p *profileWriter) location(pc uintptr) uint64 {
	n, known := p.locations[pc]
	if known {
		return n
	}
	n = uint64(len(p.locations) + 1)
	p.locations[pc] = n
	m := protobuf.Uint(protobuf.Uint(protobuf.Uint(nil, locationID, n), locationMapping, 1), locationAddress, uint64(pc))
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
		m = protobuf.Bytes(m, locationLine, protobuf.Int(protobuf.Uint(nil, lineFunction, p.function(f.Function, f.File)), lineNumber, int64(f.Line)))
	}
	p.add(profileLocation, m)
	return n
}

// function returns the number of a function.
func (p *profileWriter) function(name, file string) uint64 {
	n, known := p.functions[[2]string{name, file}]
	if !known {
		n = uint64(len(p.functions) + 1)
		p.functions[[2]string{name, file}] = n
		m := protobuf.Uint(protobuf.Uint(nil, functionID, n), functionName, p.text(name))
		p.add(profileFunction, protobuf.Uint(protobuf.Uint(m, functionSystem, p.text(name)), functionFile, p.text(file)))
	}
	return n
}
