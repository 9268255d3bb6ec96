package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// example is one of the example programs as it is measured.
type example struct {
	name string
	args []string
}

var examples = []example{{"hydro", nil}, {"compress", nil}, {"kvserver", nil}}

// slowdown compares the examples without recorder and with, run in turns.
func (b *bench) slowdown() error {
	for _, e := range examples {
		var program, whole, bare []float64
		for range b.rounds {
			off, err := execute(b.path(e.name), e.args...)
			if err != nil {
				return err
			}
			on, err := b.record("64ns", b.path(e.name), e.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			bare = append(bare, off.elapsed.Seconds())
			program = append(program, on.lifetime.Seconds()/off.elapsed.Seconds())
			whole = append(whole, on.elapsed.Seconds()/off.elapsed.Seconds())
		}
		b.table.add(line{"slow-down of " + e.name, times(median(program)), fmt.Sprintf("%.2f s off", median(bare)),
			times(median(whole)) + " with start and end of tracerec", ""})
	}
	return nil
}

// size compares the bytes of archives with those of Go execution traces of the same programs.
func (b *bench) size() error {
	for _, e := range examples {
		traced, err := b.buildTraced(e.name)
		if err != nil {
			return err
		}
		file := b.path(e.name + ".trace")
		if err := os.Setenv(traceVariable, file); err != nil {
			return err
		}
		if _, err := execute(traced, e.args...); err != nil {
			return err
		}
		os.Unsetenv(traceVariable)
		events, err := countGoTrace(file)
		if err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		peer := float64(info.Size()) / float64(events)
		for _, resolution := range []string{"64ns", "1ns"} {
			r, err := b.record(resolution, b.path(e.name), e.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			ours := float64(r.recorded.Bytes) / float64(r.recorded.Events)
			goal := "≤ 2 B/event"
			if resolution == "1ns" {
				goal = ""
			}
			b.table.add(line{fmt.Sprintf("archive of %s, %s", e.name, resolution),
				fmt.Sprintf("%.2f B/event of %d", ours, r.recorded.Events),
				fmt.Sprintf("%.2f B/event of %d Go trace", peer, events), times(ours / peer), goal})
		}
	}
	return nil
}

// traceVariable names the file for the Go execution trace of an example that was built for it.
const traceVariable = "BENCH_GO_TRACE"

// goTraceSource is added to an example to trace it.
const goTraceSource = `package main

import (
	"os"
	"runtime/trace"
)

func startGoTrace() func() {
	f, err := os.Create(os.Getenv("` + traceVariable + `"))
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		panic(err)
	}
	return trace.Stop
}
`

// buildTraced builds an example that writes a Go execution trace, without a change to its source.
func (b *bench) buildTraced(name string) (string, error) {
	dir := filepath.Join(b.root, "examples", name)
	source, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		return "", err
	}
	const start = "func main() {\n"
	if !strings.Contains(string(source), start) {
		return "", fmt.Errorf("%s/main.go: no function main", dir)
	}
	main := strings.Replace(string(source), start, start+"\tdefer startGoTrace()()\n", 1)
	overlay := map[string]map[string]string{"Replace": {
		filepath.Join(dir, "main.go"):    b.path("overlay_main.go"),
		filepath.Join(dir, "gotrace.go"): b.path("overlay_gotrace.go"),
	}}
	description, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	for file, content := range map[string]string{
		"overlay_main.go": main, "overlay_gotrace.go": goTraceSource, "overlay.json": string(description),
	} {
		if err := os.WriteFile(b.path(file), []byte(content), 0o644); err != nil {
			return "", err
		}
	}
	traced := b.path(name + "-traced")
	return traced, b.build("-o", traced, "-overlay", b.path("overlay.json"), "./examples/"+name)
}
