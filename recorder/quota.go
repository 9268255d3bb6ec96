//go:build linux

package recorder

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tracerec/internal/cgroup"
)

// quota is a limit of the processor time of a control group, as containers have.
type quota struct {
	dir        string  // of the group
	processors float64 // so many can be busy all the time
	held       uint64  // periods in which the group had used up its time, and was stopped
}

// quotasOf returns the quotas of a process: those of its group and of all around it. Nothing is known of a process that has ended.
func quotasOf(pid int) []quota {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return nil
	}
	return quotasIn(cgroup.Mount, string(text))
}

// quotasIn returns the quotas of the groups that a file of /proc names.
func quotasIn(root, text string) (list []quota) {
	for _, dir := range cgroup.Dirs(root, text, "cpu") {
		if q := (quota{dir: dir}); q.read() {
			list = append(list, q)
		}
	}
	return list
}

// read reads what holds of a group now; false if it has no quota.
func (q *quota) read() bool {
	q.processors = ratio(q.dir, "cpu.max")
	if q.processors == 0 {
		q.processors = ratio(q.dir, "cpu.cfs_quota_us", "cpu.cfs_period_us")
	}
	stat, err := os.ReadFile(filepath.Join(q.dir, "cpu.stat"))
	if err != nil || q.processors <= 0 {
		return false
	}
	for line := range strings.Lines(string(stat)) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "nr_throttled "); ok {
			q.held, err = strconv.ParseUint(n, 10, 64)
			return err == nil
		}
	}
	return false
}

// ratio returns the first of two numbers in files of a directory divided by the second, 0 if they are not there, or there is no limit.
func ratio(dir string, files ...string) float64 {
	var fields []string
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return 0
		}
		fields = append(fields, strings.Fields(string(text))...)
	}
	if len(fields) != 2 {
		return 0
	}
	a, err := strconv.ParseInt(fields[0], 10, 64)
	b, failed := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || failed != nil || a < 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// heldUpByQuotas adds to counts in how many periods quotas held a process up that could run on so many processors at once, since they were read before.
func heldUpByQuotas(counts map[string]uint64, before []quota, processors int) {
	worst := quota{processors: math.Inf(1)}
	for _, q := range before {
		now := q
		if now.read() && now.held > q.held && now.held-q.held > worst.held {
			worst = quota{processors: now.processors, held: now.held - q.held}
		}
	}
	if worst.held == 0 {
		return
	}
	text := fmt.Sprintf("periods in which the quota of a control group around it, %.3g processors, was used up by all in the group", worst.processors)
	if float64(processors) > worst.processors {
		text += fmt.Sprintf("; the program can use %d at once", processors)
	}
	counts[text] = worst.held
}
