package analyzer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// metrics are the metrics of an experiment: those of the patterns, in their order, then the counters and user
// metrics of the archive. Numbers are indexes in list.
type metrics struct {
	list     []metric.Metric
	patterns []*Pattern // of the first metrics

	execution, communication, synchronization, sleep uint16      // time of levels
	timeOf                                           [256]uint16 // which of them, by the kind of the event that opens the level
	externalWait, wakeup, startLatency, overhead     uint16
	visits, messages, acquisitions                   uint16
	overload, underload                              uint16
	polling, failedTries                             uint16 // unnamed where locations are no goroutines
	single, bypass, singularity                      uint16 // parts of these, themselves where they are not told apart
	criticalPath, criticalImbalance                  uint16
	ready, readyAfterWait                            uint16      // unnamed where no source tells states
	stateOf                                          [256]uint16 // likewise, by kind of the event that begins the state

	parallel passing

	firstCause uint16           // of those that tell what causes the waits of goroutines; they are the last ones
	roots      []root           // what causes waits
	rootOf     [pointKinds]int8 // by kind of synch points, -1 none

	of [pointKinds]uint16 // by kind of synch points: the wait state; unnamed for none

	counter map[string]uint16 // certain values; uncertain ones are the metric behind it
	user    []uint16          // by metric number of the archive; unnamed for those that are none

	warnings []string          // about user metrics
	index    map[string]uint16 // by name
}

// newMetrics lists the metrics for an archive with these definitions.
func newMetrics(patterns []*Pattern, defs *trace.Definitions) (*metrics, error) {
	if err := Validate(patterns); err != nil {
		return nil, err
	}
	m := &metrics{counter: map[string]uint16{}, index: map[string]uint16{}}
	var causes []*Pattern
	for i := range m.of {
		m.of[i] = unnamed
	}
	states := slices.ContainsFunc(defs.Processes, func(p trace.Process) bool { return p.States })
	streams := slices.ContainsFunc(defs.Objects, func(o trace.Object) bool { return o.Kind == wire.Stream })
	timers := slices.ContainsFunc(defs.Objects, func(o trace.Object) bool { return o.Kind == wire.TimerChannel }) ||
		slices.ContainsFunc(defs.Processes, func(p trace.Process) bool { return p.Timers })
	for _, p := range patterns {
		if p.Paradigm != "" && !paradigm(defs, p.Paradigm) || p.States && !states || p.Point == Came && !streams || p.Point == RanDown && !timers {
			continue
		}
		if p.Cause && !threads(defs) {
			causes = append(causes, p)
			continue
		}
		m.patterns = append(m.patterns, p)
		if i := m.add(p.Metric); p.Point != NoPoint {
			m.of[p.Point] = i
		}
	}
	for _, k := range []PointKind{CameOverNetwork, RanDown} {
		if m.of[k] == unnamed {
			m.of[k] = m.of[DidNotCome]
		}
	}
	for _, known := range []struct {
		name string
		at   *uint16
	}{
		{metric.Execution, &m.execution}, {metric.Communication, &m.communication},
		{metric.Synchronization, &m.synchronization}, {metric.Sleep, &m.sleep},
		{metric.ExternalWait, &m.externalWait}, {metric.Wakeup, &m.wakeup},
		{metric.StartLatency, &m.startLatency}, {metric.Overhead, &m.overhead},
		{metric.Visits, &m.visits}, {metric.Messages, &m.messages}, {metric.Acquisitions, &m.acquisitions},
		{metric.Overload, &m.overload}, {metric.Underload, &m.underload},
		{metric.CriticalPath, &m.criticalPath}, {metric.CriticalPathImbalance, &m.criticalImbalance},
	} {
		i, ok := m.index[known.name]
		if !ok {
			return nil, fmt.Errorf("analyzer: the patterns lack the metric %q", known.name)
		}
		*known.at = i
	}
	m.polling, m.failedTries = m.named(metric.Polling), m.named(metric.FailedTries)
	m.single, m.bypass, m.singularity = m.named(metric.SingleParticipant), m.named(metric.NonParticipation), m.named(metric.Singularity)
	if m.single == unnamed {
		m.single, m.bypass, m.singularity = m.overload, m.underload, m.underload
	}
	m.addTimes()
	m.addStates()
	m.parallel = m.newParallel()
	m.addCounters(defs)
	m.addUser(defs)
	m.firstCause = uint16(len(m.list))
	for _, p := range causes {
		m.add(p.Metric)
	}
	m.addRoots(patterns)
	if len(m.list) >= 1<<16 {
		return nil, fmt.Errorf("analyzer: %d metrics are too many", len(m.list))
	}
	return m, nil
}

// paradigm says whether there are regions, or locations, of a paradigm.
func paradigm(defs *trace.Definitions, name string) bool {
	switch name {
	case Goroutines:
		return !threads(defs)
	case Processes:
		return threads(defs)
	}
	return slices.ContainsFunc(defs.Regions, func(r trace.Region) bool { return strings.HasPrefix(r.Class, name) })
}

// add appends a metric and returns its number.
func (m *metrics) add(x metric.Metric) uint16 {
	i := uint16(len(m.list))
	m.index[x.Name] = i
	m.list = append(m.list, x)
	return i
}

// free returns name, or a name like it if it is taken.
func (m *metrics) free(name string) string {
	for base, n := name, 2; ; n++ {
		if _, taken := m.index[name]; !taken {
			return name
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

// addCounters appends two metrics for each counter of the archive.
func (m *metrics) addCounters(defs *trace.Definitions) {
	who, formula := "goroutine", "difference of two samples taken on the same thread without the goroutine having left it in between"
	if threads(defs) {
		who, formula = "thread", "difference of two samples"
	}
	for _, p := range defs.Processes {
		for _, c := range p.Counters {
			if _, ok := m.counter[c]; ok {
				continue
			}
			name, unit := m.free(c), unitOf(wire.CounterUnit(c))
			m.counter[c] = m.add(metric.Metric{Name: name, Title: c, Unit: unit, Kind: metric.Counter,
				Description: "Counter " + c + ", where it certainly belongs to the " + who + ".",
				Formula:     formula})
			m.add(metric.Metric{Name: m.free(name + "_uncertain"), Title: c + " (uncertain)", Parent: name, Unit: unit, Kind: metric.More,
				Description: "Counter " + c + ", at most: the goroutine left its thread in between, " +
					"or the counter counts the whole process.",
				Formula: "what the whole process counted between two samples"})
		}
	}
}

// addUser appends the metrics that the program made. Those of one name in several units are several metrics; those without a name are
// none.
func (m *metrics) addUser(defs *trace.Definitions) {
	type key struct{ name, unit string }
	known := map[key]uint16{}
	units := map[string][]string{}
	for _, u := range defs.Metrics {
		k := key{u.Name, u.Unit}
		if _, ok := known[k]; !ok {
			known[k] = unnamed
			if u.Name != "" {
				known[k] = m.add(metric.Metric{Name: m.free(u.Name), Title: u.Name, Unit: unitOf(u.Unit), UnitName: u.Unit,
					Description: "Metric of the program, in " + u.Unit + ": sum of its samples.", Formula: "sum of the samples"})
				units[u.Name] = append(units[u.Name], strconv.Quote(u.Unit))
			}
		}
		m.user = append(m.user, known[k])
	}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		if list := units[name]; len(list) > 1 {
			m.warnings = append(m.warnings, fmt.Sprintf("the program made the metric %q in %d units, %s: they are kept apart",
				name, len(list), strings.Join(list, " and ")))
		}
	}
}

// unnamed is the number of the metrics that have no name.
const unnamed = math.MaxUint16

// unitOf returns the unit of that name; units that nothing is known about count something.
func unitOf(unit string) metric.Unit {
	switch unit {
	case "ns":
		return metric.Nanoseconds
	case "bytes":
		return metric.Bytes
	case "events":
		return metric.Events
	}
	return metric.Count
}

// outside says whether a wait state is waiting for nobody in the trace.
func outside(name string) bool {
	return name == metric.ExternalWait || name == metric.TimerWait || name == metric.Network
}

// addTimes says to which metric time in a level goes, by the kind of the event that opens it.
func (m *metrics) addTimes() {
	for k := range m.timeOf {
		m.timeOf[k] = m.execution
	}
	for _, s := range wire.Specs {
		switch {
		case s.Does != wire.Opens || s.Kind == wire.Enter:
		case s.Object == wire.Channel || s.Kind == wire.SelectBegin:
			m.timeOf[s.Kind] = m.communication
		case s.Object != 0:
			m.timeOf[s.Kind] = m.synchronization
		case s.Kind == wire.SleepBegin:
			m.timeOf[s.Kind] = m.sleep
		default:
			m.timeOf[s.Kind] = m.communication
		}
	}
}

// named returns the metric of a name, unnamed if there is none.
func (m *metrics) named(name string) uint16 {
	if i, ok := m.index[name]; ok {
		return i
	}
	return unnamed
}

// addStates says to which metric time in a state goes, by the kind of the event that begins it.
func (m *metrics) addStates() {
	named := m.named
	for k := range m.stateOf {
		m.stateOf[k] = unnamed
	}
	m.ready, m.readyAfterWait = named(metric.Ready), named(metric.ReadyAfterWait)
	m.stateOf[wire.Ready], m.stateOf[wire.Syscall], m.stateOf[wire.Parked] = m.ready, named(metric.SystemCall), named(metric.UnrecordedWait)
	m.stateOf[yielded] = named(metric.Yielded)
	if m.stateOf[yielded] == unnamed {
		m.stateOf[yielded] = m.ready
	}
	m.stateOf[wire.Forking], m.stateOf[wire.Joining] = named(metric.TeamFork), named(metric.TeamManagement)
	m.stateOf[wire.Assist], m.stateOf[wire.Stopped] = named(metric.GCAssist), named(metric.Stopped)
	m.stateOf[wire.Lost] = named(metric.EventsLost)
}

// cellKey is a place in the cube.
type cellKey struct {
	metric    uint16
	path, loc uint32
}
