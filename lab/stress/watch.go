package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// errorsOf is what the name of the file with standard error ends in.
const errorsOf = ".errors"

// limits say when a program hangs: if it and its children compute nothing for so long, or so much processor time altogether. How long that takes depends on what else runs.
type limits struct {
	quiet, computing time.Duration
}

// ended is how a program ended.
type ended struct {
	output string // file of what it wrote; what it wrote to standard error is beside it
	status int
	cpu    time.Duration // with its children
	hung   string        // why it was killed, "" if it ended by itself
}

// watch runs a command. One that hangs gets SIGQUIT, for its stacks, and is killed if that does not end it. Nothing outlives the context.
func watch(ctx context.Context, l limits, dir, output string, command []string) (e ended, err error) {
	e.output = output
	c := exec.Command(command[0], command[1:]...)
	for name, at := range map[string]*io.Writer{output: &c.Stdout, output + errorsOf: &c.Stderr} {
		f, err := os.Create(name)
		if err != nil {
			return e, err
		}
		defer f.Close()
		*at = f
	}
	c.Dir = dir
	c.Env = append(os.Environ(), "PWD="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return e, err
	}
	group := -c.Process.Pid
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	e.hung = l.hang(ctx, done, c.Process.Pid)
	if e.hung != "" && ctx.Err() == nil {
		for _, pid := range recordedBy(c.Process.Pid) {
			syscall.Kill(pid, syscall.SIGQUIT)
		}
		select {
		case err := <-done:
			done <- err
		case <-ctx.Done():
		case <-time.After(l.quiet):
		}
	}
	syscall.Kill(group, syscall.SIGKILL)
	<-done
	usage := c.ProcessState
	e.status, e.cpu = usage.ExitCode(), usage.UserTime()+usage.SystemTime()
	return e, ctx.Err()
}

// hang waits until a program has ended, and returns why it must be ended, "" if it has ended by itself.
func (l limits) hang(ctx context.Context, done chan error, pid int) string {
	last, since := time.Duration(-1), time.Now()
	tick := time.NewTicker(min(l.quiet/10, time.Second))
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			done <- err
			return ""
		case <-ctx.Done():
			return ""
		case now := <-tick.C:
			cpu := computed(pid)
			if cpu > last+l.quiet/200 || cpu < last {
				last, since = cpu, now
			}
			if now.Sub(since) > l.quiet {
				return fmt.Sprintf("hangs: it computed nothing for %v", l.quiet)
			}
			if cpu > l.computing {
				return fmt.Sprintf("hangs: it has computed for %v, and has not ended", l.computing)
			}
		}
	}
}

// computed is the processor time of a program.
func computed(pid int) (sum time.Duration) {
	for _, p := range recordedBy(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		for i := 11; i < 15 && i < len(fields); i++ { // utime, stime and those of children that ended
			ticks, _ := strconv.ParseInt(fields[i], 10, 64)
			sum += time.Duration(ticks) * (time.Second / 100)
		}
	}
	return sum
}

// recordedBy returns the processes that a process started, and those that they started; itself if there are none. A recorder computes while its program hangs, and ends after it.
func recordedBy(pid int) []int {
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", list[i]))
		for _, name := range tasks {
			text, _ := os.ReadFile(name)
			for _, word := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(word); err == nil {
					list = append(list, child)
				}
			}
		}
	}
	if len(list) > 1 {
		return list[1:]
	}
	return list
}
