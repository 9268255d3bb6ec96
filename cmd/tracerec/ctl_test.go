//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
)

// TestControl: a program is recorded between start and stop, as often as these come.
func TestControl(t *testing.T) {
	const times = 3
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-q", "-o", archive, "--window", "ctl", program(t, "subject"), "windows", fmt.Sprint(times))
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	for range times {
		require.Equal(t, result{}, inside("ctl", "start", archive))
		require.Equal(t, "true", out.next())
		require.Equal(t, result{}, inside("ctl", "stop", archive))
		require.Equal(t, "false", out.next())
	}
	require.NoError(t, cmd.Wait())
	clean(t, archive)
	require.Equal(t, map[string]int{"recorded true": times}, countKind(t, archive, "enter"))
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	require.Len(t, a.Definitions().Processes, times)
}

func TestWindows(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	r := record(t, "-o", archive, "--window", "1h:", program(t, "subject"), "exit", "3")
	require.Equal(t, 3, r.status)
	require.Equal(t, "tracerec: no events recorded: nothing ran in the window that can be recorded\n", r.stderr)
	r = record(t, "-q", "-o", archive+"2", "--window", ":1h", program(t, "subject"), "exit", "0")
	require.Equal(t, result{}, r)
	require.Equal(t, 40, countKind(t, archive+"2", "enter")["work"])
	for args, message := range map[string]string{
		"ctl start " + archive: "no recording goes on there",
		"ctl stop 1":           "", // another user's, or it is not recorded
		"ctl":                  "start or stop",
		"ctl pause":            "start or stop",
		"--window 1:2 true":    `--window: "1" is not a time such as 10s`,
	} {
		r := inside(strings.Fields(args)...)
		require.Equal(t, 2, r.status, args)
		require.Contains(t, r.stderr, message)
		require.Equal(t, 1, lines(r.stderr))
	}
}
