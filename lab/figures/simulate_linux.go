package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"tracerec/recorder/simulated"
	"tracerec/simulator/cache"
	"tracerec/simulator/pmu"
)

// The machine and its unit of counters are those of the paper, as far as it describes them.
var (
	//go:embed machine.json
	machineFile []byte
	//go:embed unit.json
	unitFile []byte
)

// buildGuest builds the program that does the loops, and returns its file in the directory.
func buildGuest(dir string) (string, error) {
	file := filepath.Join(dir, "guest")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, "tracerec/lab/figures/guest")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, bytes.TrimSpace(out))
	}
	return file, nil
}

// simulate does one run. It depends on nothing but the program and what is asked for.
func simulate(program string, a ask) (r outcome, err error) {
	m, err := cache.Read(bytes.NewReader(machineFile))
	if err != nil {
		return r, err
	}
	m.L1D.Size = a.l1
	unit, err := pmu.Read(bytes.NewReader(unitFile))
	if err != nil {
		return r, err
	}
	var out, problems bytes.Buffer
	ran, err := simulated.Run(simulated.Options{
		Program: program, Machine: m, PMU: unit, CPUs: a.cpus, Seed: 1, Env: []string{"HOME=/"}, Stdout: &out, Stderr: &problems,
		Args: []string{"guest", "-pattern", a.pattern, "-iterations", strconv.Itoa(1 << a.power), "-threads", strconv.Itoa(a.threads),
			"-passes", strconv.Itoa(a.passes), "-slice", a.slice.String(), "-mode", a.mode,
			"-least", strconv.FormatInt(int64(ownTime*a.slice.Seconds()*hertz), 10)},
	})
	if err == nil && ran.Status != 0 {
		err = fmt.Errorf("status %d: %s", ran.Status, bytes.TrimSpace(problems.Bytes()))
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &r.threads)
	}
	if err != nil {
		return r, fmt.Errorf("%+v: %w", a, err)
	}
	r.ask = a
	return r, nil
}

// simulateAll does all runs, some at a time.
func simulateAll(c config, tell func(a ask, took time.Duration)) (*simulation, error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := buildGuest(dir)
	if err != nil {
		return nil, err
	}
	s := &simulation{config: c, runs: map[ask]outcome{}}
	var errs []error
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := make(chan ask)
	for range runtime.NumCPU() {
		wait.Go(func() {
			for a := range next {
				begin := time.Now()
				o, err := simulate(program, a)
				mu.Lock()
				s.runs[a], errs = o, append(errs, err)
				tell(a, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	for _, a := range simulatedAsks(c) {
		next <- a
	}
	close(next)
	wait.Wait()
	return s, errors.Join(errs...)
}
