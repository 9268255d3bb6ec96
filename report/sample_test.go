package report

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
)

// builder makes experiments by hand.
type builder struct {
	Experiment
	Severity, Critical [][]Cell
	paths              map[string]uint32
}

// done returns the experiment with its cube.
func (b *builder) done() *Experiment {
	e := fill(&b.Experiment, b.Severity, b.Critical)
	e.Judge()
	return e
}

// fill makes the cube of an experiment; cells need not ascend.
func fill(e *Experiment, severity, critical [][]Cell) *Experiment {
	for _, all := range [][][]Cell{severity, critical} {
		for _, cells := range all {
			slices.SortFunc(cells, cellOrder)
		}
	}
	if err := e.Fill(severity, critical); err != nil {
		panic(err)
	}
	return e
}

// refill makes the cube again of trees that were changed, and of severities that are.
func refill(e *Experiment, change ...func(severity [][]Cell)) *Experiment {
	severity, critical := make([][]Cell, len(e.Metrics)), make([][]Cell, len(e.Metrics))
	copy(severity, allCells(e))
	copy(critical, allCritical(e))
	for _, f := range change {
		f(severity)
	}
	return fill(e, severity, critical)
}

// allCells returns the severities by metric.
func allCells(e *Experiment) (all [][]Cell) {
	for i := range e.numbers.metrics {
		all = append(all, e.Cells(i))
	}
	return all
}

func allCritical(e *Experiment) (all [][]Cell) {
	for i := range e.numbers.metrics {
		all = append(all, e.CriticalCells(i))
	}
	return all
}

func newBuilder() *builder {
	b := &builder{paths: map[string]uint32{}}
	ns := metric.Nanoseconds
	b.Metrics = []metric.Metric{
		{Name: "time", Title: "Time", Unit: ns},
		{Name: "execution", Title: "Execution", Parent: "time", Unit: ns},
		{Name: "communication", Title: "Communication", Parent: "time", Unit: ns},
		{Name: "late_sender", Title: "Late sender", Parent: "communication", Unit: ns, Kind: metric.WaitState,
			Description: "A receive waits because the send has not begun. It is the usual sign of uneven work.",
			Formula:     "min(begin of the send, end of the receive) − begin of the receive, when positive",
			Advice:      "Send earlier, or give the sender less to do before it sends. If all senders wait in turn, the work is uneven: look at the imbalance."},
		{Name: "synchronization", Title: "Synchronization", Parent: "time", Unit: ns},
		{Name: "lock_competition", Title: "Lock competition", Parent: "synchronization", Unit: ns, Kind: metric.WaitState,
			Causing: "which had locked it in", Advice: "Hold the lock for less time."},
		{Name: "join_wait", Title: "Waiting for goroutines to finish", Parent: "synchronization", Unit: ns, Kind: metric.WaitState},
		{Name: "sleep", Title: "Sleep", Parent: "time", Unit: ns},
		{Name: "visits", Title: "Visits", Unit: metric.Count},
		{Name: "messages", Title: "Messages", Unit: metric.Count},
		{Name: "imbalance", Title: "Imbalance", Unit: ns},
		{Name: "overload", Title: "Overload", Parent: "imbalance", Unit: ns},
		{Name: "critical_path", Title: "Critical path", Unit: ns},
		{Name: "critical_path_imbalance", Title: "Imbalance on the critical path", Unit: ns},
		{Name: "page-faults", Title: "Page faults", Unit: metric.Events, Kind: metric.Counter},
		{Name: "page-faults_uncertain", Title: "Uncertain", Parent: "page-faults", Unit: metric.Events, Kind: metric.More},
	}
	b.Severity = make([][]Cell, len(b.Metrics))
	b.Critical = make([][]Cell, len(b.Metrics))
	b.Stats = make([]Stats, len(b.Metrics))
	return b
}

// path interns a call path such as "step/exchange/recv@/src/hydro/halo.go:120".
func (b *builder) path(s string) uint32 {
	if p, ok := b.paths[s]; ok {
		return p
	}
	spec, parent := s, int32(-1)
	call, file, hasFile := strings.Cut(s, "@")
	if i := strings.LastIndex(call, "/"); i >= 0 {
		parent, spec = int32(b.path(call[:i])), call[i+1:]
	} else {
		spec = call
	}
	r := Region{Name: spec}
	if hasFile {
		i := strings.LastIndex(file, ":")
		r.File = file[:i]
		if _, err := fmt.Sscan(file[i+1:], &r.Line); err != nil {
			panic(err)
		}
	}
	b.Regions = append(b.Regions, r)
	b.Paths = append(b.Paths, CallPath{parent, uint32(len(b.Regions) - 1)})
	b.paths[s] = uint32(len(b.Paths) - 1)
	return b.paths[s]
}

func (b *builder) add(metricName string, path, location uint32, value int64) {
	i := b.MetricIndex(metricName)
	b.Severity[i] = append(b.Severity[i], Cell{path, location, value})
}

const ms = 1_000_000

// hydro is an experiment such as the demo's: seven workers wait for the eighth.
func hydro() *Experiment {
	b := newBuilder()
	b.Split = Split{Execution: 1200 * ms, Runnable: 3 * ms, External: 80 * ms, ByTime: 2}
	b.Lost = Lost{1, 0.005, 0.25}
	b.Header = Header{Program: "hydro", Args: []string{"-skew", "-cells", "64"}, Wall: 1284 * ms, Focus: 1283 * ms,
		Time: 11_500 * ms, Processes: 1, Goroutines: 9, Events: 123_456, Resolution: 64}
	b.Groups = []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "worker", Creator: 1, Count: 8}}
	b.Locations = []Location{{0, 0, "main", 1, 1, 0, false}}
	for i := range 8 {
		b.Locations = append(b.Locations, Location{0, 1, fmt.Sprintf("worker[%d]", i), uint64(18 + i), 1, uint32(i + 1), false})
	}
	run := b.path("run")
	spawn := b.path("run/spawn@/src/hydro/main.go:60")
	wait := b.path("run/wait@/src/hydro/main.go:71")
	step := b.path("step")
	recv := b.path("step/exchange/recv@/src/hydro/halo.go:120")
	lock := b.path("step/minimum/lock@/src/hydro/dt.go:33")
	sweep := b.path("step/sweep@/src/hydro/ppm.go:88")
	b.add("execution", run, 0, 3*ms)
	b.add("join_wait", wait, 0, 1280*ms)
	for l := uint32(1); l <= 8; l++ {
		work := int64(700 * ms)
		if l == 4 {
			work = 1250 * ms
		} else {
			b.add("late_sender", recv, l, 540*ms)
		}
		b.add("execution", sweep, l, work)
		b.add("lock_competition", lock, l, 20*ms)
		b.add("visits", step, l, 200)
		b.add("page-faults", sweep, l, 1000*int64(l))
		b.add("page-faults_uncertain", sweep, l, 10)
	}
	b.add("messages", recv, 1, 2800)
	b.add("critical_path", sweep, 4, 1200*ms)
	b.add("critical_path", recv, 4, 80*ms)
	b.add("critical_path", run, 0, 3*ms)
	b.add("overload", sweep, 4, 490*ms)
	b.add("critical_path_imbalance", sweep, 4, 480*ms)
	late, locks, join := b.MetricIndex("late_sender"), b.MetricIndex("lock_competition"), b.MetricIndex("join_wait")
	b.Critical[late] = []Cell{{recv, 1, 500 * ms}}
	b.Critical[locks] = []Cell{{lock, 1, 900_000}}
	b.OnPath = make([]int64, len(b.Metrics))
	b.OnPath[0], b.OnPath[b.MetricIndex("communication")], b.OnPath[late] = 491*ms, 491*ms, 491*ms
	b.OnPath[b.MetricIndex("synchronization")], b.OnPath[locks] = 900_000, 900_000
	b.Stats[late] = Stats{Count: 1400, Sum: 3780 * ms, Min: 12, Max: 8_100_000, Mean: 2_700_000, Q25: 400_000, Median: 2_100_000, Q75: 3_000_000,
		Worst: []Instance{{recv, 3, 431 * ms, 439_100_000, 8_100_000, 4, int32(sweep), 3, 4}, {recv, 2, 5 * ms, 6 * ms, 1 * ms, -1, -1, 2, -1}}}
	b.Stats[join] = Stats{Count: 1, Sum: 1280 * ms, Min: 1280 * ms, Max: 1280 * ms, Mean: 1280 * ms, Q25: 1280 * ms, Median: 1280 * ms, Q75: 1280 * ms,
		Worst: []Instance{{wait, 0, 3 * ms, 1283 * ms, 1280 * ms, 4, int32(step), 0, 4}}}
	b.Operations = []OperationSplit{{Path: recv, Group: 1, Taken: 200}}
	b.Findings = []Finding{
		{Line: Line{Metric: late, Path: recv, Group: 1, Severity: 3780 * ms, Critical: 491 * ms, Instances: 1400, Locations: []uint32{1, 2, 3, 5, 6, 7, 8},
			Causers: []Causer{{1, int32(sweep), 3_720 * ms, []uint32{4}, 0}, {1, int32(lock), 60 * ms, []uint32{1, 2, 3}, 0}}},
			Object: Object{Type: "channel", Name: "Halo.left", File: "/src/hydro/halo.go", Line: 31, Count: 8},
			Lines: []Line{{Metric: late, Path: recv, Group: 1, Severity: 3600 * ms, Critical: 491 * ms, Instances: 1300, Locations: []uint32{1, 2, 3, 5, 6, 7, 8},
				Causers: []Causer{{1, int32(sweep), 3_600 * ms, []uint32{4}, 0}}}, {Metric: late, Path: lock, Group: 1, Severity: 180 * ms, Instances: 100, Locations: []uint32{2},
				Causers: []Causer{{1, int32(sweep), 120 * ms, []uint32{4}, 0}, {1, int32(lock), 60 * ms, []uint32{1, 2, 3}, 0}}}},
			Meanwhile: []PathTime{{uint32(sweep), 330 * ms}, {uint32(step), 150 * ms}, {uint32(lock), 11 * ms}},
			Awaited:   1200 * ms, Onward: []Onward{{PathTime{uint32(recv), 480 * ms}, 1}, {PathTime{uint32(lock), 60 * ms}, 1}}},
		{Line: Line{Metric: locks, Path: lock, Group: 1, Severity: 160 * ms, Critical: 900_000, Instances: 1, Locations: []uint32{1, 2, 3, 4, 5, 6, 7, 8},
			Causers: []Causer{{1, int32(lock), 160 * ms, []uint32{6}, 0}}}},
		{Line: Line{Metric: join, Path: wait, Group: 0, Severity: 1280 * ms, Instances: 1, Locations: []uint32{0},
			Causers: []Causer{{1, int32(step), 1280 * ms, []uint32{4}, 0}}}, Awaited: 640 * ms},
	}
	_ = spawn
	return b.done()
}

// hostile is an experiment whose names are as long and as odd as files can make them.
func hostile() *Experiment {
	b := newBuilder()
	long := strings.Repeat("averyveryverylongname", 12)
	b.Header = Header{Program: "/opt/" + long, Args: []string{long, "\x1b[31mred"}, Wall: 1 << 60, Focus: 1 << 60, Time: 1 << 61,
		Processes: 3, Goroutines: 1_000_000, Events: 1 << 40, Lost: 1234, Exit: 137, Resolution: 1}
	b.Groups = []Group{{Name: "測定" + long, Creator: -1, Count: 1_000_000}, {Name: "func1", Creator: 0, Count: 2}, {Name: "func1", Creator: 1, Count: 2}}
	b.Locations = []Location{{0, 0, "測定" + long, 0, 999_999, 0, false}, {1, 1, "\x1b]0;title\a" + long, 77, 1, 1, false}, {2, 2, "func1[0]", 78, 1, 2, true}}
	deep := "root@/a/" + long + "/x.go:1"
	b.path(deep)
	deep = "root"
	for i := range 20 {
		deep += fmt.Sprintf("/level%d", i)
	}
	send := b.path(deep + "/send@/a/" + long + "/long.go:123456")
	recv := b.path("recv@/b/" + long + "/long.go:7")
	wide := b.path("測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定測定/e\u0301\u0301 " + long)
	late := b.MetricIndex("late_sender")
	for l := range uint32(3) {
		b.add("late_sender", send, l, 1<<59)
		b.add("critical_path", send, l, 1<<58)
		b.add("overload", wide, l, 1<<58)
		b.add("page-faults", wide, l, 1<<60)
	}
	b.Metrics = append(b.Metrics, metric.Metric{Name: long, Title: long, Kind: metric.Counter, Unit: metric.Bytes})
	b.Severity, b.Critical = append(b.Severity, []Cell{{wide, 1, 5 << 20}, {recv, 1, 700}}), append(b.Critical, nil)
	b.Stats[late] = Stats{Count: 1 << 50, Max: 1 << 60, Worst: []Instance{{wide, 0, 1 << 59, 1 << 60, 1 << 59, 1, int32(wide), 0, 1}}}
	for i := range 7 {
		b.Findings = append(b.Findings, Finding{Line: Line{Metric: late, Path: []uint32{send, wide, recv}[i%3], Group: int32(i % 3), Severity: 1 << 59,
			Critical: int64(max(0, 4-i)) << 57, Instances: 1 << 40, Locations: []uint32{uint32(i % 3)},
			Causers: []Causer{{0, int32(wide), 1 << 58, []uint32{0}, 0}, {-1, -1, 1 << 57, nil, 0}, {1, int32(recv), 1 << 50, []uint32{1}, 0}, {2, -1, 1, []uint32{2}, 0}}}})
	}
	for l := range uint32(3) {
		b.NeverEnded = append(b.NeverEnded, NeverEnded{wide, l, 1 << 58, "mutex made at " + long, 1, int32(send)})
	}
	b.NeverEnded = append(b.NeverEnded, NeverEnded{recv, 1, 0, "", -1, -1})
	for i := range 12 {
		b.Warnings = append(b.Warnings, fmt.Sprintf("segment-%d: offset %d: chunk does not match its checksum; %s", i, i<<20, long))
	}
	return b.done()
}

// empty is a program that recorded nothing.
func empty() *Experiment {
	b := newBuilder()
	b.Header = Header{Program: "ls", Wall: 3 * ms, Processes: 0, Exit: 0}
	return b.done()
}
