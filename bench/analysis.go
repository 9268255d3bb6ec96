package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/exp/trace"
)

// analysis compares a full analysis with a mere reading of the Go execution trace of the same program.
func (b *bench) analysis() error {
	const count, subject = "500000x", "pingpong"
	file := b.path("pingpong.trace")
	if _, err := b.runSelf(false, "probe", "-count", count, "-gotrace", file, subject); err != nil {
		return err
	}
	recorded, err := b.runSelf(true, "probe", "-count", count, subject)
	if err != nil {
		return err
	}
	base, err := execute(b.path("expert"), "patterns")
	if err != nil {
		return err
	}
	peerBase, err := b.runSelf(false, "probe", "-count", "1x", "clock")
	if err != nil {
		return err
	}
	var ours, peer speed
	for range b.rounds {
		if err := ours.add(base, b.analyze(recorded.archive, "")); err != nil {
			return err
		}
		read, err := b.runSelf(false, "probe", "read-go-trace", file)
		if err != nil {
			return err
		}
		var events uint64
		if _, err := fmt.Sscan(read.output, &events); err != nil {
			return err
		}
		if err := peer.add(peerBase, analyzed{read, events, nil}); err != nil {
			return err
		}
	}
	b.table.add(line{"analysis, channel operations", mega(ours.rate()), mega(peer.rate()) + " x/exp/trace reading",
		times(ours.rate() / peer.rate()), "≥ 10 M/s"})
	b.table.add(line{"memory of the analysis, channel operations", fmt.Sprintf("%.1f B/event", ours.memory()),
		fmt.Sprintf("%.1f B/event x/exp/trace reading", peer.memory()), times(ours.memory() / peer.memory()), "≤ 16 B/event"})

	hydro, err := b.record("64ns", b.path("hydro"))
	if err != nil {
		return err
	}
	synthetic := b.path("synthetic.dir")
	if err := synthesize(synthetic, 4_000_000); err != nil {
		return err
	}
	for _, subject := range []struct{ what, archive string }{{"hydro", hydro.archive}, {"synthetic stencil", synthetic}} {
		var s speed
		for range b.rounds {
			if err := s.add(base, b.analyze(subject.archive, "")); err != nil {
				return err
			}
		}
		b.table.add(line{"analysis, " + subject.what, mega(s.rate()), "", "", "≥ 10 M/s"})
		b.table.add(line{"memory of the analysis, " + subject.what, fmt.Sprintf("%.1f B/event", s.memory()), "", "", "≤ 16 B/event"})
	}
	return os.RemoveAll(synthetic)
}

// analyzed is the outcome of one analysis or reading.
type analyzed struct {
	result
	events uint64
	err    error
}

// analyze runs expert analyze, under a limit on memory if there is one.
func (b *bench) analyze(archive, limit string) analyzed {
	args := []string{"analyze", "--format", "json", archive}
	if limit != "" {
		args = append(args, "--memory", limit)
	}
	r, err := execute(b.path("expert"), args...)
	if err != nil {
		return analyzed{err: err}
	}
	var out struct {
		Experiment struct {
			Events uint64 `json:"events"`
		} `json:"experiment"`
	}
	err = json.Unmarshal([]byte(r.output), &out)
	return analyzed{r, out.Experiment.Events, err}
}

// speed collects events per second and bytes of memory per event.
type speed struct{ rates, bytes []float64 }

// add takes a measurement; base is a run of the same program that has nothing to do.
func (s *speed) add(base result, a analyzed) error {
	if a.err == nil && a.events == 0 {
		a.err = errors.New("no events")
	}
	if a.err != nil {
		return a.err
	}
	s.rates = append(s.rates, float64(a.events)/a.elapsed.Seconds())
	s.bytes = append(s.bytes, float64(a.result.memory-base.memory)/float64(a.events))
	return nil
}

func (s *speed) rate() float64   { return median(s.rates) }
func (s *speed) memory() float64 { return median(s.bytes) }

// readGoTrace reads a Go execution trace to its end and prints the number of events.
func readGoTrace(file string) error {
	n, err := countGoTrace(file)
	if err == nil {
		fmt.Println(n)
	}
	return err
}

func countGoTrace(file string) (n uint64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := trace.NewReader(bufio.NewReaderSize(f, 1<<20))
	for err == nil {
		if _, err = r.ReadEvent(); err == nil {
			n++
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}
