package build

import (
	"bufio"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// TestBuilding: who sees a terminal is told that a build takes long, once it does. Scripts see only what the go command says.
func TestBuilding(t *testing.T) {
	master, slave := testkit.Terminal(t)
	lines := bufio.NewReader(master)
	line := func() string {
		text, err := lines.ReadString('\n')
		require.NoError(t, err)
		return text
	}
	building(slave, time.Hour, new(sync.Once))()
	_, err := slave.WriteString("built\n")
	require.NoError(t, err)
	require.Equal(t, "built\r\n", line(), "it did not take long")
	var told sync.Once
	building(slave, 0, &told)
	require.Equal(t, "tracerec: building the program, and the first time the standard library, too\r\n", line())

	r, w, err := os.Pipe()
	require.NoError(t, err)
	building(w, 0, new(sync.Once))()
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Empty(t, text)
}
