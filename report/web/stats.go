package web

import (
	"tracerec/report/tracestat"
)

// stats is the answer to "stats": how long the instances of a wait state were. Numbers are in Unit.
type stats struct {
	Unit      string     `json:"unit"`
	Count     uint64     `json:"count"`
	Sum       float      `json:"sum"`
	Mean      float      `json:"mean"`
	Min       float      `json:"min"`
	Q1        float      `json:"q1"`
	Median    float      `json:"median"`
	Q3        float      `json:"q3"`
	Max       float      `json:"max"`
	Instances []instance `json:"instances"` // worst first
	Summed    bool       `json:"summed"`    // an instance is of several ranks or threads, and its duration the sum of their waits
	ByPath    []pathStat `json:"byPath"`
}

// instance is one occurrence of a wait state.
type instance struct {
	Path       int     `json:"path"`
	Location   int     `json:"location"` // resource
	Begin      float64 `json:"begin"`    // since the start of the experiment
	End        float64 `json:"end"`
	Duration   float64 `json:"duration"`   // what counts as waited, may be less than from begin to end
	Causer     int     `json:"causer"`     // resource, -1 unknown
	CauserPath int     `json:"causerPath"` // -1 unknown
}

// pathStat is the same for the instances listed at one call path.
type pathStat struct {
	Path  int     `json:"path"`
	Count int     `json:"count"`
	Sum   float64 `json:"sum"`
	Max   float64 `json:"max"`
}

// stats answers with the statistics of a metric's instances, null if there are none.
func (a *api) stats(q *question) (any, error) {
	w := q.what()
	if err := q.only("metric"); err != nil {
		return nil, err
	}
	return a.statsOf(w.Metric.Name), nil
}

func (a *api) statsOf(metric string) *stats {
	switch {
	case a.Experiment != nil:
		return a.ourStats(metric)
	case a.Stat != nil:
		if p := a.Stat.Pattern(metric); p != nil {
			return a.foreignStats(p)
		}
	}
	return nil
}

func (a *api) ourStats(metric string) *stats {
	e := a.Experiment
	i := e.MetricIndex(metric)
	if i < 0 || i >= len(e.Stats) || e.Stats[i].Count == 0 {
		return nil
	}
	s := &e.Stats[i]
	out := &stats{"ns", s.Count, float(s.Sum), float(s.Mean), float(s.Min), float(s.Q25), float(s.Median), float(s.Q75), float(s.Max),
		[]instance{}, false, []pathStat{}}
	if s.Sampled {
		out.Unit, out.Mean = e.Metrics[i].UnitName, float(s.Sum)/float(s.Count)
	}
	for _, w := range s.Worst {
		out.Instances = append(out.Instances, instance{a.places.path(int(w.Path)), a.places.location(int(w.Location)), float64(w.Begin), float64(w.End),
			float64(w.Waited), a.places.location(int(w.Causer)), a.places.path(int(w.CauserPath))})
	}
	out.byPath()
	return out
}

func (a *api) foreignStats(p *tracestat.Pattern) *stats {
	out := &stats{"s", p.Count, float(p.Sum), float(p.Mean), float(p.Min), float(p.Q25), float(p.Median), float(p.Q75), float(p.Max),
		[]instance{}, false, []pathStat{}}
	for _, w := range p.Worst {
		out.Summed = out.Summed || w.Duration > (w.Exit-w.Enter)*(1+1e-6) // nobody waits for longer than he is there
		out.Instances = append(out.Instances, instance{a.places.path(w.CallPath), a.places.rank(w.Rank), w.Enter, w.Exit, w.Duration, -1, -1})
	}
	out.byPath()
	return out
}

// byPath groups the instances listed by call path.
func (s *stats) byPath() {
	at := map[int]int{}
	for _, i := range s.Instances {
		k, seen := at[i.Path]
		if !seen {
			k = len(s.ByPath)
			at[i.Path] = k
			s.ByPath = append(s.ByPath, pathStat{Path: i.Path})
		}
		p := &s.ByPath[k]
		p.Count++
		p.Sum += i.Duration
		p.Max = max(p.Max, i.Duration)
	}
}
