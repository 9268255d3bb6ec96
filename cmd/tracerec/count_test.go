//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters"
	"tracerec/counters/count"
	"tracerec/counters/perf"
)

// need skips the test when an event cannot be counted here.
func need(t *testing.T, event string) {
	t.Helper()
	if err := counters.Available(event); err != nil {
		t.Skip(err)
	}
}

// tallied runs tracerec count as a process and returns what it counted; standard output must be want.
func tallied(t *testing.T, status int, want string, args ...string) map[string]count.Event {
	t.Helper()
	file := filepath.Join(t.TempDir(), "counts.json")
	r := record(t, append([]string{"count", "--format", "json", "-o", file}, args...)...)
	require.Equal(t, result{status, want, ""}, r)
	return byName(decode(t, file))
}

func decode(t *testing.T, file string) (all count.Tally) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	for _, e := range all.Events {
		require.Equal(t, e.Why == "", e.Mean != nil, "%s: either a count or a reason", e.Name)
		require.Equal(t, e.Why == "", len(e.Counts) == all.Runs, e.Name)
	}
	require.Len(t, all.Real, all.Runs)
	return all
}

func byName(t count.Tally) map[string]count.Event {
	found := map[string]count.Event{}
	for _, e := range t.Events {
		found[e.Name] = e
	}
	return found
}

func TestCountIsExact(t *testing.T) {
	need(t, "mem:0x1000/8:w")
	names := []string{"mem:main.cells/8:w", "mem:main.cells+8/8:w", "mem:main.cells+16/8:w", "mem:main.cells+24/8:w", "mem:main.cells+32/8:w"}
	got := tallied(t, 0, "", "-e", strings.Join(names, ","), "--", program(t, "stores"), "4", "700")
	for _, name := range names[:4] {
		require.Equal(t, []int64{700}, got[name].Counts, "%s: in a thread of its own", name)
		require.EqualValues(t, 1, got[name].Share)
	}
	require.Contains(t, got[names[4]].Why, "5 watchpoints for 4 debug registers", "there are four")
	require.NotContains(t, got[names[4]].Why, "(--multiplex lets", "that does not work for all threads")
}

// What is recommended for watchpoints that do not fit works.
func TestCountRecommendsWhatWorks(t *testing.T) {
	need(t, "mem:0x1000/8:w")
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprintf("mem:%#x/8:w", 0x1000+8*i))
	}
	events := strings.Join(names, ",")
	why := tallied(t, 0, "", "-e", events, "true")[names[4]].Why
	if !strings.Contains(why, "--multiplex --inherit=false") {
		t.Skip("no turns here: ", why)
	}
	for _, e := range tallied(t, 0, "", "--multiplex", "--inherit=false", "-e", events, "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done") {
		require.Empty(t, e.Why, e.Name)
	}
	why = tallied(t, 0, "", "--multiplex", "-e", events, "true")[names[4]].Why
	require.Contains(t, why, "5 watchpoints for 4 debug registers")
	require.NotContains(t, why, names[0])
}

// Nothing counted, or counts that are lost, are no success; a command's failure is told first.
func TestCountFails(t *testing.T) {
	need(t, "task-clock")
	for _, args := range [][]string{{"--cpu", "9999", "-e", "task-clock"}, {"-o", "/dev/full", "-e", "task-clock"}} {
		if _, err := os.Stat("/dev/full"); err != nil && args[0] == "-o" {
			continue
		}
		for command, status := range map[string]int{"exit 0": 2, "exit 5": 5} {
			r := record(t, append(append([]string{"count"}, args...), "--", "sh", "-c", command)...)
			require.Equal(t, status, r.status, r.stderr)
			require.Regexp(t, "no event could be counted|no space left", r.stderr)
		}
	}
}

func TestCountFromTheFirstInstructionAndChildren(t *testing.T) {
	need(t, "mem:0x1000/8:w")
	program := program(t, "stores")
	const shell = `"$0" 1 10; "$0" 1 300` // the address is the same in both
	address, err := perf.Addressed("mem:main.cells/8:w", program)
	require.NoError(t, err)
	require.Equal(t, []int64{310}, tallied(t, 0, "", "-e", address, "--", "sh", "-c", shell, program)[address].Counts)
	require.Equal(t, []int64{0}, tallied(t, 0, "", "--inherit=false", "-e", address, "--", "sh", "-c", shell+"; true", program)[address].Counts)
}

func TestCountLeavesTheCommandAlone(t *testing.T) {
	cmd := tracerec("count", "-e", "task-clock", program(t, "plain"), "9")
	cmd.Stdin = strings.NewReader("through")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	require.Equal(t, "through", string(out))
	require.Equal(t, 9, cmd.ProcessState.ExitCode())
	require.Contains(t, errs.String(), "exit status 9")

	require.Equal(t, 128+15, record(t, "count", "sh", "-c", "kill -TERM $$").status)
	for want, args := range map[int][]string{127: {"/nosuch/program"}, 126: {"/etc/passwd"}, 2: {"-e", "nosuch-event", "true"}} {
		r := record(t, append([]string{"count"}, args...)...)
		require.Equal(t, want, r.status, r.stderr)
		require.Equal(t, 1, strings.Count(r.stderr, "\n"), r.stderr)
	}
}

func TestCountHandsSignalsOn(t *testing.T) {
	cmd := tracerec("count", "-e", "task-clock", program(t, "subject"), "signals")
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	for _, s := range []os.Signal{unix.SIGUSR1, unix.SIGINT, unix.SIGQUIT, unix.SIGHUP, unix.SIGTERM} {
		require.NoError(t, cmd.Process.Signal(s))
		require.Equal(t, s.String(), out.next())
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
}

func TestCountWhatRunsAlready(t *testing.T) {
	need(t, "task-clock")
	busy := exec.Command("sh", "-c", "while kill -0 $PPID; do :; done") // not longer than this test
	require.NoError(t, busy.Start())
	t.Cleanup(func() { busy.Process.Kill(); busy.Wait() })
	pid := strconv.Itoa(busy.Process.Pid)
	got := tallied(t, 5, "", "-p", pid, "-e", "task-clock", "--", "sh", "-c", `
		used() { cut -d " " -f 14 "/proc/$0/stat"; } # in ticks
		before=$(used)
		until [ $(used) -gt $((before + 1)) ]; do sleep 0.01; done
		exit 5`, pid)
	require.Greater(t, *got["task-clock"].Mean, 1e6, "it does nothing else but run")

	ending := exec.Command("sh", "-c", "read line")
	input, err := ending.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, ending.Start())
	defer ending.Wait() // it stays as a zombie until then
	file := filepath.Join(t.TempDir(), "counts")
	counting := tracerec("count", "-p", strconv.Itoa(ending.Process.Pid), "-e", "task-clock", "--format", "json", "-o", file)
	var said strings.Builder
	counting.Stderr = &said
	require.NoError(t, counting.Start())
	waitFor(t, "the end of the attaching", func() bool {
		return awaits(counting.Process.Pid, ending.Process.Pid) || ended(counting.Process.Pid)
	})
	input.Close()
	require.NoError(t, counting.Wait(), said.String())
	require.Empty(t, said.String())
	require.Len(t, decode(t, file).Events[0].Counts, 1)
	require.Contains(t, record(t, "count", "-p", "999999999").stderr, "no such process")

	if counters.Available("cpu-clock") == nil {
		set := counters.New()
		if err := set.SetOptions(counters.Options{CPU: 1}); err != nil {
			t.Skip(err)
		}
		if err := set.Add("context-switches"); err != nil {
			t.Skip(err)
		}
		require.NoError(t, set.Close())
		got = tallied(t, 0, "", "--cpu", "0", "-e", "context-switches,cpu-clock", "sleep", "0.2")
		require.Positive(t, *got["cpu-clock"].Mean)
	}
}

// awaits tells whether the process pid has a descriptor that tells it of the other one's end. An open counter would tell too little: events
// are opened, and closed again, to find out whether they can be counted.
func awaits(pid, other int) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	return slices.ContainsFunc(open, func(fd string) bool {
		text, _ := os.ReadFile(fd)
		return strings.Contains(string(text), fmt.Sprintf("\nPid:\t%d\n", other))
	})
}

func TestCountRefusesBadUse(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--repeat", "0", "true"}, {"--format", "xml", "true"}, {"-p", "1", "--cpu", "0"}, {"-e", "task-clock,task-clock", "true"},
		{"-e", "", "true"}, {"-p", "-3"}, {"-p", "0", "--", "true"}, {"--cpu", "-5", "--", "true"}, {"--cpu", "-1", "--", "true"}, {"--repeat", "2", "-p", "1"},
	} {
		r := inside(append([]string{"count"}, args...)...)
		require.Equal(t, 2, r.status, args)
		require.Equal(t, 1, strings.Count(r.stderr, "\n"), r.stderr)
	}
}
