package sync_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/recorder"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// TestLives: a lock is an object for as long as it lives, whoever had its address before.
func TestLives(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(out)
	require.NoError(t, err)
	defer f.Close()
	stdout := os.Stdout
	os.Stdout = f
	a := record(t, "lives")
	os.Stdout = stdout
	said, err := os.ReadFile(out)
	require.NoError(t, err)
	var rounds, addresses int
	_, err = fmt.Sscan(string(said), &rounds, &addresses)
	require.NoError(t, err)
	require.Less(t, addresses, rounds/2, "memory is used again")
	require.Equal(t, map[string]int{
		"(main.once)\n": 2 * rounds, "(main.shard)\n": 3 * rounds, "(main.main)\n": rounds + 2, // one is of package fmt
		"(main.group)\n": 2 * rounds, "(main.groups)\n": 1, "(main.always)\n": 1, "(main.late)\n": 1, "(main.stack)\n": 4,
	}, objects(t, a))
}

// TestOneLifeForAnObject: however many locks are in an object, the runtime counts once whether it was freed.
func TestOneLifeForAnObject(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module lives\n\ngo 1.25\n",
		"a.s":    "// Functions without a body need a file in assembly.\n",
		"main.go": `package main

import (
	"sync"
	"unsafe"
)

//go:linkname lifeAt runtime.tracerecLife
func lifeAt(at uintptr) (freed *uint32, stack bool)

type shard struct {
	sync.Mutex
	next *shard
}

func main() {
	seen := map[*uint32]bool{}
	var kept [][]shard
	for _, n := range []int{1, 9, 90, 9000} {
		list := make([]shard, n)
		kept = append(kept, list)
		for i := range list {
			freed, _ := lifeAt(uintptr(unsafe.Pointer(&list[i])))
			seen[freed] = true
		}
	}
	println(len(seen), len(kept))
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	file := filepath.Join(dir, "lives")
	b, err := build.New("build", []string{"-C", dir, "-o", file, "."}, regions.Options{})
	require.NoError(t, err)
	defer b.Close()
	var said strings.Builder
	status, err := b.Run(nil, given.Orders{}, &said, &said)
	require.NoError(t, err)
	require.Zero(t, status, said.String())
	out, err := exec.Command(file).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "4 4\n", string(out))
}

// objects counts the objects of an archive by the functions that used them first.
func objects(t *testing.T, a *trace.Archive) map[string]int {
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))
	counts := map[string]int{}
	for line := range strings.Lines(text.String()) {
		kind, _, _ := strings.Cut(line, " ")
		if slices.Contains([]string{"mutex", "rwmutex", "waitgroup", "channel"}, kind) && strings.Contains(line, "(main.") {
			counts[line[strings.LastIndex(line, "(main."):]]++
		}
	}
	return counts
}

// TestCollected: operations allocate nothing, and go on while the collector runs all the time.
func TestCollected(t *testing.T) {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet = true
	status, err := recorder.Run(o, []string{program(t, "collected")})
	require.NoError(t, err)
	require.Zero(t, status)
}

// TestFirstUses: an object is defined once, also if several goroutines use it for the first time at once.
func TestFirstUses(t *testing.T) {
	require.Equal(t, map[string]int{"(main.lock)\n": 2000, "(main.add)\n": 2000, "(main.send)\n": 2000, "(main.main)\n": 1}, objects(t, record(t, "firsts")))
}

// TestNoRoom: what there is no room to define is lost once, however often it is used.
func TestNoRoom(t *testing.T) {
	const locks, operations = 1_000_000, 1000
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet, o.Buffer = true, recorder.MinBuffer
	status, err := recorder.Run(o, []string{program(t, "full")})
	require.NoError(t, err)
	require.Zero(t, status)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	p := &a.Definitions().Processes[0]
	require.Positive(t, p.Cost, "the record of operations is timed, so what it costs to look for objects is known")
	lost := p.Warnings["definitions lost"]
	require.NotZero(t, lost)
	require.Less(t, int(lost)+len(a.Definitions().Objects), locks+operations)
}
