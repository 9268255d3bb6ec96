package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"tracerec/instrument"
	"tracerec/internal/clock"
)

// probes are the subjects of the part micro. Each runs in a process of its own, which is recorded or not.
var probes = map[string]func(b *testing.B){
	"clock": func(b *testing.B) {
		kind := clock.Best()
		for b.Loop() {
			clock.Now(kind)
		}
	},
	"region-handle": func(b *testing.B) {
		for b.Loop() {
			s := probeRegion.Enter()
			s.End()
		}
	},
	"region-defer": func(b *testing.B) {
		for b.Loop() {
			deferred()
		}
	},
	"region-runtime-trace": func(b *testing.B) {
		for b.Loop() {
			deferredPeer(context.Background())
		}
	},
	"region-opentelemetry": openTelemetry,
	"channel": func(b *testing.B) {
		ch := make(chan int, 1)
		for b.Loop() {
			instrument.Send(ch, 1)
			instrument.Recv(ch)
		}
	},
	"channel-bare": func(b *testing.B) {
		ch := make(chan int, 1)
		for b.Loop() {
			ch <- 1
			<-ch
		}
	},
	"pingpong": func(b *testing.B) {
		there, back := make(chan int), make(chan int)
		instrument.Go(func() {
			for v := range instrument.Range(there) {
				instrument.Send(back, v)
			}
		})
		for b.Loop() {
			instrument.Send(there, 1)
			instrument.Recv(back)
		}
		instrument.Close(there)
	},
	"pingpong-bare": func(b *testing.B) {
		there, back := make(chan int), make(chan int)
		go func() {
			for v := range there {
				back <- v
			}
		}()
		for b.Loop() {
			there <- 1
			<-back
		}
		close(there)
	},
	"lock": func(b *testing.B) {
		var mu instrument.Mutex
		for b.Loop() {
			mu.Lock()
			mu.Unlock()
		}
	},
	"lock-bare": func(b *testing.B) {
		var mu sync.Mutex
		for b.Loop() {
			mu.Lock()
			mu.Unlock()
		}
	},
}

var probeRegion = instrument.NewRegion("probe")

//go:noinline
func deferred() { defer instrument.Region("probe").End() }

//go:noinline
func deferredPeer(ctx context.Context) { defer trace.StartRegion(ctx, "probe").End() }

// openTelemetry makes spans that are all sampled, batched and then thrown away.
func openTelemetry(b *testing.B) {
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithBatcher(discard{}),
		sdktrace.WithResource(resource.Empty()),
	)
	defer provider.Shutdown(context.Background())
	tracer := provider.Tracer("bench")
	for b.Loop() {
		span(tracer)
	}
}

//go:noinline
func span(tracer oteltrace.Tracer) {
	_, s := tracer.Start(context.Background(), "probe")
	defer s.End()
}

// discard is an exporter to nowhere.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }

// probe measures one subject and prints nanoseconds and allocations per operation.
func probe(args []string) error {
	flags := flag.NewFlagSet("probe", flag.ExitOnError)
	goTrace := flags.String("gotrace", "", "switch the Go execution tracer on, with this `file`")
	count := flags.String("count", "1000000x", "operations, as go test -benchtime")
	flags.Parse(args)
	switch flags.Arg(0) {
	case "read-go-trace":
		return readGoTrace(flags.Arg(1))
	case "goroutines":
		return manyGoroutines(flags.Args()[1:])
	}
	f, ok := probes[flags.Arg(0)]
	if !ok {
		return fmt.Errorf("unknown probe %q", flags.Arg(0))
	}
	if *goTrace != "" {
		f, err := os.Create(*goTrace)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	testing.Init()
	if err := flag.Set("test.benchtime", *count); err != nil {
		return err
	}
	r := testing.Benchmark(f)
	if r.N == 0 {
		return errors.New("benchmark failed")
	}
	_, err := fmt.Printf("%.3f %d\n", float64(r.T.Nanoseconds())/float64(r.N), r.AllocsPerOp())
	return err
}

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

// micro measures single operations. Subjects take turns.
func (b *bench) micro() error {
	const many, few = "3000000x", "300000x"
	subjects := []*measured{
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
	for range b.rounds {
		for _, s := range subjects {
			if err := b.measure(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	ns := func(name string) float64 {
		i := slices.IndexFunc(subjects, func(s *measured) bool { return s.name == name })
		return median(subjects[i].ns)
	}
	compare := func(what, ours, peer, goal string) {
		b.table.add(line{what, nanoseconds(ns(ours)), nanoseconds(ns(peer)) + " " + peer, times(ns(ours) / ns(peer)), goal})
	}
	twoReads := 2 * ns("clock")
	b.table.add(line{"clock read", nanoseconds(ns("clock")), "", "", ""})
	compare("region, handle", "handle", "runtime/trace", fmt.Sprintf("≤ %.0f ns and ≤ 0.20×", twoReads+15))
	compare("region, defer and name", "defer", "runtime/trace", fmt.Sprintf("≤ %.0f ns and ≤ 0.20×", twoReads+20))
	compare("region, defer and name", "defer", "OpenTelemetry", "")
	for _, s := range subjects {
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
