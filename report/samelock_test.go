package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestSameLock: of a lock without a name the first sentence names all places where goroutines wait for it, which are those that are mostly released in one place.
func TestSameLock(t *testing.T) {
	const sync, ping, wrapped, unlock, other = 0, 1, 2, 3, 4 // call paths
	for name, c := range map[string]struct {
		want   string
		change func(first, second *Finding)
	}{
		"the same":                             {"in lock at a.go:56 and lock at a.go:65", func(*Finding, *Finding) {}},
		"released elsewhere":                   {"in lock at a.go:56", func(_, f *Finding) { f.Causers[0].Path = other }},
		"half of it released elsewhere":        {"in lock at a.go:56", func(_, f *Finding) { f.Causers[0].Severity = 50 }},
		"most of it released there":            {"in lock at a.go:56 and lock at a.go:65", func(_, f *Finding) { f.Causers[0].Severity = 51 }},
		"by a function of its own":             {"in lock at a.go:56", func(_, f *Finding) { f.Path = wrapped }},
		"with less of the critical path":       {"in lock at a.go:56", func(_, f *Finding) { f.Critical = 49 }},
		"with half of its critical path":       {"in lock at a.go:56 and lock at a.go:65", func(_, f *Finding) { f.Critical = 50 }},
		"of a kind that is known":              {"in lock at a.go:56", func(_, f *Finding) { f.Object.Type = "mutex" }},
		"no lock":                              {"in lock at a.go:56", func(_, f *Finding) { f.Metric = 1 }},
		"nobody is known":                      {"in lock at a.go:56", func(_, f *Finding) { f.Causers = nil }},
		"of the first, nobody is known either": {"in lock at a.go:56", func(f, _ *Finding) { f.Causers = nil }},
	} {
		e := &Experiment{Metrics: []metric.Metric{{Name: metric.LockCompetition}, {Name: metric.LateSender}}, Regions: []Region{
			{Name: "lock", Func: "main.sync", File: "/src/a.go", Line: 56, Operation: true}, {Name: "lock", Func: "main.ping", File: "/src/a.go", Line: 65, Operation: true},
			{Name: "unlock", Func: "main.sync", File: "/src/a.go", Line: 62, Operation: true}, {Name: "unlock", Func: "main.other", File: "/src/a.go", Line: 72, Operation: true}, {Name: "main"},
		}, Paths: []CallPath{{Parent: -1}, {Parent: -1, Region: 1}, {Parent: -1, Region: 0}, {Parent: -1, Region: 2}, {Parent: -1, Region: 3}}}
		waits := func(path uint32) Finding {
			return Finding{Line: Line{Path: path, Severity: 100, Critical: 100, Causers: []Causer{{Path: unlock, Severity: 100}}}}
		}
		e.Findings = []Finding{waits(sync), waits(ping)}
		c.change(&e.Findings[0], &e.Findings[1])
		p := &page{e: e, files: e.shortFiles()}
		require.Equal(t, c.want, spaced(p.purpose(&e.Findings[0])), name)
	}
}
