//go:build linux

package linux

import (
	"bytes"
	"debug/elf"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run stops at functions as often as they are called, shows its state, and ends as if it had not stopped.
func TestBreak(t *testing.T) {
	program := compile(t, "threads")
	run := func(stop bool) (output string, instructions uint64, calls int) {
		var printed bytes.Buffer
		k, err := New(program, Options{Args: []string{"threads"}, Stdout: &printed, Stderr: &printed, CPUs: 2,
			Mounts: []Mount{{Guest: "/out", Host: t.TempDir(), Write: true}}})
		require.NoError(t, err)
		defer k.Close()
		if stop {
			require.NoError(t, k.Break(function(t, program, "main.main"), function(t, program, "runtime.mstart0")))
			require.ErrorContains(t, k.Break(1), "no code")
		}
		_, err = k.Run()
		for ; err != nil; _, err = k.Run() {
			require.ErrorIs(t, err, ErrBreak)
			require.Contains(t, []uint64{function(t, program, "main.main"), function(t, program, "runtime.mstart0")}, k.Broke())
			var state strings.Builder
			require.NoError(t, k.Dump(&state))
			if calls++; calls == 1 {
				require.Regexp(t, `(?s)^instructions \d+\ncpu 0: .*cpu 1: .*process 1000: /threads\n  thread 1000: .*    pc  [0-9a-f]{16}\n    x0  0{16}  f0  `, state.String())
				require.Regexp(t, `0000010000-[0-9a-f]{10} r-xp `, state.String())
			}
		}
		return printed.String(), k.Instructions(), calls
	}
	output, instructions, calls := run(false)
	again, same, stops := run(true)
	require.Equal(t, output, again)
	require.Zero(t, calls)
	require.Greater(t, stops, 2)
	require.InEpsilon(t, instructions, same, 0.1)
}

// function returns the address of a function.
func function(t *testing.T, program []byte, name string) uint64 {
	f, err := elf.NewFile(bytes.NewReader(program))
	require.NoError(t, err)
	symbols, err := f.Symbols()
	require.NoError(t, err)
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	require.Fail(t, "no such function", name)
	return 0
}

// spin is a program of one instruction: a jump to itself.
func spin() []byte {
	b := make([]byte, 0x1000+4)
	copy(b, "\x7fELF\x02\x01\x01")
	put := func(at int, v uint64, size int) {
		for i := range size {
			b[at+i] = byte(v >> (8 * i))
		}
	}
	put(16, uint64(elf.ET_EXEC), 2)
	put(18, uint64(elf.EM_RISCV), 2)
	put(20, 1, 4)
	put(24, 0x10000, 8) // entry
	put(32, 64, 8)      // program headers
	put(52, 64, 2)
	put(54, 56, 2)
	put(56, 1, 2)
	put(64, uint64(elf.PT_LOAD), 4)
	put(68, uint64(elf.PF_R|elf.PF_X), 4)
	put(72, 0x1000, 8)
	put(80, 0x10000, 8)
	put(96, 4, 8)
	put(104, 4, 8)
	put(0x1000, 0x6f, 4) // j .
	return b
}

// An endless loop ends when its instructions, its time or the host's are over.
func TestEndless(t *testing.T) {
	for want, o := range map[error]Options{
		ErrLimit:   {MaxInstructions: 100_000},
		ErrTimeout: {MaxTime: time.Millisecond},
	} {
		k, err := New(spin(), o)
		require.NoError(t, err)
		_, err = k.Run()
		require.ErrorIs(t, err, want)
		require.GreaterOrEqual(t, k.Instructions(), uint64(100_000))
		require.NoError(t, k.Close())
	}
	k, err := New(spin(), Options{CPUs: 2, MaxInstructions: 1e12})
	require.NoError(t, err)
	time.AfterFunc(10*time.Millisecond, k.Interrupt)
	_, err = k.Run()
	require.ErrorIs(t, err, ErrInterrupted)
	require.EqualValues(t, k.Instructions(), k.Time().Nanoseconds(), "one thread takes as long on two processors")
	require.NoError(t, k.Close())
	k, err = New(spin(), Options{Timeout: 10 * time.Millisecond, MaxInstructions: 1e12})
	require.NoError(t, err)
	_, err = k.Run()
	require.ErrorIs(t, err, ErrTimeout)
	require.NoError(t, k.Close())
}
