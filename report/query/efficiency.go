package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/report/cube"
)

// Efficiency is a ratio of the efficiency model of the POP project: 1 is perfect, and the whole is the product of its
// factors.
type Efficiency struct {
	Name    string  // "load balance"
	Value   float64 // if Why is ""
	Why     string  // why the ratio does not apply
	Formula string  // with what was put in
	Meaning string  // what a low value says, a sentence
}

// Efficiency returns the ratios, the whole before its factors. With the time t of each location, which is useful computation
// u, waiting w, and what communication, synchronisation and starting threads cost in themselves, they are
//
//	parallel efficiency       mean u ÷ max t
//	  load balance            mean u ÷ max u
//	  communication           max u ÷ max t
//	    serialisation         max u ÷ max (u + w)
//	    transfer              max (u + w) ÷ max t
//
// Of threads and processes all count. Goroutines may come and go, but the model compares what is there for the whole run, so it
// only applies if those that are do most of the computation. Goroutines that do little but wait for those that they started, as main often does, are left out: they use no processor.
func (m *Model) Efficiency() []Efficiency {
	list := []Efficiency{
		{Name: "parallel efficiency", Formula: "mean computation ÷ longest time", Meaning: "The part of the run that a location spends on useful computation, on average."},
		{Name: "load balance", Formula: "mean computation ÷ most computation", Meaning: "Low if some locations have more to compute than others."},
		{Name: "communication efficiency", Formula: "most computation ÷ longest time", Meaning: "Low if even the busiest location spends much time otherwise than computing."},
		{Name: "serialisation efficiency", Formula: "most computation ÷ most computation and waiting",
			Meaning: "Low if locations depend on each other so that even the busiest one waits, and would on an ideal machine."},
		{Name: "transfer efficiency", Formula: "most computation and waiting ÷ longest time",
			Meaning: "Low if communication, synchronisation and parallel regions take time in themselves, apart from waiting."},
	}
	t, u, w, why := m.times()
	if why != "" {
		for i := range list {
			list[i].Why = why
		}
		return list
	}
	mean, most, longest, ideal := 0.0, 0.0, 0.0, 0.0
	for i := range t {
		mean += u[i] / float64(len(t))
		most, longest = max(most, u[i]), max(longest, t[i])
		if w != nil {
			ideal = max(ideal, u[i]+w[i])
		}
	}
	set := func(i int, x, y float64) {
		list[i].Formula += fmt.Sprintf(" = %s ÷ %s, of %d %s", duration(x), duration(y), len(t), m.class("locations", "goroutines"))
		if list[i].Value = x / y; y <= 0 {
			list[i].Value, list[i].Why = 0, "there was no computation"
		}
	}
	set(0, mean, longest)
	set(1, mean, most)
	set(2, most, longest)
	if w == nil {
		list[3].Why = "the report does not tell waiting from communication"
		list[4].Why = list[3].Why
		return list
	}
	set(3, most, ideal)
	set(4, ideal, longest)
	return list
}

// alive is the part of the longest time that a goroutine must have been there for the model to apply to it, and counted the
// part of all computation that such goroutines must have done.
const alive, counted = 0.9, 0.9

// times returns time, computation and waiting of the locations to which the model applies, in seconds, or why there are none.
// Waiting is nil if the report has none.
func (m *Model) times() (t, u, w []float64, why string) {
	time := m.Time()
	if time == nil {
		return nil, nil, nil, "the report has no metric of time"
	}
	if q := m.byName[metric.Execution]; m.ours && q != nil && strings.TrimPrefix(q.Title, metric.Mark) == metric.RunningTitle {
		return nil, nil, nil, "it is unknown how much of " + metric.RunningTitle + " was computation: the program used less processor time than that"
	}
	all, err := m.perLocation(What{Metric: time})
	if err != nil {
		return nil, nil, nil, err.Error()
	}
	computed, err := m.computation(time)
	if err != nil {
		return nil, nil, nil, err.Error()
	}
	joining := make([]float64, len(all))
	if join := m.byName[metric.JoinWait]; m.ours && join != nil {
		if joining, err = m.perLocation(What{Metric: join}); err != nil {
			return nil, nil, nil, err.Error()
		}
	}
	waited, err := m.waited()
	if err != nil {
		return nil, nil, nil, err.Error()
	}
	longest, sum, part := 0.0, 0.0, 0.0
	for i, x := range all {
		longest = max(longest, x)
		sum += computed[i]
	}
	for i, x := range all {
		if x <= 0 || m.ours && (x < alive*longest || joining[i] >= alive*x) {
			continue
		}
		t, u = append(t, x), append(u, computed[i])
		part += computed[i]
		if waited != nil {
			w = append(w, waited[i])
		}
	}
	switch {
	case len(t) < 2:
		return nil, nil, nil, fmt.Sprintf("fewer than two %s existed for the whole run", m.class("locations", "goroutines"))
	case part < counted*sum:
		return nil, nil, nil, fmt.Sprintf("goroutines started and ended during the run: those that existed throughout did %s of the computation", readable.RoughPercent(part/sum))
	}
	return t, u, w, ""
}

// computation returns how long the locations computed: as a metric says, or else outside of regions of parallel programming.
func (m *Model) computation(time *Metric) ([]float64, error) {
	if q := m.byName["comp"]; q != nil && q.Index >= 0 {
		return m.perLocation(What{Metric: q})
	}
	if q := m.byName[metric.Execution]; q != nil && q.Index >= 0 {
		return m.perLocation(What{Metric: q, Self: true})
	}
	parallel := func(r *cube.Region) bool {
		return slices.Contains([]string{"mpi", "openmp", "pthread", "shmem", "cuda", "opencl", "openacc", "measurement"}, r.Paradigm)
	}
	if !slices.ContainsFunc(m.Cube.Regions, parallel) || time.formula != nil {
		return nil, errors.New("the report does not tell computation from the rest of the time")
	}
	c := m.cells(time)
	var steps []step
	for i, p := range m.Cube.Paths() {
		if !parallel(p.Region) {
			steps = append(steps, m.steps(c, selection{int32(i), none, false})...)
		}
	}
	list, _, err := m.addends(c, steps)
	values, err := m.sumByColumn(list, err)
	if err != nil {
		return nil, err
	}
	seconds := make([]float64, len(values))
	for i, v := range values {
		seconds[i] = v.Float64() * SecondsPer(time.Unit)
	}
	return seconds, nil
}

// waited returns how long the locations waited, nil if no metric says so.
func (m *Model) waited() ([]float64, error) {
	var sum []float64
	for _, q := range m.Waits() {
		values, err := m.perLocation(What{Metric: q, Self: true})
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float64, len(values))
		}
		for i, x := range values {
			sum[i] += x
		}
	}
	return sum, nil
}

// perLocation returns the values of all locations for the whole program, in seconds.
func (m *Model) perLocation(w What) ([]float64, error) {
	values, err := m.ByResource(w, nil, true)
	if err != nil {
		return nil, err
	}
	list := make([]float64, len(m.leaves))
	for i, leaf := range m.leaves {
		list[i] = values[leaf.Index].Float64() * SecondsPer(w.Metric.Unit)
	}
	return list, nil
}
