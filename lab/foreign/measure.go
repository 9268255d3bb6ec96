package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"tracerec/lab/gotest"
	"tracerec/trace"
)

type way int

const (
	plain way = iota
	recorded
)

// outcome is what one run of the tests of a program gave.
type outcome struct {
	tests   map[string]string // "pass", "fail" or "skip" by package and name
	seconds float64           // that the packages took, together
	stderr  string
}

// test runs go test, or tracerec test.
func (s *session) test(w way, dir string, args ...string) (*outcome, error) {
	command := []string{"go", "test", "-count=1"}
	if w == recorded {
		command = []string{s.tracerec, "test", "-q", "--functions", "-o", s.archives()}
		if err := os.RemoveAll(s.archives()); err != nil {
			return nil, err
		}
	}
	if *race {
		command = append(command, "-race")
	}
	var errs bytes.Buffer
	c := s.command(dir, append(append(command, "-json"), args...)...)
	c.Stderr = &errs
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o := &outcome{stderr: errs.String()}
	if o.tests, o.seconds, err = gotest.Outcomes(bytes.NewReader(out)); err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, o.stderr)
	}
	return o, nil
}

func (s *session) archives() string { return filepath.Join(s.dir, "trace.dir") }

// result is a row of the table.
type result struct {
	program             string
	tests, unsteady     int
	differences         []string
	functions           string
	cold, warm          [2]float64
	seconds             [2]float64 // least
	events, lost, bytes int64
	unknown             float64 // share of time that is neither running nor in anything that is recorded
	verdict             string
}

const header = `| program | tests | as by go test | regions of functions | build cold, go and ours | warm, ours | tests, s | recorded, s | ratio | events | archive | not known |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|`

func (r *result) String() string {
	same := "yes"
	if len(r.differences) > 0 {
		same = fmt.Sprintf("%d differ", len(r.differences))
	}
	lost := ""
	if r.lost > 0 {
		lost = fmt.Sprintf(" (%d LOST)", r.lost)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %.1f, %.1f s | %.1f s | %.2f | %.2f | %.2f | %.2f M%s | %.1f MiB | %.1f %% |", r.program, r.tests, same, r.functions,
		r.cold[plain], r.cold[recorded], r.warm[recorded], r.seconds[plain], r.seconds[recorded], r.ratio(),
		float64(r.events)/1e6, lost, float64(r.bytes)/(1<<20), 100*r.unknown)
}

var inAll = regexp.MustCompile(`(?m)^ +(\d+) +(\d+) .* in all$`)

// alone makes the go command test one package after the other: links of others, and their tests, would take the processors from either way.
const alone = "-p=1"

// measure builds a program twice in either way, and runs its tests in turns.
func (s *session) measure(p program) (*result, error) {
	dir, err := s.module(p)
	if err != nil {
		return nil, err
	}
	r := &result{program: p.name}
	build := append([]string{"-run=NONE"}, slices.DeleteFunc(slices.Clone(p.args), func(a string) bool { return len(a) > 4 && a[:5] == "-run=" })...)
	for _, w := range []way{plain, recorded} {
		for _, t := range []*float64{&r.cold[w], &r.warm[w]} {
			began := time.Now()
			o, err := s.test(w, dir, build...)
			if err != nil {
				return nil, err
			}
			*t = time.Since(began).Seconds()
			if m := inAll.FindStringSubmatch(o.stderr); m != nil {
				r.functions = m[2] + " of " + m[1]
			}
		}
	}
	var all [2][]*outcome
	for range *runs {
		for _, w := range []way{plain, recorded} {
			o, err := s.test(w, dir, append([]string{alone}, p.args...)...)
			if err != nil {
				return nil, err
			}
			all[w] = append(all[w], o)
		}
	}
	for _, w := range []way{plain, recorded} {
		r.seconds[w] = slices.MinFunc(all[w], func(a, b *outcome) int { return int(1000 * (a.seconds - b.seconds)) }).seconds
	}
	r.compare(all)
	return r, s.look(r)
}

func (r *result) ratio() float64 { return r.seconds[recorded] / r.seconds[plain] }

// sum says what recording costs over all programs.
func sum(all []float64) string {
	slices.Sort(all)
	n := len(all)
	return fmt.Sprintf("ratios of %d programs: median %.2f, largest %.2f", n, (all[(n-1)/2]+all[n/2])/2, all[n-1])
}

// compare finds the tests with another outcome than in all runs of go test. Those whose outcome differs between these are not compared, and neither are
// others beside them in one test: such names are made by chance.
func (r *result) compare(all [2][]*outcome) {
	first := all[plain][0].tests
	r.tests = len(first)
	unsteady := map[string]bool{} // and what they are in
	for _, o := range all[plain] {
		for name := range o.tests {
			if !unsteady[name] && slices.ContainsFunc(all[plain], func(o *outcome) bool { return o.tests[name] != first[name] }) {
				r.unsteady++
				unsteady[name], unsteady[path.Dir(name)+"/"] = true, true
			}
		}
	}
	seen := map[string]bool{}
	for _, o := range slices.Concat(all[plain], all[recorded]) {
		for name := range o.tests {
			if seen[name] || unsteady[name] || first[name] == "" && unsteady[path.Dir(name)+"/"] {
				continue
			}
			seen[name] = true
			for i, o := range all[recorded] {
				if got := o.tests[name]; got != first[name] {
					r.differences = append(r.differences, name+": "+strconv.Quote(first[name])+", recorded "+strconv.Quote(got)+" in run "+strconv.Itoa(i+1))
				}
			}
		}
	}
	slices.Sort(r.differences)
}

// look sums up the archives of the last run, and asks what the largest says.
func (s *session) look(r *result) error {
	largest, most := "", int64(-1)
	err := filepath.WalkDir(s.archives(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		a, err := trace.Open(name)
		if err != nil {
			return nil // a directory of archives
		}
		defer a.Close()
		events := int64(0)
		for _, c := range a.Chunks() {
			events += int64(c.Events)
		}
		if events > most {
			largest, most = name, events
		}
		r.events += events
		for _, p := range a.Definitions().Processes {
			r.lost += int64(p.Warnings["events lost"])
		}
		files, err := os.ReadDir(name)
		for _, f := range files {
			if info, err := f.Info(); err == nil && !f.IsDir() {
				r.bytes += info.Size()
			}
		}
		return err
	})
	if err != nil || largest == "" {
		return err
	}
	out, err := s.command(s.dir, s.expert, "analyze", "--format", "json", largest).Output()
	var x struct {
		Verdict struct{ Text string }
		Metrics []struct {
			Name  string
			Total int64
		}
	}
	if err = errors.Join(err, json.Unmarshal(out, &x)); err != nil {
		return err
	}
	r.verdict = x.Verdict.Text
	totals := map[string]int64{}
	for _, m := range x.Metrics {
		totals[m.Name] = m.Total
	}
	r.unknown = float64(totals["unrecorded_wait"]) / float64(max(1, totals["time"]))
	return nil
}
