//go:build linux

package simulated

import (
	"fmt"
	"strings"
	"time"

	"tracerec/internal/readable"
)

// usualCounts is what Counts tells if nothing else is asked for; what the machine does not have is left out.
var usualCounts = []string{"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_FP_OPS", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_L1_DCA",
	"PAPI_L1_DCM", "SIM_L1D_COLD", "SIM_L1D_CAPACITY", "SIM_L1D_CONFLICT", "PAPI_L1_ICM", "PAPI_L2_DCM", "PAPI_L3_DCM", "PAPI_TLB_DM", "PAPI_TLB_IM",
	"SIM_SYSCALL"}

// Summary says in some lines what a run was: on which machine, with how many processors, and how long it took.
func (r *Result) Summary(on string, cpus int, took time.Duration) []string {
	lines := []string{fmt.Sprintf("%s in %s of virtual time, %s with %s; simulated in %s at %.0f million instructions per second",
		readable.Plural(r.Instructions, "instruction"), readable.Duration(r.Time), on, readable.Plural(cpus, "processor"), readable.Duration(took), float64(r.Instructions)/took.Seconds()/1e6)}
	if r.Break != "" {
		lines = append(lines, "ended at "+r.Break)
	}
	if r.Archive != nil {
		lines = append(lines, r.Archive.summary()...)
	}
	return lines
}

// summary says what was recorded.
func (a *Archive) summary() []string {
	functions := ""
	if a.Functions > 0 { // regions are functions
		functions = " of " + readable.Plural(a.Functions, "function")
	}
	lines := []string{fmt.Sprintf("%s: %s%s in %s of %s, %s, with %s; see expert analyze %s", a.Dir, readable.Plural(a.Records, "event"), functions,
		readable.Plural(a.Locations, "location"), readable.Plural(a.Processes, "process"), readable.Bytes(a.Bytes),
		readable.Plural(len(a.Events), "counter"), readable.Argument(a.Dir))}
	if a.Aside != "" {
		lines = append(lines, "the older "+a.Dir+" is now "+a.Aside)
	}
	if len(a.Frequent) > 0 {
		lines = append(lines, frequent(a.Frequent))
	}
	for _, p := range a.Idle {
		lines = append(lines, "--filter "+p+" matches no function")
	}
	return lines
}

// frequent tells of functions that were counted in their callers because they are called so often.
func frequent(list []Frequent) string {
	var calls uint64
	var names []string
	for _, f := range list {
		calls += f.Skipped
		names = append(names, f.Function)
	}
	if more := len(list) - 3; more > 0 {
		names = append(names[:3], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s of short functions are counted in their callers: %s", readable.Plural(calls, "call"), strings.Join(names, ", "))
}

// InVain says what a program asked of its kernel that the simulator does not have.
func (r *Result) InVain(program string) (lines []string) {
	for _, u := range r.Unsupported {
		lines = append(lines, fmt.Sprintf("%s: %s is not supported; it failed with %s %s, first at %#x", program, u.What, u.Error, readable.Plural(u.Times, "time"), u.PC))
	}
	return lines
}

// Counts returns a table of the counts of a run, of the usual ones if names is nil; only those of goroutines that the function only began,
// unless it is "".
func (r *Result) Counts(program, only string, names []string) (string, error) {
	if names == nil {
		names = usualCounts
	}
	list, err := r.Counters.Amounts(only, names)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	of := ""
	if only != "" {
		of = ", only " + only
	}
	fmt.Fprintf(&out, "\ncounts of %s%s\n\n", program, of)
	for _, c := range list {
		fmt.Fprintf(&out, "%20s  %-16s  %s\n", readable.Grouped(c.Value, 0), c.Name, c.Description)
	}
	return out.String(), nil
}
