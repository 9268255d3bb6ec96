package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"tracerec/counters/events"
)

// perfmonEvent is an event in the files of Intel's perfmon repository.
type perfmonEvent struct {
	EventName, EventCode, UMask, BriefDescription, Counter, MSRIndex, MSRValue  string
	CounterMask, Invert, EdgeDetect, AnyThread, TakenAlone, Deprecated, Offcore string
}

// perfmon reads a file of core events of Intel's.
func perfmon(file string, counters int) ([]events.Entry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []perfmonEvent // before 2023 files were plain lists
	if err := json.Unmarshal(text, &list); err != nil {
		var wrapped struct{ Events []perfmonEvent }
		if err := json.Unmarshal(text, &wrapped); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = wrapped.Events
	}
	var all []events.Entry
	for _, p := range list {
		e, err := p.entry(counters)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, p.EventName, err)
		}
		if p.Deprecated != "1" {
			all = append(all, e)
		}
	}
	return all, nil
}

// entry translates an event. Numbers are decimal or hexadecimal; lists of them are alternatives.
func (p perfmonEvent) entry(counters int) (events.Entry, error) {
	e := events.Entry{Name: p.EventName, Description: oneLine(p.BriefDescription), PMU: "cpu", Alone: p.TakenAlone == "1"}
	var err error
	number := func(text string) uint64 {
		text, _, _ = strings.Cut(text, ",")
		if text == "" || text == "null" || err != nil {
			return 0
		}
		var v uint64
		v, err = strconv.ParseUint(strings.TrimSpace(text), 0, 64)
		return v
	}
	bits := number(p.EventCode) | number(p.UMask)<<8 | number(p.EdgeDetect)<<18 | number(p.AnyThread)<<21 |
		number(p.Invert)<<23 | number(p.CounterMask)<<24
	e.Encoding = intelEncoding(p.EventName, bits)
	if value := number(p.MSRValue); err == nil {
		switch number(p.MSRIndex) {
		case 0x1a6, 0x1a7:
			e.Encoding += fmt.Sprintf(",offcore_rsp=%#x", value)
		case 0x3f6:
			e.Encoding += fmt.Sprintf(",ldlat=%#x", value)
		case 0x3f7:
			e.Encoding += fmt.Sprintf(",frontend=%#x", value)
		}
	}
	constrain(&e, perfmonCounters(p.Counter), counters)
	return e, err
}

// perfmonCounters reads "0,1,2,3", "0-7" or "Fixed counter 0" as a mask of general counters.
func perfmonCounters(text string) (mask uint64) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(low)
		b := a
		if isRange && err == nil {
			b, err = strconv.Atoi(high)
		}
		for i := a; err == nil && i <= b && i < 32; i++ {
			mask |= 1 << i
		}
	}
	return mask
}

// armData reads a file of pmu/ of ARM-software/data.
func armData(file, pmu string, counters int) ([]events.Entry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var data struct {
		Events []struct {
			Code              int
			Name, Description string
		}
	}
	if err := json.Unmarshal(text, &data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []events.Entry
	for _, a := range data.Events {
		description, _, _ := strings.Cut(oneLine(a.Description), " This event counts")
		e := events.Entry{Name: a.Name, Description: description, PMU: pmu, Encoding: fmt.Sprintf("event=%#x", a.Code)}
		armCycles(&e, counters)
		all = append(all, e)
	}
	return all, nil
}

// oneLine removes what does not belong into one line of a table.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
