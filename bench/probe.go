package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
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
