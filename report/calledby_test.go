package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCalledBy: of a place in a library it is said which function of the program called it, if one did for most of the time.
func TestCalledBy(t *testing.T) {
	e := &Experiment{Regions: []Region{
		{Name: "main.get", Func: "main.get", File: "/src/app/main.go"}, {Name: "main.put", Func: "main.put", File: "/src/app/main.go"},
		{Name: "rate.(*Limiter).Wait", Func: "golang.org/x/time/rate.(*Limiter).Wait", File: "/mod/golang.org/x/time@v0.9.0/rate/rate.go"},
		{Name: "select", Func: "golang.org/x/time/rate.(*Limiter).wait", File: "/mod/golang.org/x/time@v0.9.0/rate/rate.go", Operation: true},
		{Name: "select", Func: "main.get", File: "/src/app/main.go", Operation: true},
	}, Paths: []CallPath{
		{Parent: -1}, {Parent: -1, Region: 1}, {Parent: 0, Region: 2}, {Parent: 1, Region: 2}, {Parent: 2, Region: 3}, {Parent: 3, Region: 3}, {Parent: -1, Region: 3}, {Parent: 0, Region: 4},
	}}
	const get, put, nobody, own = 4, 5, 6, 7 // call paths
	for _, c := range []struct {
		want  string
		waits []Line
	}{
		{" (called by main.get)", []Line{{Path: get, Severity: 91}, {Path: put, Severity: 9}}},
		{" (mostly called by main.get)", []Line{{Path: get, Severity: 90}, {Path: put, Severity: 10}}},
		{" (mostly called by main.put)", []Line{{Path: get, Severity: 49}, {Path: put, Severity: 51}}},
		{"", []Line{{Path: get, Severity: 50}, {Path: put, Severity: 50}}},
		{" (mostly called by main.get)", []Line{{Path: get, Severity: 60}, {Path: nobody, Severity: 40}}},
		{"", []Line{{Path: nobody, Severity: 100}}},
		{"", []Line{{Path: own, Severity: 100}}},
		{" (called by main.get)", []Line{{Path: get, Severity: 10}, {Path: own, Severity: 100}}}, // which is another place
	} {
		f := &Finding{Line: c.waits[0], Lines: c.waits}
		require.Equal(t, c.want, spaced((&page{e: e}).calledBy(f.Path, f)), "%v", c.waits)
	}
}
