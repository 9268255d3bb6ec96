package cgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Groups of both versions, alone and together; other controllers, and nonsense, name none.
func TestDirs(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		"nonsense\n0:\n":     nil,
		"0::/\n":             {"/g"},
		"0::/pod/app\n":      {"/g/pod/app", "/g/pod", "/g"},
		"0::/../../..\n":     {"/g"},
		"3:cpuset:/a\n":      nil,
		"3:cpu,cpuacct:/a\n": {"/g/cpu/a", "/g/cpu"},
		"4:memory:/m\n1:name=systemd:/s\n3:cpuacct,cpu:/a\n0::/u\n": {"/g/cpu/a", "/g/cpu", "/g/u", "/g"},
	} {
		require.Equal(t, want, Dirs("/g", text, "cpu"), text)
	}
}
