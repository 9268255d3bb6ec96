package score

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// In main, an event costs 10 ns, and in the other process 1 ns. Of main.short, the visit of location other does not end, and one of the other process
// is in another.
const text = `
process main pid 1 cost 10000
mutex m
location main
  0 enter main.main @main.go:1(main.main)
  10 enter long @main.go:5(main.T.long)
  100 enter main.short @main.go:9(main.short)
  130 exit
  200 lock m @main.go:7 700 leave
  750 enter main.short @main.go:9(main.short)
  770 exit
  2010 exit
location other
  2000 begin main.short by main
  2000 enter main.short @main.go:9(main.short)
  2050 unlock m
process p2 pid 2 cost 1000
location g
  3000 enter main.short @main.go:9(main.short)
  3010 enter main.short @main.go:9(main.short)
  3020 exit 1
warning "events lost" 7
`

func scored(t *testing.T, limits Limits) *Score {
	a, err := tracetext.Open("test", text)
	require.NoError(t, err)
	return Of(a, limits)
}

func TestScore(t *testing.T) {
	s := scored(t, Limits{Cost: 0.05})
	bytes := int64(0)
	for i := range s.Regions {
		bytes += s.Regions[i].Bytes
		s.Regions[i].Bytes = 0
	}
	require.Positive(t, s.Bytes)
	require.InDelta(t, s.Bytes, bytes+s.OtherBytes, 4) // rounded down for each
	require.Equal(t, []Region{
		{Name: "main.short", Func: "main.short", File: "main.go", Line: 9, Visits: 5, Time: 30 + 20 + 50 + 20 + 10, Own: 30 + 20 + 50 + 10 + 10, Cost: 5*10 + 3, Filtered: true},
		{Name: "long", Func: "main.T.long", File: "main.go", Line: 5, Visits: 1, Time: 2000, Own: 2000 - 50 - 500, Cost: 20},
		{Name: "main.main", Func: "main.main", File: "main.go", Line: 1, Visits: 1, Time: 2010, Own: 10, Cost: 10},
	}, s.Regions)
	require.Equal(t, int64(2010+50+20), s.Time)
	require.Equal(t, int64(3020), s.Span)
	require.Equal(t, [2]int64{15, 4}, [2]int64{s.Events, s.Operations}) // lock, leave, begin, unlock
	require.Equal(t, [2]int64{53 + 20 + 10 + 40, 40}, [2]int64{s.Cost, s.OtherCost})
	require.Equal(t, []string{"process 2: events lost: 7"}, s.Warnings)
	cost, _ := s.Kept()
	require.Equal(t, int64(20+10+40), cost)
}

// A function whose visits were too many to record is left out, whatever those cost that were recorded.
func TestUnrecorded(t *testing.T) {
	never := Limits{Cost: 1e9}
	for warning, filtered := range map[string]bool{"visits of main.main that were too short and too many to record": true,
		"visits of main.main that were too short and too many to record, at least": true, "visits of main that were broken": false} {
		a, err := tracetext.Open("test", text+"warning \""+warning+"\" 3\n")
		require.NoError(t, err)
		for _, r := range Of(a, never).Regions {
			require.Equal(t, filtered && r.Name == "main.main", r.Filtered, r.Name)
		}
	}
}

// A region stays if recording it takes less of its time than the limit, if that hardly matters, and if it is not a function.
func TestLimits(t *testing.T) {
	for limits, want := range map[Limits][]string{
		{Cost: 0.05}:             {"main.short"},
		{Cost: 0.5}:              nil,
		{Cost: 0.05, Share: 0.9}: nil,
		{Cost: 0.004}:            {"main.short", "main.main"},
	} {
		var got []string
		for _, rule := range scored(t, limits).Filter().Regions {
			require.True(t, rule.Exclude && rule.Mangled)
			got = append(got, rule.Pattern)
		}
		require.Equal(t, want, got, limits)
	}
}

// The filter of a score excludes just the functions that are marked.
func TestFilter(t *testing.T) {
	s := &Score{Regions: []Region{
		{Name: "a.(*T[...]).M", Func: "x.org/a.(*T[...]).M", Filtered: true},
		{Name: "a.(*T[...]).N", Func: "x.org/a.(*T[...]).N"},
	}}
	f := s.Filter()
	for _, r := range s.Regions {
		require.Equal(t, r.Filtered, f.Excludes(r.Name, r.Func, "a.go"))
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	s := scored(t, Limits{Cost: 0.05})
	s.Bytes, s.OtherBytes = 3020, 1000
	for i := range s.Regions {
		s.Regions[i].Bytes = 500
	}
	require.NoError(t, s.Text(&b, 2))
	require.Equal(t, `Archive 2.95 KiB for 3.02 µs: 954 MiB/s, 3.27 TiB in an hour of the same.
Recording cost the program 123 ns, 5.9 % of its goroutines' time.
Without the 1 region marked +: 796 MiB/s, 2.73 TiB in an hour; cost 70 ns.
process 2: events lost: 7

   visits     time  time/visit    cost  of cost   archive  region
           2.08 µs              123 ns  100.0 %  2.95 KiB  (all)
                                 40 ns   32.5 %  0.98 KiB  (operations and goroutines)
+       5   130 ns       26 ns   53 ns   43.1 %     500 B  main.short
        1  2.00 µs     2.00 µs   20 ns   16.3 %     500 B  long
… and 1 more region (--top 3 shows all)
`, b.String())
}
