//go:build linux

package simulated

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/linux"
)

func TestShare(t *testing.T) {
	home, dir, given := t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(dir)
	dir, err := os.Getwd()
	require.NoError(t, err)
	t.Setenv("FROM_HOST", "yes")
	var o Options
	require.NoError(t, o.Share(home, []string{"there=" + given, "/tmp=" + given + ":rw"}, []string{"FROM_HOST", "PATH=/x=y", "NOT_SET_ANYWHERE"}))
	require.Equal(t, dir, o.Dir)
	require.Equal(t, []linux.Mount{{Guest: dir, Host: dir}, {Guest: "/program", Host: ProgramDir(home)}, {Guest: filepath.Join(dir, "there"), Host: given},
		{Guest: GuestTemp, Host: given, Write: true}}, o.Mounts)
	require.Equal(t, []string{"HOME=/tmp", "TMPDIR=/tmp", "FROM_HOST=yes", "PATH=/x=y"}, o.Env)
	require.DirExists(t, ProgramDir(home))

	o.Use(Program{File: filepath.Join(ProgramDir(home), "app"), Args: []string{"-x"}})
	require.Equal(t, []string{"/program/app", "-x"}, o.Args)

	for _, mounts := range []string{"x", "=/", "x=", "x=/nonexistent", "x=" + os.Args[0]} {
		require.ErrorContains(t, new(Options).Share(t.TempDir(), []string{mounts}, nil), "--mount "+mounts)
	}
	require.ErrorContains(t, new(Options).Share(t.TempDir(), nil, []string{"=x"}), "--env =x")
}

// TestShareRoot: not all files of the host are given by accident.
func TestShareRoot(t *testing.T) {
	t.Chdir("/")
	require.ErrorContains(t, new(Options).Share(t.TempDir(), nil, nil), "would show the program all files of this machine")
	require.NoError(t, new(Options).Share(t.TempDir(), []string{"/=/"}, nil))
}
