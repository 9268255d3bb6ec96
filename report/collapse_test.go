package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// sums adds severities up by metric and call path.
func sums(all [][]Cell) map[[2]uint32]int64 {
	sum := map[[2]uint32]int64{}
	for m, cells := range all {
		for _, c := range cells {
			sum[[2]uint32{uint32(m), c.Path}] += c.Value
		}
	}
	return sum
}

func collapse(t *testing.T, e *Experiment, n int) *Experiment {
	t.Helper()
	f, err := e.Collapse(n)
	require.NoError(t, err)
	return f
}

// However few locations are left, sums stay, processes are not mixed, and nothing points nowhere.
func TestCollapse(t *testing.T) {
	for seed := range uint64(5) {
		e := randomExperiment(seed, 60)
		for n := 1; n <= 61; n++ {
			f := collapse(t, e, n)
			if n >= 60 {
				require.Same(t, e, f)
				continue
			}
			require.LessOrEqual(t, len(f.Locations), max(n, 2))
			require.GreaterOrEqual(t, len(f.Locations), 1)
			require.Equal(t, sums(allCells(e)), sums(allCells(f)))
			require.Equal(t, sums(allCritical(e)), sums(allCritical(f)))
			count := map[int]int{}
			for _, l := range f.Locations {
				count[l.Process] += l.Count
				require.Less(t, int(l.Group), len(f.Groups))
			}
			require.Equal(t, len(e.Locations), count[0]+count[1])
			before := map[int]int{}
			for _, l := range e.Locations {
				before[l.Process]++
			}
			require.Equal(t, before, count)
			require.Len(t, f.Warnings, 1)
			require.Contains(t, f.Warnings[0], "60 goroutines are too many")
			for i := range f.Findings {
				require.NotEmpty(t, f.Findings[i].Locations)
				require.Equal(t, e.Findings[i].Severity, f.Findings[i].Severity)
			}
			// Everything within bounds: it can be written, read and shown.
			if n%9 != 1 {
				continue
			}
			again, err := Read(rewritten(t, f, ""))
			require.NoError(t, err)
			requireSame(t, f, again)
		}
		require.Empty(t, e.Warnings)
	}
}

// Groups of many are collapsed first, and single goroutines stay.
func TestCollapseOrder(t *testing.T) {
	e := &Experiment{Sidecar: Sidecar{Groups: []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "few", Creator: 0, Count: 3}, {Name: "many", Creator: 0, Count: 50}}}}
	for i := range 54 {
		g := int32(2)
		if i == 0 {
			g = 0
		} else if i < 4 {
			g = 1
		}
		e.Locations = append(e.Locations, Location{Group: g, Name: e.Groups[g].Name, Count: 1})
	}
	f := collapse(t, e, 10)
	require.Len(t, f.Locations, 5)
	require.Equal(t, Location{Group: 2, Name: "many", Count: 50}, f.Locations[4])
	require.Equal(t, []string{"54 goroutines are too many to be shown one by one; added up are many ×50 (--locations)"}, f.Warnings)
	f = collapse(t, e, 4)
	require.Equal(t, []Location{{Name: "main", Count: 1}, {Group: 1, Name: "few", Count: 3}, {Group: 2, Name: "many", Count: 50}}, f.Locations)
	require.Contains(t, f.Warnings[0], "many ×50, few ×3")

	for _, f := range []*Experiment{collapse(t, e, 1), collapse(t, collapse(t, e, 4), 1)} { // what is collapsed twice is told once
		require.Equal(t, []string{"54 goroutines are too many to be shown one by one; added up are others ×54 from 3 groups (--locations)"}, f.Warnings)
		require.Equal(t, glue("others ×54"), (&page{e: f}).groups())
	}
}

// Of collapsed goroutines, those are counted that still wait, not all there are.
func TestCollapsedStillWaiting(t *testing.T) {
	e := &Experiment{Sidecar: Sidecar{Groups: []Group{{Name: "worker", Creator: -1, Count: 5000}}}, Locations: []Location{{Name: "worker", Count: 5000, GoID: 4}},
		Regions: []Region{{Name: "recv"}}, Paths: []CallPath{{-1, 0}}}
	e.NeverEnded = []NeverEnded{{Holder: -1, HolderPath: -1}, {Holder: -1, HolderPath: -1}, {Holder: -1, HolderPath: -1}}
	require.Contains(t, strings.ReplaceAll(e.Sentences().StillWaiting()[0].Text, nbsp, " "), "worker ×3 (of 5,000) have been in recv")
	p := &page{e: e}
	require.Equal(t, "worker ×3 (of 5,000) in recv.", strings.ReplaceAll(p.waitingIn([]StillWaiting{{Locations: []uint32{0, 0, 0}}}, 1), nbsp, " "))
	e.NeverEnded = e.NeverEnded[:1]
	require.Contains(t, strings.ReplaceAll(e.Sentences().StillWaiting()[0].Text, nbsp, " "), "worker ×1 (of 5,000) has been in recv")
}

// Where there are more groups than locations wanted, those of the same name go first, then those in which least time was spent.
func TestCollapseGroups(t *testing.T) {
	e := hydro()
	severity := make([][]Cell, len(e.Metrics))
	e.Groups, e.Locations = nil, nil
	time := e.MetricIndex("execution")
	for i := range 20 {
		name := []string{"dear", "same", "cheap", "same", "cheaper"}[min(i, 4)]
		if i > 4 {
			name = "same"
		}
		e.Groups = append(e.Groups, Group{Name: name, Creator: int32(i % 3), Count: 1})
		e.Locations = append(e.Locations, Location{Group: int32(i), Name: name, Count: 1})
		severity[time] = append(severity[time], Cell{0, uint32(i), map[string]int64{"dear": 1000, "same": 100, "cheap": 10, "cheaper": 1}[name]})
	}
	fill(e, severity, nil)
	e.Findings, e.Stats, e.NeverEnded = []Finding{{Line: Line{Metric: time, Group: 5, Locations: []uint32{5}}}}, nil, nil
	f := collapse(t, e, 4)
	require.Len(t, f.Locations, 4)
	require.Equal(t, Group{Name: "same", Creator: -1, Count: 17}, f.Groups[f.Locations[1].Group])
	require.Contains(t, f.Warnings[0], "same ×17 from 17 groups")
	require.Equal(t, glue("same ×1"), (&page{e: f}).who(f.Findings[0].Group, f.Findings[0].Locations), "the group has one")
	f = collapse(t, e, 2)
	require.Len(t, f.Locations, 2)
	require.Contains(t, f.Warnings[0], "same ×17 from 17 groups, others ×3 from 3 groups")
}

// Which of the collapsed goroutines a finding is of is not known: not all that there are.
// Of locations that a causer has, those that matter come first, and stay that when causers become one, or locations do.
func TestMattering(t *testing.T) {
	c := Causer{Locations: []uint32{3, 1, 2}, Mattering: 1}
	require.Equal(t, []uint32{3}, c.mattering())
	c.unite(&Causer{Locations: []uint32{2, 4}, Mattering: 1})
	require.Equal(t, []uint32{3, 2}, c.mattering())
	require.Equal(t, []uint32{3, 2, 1, 4}, c.Locations)
	c.unite(&Causer{Locations: []uint32{5}})
	require.Equal(t, []uint32{3, 2, 5}, c.mattering())
	x := Line{Causers: []Causer{{Locations: []uint32{0, 1, 2}, Mattering: 2}, {Locations: []uint32{0, 2, 1}, Mattering: 2}}}
	(&collapsing{at: []uint32{7, 7, 8}}).order(&x, nil)
	require.Equal(t, []Causer{{Locations: []uint32{7, 8}, Mattering: 1}, {Locations: []uint32{7, 8}}}, x.Causers)
}

func TestCollapsedFinding(t *testing.T) {
	for _, c := range []struct {
		all  int
		text string
	}{{5000, "some or all of 5,000"}, {5002, "some of 5,002"}} {
		e := &Experiment{Sidecar: Sidecar{Groups: []Group{{Name: "worker", Creator: -1, Count: c.all}}}, Locations: []Location{{Name: "worker", Count: 5000}, {Name: "worker[5000]", Count: 1}},
			Regions: []Region{{Name: "recv"}}, Paths: []CallPath{{-1, 0}}, Metrics: []metric.Metric{{Name: metric.LateSender}}}
		f := &Finding{Line: Line{Severity: 4, Instances: 4, Locations: []uint32{0}, Causers: []Causer{{Severity: 4, Locations: []uint32{0}}}}}
		p := &page{e: e}
		require.Equal(t, "worker ("+c.text+") waited 4 ns in recv, 4 times, 1 ns on average, for worker ("+c.text+"), which was in recv.", strings.ReplaceAll(p.sentence(f), nbsp, " "))
		f.Locations = []uint32{1}
		require.Equal(t, "worker[5000]", p.waiters(f))
	}
}
