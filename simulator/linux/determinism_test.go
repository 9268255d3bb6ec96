//go:build linux

package linux

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

var all = flag.Bool("all", false, "run the long tests as well")

// trace runs a program and returns what it printed, and a hash of where every processor was at every step.
func trace(t *testing.T, program []byte, o Options) (string, string) {
	var printed bytes.Buffer
	o.Args, o.Stdout, o.Stderr, o.CPUs = []string{"sockets", "/data/in"}, &printed, &printed, 2
	k, err := New(program, o)
	require.NoError(t, err)
	h := sha256.New()
	for !k.exited && k.failure == nil {
		k.step()
		b := binary.LittleEndian.AppendUint64(nil, k.done)
		for _, c := range k.cpus {
			b = binary.LittleEndian.AppendUint64(b, uint64(c.clock))
			if c.thread != nil {
				b = binary.LittleEndian.AppendUint64(b, uint64(c.thread.id))
				for _, x := range slices.Concat(c.thread.hart.X[:32], c.thread.hart.F[:]) {
					b = binary.LittleEndian.AppendUint64(b, x)
				}
			}
		}
		h.Write(b)
	}
	require.NoError(t, k.failure, "%s", &printed)
	require.NoError(t, k.Close())
	return printed.String(), fmt.Sprintf("%x", h.Sum(nil))
}

// A program with several threads, garbage collection and HTTP is the same to the last register, whatever its host is like.
func TestDeterminism(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "sockets")
	runs := 2
	if *all {
		runs = 20
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	hashes := map[string]bool{}
	for n := range runs {
		runtime.GOMAXPROCS(1 + n%4)
		t.Chdir(t.TempDir())
		t.Setenv("GOGC", fmt.Sprint(50+n))
		data := t.TempDir()
		name := filepath.Join(data, "in")
		require.NoError(t, os.WriteFile(name, []byte("data"), 0o644))
		require.NoError(t, os.Chtimes(name, time.Time{}, time.Unix(int64(n)*1e6, 0)))
		printed, hash := trace(t, program, Options{Mounts: []Mount{{Guest: "/data", Host: data}}})
		require.Contains(t, printed, "2000-01-01 00:00:00 +0000 UTC []")
		hashes[hash] = true
	}
	require.Len(t, hashes, 1)
}

// Other seeds give other schedules, each always the same, and the output of the program is not another.
func TestSeeds(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "sockets")
	seeds, distinct := 2, 2
	if *all {
		seeds, distinct = 10, 5
	}
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "in"), nil, 0o644))
	schedules, outputs := map[string]bool{}, map[string]bool{}
	for seed := range seeds {
		o := Options{Seed: uint64(seed), Mounts: []Mount{{Guest: "/data", Host: data}}}
		printed, hash := trace(t, program, o)
		if *all { // TestDeterminism repeats one
			_, again := trace(t, program, o)
			require.Equal(t, hash, again, "seed %d", seed)
		}
		schedules[hash], outputs[printed] = true, true
	}
	require.GreaterOrEqual(t, len(schedules), distinct)
	require.Len(t, outputs, 1)
}
