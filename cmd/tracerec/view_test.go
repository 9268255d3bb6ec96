package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestViewEnds: who ends tracerec ends what shows the recording, too, whose command here says with which signal.
func TestViewEnds(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "expert"), []byte("#!/bin/sh\ntrap 'exit 7' TERM\necho up\nwhile :; do sleep 0.01; done\n"), 0o777))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		r, w := io.Pipe()
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetErr(w)
		ended := make(chan error)
		go func() { ended <- view(cmd, "trace.dir") }()
		line, err := bufio.NewReader(r).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "up\n", line)
		require.NoError(t, syscall.Kill(os.Getpid(), by))
		var status *exec.ExitError
		require.ErrorAs(t, <-ended, &status)
		require.Equal(t, 7, status.ExitCode())
	}
}
