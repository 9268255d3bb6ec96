package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"tracerec/instrument"
)

// goroutines runs a program of very many goroutines without recorder and with, and analyzes the trace.
func (b *bench) goroutines() error {
	args := []string{"probe", "goroutines", "-n", fmt.Sprint(b.options.goroutines), "-live", fmt.Sprint(b.live)}
	off, err := b.runSelf(false, args...)
	if err != nil {
		return err
	}
	on, err := b.runSelf(true, args...)
	if err != nil {
		return err
	}
	var need, took int64
	if _, err := fmt.Sscan(off.output, &need); err != nil {
		return err
	}
	if _, err := fmt.Sscan(on.output, &took); err != nil {
		return err
	}
	a := b.analyze(on.archive, "")
	if a.err != nil {
		return a.err
	}
	n := float64(b.options.goroutines)
	name := fmt.Sprintf("%d goroutines, %d at a time", b.options.goroutines, min(b.live, b.options.goroutines))
	b.table.add(line{name, fmt.Sprintf("%.2f s", on.lifetime.Seconds()), fmt.Sprintf("%.2f s off", off.elapsed.Seconds()),
		times(on.lifetime.Seconds() / off.elapsed.Seconds()), ""})
	b.table.add(line{"peak memory of the program", megabytes(took), megabytes(need) + " off",
		fmt.Sprintf("%.0f B/goroutine more", float64(took-need)/n), ""})
	b.table.add(line{"archive", fmt.Sprintf("%.2f B/event of %d", float64(on.recorded.Bytes)/float64(on.recorded.Events), on.recorded.Events),
		"", fmt.Sprintf("%d goroutines in it", on.recorded.Goroutines), ""})
	b.table.add(line{"analysis", fmt.Sprintf("%.2f s", a.elapsed.Seconds()), mega(float64(a.events) / a.elapsed.Seconds()),
		megabytes(a.memory), ""})
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

// manyGoroutines starts goroutines with one region each, of which at most live are alive at the same time,
// and prints the peak memory of the process.
func manyGoroutines(args []string) error {
	flags := flag.NewFlagSet("goroutines", flag.ExitOnError)
	n := flags.Int("n", 1_000_000, "goroutines in all")
	live := flags.Int("live", 1_000_000, "goroutines alive at the same time")
	flags.Parse(args)
	if *n < 1 || *live < 1 {
		return errors.New("-n and -live must be positive")
	}
	for left := *n; left > 0; left -= *live {
		// All goroutines of a wave wait within their region until the last one has started.
		var wave sync.WaitGroup
		start := make(chan bool)
		for range min(left, *live) {
			wave.Add(1)
			instrument.Go(func() {
				defer wave.Done()
				defer instrument.Region("work").End()
				<-start
			})
		}
		close(start)
		wave.Wait()
	}
	peak, err := peakMemory()
	if err == nil {
		fmt.Println(peak)
	}
	return err
}

// peakMemory is the most memory that this process had resident, in bytes.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			var kb int64
			_, err := fmt.Sscan(value, &kb)
			return kb << 10, err
		}
	}
	return 0, errors.New("/proc/self/status: no VmHWM")
}
