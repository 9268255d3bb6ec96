package spill

import (
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"tracerec/internal/cgroup"
)

// Memory returns how much memory this process can use at most, that of the machine or of its control group, bytes; 0 if that is not known.
func Memory() int64 { return memoryIn("/") }

func memoryIn(root string) int64 {
	read := func(name string) string {
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			return ""
		}
		return string(text)
	}
	least := int64(math.MaxInt64)
	take := func(text string, unit int64) {
		if v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && v > 0 && v <= math.MaxInt64/unit {
			least = min(least, v*unit)
		}
	}
	for l := range strings.Lines(read("proc/meminfo")) {
		if f := strings.Fields(l); len(f) == 3 && f[0] == "MemTotal:" {
			take(f[1], 1024)
		}
	}
	for _, dir := range cgroup.Dirs(cgroup.Mount, read("proc/self/cgroup"), "memory") {
		for _, file := range []string{"memory.max", "memory.limit_in_bytes"} { // of both versions
			take(read(path.Join(dir, file)), 1)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// collect is how much garbage there may be, in per cent of what is in use, unless the environment says something
// else. What is in use are large blocks without pointers mostly, so collecting often costs little: 5 % of the time, for 40 %
// of the memory. Small inputs need no collection at all: the first one comes at 8 MB, which is small per cent of Go's least heap.
const small, collect = 200, 25

// Collect sets how often garbage is collected in a command that reads large inputs. It does so once: of later inputs the heap is not small.
var Collect = sync.OnceFunc(func() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(small)
	runtime.AddCleanup(new(any), func(percent int) { debug.SetGCPercent(percent) }, collect) // which the first collection finds unused
})

// Limit returns how much of the process may be resident, bytes: what the user chose, or if that is 0 half of what there is. Garbage is collected so that the
// heap stays below a limit that was chosen.
func Limit(chosen int64) int64 {
	if chosen == 0 {
		return Memory() / 2
	}
	debug.SetMemoryLimit(chosen / 4 * 3)
	return chosen
}
