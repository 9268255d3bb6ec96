//go:build linux

package count

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	file := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, pkg)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0", "GORISCV64=rva20u64", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	program, err := os.ReadFile(file)
	require.NoError(t, err)
	return program
}

// simulate runs a program, with the caches of a machine or none, and returns what was counted and printed. Goroutines are not
// preempted by signals, which would store and load all registers.
func simulate(t testing.TB, program []byte, machine string, args ...string) (*Counters, string) {
	var m *cache.Machine
	if machine != "" {
		var err error
		m, err = cache.Named(machine)
		require.NoError(t, err)
	}
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
