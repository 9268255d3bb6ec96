//go:build linux

package count

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

// The document is written, or compared with what it should be, by
//
//	go test ./simulator/count -run Table -timeout 30m -args -all [-update]
const document = "../../docs/validation.md"

var (
	all    = flag.Bool("all", false, "all NAS kernels and 20 seeds of random indices, which takes minutes, and compare docs/validation.md")
	update = flag.Bool("update", false, "with -all, write the tables of docs/validation.md")
)

// section compares a part of the document with what it should be, or writes it.
func section(t *testing.T, name, text string) {
	file, err := os.ReadFile(document)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(file), "<!-- generated: "+name+" -->\n")
	old, after, ends := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, ok && ends, "no place for %s", name)
	if *update {
		file = []byte(before + "<!-- generated: " + name + " -->\n" + text + "<!-- end -->\n" + after)
		require.NoError(t, os.WriteFile(document, file, 0o666))
		return
	}
	require.Equal(t, old, text, "with -update it is written")
}

// build builds a package for RISC-V, the same on every machine.
func build(t testing.TB, pkg string) []byte {
	env := append([]string{"GORISCV64=rva20u64", "GOFLAGS="}, testkit.RISCV...)
	program, err := os.ReadFile(testkit.Build(t, env, "-trimpath", "-buildvcs=false", pkg))
	require.NoError(t, err)
	return program
}

// userTime is the processor time that this process took.
func userTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano())
}

// bgl is the machine of the tables, with a choice of how its L1 for data replaces lines.
func bgl(t testing.TB, replacement cache.Replacement) *cache.Machine {
	m, err := cache.Named("bgl")
	require.NoError(t, err)
	m.L1D.Replacement = replacement
	return m
}

// simulate runs a program, with the caches of a machine or none, and returns what was counted and printed. Goroutines are not
// preempted by signals, which would store and load all registers.
func simulate(t testing.TB, program []byte, m *cache.Machine, args ...string) (*Counters, string) {
	c, err := New(m, Options{Program: program})
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{Args: append([]string{"program"}, args...), Env: []string{"GODEBUG=asyncpreemptoff=1"},
		Stdout: &printed, Stderr: &printed, Seed: 1, Observer: c})
	require.NoError(t, err)
	status, err := k.Run()
	require.NoError(t, err)
	require.NoError(t, k.Close())
	require.Zero(t, status, printed.String())
	return c, printed.String()
}
