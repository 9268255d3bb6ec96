//go:build linux

package linux

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// compile builds a program of testdata for RISC-V.
func compile(t *testing.T, name string) []byte {
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "./testdata/programs/"+name))
	require.NoError(t, err)
	return program
}

// A Go program that knows nothing of it runs as on Linux, the same every time, and with another schedule for another seed.
func TestGoProgram(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "threads")
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "in"), []byte("from the host"), 0o644))
	const want = "sum 499500\nslept true\nsorted 0 100002\nnames 20000 2 blue\n\"from the host\" <nil>\ntrue <nil>\n" +
		"stat /etc/passwd: no such file or directory\n" +
		"recovered: runtime error: invalid memory address or nil pointer dereference\n"
	counts := map[uint64]map[uint64]bool{}
	seeds := []uint64{1, 1, 2, 3, 1}
	if testing.Short() {
		seeds = seeds[:3]
	}
	for _, seed := range seeds {
		out := t.TempDir()
		var printed bytes.Buffer
		k, err := New(program, Options{Args: []string{"threads", "x"}, Env: []string{"COLOUR=blue"}, Stdout: &printed, Stderr: &printed,
			CPUs: 2, Seed: seed, Mounts: []Mount{{Guest: "/data", Host: data}, {Guest: "/out", Host: out, Write: true}}})
		require.NoError(t, err)
		status, err := k.Run()
		require.NoError(t, err)
		require.Equal(t, want, printed.String())
		require.Equal(t, 7, status)
		content, err := os.ReadFile(filepath.Join(out, "file"))
		require.NoError(t, err)
		require.Equal(t, "written", string(content))
		if counts[seed] == nil {
			counts[seed] = map[uint64]bool{}
		}
		counts[seed][k.Instructions()] = true
		require.NoError(t, k.Close())
	}
	all := map[uint64]bool{}
	for seed, n := range counts {
		require.Len(t, n, 1, "seed %d: always as many instructions", seed)
		for c := range n {
			all[c] = true
		}
	}
	require.Len(t, all, len(counts), "seeds give other schedules")
}

// What is no program for this machine is refused in one line.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := compile(t, "threads")
	change := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	for name, c := range map[string]struct {
		program []byte
		want    string
	}{
		"nothing":            {nil, "not an ELF file"},
		"text":               {[]byte("#!/bin/sh\n"), "not an ELF file"},
		"cut in the header":  {good[:40], "not an ELF file"},
		"cut":                {good[:10000], "not an ELF file"},
		"another machine":    {change(18, 62), "not for RV64"},
		"a shared object":    {change(16, 3), "statically linked"},
		"headers far behind": {change(39, 0x70), "not an ELF file"},
	} {
		_, err := New(c.program, Options{Args: []string{"x"}})
		require.ErrorContains(t, err, c.want, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	// A segment far larger than memory.
	huge := bytes.Clone(good)
	for at := 64; at < 64+56*int(binary.LittleEndian.Uint16(good[56:])); at += 56 {
		if elf.ProgType(binary.LittleEndian.Uint32(huge[at:])) == elf.PT_LOAD {
			binary.LittleEndian.PutUint64(huge[at+40:], 1<<60)
		}
	}
	_, err := New(huge, Options{Args: []string{"x"}})
	require.ErrorContains(t, err, "a segment of")

	k, err := New(good, Options{Args: []string{"threads"}, MaxInstructions: 1000})
	require.NoError(t, err)
	_, err = k.Run()
	require.ErrorIs(t, err, ErrLimit)
	require.EqualValues(t, 1000, k.Instructions())
	require.NoError(t, k.Close())
}

// However the headers of a program are damaged, it is refused in one line, or runs as far as it may.
func TestDamagedHeaders(t *testing.T) {
	t.Parallel()
	const headers = 64 + 56
	for at := range headers {
		for _, v := range []byte{0, 1, 2, 0x7f, 0x80, 0xff} {
			program := spin()
			program[at] = v
			k, err := New(program, Options{Args: []string{"x"}, MaxInstructions: 1000})
			if err == nil {
				_, err = k.Run()
				require.NoError(t, k.Close())
			}
			if err != nil {
				require.NotContains(t, err.Error(), "\n", "byte %d: %#x", at, v)
			}
		}
	}
}

// Whatever a file holds, loading it is an error or not, and nothing else.
func FuzzNew(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Add(spin())
	f.Fuzz(func(t *testing.T, program []byte) {
		k, err := New(program, Options{Args: []string{"x"}, MaxInstructions: 100_000})
		if err != nil {
			return
		}
		_, err = k.Run()
		_ = fmt.Sprint(err)
		require.NoError(t, k.Close())
	})
}
