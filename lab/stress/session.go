package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// session is where programs are built and run, what they are, and what was seen.
type session struct {
	context          context.Context
	dir, source      string // source of the Go distribution
	tracerec, expert string
	limits           limits
	turn             string
	programs         map[program]string            // files
	usual            map[program]map[string]string // outcomes of unrecorded tests where nothing is set
	warnings         map[string]int
	totals
}

// totals are what was done.
type totals struct {
	turns, runs, compared, ran, failures, hangs int
	recorded, plain, analysis                   time.Duration // processor time
	lasted                                      time.Duration
}

func (t totals) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(time.Second) }
	return fmt.Sprintf("%d turns in %v: %d recordings, of %d tests of the distribution and %d runs of random programs; processor time %v of what was recorded, "+
		"%v unrecorded, %v of analysis; %d failures, %d hangs\n",
		t.turns, round(t.lasted), t.runs, t.compared, t.ran, round(t.recorded), round(t.plain), round(t.analysis), t.failures, t.hangs)
}

// make runs a command that builds a program.
func (s *session) make(dir string, command ...string) error {
	c := exec.CommandContext(s.context, command[0], command[1:]...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.3000s", strings.Join(command, " "), err, out)
	}
	return nil
}

func (s *session) archive() string { return filepath.Join(s.dir, "trace.dir") }

// recorder is the beginning of a command that records a program.
func (s *session) recorder(file string) []string {
	return []string{s.tracerec, "-q", "-o", s.archive(), file}
}

// run runs a command with variables in the environment of its program, waits for it, and adds up its processor time. The error is a hang, or that it cannot be run.
func (s *session) run(dir string, environment []string, command ...string) (ended, error) {
	output, recorded := filepath.Join(s.dir, "output"), command[0] == s.tracerec
	if !recorded {
		output += ".plain"
	} else if err := os.RemoveAll(s.archive()); err != nil {
		return ended{}, err
	}
	// What is set is set for the program, not for tracerec.
	at := slices.IndexFunc(command, func(arg string) bool { return strings.HasPrefix(arg, s.dir) && arg != s.archive() })
	command = slices.Insert(slices.Clone(command), at, append([]string{"env"}, environment...)...)
	e, err := watch(s.context, s.limits, dir, output, command)
	if recorded {
		s.recorded += e.cpu
		s.runs++
	} else {
		s.plain += e.cpu
	}
	if e.hung != "" {
		s.hangs++
		s.keep()
		return e, fmt.Errorf("%s: %s", strings.Join(command, " "), e.hung)
	}
	return e, err
}

// numbers are what differs between warnings of one kind.
var numbers = regexp.MustCompile(`[0-9][0-9,.]*`)

// damaged are parts of warnings that no whole archive gives.
var damaged = []string{"not completed", "without a begin", "still open", "behind the end"}

// analyze looks whether the archive of the last recording is whole and can be analyzed, and whether the report can be read.
func (s *session) analyze() error {
	report := filepath.Join(s.dir, "report.cubex")
	var x struct{ Warnings []string }
	for _, command := range [][]string{
		{s.tracerec, "check", s.archive()},
		{s.expert, "analyze", "--format", "json", "-o", report, s.archive()},
		{s.expert, "analyze", report},
	} {
		var stdout, stderr bytes.Buffer
		c := exec.CommandContext(s.context, command[0], command[1:]...)
		c.Stdout, c.Stderr = &stdout, &stderr
		err := c.Run()
		if c.ProcessState != nil {
			s.analysis += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
		if err == nil && slices.Contains(command, "json") {
			err = json.Unmarshal(stdout.Bytes(), &x)
		}
		if err != nil {
			s.keep()
			return fmt.Errorf("%s: %w: %.500s", strings.Join(command, " "), err, stderr.Bytes())
		}
	}
	for _, w := range x.Warnings {
		s.warnings[numbers.ReplaceAllString(w, "N")]++
		if slices.ContainsFunc(damaged, func(part string) bool { return strings.Contains(w, part) }) {
			s.keep()
			s.fail("damage: %s", w)
		}
	}
	return nil
}

// said are the warnings of reports, with how often there were such.
func (s *session) said() (list []string) {
	for w, n := range s.warnings {
		list = append(list, fmt.Sprintf("%d times: %s", n, w))
	}
	slices.Sort(list)
	return list
}

// keep keeps the archive of the last recording and the outputs of the last runs, if nothing of this turn is kept yet.
func (s *session) keep() {
	dir := filepath.Join(s.dir, "failed", strings.ReplaceAll(s.turn, " ", "_"))
	if os.MkdirAll(filepath.Dir(dir), 0o755) != nil || os.Mkdir(dir, 0o755) != nil {
		return
	}
	outputs, _ := filepath.Glob(filepath.Join(s.dir, "output*"))
	for _, name := range append(outputs, s.archive(), filepath.Join(s.dir, "random")) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			os.CopyFS(filepath.Join(dir, filepath.Base(name)), os.DirFS(name))
		} else if text, err := os.ReadFile(name); err == nil {
			os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o644)
		}
	}
}
