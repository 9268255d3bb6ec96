//go:build linux

package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// go test starts a tracerec for each package, so what that does before it records delays all tests. Memory that packages allocate when they are
// initialized stands for the work of it.
func TestStartsAreSmall(t *testing.T) {
	cmd := tracerec("version")
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	all, packages := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(string(out), -1) {
		if n, _ := strconv.Atoi(m[2]); strings.HasPrefix(m[1], "tracerec/") {
			packages, all = packages+1, all+n
			require.Less(t, n, 48<<10, "%s: make it when first used, by sync.OnceValue", m[1])
		}
	}
	require.Greater(t, packages, 20)
	require.Less(t, all, 240<<10)
}

func TestTestsNeedNoOtherCommand(t *testing.T) {
	cmd, args := commandOf([]string{takeTest, "orders.json", "x.test", "-test.v"})
	require.Equal(t, takeTest, cmd.Name())
	require.False(t, cmd.HasSubCommands())
	require.Equal(t, []string{"orders.json", "x.test", "-test.v"}, args)
	cmd, args = commandOf([]string{"info", "x"})
	require.Equal(t, "tracerec", cmd.Name())
	require.Equal(t, []string{"info", "x"}, args)
}
