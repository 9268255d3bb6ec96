package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// absent is the tests of PAPI that no behaviour re-creates, with the reason.
var absent = []struct {
	tests  string
	reason string
}{
	{"disable_component", "a set names its substrates; there is nothing to disable"},
	{"attach_cpu_sys_validate", "it needs a processor that is idle"},
	{"perf_event_system_wide", "sets attach to one processor, not to all at once"},
	{"realtime virttime clockres_pthreads", "timers belong to no substrate; TestTimers of package counters tests them"},
	{"timer_overflow", "timers count nanoseconds in 64 bits, which do not overflow"},
	{"hwinfo", "package counters/hardware has its own tests"},
	{"exeinfo shlib version", "the Go runtime reports them (runtime/debug)"},
	{"dmem_info", "memory is counted by ordinary events: go:live-bytes, rusage:process-maxrss"},
	{"serial_hl pthread_hl serial_hl_ll_comb", "the high level has no substrate of its own; TestHighLevel of package counters tests it"},
	{"omp_hl mpi_hl", "Go programs have neither OpenMP nor MPI"},
	{"broken_events", "fuzz tests of package counters/perf try broken names"},
	{"memleak_check", "every behaviour asserts that whatever it opened is closed again"},
	{"offcore_response topdown_L1 topdown_L2 topdown_basic", "they need the PMU of one vendor"},
	{"papi_br_ins papi_br_cn papi_br_ucn papi_br_ntk papi_br_tkn papi_br_msp papi_br_prc", "they need a hardware PMU"},
	{"papi_fp_ops papi_sp_ops papi_dp_ops flops_validation", "they need a hardware PMU"},
	{"papi_l1_dca papi_l1_dcm papi_l2_dca papi_l2_dcm papi_l2_dcr papi_l2_dcw", "they need a hardware PMU"},
	{"papi_ld_ins papi_sr_ins papi_tot_cyc papi_ref_cyc papi_hw_int cycles_validation", "they need a hardware PMU"},
}

// papi returns the tests of PAPI that behaviours re-create, in order, and those that none does.
func papi() (recreated, missing []string) {
	for _, b := range behaviours() {
		recreated = append(recreated, b.PAPI...)
	}
	slices.Sort(recreated)
	for _, a := range absent {
		missing = append(missing, strings.Fields(a.tests)...)
	}
	slices.Sort(missing)
	return slices.Compact(recreated), missing
}

// papiTable writes the tables of docs/conformance.md.
func papiTable(harnesses ...Harness) string {
	var out strings.Builder
	fmt.Fprint(&out, "| column | counts |\n|---|---|\n")
	head, line := "| behaviour |", "|---|"
	for _, h := range harnesses {
		fmt.Fprintf(&out, "| %s | %s |\n", h.Name, h.Title)
		head, line = head+" "+h.Name+" |", line+":-:|"
	}
	fmt.Fprintf(&out, "\n%s PAPI's tests |\n%s---|\n", head, line)
	run := make([]int, len(harnesses))
	all := behaviours()
	for _, b := range all {
		fmt.Fprintf(&out, "| %s |", b.Name)
		for i, h := range harnesses {
			mark := "run"
			if h.lacks(&b) != "" {
				mark = "–"
			} else {
				run[i]++
			}
			fmt.Fprintf(&out, " %s |", mark)
		}
		fmt.Fprintf(&out, " %s |\n", strings.Join(b.PAPI, ", "))
	}
	fmt.Fprintf(&out, "| **%d behaviours** |", len(all))
	for _, n := range run {
		fmt.Fprintf(&out, " **%d** |", n)
	}
	recreated, missing := papi()
	fmt.Fprintf(&out, " **%d tests** |\n\nWhat a substrate does not run, and why:\n\n| substrate | not run | reason |\n|---|---|---|\n", len(recreated))
	for _, h := range harnesses {
		for _, c := range slices.Sorted(maps.Keys(h.Lacks)) {
			fmt.Fprintf(&out, "| %s | %s | %s |\n", h.Name, c, h.Lacks[c])
		}
	}
	fmt.Fprintf(&out, "\nNo behaviour re-creates these %d tests of PAPI:\n\n| tests | reason |\n|---|---|\n", len(missing))
	for _, a := range absent {
		fmt.Fprintf(&out, "| %s | %s |\n", strings.ReplaceAll(a.tests, " ", ", "), a.reason)
	}
	return out.String()
}
