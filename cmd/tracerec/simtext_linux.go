package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tracerec/internal/readable"
	"tracerec/recorder/simulated"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/pmu"
)

// Events that are counted if nothing else is asked for; those that the machine does not have are left out.
var (
	usualCounts = []string{"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_FP_OPS", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_L1_DCA",
		"PAPI_L1_DCM", "SIM_L1D_COLD", "SIM_L1D_CAPACITY", "SIM_L1D_CONFLICT", "PAPI_L1_ICM", "PAPI_L2_DCM", "PAPI_L3_DCM", "PAPI_TLB_DM", "PAPI_TLB_IM",
		"SIM_SYSCALL"}
	usualMetrics = []string{"PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_DCM", "PAPI_BR_MSP"}
)

// summary says what a run was.
func (s *simulation) summary(o simulated.Options, r *simulated.Result, took time.Duration) {
	n := float64(r.Instructions)
	on := "machine " + s.machine
	if s.uncounted {
		on = "uncounted"
	}
	s.say(fmt.Sprintf("%s in %s of virtual time, %s with %s; it took %s, %.0f million instructions per second",
		readable.Plural(r.Instructions, "instruction"), readable.Quantity(float64(r.Time), "ns"), on, readable.Plural(o.CPUs, "processor"), readable.Quantity(float64(took), "ns"), n/took.Seconds()/1e6))
	if r.Break != "" {
		s.say("ended at " + r.Break)
	}
	if a := r.Archive; a != nil {
		functions := ""
		if a.Functions > 0 { // regions are functions
			functions = " of " + readable.Plural(a.Functions, "function")
		}
		s.say(fmt.Sprintf("%s: %s%s in %s of %s, %s, with %s; see expert analyze %s", a.Dir, readable.Plural(a.Records, "event"), functions,
			readable.Plural(a.Locations, "location"), readable.Plural(a.Processes, "process"), readable.FileSize(a.Bytes),
			readable.Plural(len(a.Events), "counter"), readable.Argument(a.Dir)))
		if a.Aside != "" {
			s.say("the archive that was there is now " + a.Aside)
		}
		s.frequent(a.Frequent)
		for _, p := range a.Idle {
			s.say("--filter " + p + ": no function is called so")
		}
	}
}

// inVain tells what the program asked of its kernel that the simulator does not have.
func (s *simulation) inVain(list []linux.Unsupported) {
	for _, u := range list {
		s.say(fmt.Sprintf("%s: %s is not supported: answered %s %s, first at %#x", s.program, u.What, u.Error, readable.Plural(u.Times, "time"), u.PC))
	}
}

// frequent tells of functions that were counted in their callers because they are called so often.
func (s *simulation) frequent(list []simulated.Frequent) {
	if len(list) == 0 {
		return
	}
	var calls uint64
	var names []string
	for _, f := range list {
		calls += f.Skipped
		names = append(names, f.Function)
	}
	if more := len(list) - 3; more > 0 {
		names = append(names[:3], fmt.Sprintf("%d more", more))
	}
	s.say(fmt.Sprintf("%s of short functions are counted in their callers: %s", readable.Plural(calls, "call"), strings.Join(names, ", ")))
}

// table prints the counts of a run.
func (s *simulation) table(w io.Writer, r *simulated.Result) error {
	names := s.events
	if names == nil {
		names = usualCounts
	}
	list, err := r.Counters.Amounts(s.only, names)
	if err != nil {
		return s.ended(r, err)
	}
	var out strings.Builder
	of := ""
	if s.only != "" {
		of = ", only " + s.only
	}
	fmt.Fprintf(&out, "\ncounts of %s%s\n\n", s.program, of)
	for _, c := range list {
		fmt.Fprintf(&out, "%20s  %-16s  %s\n", readable.Grouped(c.Value, 0), c.Name, c.Description)
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// machineRow is what is told about a machine or a PMU.
type machineRow struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// eventRow is what is told about an event.
type eventRow struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// simList is what there is to choose from.
type simList struct {
	Machines   []machineRow      `json:"machines"`
	PMUs       []machineRow      `json:"pmus"`
	Machine    string            `json:"machine"` // of which the following are
	Parameters []cache.Parameter `json:"parameters"`
	Events     []eventRow        `json:"events"`
}

// listing tells which machines there are, and of the chosen one parameters and events.
func (s *simulation) listing(m *cache.Machine) error {
	v := simList{Machine: s.machine}
	for _, name := range cache.Machines() {
		x, err := cache.Named(name)
		if err != nil {
			return err
		}
		v.Machines = append(v.Machines, machineRow{name, x.Title})
	}
	for _, name := range pmu.Names() {
		x, err := pmu.Named(name)
		if err != nil {
			return err
		}
		v.PMUs = append(v.PMUs, machineRow{name, x.Title})
	}
	if m != nil {
		v.Parameters = m.Parameters()
	}
	c, err := count.New(m, count.Options{Classify: true})
	if err != nil {
		return err
	}
	for _, e := range c.Events() {
		v.Events = append(v.Events, eventRow{e.Name, e.Description})
	}
	if s.format == "json" {
		return readable.JSON(s.cmd.OutOrStdout(), v)
	}
	_, err = io.WriteString(s.cmd.OutOrStdout(), v.text())
	return err
}

// text writes the list in 80 columns.
func (v *simList) text() string {
	var out strings.Builder
	out.WriteString("machines (--machine)\n")
	for _, x := range append(slices.Clone(v.Machines), machineRow{noMachine, "only what does not depend on caches and prediction is counted"}) {
		describeName(&out, 8, x.Name, x.Title)
	}
	out.WriteString("\nPMUs (--pmu)\n")
	for _, x := range v.PMUs {
		describeName(&out, 8, x.Name, x.Title)
	}
	if v.Parameters != nil {
		fmt.Fprintf(&out, "\nparameters of %s (--set, --sweep)\n", v.Machine)
		var words []string
		for _, p := range v.Parameters {
			words = append(words, p.Name+"="+p.Value)
		}
		out.WriteString(readable.Block("  ", strings.Join(words, " "), readable.Columns))
	}
	fmt.Fprintf(&out, "\ncounters of %s (-c)\n", v.Machine)
	for _, e := range v.Events {
		describeName(&out, 16, e.Name, e.Description)
	}
	return out.String()
}

// describeName writes a name in a column, and beside it what it is.
func describeName(out *strings.Builder, column int, name, text string) {
	out.WriteString(readable.Block(fmt.Sprintf("  %-*s  ", column, name), text, readable.Columns))
}
