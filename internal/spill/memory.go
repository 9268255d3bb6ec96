package spill

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
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
	for l := range strings.Lines(read("proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(l), ":", 3)
		if len(f) < 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		switch f[1] {
		case "":
		case "memory": // of the first version of control groups
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			take(read(path.Join(mount, group, file)), 1)
			if group == "/" {
				break
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}
