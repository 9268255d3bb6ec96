package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestBehindReader: readers wait for a writer that waits for a long reader; beside it what looks similar, in the one finding of a recording, and in the two of an execution trace.
func TestBehindReader(t *testing.T) {
	const look, write, export, hold = 1, 2, 3, 4 // call paths
	for _, c := range []struct {
		name     string
		reader   uint32 // that the writer waits for
		behind   int64  // time in which the writer, for whom readers waited, waited itself
		readers  int64  // their waiting; the writer's is 1000
		waits    uint64 // of them
		own      uint64 // waits of readers where the long one is
		elsewhen int64  // the writer's waits for readers elsewhere
		want     bool
	}{
		{"one long reader", export, 900, 5000, 50, 0, 0, true},
		{"which is sometimes behind the writer, too", export, 900, 5000, 30, 10, 0, true},
		{"readers that are all the same", look, 900, 5000, 50, 0, 0, false},
		{"readers that are often what is said to be the long one", export, 900, 5000, 29, 10, 0, false},
		{"readers in two functions, as long", export, 900, 5000, 50, 0, 334, false},
		{"a writer that works long", export, 400, 5000, 50, 0, 0, false},
		{"a writer that hardly any reader waits for", export, 900, 499, 5, 0, 0, false},
	} {
		e := &Experiment{}
		e.Metrics = []metric.Metric{{Name: metric.Time}, {Name: metric.LockCompetition, Parent: metric.Time, Kind: metric.WaitState},
			{Name: metric.ReaderWait, Parent: metric.LockCompetition, Kind: metric.WaitState}, {Name: metric.WriterWait, Parent: metric.LockCompetition, Kind: metric.WaitState}}
		e.Regions = []Region{{Name: "main"}, {Name: "rlock", Operation: true, Func: "main.look"}, {Name: "lock", Operation: true, Func: "main.write"},
			{Name: "rlock", Operation: true, Func: "main.export"}, {Name: "unlock", Operation: true, Func: "main.write"}}
		e.Paths = []CallPath{{-1, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}
		writer := Line{Metric: 3, Path: write, Severity: 1000, Critical: 900, Instances: 10, Causers: []Causer{{Path: int32(c.reader), Severity: 1000 - c.elsewhen}}}
		if c.elsewhen > 0 {
			writer.Causers = append(writer.Causers, Causer{Path: hold, Severity: c.elsewhen})
		}
		readers := []Line{{Metric: 2, Path: look, Severity: c.readers, Instances: c.waits, Causers: []Causer{{Path: write, Severity: c.readers}}}}
		if c.own > 0 {
			readers = append(readers, Line{Metric: 2, Path: export, Severity: 1, Instances: c.own})
		}
		onward := []Onward{{PathTime{write, c.behind}, 0}}

		all := Finding{Line: writer, Lines: append([]Line{writer}, readers...), Awaited: 2000, Onward: onward}
		e.Header, e.Groups = Header{Time: 10000, Focus: 10000}, []Group{{}}
		e.Findings = []Finding{all}
		require.Equal(t, c.want, e.behindReader(&all), c.name)

		apart := []Finding{{Line: writer, Awaited: 1000}, {Line: readers[0], Lines: readers, Awaited: 1000, Onward: onward}}
		e.Findings = apart
		for i := range apart {
			require.Equal(t, c.want, e.behindReader(&apart[i]), c.name)
			known := e.Problem(&apart[i])
			require.Equal(t, c.want, known != nil && known.Name == ReaderBehindWriter, c.name)
		}
	}
}
