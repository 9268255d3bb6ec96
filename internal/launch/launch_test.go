package launch

import (
	"errors"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	path, err := Find("sh")
	require.NoError(t, err)
	require.NotEqual(t, "sh", path)
	for name, want := range map[string]Error{
		"/nosuch/program": {Status: NotFound}, "nosuchprogram": {Status: NotFound}, "/etc/passwd": {Status: NotExecutable},
	} {
		_, err := Find(name)
		e, ok := errors.AsType[*Error](err)
		require.True(t, ok, name)
		require.Equal(t, want.Status, e.Status, name)
		require.Equal(t, name, e.Program)
		require.Nil(t, errors.Unwrap(e.Err), "the innermost")
	}
}

func TestStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 128 + 15} {
		cmd := exec.Command("sh", "-c", script)
		_ = cmd.Run() // how it ended is asked
		require.Equal(t, want, Status(cmd.ProcessState), script)
	}
}
