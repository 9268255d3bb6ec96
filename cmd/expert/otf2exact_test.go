package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/otf2"
)

// oracles are archives, and what Scalasca computed of them.
var oracles = map[string]string{
	"partdiff/run_1": "partdiff1", "partdiff/run_2": "partdiff2", "partdiff/run_3": "partdiff3", "partdiff/run_4": "partdiff4", "partdiff/run_7": "partdiff7",
	"small/mpi_allreduce": "dorsal-allreduce", "small/mpi_bsend": "dorsal-bsend", "small/mpi_ssend_irecv": "dorsal-ssend-irecv",
	"small/tiny_trace_function_runtime_fraction": "omp-tiny_trace_function_runtime_fraction", "casita/4_mpi_ls_barr": "casita-ls_barr",
	"npb-mz/btmzS_4x2": "npb-btmzS_4x2", "npb-mz/spmzS_4x2": "npb-spmzS_4x2", "pipit/ping-pong-otf2": "pipit-pingpong", "pipit/ping-pong-otf2-papi": "pipit-pingpong-papi",
}

// unit is by how much magnified makes a tick longer, so that nothing is lost when metrics are rounded to whole ns.
const unit = 1024

// magnified writes an archive again, with so many ns for each tick of its clock as unit says.
func magnified(t *testing.T, a *otf2.Archive) (name string) {
	name = filepath.Join(t.TempDir(), "traces.otf2")
	w, err := otf2.Create(name, otf2.Anchor{})
	require.NoError(t, err)
	for _, r := range a.Records() {
		if r.Spec.Name == "ClockProperties" {
			r.Values = append([]uint64{1e9, a.Clock.Offset, a.Clock.Length * unit}, r.Values[3:]...)
		}
		w.Define(&r)
	}
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, problems := a.Chunks(l)
		require.Empty(t, problems)
		to, err := w.Events(l.ID)
		require.NoError(t, err)
		for _, c := range chunks {
			for require.NoError(t, r.Open(c)); r.Next(); {
				e := r.Event
				e.Time = a.Clock.Offset + (e.Time-a.Clock.Offset)*unit
				to.Write(&e)
			}
			require.NoError(t, r.Err())
		}
		require.NoError(t, to.Close())
	}
	require.NoError(t, w.Close())
	return name
}

// oracle is what Scalasca computed of an archive, and what we do.
type oracle struct {
	want, got profile
	visits    map[[2]string]float64 // of a call path, and of those called by it
	stamp     float64               // how far off a time stamp of scout may be, s
	least     float64               // the smallest part of a second that we compute with, s
	metrics   []string              // of Scalasca
}

// consult returns what both computed of an archive.
func consult(t *testing.T, archive, report string) *oracle {
	a, err := otf2.Open(archive)
	require.NoError(t, err)
	exact, metrics := magnified(t, a), metricsOf(t, report)
	second := unit * float64(a.Clock.Resolution)
	length := float64(a.Clock.Length) / float64(a.Clock.Resolution)
	o := &oracle{metrics: metrics, want: profile{}, got: profileOf(t, exact, append(slices.Collect(maps.Values(others)), metrics...), second), visits: map[[2]string]float64{}, stamp: math.Nextafter(length, math.Inf(1)) - length, least: 1 / second}
	want := profileOf(t, report, metrics, 1e9)
	for at, cells := range want {
		at[0] = want.ours(at[0])
		o.want[at] = cells
		o.visits[at] += cells["visits"]
		if i := strings.LastIndex(at[1], " > "); i >= 0 {
			o.visits[[2]string{at[0], at[1][:i]}] += cells["visits"]
		}
	}
	for at := range o.got {
		if o.want[at] == nil {
			o.want[at] = map[string]float64{}
		}
	}
	return o
}

// metricsOf returns the names of the metrics of an input.
func metricsOf(t *testing.T, input string) (names []string) {
	for line := range strings.Lines(run(t, "metrics", input)) {
		if f := strings.Fields(line); len(f) > 0 {
			names = append(names, f[0])
		}
	}
	return names
}

var counts = regexp.MustCompile(`^(visits|syncs|comms|bytes|mpi_file_)|_count$`)

// computed are metrics that are more than sums of durations.
var computed = regexp.MustCompile(`^(delay|waitstates|mpi_wait_(in)?direct|mpi_wait_propagating|mpi_wait_terminal|performance|.*impact|int.._partition|imbalance|.*critical_path_)`)

// rounding returns by how much a value may differ because scout computes with doubles. It divides ticks since the begin by ticks per second, so that no time stamp is off by more than half of
// the distance of doubles at the end of the archive; no sum of durations is longer than the archive, so that no addition adds more than that. A visit has two time stamps, and each visit of what it
// calls two more; a team has as many again, for its fork and join, that go from one call path to the other; and each is added once. What is computed of durations is rounded to the least time
// here, and so is each of its parts.
func (o *oracle) rounding(metric string, at [2]string, value float64) float64 {
	switch {
	case counts.MatchString(metric):
		return 0
	case computed.MatchString(metric):
		return 4*o.visits[at]*o.stamp + 8*o.least + 1e-9*math.Abs(value)
	}
	return 4 * o.visits[at] * o.stamp
}

// others are the metrics that have another name here.
var others = map[string]string{"comp": "execution", "imbalance_above": "overload", "imbalance_below": "underload"}

// unlike is why values are not those of scout, and by how much at most (s).
type unlike struct {
	metrics, archives string // what matches
	why               string
	most              float64
	paths             *regexp.Regexp // call paths, nil all
}

// unlikes are the reasons that are known. The first one that fits counts, and each must be that of some value.
var unlikes = []unlike{
	{"^execution$", "", "all time but that of idle threads in scout; ours is its comp", 20, nil},
	{"^critical_path$", "", "from MPI_Init to MPI_Finalize in scout; ours is of the whole run", 0.07, regexp.MustCompile(
		`^[^>]*( > (main|int main\(.*\)))?( > MPI_(Init|Init_thread|Finalize))?$|\(not recorded\)`)},
	{"^critical_path_imbalance$", "", "compared with the average of all locations in scout; ours with that of those that visit the call path", 3, nil},
	// Where one location has as much of all call paths as the critical path, scout divides 0 by 0, and all values of its archive are lost.
	{"^(critical_imbalance_impact|intra_partition_imbalance|performance_impact.*)$", "^dorsal-(allreduce|ssend-irecv)$", "not a number in scout", 20e-3, nil},
	// On threads that are no masters, scout leaves out what they do from the last barrier of a team to its end. So they seem to have less than they have.
	{"^((non_)?critical_path_activities|critical_imbalance_impact|int.._partition_imbalance|performance_impact.*)$", "^(omp|partdiff[27]|npb)", "the end of teams is left out in scout", 1.1, nil},
	// A difference of two times that are equal is sometimes not 0 in doubles. If it is the only excess, scout charges the whole wait to it, however many times longer than all of 10⁻¹⁶ s that is; ours none.
	{"^delay_barrier", "^partdiff7$", "a difference of equal times is not 0 in scout, and charged a whole wait", 2e-7, nil},
	{"^delay_ompbarrier", "^npb-spmz", "a difference of equal times is not 0 in scout, and charged a whole wait", 7e-6, regexp.MustCompile(`rhs\.f:311`)},
	// Of the call that waited for a late receiver, scout takes away more than all, where it ends before that of the receiver, and all, where it ends after that: the sign of the difference is wrong.
	{"^delay(_mpi|_p2p|_latereceiver.*|_latesender.*)?$", "^(pipit|partdiff4)", "the rest of a late receiver's sender has the wrong sign in scout", 4e-5, nil},
	{"^(delay_latesender|mpi_wait_.*)$", "^npb-spmz", "the rest of a late receiver's sender has the wrong sign in scout", 5e-5, nil},
	// Where the last one of a collective operation has met some of its group since it met them all, scout passes the costs of waits of those on only to its waits behind the next such meeting: none behind the last.
	{"^delay_n21_(longterm|aggregate)$", "^npb-spmz", "costs of later meetings are passed on too late in scout", 1e-5, nil},
	{"^delay(_mpi|_omp|_collective|_n2n_(longterm|aggregate)|_ompidle_(longterm|aggregate))?$", "^partdiff[27]$", "costs of later meetings are passed on too late in scout", 1, nil},
	{"^delay", "^npb-btmz", "costs of later meetings are passed on too late in scout", 3e-4, nil},
	// All of the above change what later waits cost. An analyzer with the second and third as in scout got all values but those of the first.
	{"^delay", "^npb-spmz", "costs of later meetings are passed on too late in scout, with wrong signs in the others'", 1e-4, nil},
}

// large are the reports of large archives.
var large = regexp.MustCompile("^(npb|partdiff7)")

// reason returns the number of the reason why a metric may be unlike, -1 if there is none.
func reason(metric, archive string) int {
	return slices.IndexFunc(unlikes, func(x unlike) bool {
		m, _ := regexp.MatchString(x.metrics, metric)
		a, _ := regexp.MatchString(x.archives, archive)
		return m && a
	})
}

// compared is what was compared.
type compared struct {
	cells, unlike int
	largest, most float64 // differences that rounding explains, and others
	share         float64 // the largest part of what rounding may do
}

func (c *compared) add(x compared) {
	c.cells, c.unlike = c.cells+x.cells, c.unlike+x.unlike
	c.largest, c.most, c.share = max(c.largest, x.largest), max(c.most, x.most), max(c.share, x.share)
}

func (c *compared) String() string {
	s := fmt.Sprintf("%6d values, largest difference %8.2g, %3.0f %% of what rounding may do", c.cells, c.largest, 100*c.share)
	if c.unlike > 0 {
		s += fmt.Sprintf("; %d others, up to %.2g", c.unlike, c.most)
	}
	return s
}

// compare compares all values of a metric; why is the number of the reason why some may be unlike.
func (o *oracle) compare(t *testing.T, metric string, why int) (c compared) {
	for at, want := range o.want {
		v, g := want[metric], o.got[at][cmp.Or(others[metric], metric)]
		if v == 0 && g == 0 {
			continue
		}
		d, rounding := math.Abs(v-g), o.rounding(metric, at, v)
		switch {
		case d <= rounding:
			c.add(compared{cells: 1, largest: d, share: d / max(rounding, math.SmallestNonzeroFloat64)})
		case why < 0 || d > unlikes[why].most || unlikes[why].paths != nil && !unlikes[why].paths.MatchString(at[1]):
			t.Errorf("%s of %v: %g, not %g: more than %.2g", metric, at, g, v, rounding)
		default:
			c.add(compared{unlike: 1, most: d})
		}
	}
	return c
}

// TestAsScalasca: every value of every metric that Scalasca's scout computed is ours, but for those of which the reason is known.
func TestAsScalasca(t *testing.T) {
	const shared = "../../../shared/data"
	all, reasons, values, unlike := map[string]*compared{}, make([]compared, len(unlikes)), 0, 0
	for _, archive := range slices.Sorted(maps.Keys(oracles)) {
		name := oracles[archive]
		report := filepath.Join(shared, "oracle", name, "scout.cubex")
		if _, err := os.Stat(report); err != nil {
			t.Skip("no reports of Scalasca in ../shared/data/oracle")
		}
		if testing.Short() && large.MatchString(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := consult(t, filepath.Join(shared, "otf2", archive, "traces.otf2"), report)
			for _, m := range o.metrics {
				why := reason(m, name)
				c := o.compare(t, m, why)
				if all[m] == nil {
					all[m] = &compared{}
				}
				all[m].add(c)
				values, unlike = values+c.cells+c.unlike, unlike+c.unlike
				if why >= 0 {
					reasons[why].add(c)
				}
				if c.cells+c.unlike > 0 {
					t.Logf("%-32s %v", m, &c)
				}
			}
		})
	}
	never := ""
	for _, m := range slices.Sorted(maps.Keys(all)) {
		if c := all[m]; c.cells+c.unlike > 0 {
			t.Logf("%-32s %v", m, c)
		} else {
			never += " " + m
		}
	}
	t.Logf("0 everywhere in both:%s", never)
	for i, c := range reasons {
		require.True(t, c.unlike > 0 || testing.Short(), "%v: all values are like scout's", unlikes[i])
		t.Logf("%6d of %s in %s, up to %.2g: %s", c.unlike, unlikes[i].metrics, unlikes[i].archives, c.most, unlikes[i].why)
	}
	t.Logf("%d values, %d of them unlike", values, unlike)
}
