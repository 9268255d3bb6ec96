//go:build linux

package service

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/guest"
	"tracerec/simulator/linux"
)

// compile builds a program of testdata.
func compile(t testing.TB, name string) []byte {
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "./testdata/programs/"+name))
	require.NoError(t, err)
	return program
}

// run runs a program with services.
func run(t testing.TB, program []byte, o linux.Options, so Options) (*count.Counters, uint64, string) {
	m, err := cache.Named("bgl")
	require.NoError(t, err)
	c, err := count.New(m, count.Options{CPUs: 2})
	require.NoError(t, err)
	s, err := New(c, so)
	require.NoError(t, err)
	var printed bytes.Buffer
	o.Args, o.Stdout, o.Stderr, o.CPUs, o.Observer, o.Services = append([]string{"program"}, o.Args...), &printed, &printed, 2, c, s
	k, err := linux.New(program, o)
	require.NoError(t, err)
	_, err = k.Run()
	require.NoError(t, err, printed.String())
	require.NoError(t, k.Close())
	require.NoError(t, s.Close())
	return c, k.Instructions(), printed.String()
}

func TestNumber(t *testing.T) { require.Equal(t, linux.CallThrough, guest.CallThrough) }

// What the guest is told by each of the calls.
func TestSix(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	dir, out := t.TempDir(), t.TempDir()
	given := filepath.Join(dir, "given")
	require.NoError(t, os.MkdirAll(filepath.Join(given, "sub"), 0o755))
	for name, content := range map[string]string{"secret": "no", "given/note.txt": "a note", "given/sub/deep.txt": "deep", "given/large": strings.Repeat("x", 200_000)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	require.NoError(t, os.Symlink("../secret", filepath.Join(given, "link")))
	c, executed, printed := run(t, compile(t, "six"), linux.Options{Mounts: []linux.Mount{{Guest: "/out", Host: out, Write: true}}}, Options{Files: given})
	t.Log(printed)
	total := c.Totals()
	require.Equal(t, executed, total[count.Instructions])
	require.NotZero(t, c.Domains()[count.Measurement][count.Instructions])
	for _, line := range []string{
		"stopped 1000 true\n", "reset 7\nclosed true\n", "goroutines [100 200 300 400 500 600 700 800]\n", "tasks 303 603 903 true true\n",
		"file note.txt \"a note\" <nil>\n", "file sub/deep.txt \"deep\" <nil>\n", "file ../secret \"\" ../secret: permission denied\n",
		"file link \"\" link: permission denied\n", "file absent \"\" absent: file does not exist\n", "file sub \"\" sub: permission denied\n",
		"file /etc/passwd \"\" /etc/passwd: file does not exist\n", "copied 200000\n", "errors true true true\n",
	} {
		require.Contains(t, printed, line)
	}
	copied, err := os.ReadFile(filepath.Join(out, "large"))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 200_000), string(copied))

	var roots, calls, kernel, kernelCycles, userCycles, instructions uint64
	scan(t, printed, "running ", "%d %d %d %d %d", &roots, &calls, &kernel, &kernelCycles, &userCycles)
	require.EqualValues(t, 1030, roots)
	require.GreaterOrEqual(t, calls, uint64(1), "other threads may call too")
	require.Equal(t, 300*calls, kernel)
	require.Equal(t, kernel, kernelCycles)
	require.Zero(t, userCycles)

	// What is left between two calls is the caller's own code around them.
	var loads, misses uint64
	scan(t, printed, "read-read ", "%d %d %d %d", &roots, &instructions, &loads, &misses)
	require.LessOrEqual(t, instructions, uint64(25))
	require.Zero(t, misses)
	scan(t, printed, "call ", "%d", &instructions)
	require.NotZero(t, instructions)
	require.LessOrEqual(t, instructions, uint64(100), "they take time, but are counted for nobody")
	scan(t, printed, "start-stop [", "%d %d %d %d", &roots, &instructions, &loads, &misses)
	require.LessOrEqual(t, instructions, uint64(15))
	require.Zero(t, misses)
	scan(t, printed, "registers ", "%d %d", &roots, &instructions)
	require.EqualValues(t, 77, roots)
	require.LessOrEqual(t, instructions, uint64(10))
}

// scan reads numbers of the line that begins with a word.
func scan(t testing.TB, printed, begin, format string, to ...any) {
	_, line, ok := strings.Cut(printed, begin)
	require.True(t, ok, begin)
	_, err := fmt.Sscanf(line, format, to...)
	require.NoError(t, err)
}

// What a reading of four events costs the host.
func BenchmarkNow(b *testing.B) {
	program := compile(b, "reads")
	cost := func(n int) time.Duration {
		var before, after syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		_, _, printed := run(b, program, linux.Options{Args: []string{strconv.Itoa(n)}}, Options{})
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		require.Equal(b, "<nil>\n", printed)
		return time.Duration(after.Utime.Nano() - before.Utime.Nano())
	}
	const n = 100_000
	for b.Loop() {
		b.ReportMetric(float64(cost(n)-cost(0))/n, "ns/reading")
	}
}
