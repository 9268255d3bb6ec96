//go:build linux

package simulated

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/simulator/cache"
	"tracerec/simulator/count"
)

// usual are the events that are recorded if none are named, as far as the machine has them: those of the specification for the
// simulator, so that all its hierarchies are there.
var usual = []string{
	"PAPI_TOT_CYC", "SIM_CYC_ISSUE", "PAPI_RES_STL", "SIM_CYC_L2", "SIM_CYC_L3", "SIM_CYC_MEMORY", "SIM_CYC_TLB", "SIM_CYC_BRANCH", "SIM_CYC_DIVIDE",
	"SIM_CYC_ATOMIC", "SIM_KERNEL_CYC", "PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_BR_PRC", "PAPI_BR_MSP", "PAPI_BR_UCN", "PAPI_FP_INS", "PAPI_FP_OPS",
	"PAPI_FAD_INS", "PAPI_FML_INS", "PAPI_FMA_INS", "PAPI_FDV_INS", "PAPI_FSQ_INS", "SIM_FP_OTHER", "PAPI_LD_INS", "PAPI_SR_INS", "SIM_AMO",
	"SIM_LOAD_X0", "PAPI_L1_DCA", "PAPI_L1_DCH", "PAPI_L1_DCM", "SIM_L1D_COLD", "SIM_L1D_CAPACITY", "SIM_L1D_CONFLICT", "PAPI_L2_DCH", "PAPI_L2_DCM",
	"PAPI_L3_DCA", "PAPI_L3_DCM", "PAPI_L1_ICA", "PAPI_L1_ICH", "PAPI_L1_ICM", "PAPI_TLB_TL", "PAPI_TLB_DM", "PAPI_TLB_IM", "SIM_CALL", "SIM_SYSCALL",
}

// most is how many events can be recorded together.
const most = 64

// usualEvents returns the events that a run records if none are named.
func usualEvents(c *count.Counters) (names []string) {
	for _, e := range c.Events() {
		if slices.Contains(usual, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// readings makes the values of events from counts. All events are sums of counts with factors; those of cycles have factors of
// thousandths, so what each location did is not rounded, but what all did is: its value is what the total grew by.
type readings struct {
	names []string
	terms [][]term // by event
	rest  []int64  // by event: what everybody counted but those who are charged now, thousandths
	work  []uint64
}

type term struct {
	factor  int64 // thousandths
	counter count.Counter
}

// newReadings resolves the names of events. NAME:k is what the kernel's modelled services count of it, NAME:u all the rest.
func newReadings(c *count.Counters, m *cache.Machine, names []string) (*readings, error) {
	r := new(readings)
	if len(names) == 0 {
		names = usualEvents(c)
	}
	if len(names) > most {
		return nil, fmt.Errorf("%d events: at most %d can be recorded together", len(names), most)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("event %s is named twice", name)
		}
		base, mode, more := strings.Cut(name, ":")
		if more && mode != "u" && mode != "k" {
			return nil, fmt.Errorf("event %s: the suffix must be :u or :k", name)
		}
		terms, err := termsOf(c, m, base, mode)
		if err != nil {
			return nil, err
		}
		if mode == "k" && len(terms) == 0 {
			return nil, fmt.Errorf("event %s: only cycles of the kernel are modelled: use SIM_KERNEL_CYC", name)
		}
		r.names, r.terms = append(r.names, name), append(r.terms, terms)
	}
	r.rest, r.work = make([]int64, len(names)), make([]uint64, len(names))
	return r, nil
}

// termsOf finds the factors of an event by asking for its value of each count alone. The kernel's cycles come with system calls.
func termsOf(c *count.Counters, m *cache.Machine, name, mode string) (terms []term, err error) {
	for n := range (count.Values{}) {
		var v count.Values
		v[n] = 1000
		factor, err := c.Value(&v, name)
		if err != nil {
			return nil, err
		}
		counter := count.Counter(n)
		kernel := counter == count.KernelCycles
		if kernel && m != nil {
			counter, factor = count.SystemCalls, factor*m.Cycles.SystemCall
		}
		if factor != 0 && (mode == "" || (mode == "k") == kernel) {
			terms = append(terms, term{int64(factor), counter})
		}
	}
	return terms, nil
}

// totals sets work to the present totals of all events; now are the counts of those who are charged.
func (r *readings) totals(now *count.Values) []uint64 {
	for i, terms := range r.terms {
		sum := r.rest[i]
		for _, t := range terms {
			sum += t.factor * int64(now[t.counter])
		}
		r.work[i] = uint64(sum / 1000)
	}
	return r.work
}

// switched goes on with others that are charged.
func (r *readings) switched(before, now *count.Values) {
	for i, terms := range r.terms {
		for _, t := range terms {
			r.rest[i] += t.factor * int64(before[t.counter]-now[t.counter])
		}
	}
}
