package survey

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"tracerec/counters"
	"tracerec/internal/readable"
)

// cost is what an operation of an event set costs.
type cost struct {
	Events    []string `json:"events"`
	Operation string   `json:"operation"`
	Least     int64    `json:"min_ns"`
	Median    int64    `json:"median_ns"`
	P90       int64    `json:"p90_ns"`
	P99       int64    `json:"p99_ns"`
}

// costList is what operations of some event sets cost.
type costList struct {
	Costs []cost `json:"costs"`
}

// costSets is sets of events to measure, each as far as it can be counted.
var costSets = [][]string{
	{"instructions"}, {"cycles", "instructions"}, {"cycles", "instructions", "branches", "branch-misses"}, {"task-clock"}, {"task-clock", "page-faults", "context-switches"},
	{"task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults"}, {"msr/tsc/"}, {"rusage:minflt"}, {"go:alloc-bytes"},
}

// Costs measures what operations of event sets cost.
func Costs() (Answer, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v := costList{Costs: []cost{}}
	for _, names := range append(costSets, []string{fmt.Sprintf("mem:%p/8:w", &watched[0])}) {
		set := counters.New()
		if set.AddAll(names...) != nil {
			continue
		}
		rows, err := costsOf(set, names)
		if err = errors.Join(err, set.Close()); err != nil {
			return nil, err
		}
		v.Costs = append(v.Costs, rows...)
	}
	if len(v.Costs) == 0 {
		return nil, errors.New("nothing can be counted here")
	}
	return v, nil
}

// costsOf measures readings, resets, and starts with stops of a set.
func costsOf(set *counters.EventSet, names []string) (rows []cost, err error) {
	values := make([]int64, len(names))
	measure := func(operation string, rounds, batch int, do func() error) {
		var times []int64
		for range rounds {
			start := time.Now()
			for range batch {
				if failed := do(); failed != nil && err == nil {
					err = failed
				}
			}
			times = append(times, time.Since(start).Nanoseconds()/int64(batch))
		}
		slices.Sort(times)
		at := func(percent int) int64 { return times[(len(times)-1)*percent/100] }
		rows = append(rows, cost{names, operation, times[0], at(50), at(90), at(99)})
	}
	measure("start+stop", 100, 1, func() error { return errors.Join(set.Start(), set.Stop(values)) })
	if err = errors.Join(err, set.Start()); err != nil {
		return nil, err
	}
	measure("read", 500, 8, func() error { return set.Read(values) })
	measure("reset", 500, 8, set.Reset)
	return rows, errors.Join(err, set.Stop(values))
}

// text writes a table.
func (v costList) Text(w io.Writer) error {
	var out strings.Builder
	const row = "%-36s %-10s %7s %7s %7s %7s\n"
	fmt.Fprintf(&out, row, "event set", "operation", "min", "median", "90 %", "99 %")
	last := ""
	for _, r := range v.Costs {
		name := strings.Join(r.Events, ",")
		if strings.HasPrefix(name, "mem:") {
			name = "a watchpoint"
		}
		shown := name
		if len(shown) > 36 {
			shown = fmt.Sprintf("%s and %d more", r.Events[0], len(r.Events)-1)
		}
		if name == last {
			shown = ""
		}
		last = name
		fmt.Fprintf(&out, row, shown, r.Operation, readable.Duration(r.Least), readable.Duration(r.Median), readable.Duration(r.P90),
			readable.Duration(r.P99))
	}
	out.WriteString("\nEnter and exit of a region cost one reading each.\n")
	_, err := io.WriteString(w, out.String())
	return err
}
