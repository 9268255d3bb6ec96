package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// measured is one subject of micro with all its measurements.
type measured struct {
	name      string
	probe     string
	recorded  bool // under tracerec
	goTrace   bool // under the Go execution tracer
	count     string
	ns        []float64
	allocated int
}

// subjects lists what micro measures.
func subjects() []*measured {
	const many, few = "3000000x", "300000x"
	return []*measured{
		{name: "clock", probe: "clock", count: many},
		{name: "handle", probe: "region-handle", recorded: true, count: many},
		{name: "defer", probe: "region-defer", recorded: true, count: many},
		{name: "runtime/trace", probe: "region-runtime-trace", goTrace: true, count: many},
		{name: "OpenTelemetry", probe: "region-opentelemetry", count: few},
		{name: "handle off", probe: "region-handle", count: many},
		{name: "defer off", probe: "region-defer", count: many},
		{name: "runtime/trace off", probe: "region-runtime-trace", count: many},
		{name: "channel", probe: "channel", recorded: true, count: many},
		{name: "channel off", probe: "channel", count: many},
		{name: "channel bare", probe: "channel-bare", count: many},
		{name: "pingpong", probe: "pingpong", recorded: true, count: few},
		{name: "pingpong off", probe: "pingpong", count: few},
		{name: "pingpong bare", probe: "pingpong-bare", count: few},
		{name: "lock", probe: "lock", recorded: true, count: many},
		{name: "lock off", probe: "lock", count: many},
		{name: "lock bare", probe: "lock-bare", count: many},
	}
}

// micro measures single operations. Subjects take turns.
func (b *bench) micro() error {
	all := subjects()
	for range b.rounds {
		for _, s := range all {
			if err := b.measure(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	ns := func(name string) float64 {
		i := slices.IndexFunc(all, func(s *measured) bool { return s.name == name })
		return median(all[i].ns)
	}
	compare := func(what, ours, peer, goal string) {
		b.table.add(line{what, nanoseconds(ns(ours)), nanoseconds(ns(peer)) + " " + peer, times(ns(ours) / ns(peer)), goal})
	}
	twoReads := 2 * ns("clock")
	b.table.add(line{"clock read", nanoseconds(ns("clock")), "", "", ""})
	compare("region, handle", "handle", "runtime/trace", fmt.Sprintf("≤ %.0f ns and ≤ 0.20×", twoReads+15))
	compare("region, defer and name", "defer", "runtime/trace", fmt.Sprintf("≤ %.0f ns and ≤ 0.20×", twoReads+20))
	compare("region, defer and name", "defer", "OpenTelemetry", "")
	for _, s := range all {
		if strings.HasPrefix(s.probe, "region-") && s.recorded {
			b.table.add(line{"allocations, " + s.name, fmt.Sprint(s.allocated), "", "", "0"})
		}
	}
	compare("region off, handle", "handle off", "runtime/trace off", "≤ 2 ns")
	compare("region off, defer and name", "defer off", "runtime/trace off", "≤ 4 ns")
	for _, s := range []string{"channel", "pingpong", "lock"} {
		what := map[string]string{"channel": "send + receive, buffered", "pingpong": "ping-pong, unbuffered", "lock": "lock + unlock"}[s]
		compare(what, s, s+" bare", "")
		compare(what+", off", s+" off", s+" bare", "")
	}
	return nil
}

// measure takes one measurement.
func (b *bench) measure(s *measured) error {
	args := []string{"probe", "-count", s.count}
	if s.goTrace {
		args = append(args, "-gotrace", os.DevNull)
	}
	r, err := b.runSelf(s.recorded, append(args, s.probe)...)
	if err != nil {
		return err
	}
	var ns float64
	if _, err := fmt.Sscan(r.output, &ns, &s.allocated); err != nil {
		return fmt.Errorf("%q: %w", r.output, err)
	}
	s.ns = append(s.ns, ns)
	return nil
}
