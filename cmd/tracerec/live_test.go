//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/recorder/live"
)

// Another process sees what a recorded program does, by the trace directory and by the program's number, and ends
// nothing when it leaves.
func TestLive(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-q", "-o", archive, "--", program(t, "subject"), "signals", "1000")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	lifeline(t, cmd)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())

	viewer := tracerec("live", archive, "--format", "json", "--interval", "50ms")
	frames, err := viewer.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, viewer.Start())
	decoder := json.NewDecoder(frames)
	var f live.Frame
	require.NoError(t, decoder.Decode(&f))
	require.Equal(t, []string{"executing", "waiting", "visits"}, f.Metrics)
	require.Equal(t, 1, f.Processes)
	require.Len(t, f.Rows, 1)
	require.Equal(t, "listen", f.Rows[0].Name)
	require.Positive(t, f.Rows[0].Values[0], "it goes on")
	require.Zero(t, f.Rows[0].Values[1], "it waits for signals by nothing that is recorded")

	require.NoError(t, cmd.Process.Signal(unix.SIGUSR1))
	require.True(t, lines.Scan(), "4000 regions are recorded")
	var visits int64
	seen := 1.0
	for visits < 4000 && seen == 1 {
		require.NoError(t, decoder.Decode(&f))
		seen = min(seen, f.Seen)
		for _, r := range f.Rows {
			switch r.Name {
			case "work":
				visits += r.Values[2]
			case "listen":
				require.Positive(t, r.Values[0]+r.Values[1], "it goes on all the time, waiting for the goroutines of regions")
			}
		}
	}
	if seen == 1 { // else the machine was too busy to look in time, and the frame says so
		require.EqualValues(t, 4000, visits)
	}

	r := inside("live", fmt.Sprint(cmd.Process.Pid), "--format", "text", "--count", "1")
	require.Equal(t, 2, r.status, "tracerec itself is not recorded: %v", r)
	require.Contains(t, r.stderr, "tracerec does not record process")

	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	for lines.Scan() {
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
	for f.Over = false; !f.Over; {
		require.NoError(t, decoder.Decode(&f))
	}
	require.NoError(t, viewer.Wait(), "the view ends with the recording")
	require.Equal(t, map[string]int{"listen": 1, "work": 4000}, countKind(t, archive, "enter"), "nothing is lost by being watched")

	r = inside("live", archive)
	require.Equal(t, result{2, "", "tracerec: " + archive + ": the recording has ended; see tracerec info " + archive + "\n"}, r)
}

// TestLiveWithoutTerminal: that there is nothing to draw on keeps nobody from running, nor from being recorded.
func TestLiveWithoutTerminal(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-q", "-o", archive, "--live", program(t, "subject"), "exit", "4")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // has no terminal
	var said strings.Builder
	cmd.Stderr = &said
	require.Error(t, cmd.Run())
	require.Equal(t, 4, cmd.ProcessState.ExitCode())
	require.Contains(t, said.String(), "tracerec: --live: there is no terminal to draw on")
	clean(t, archive)
}
