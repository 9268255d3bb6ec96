package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the causers did while they were waited for adds up to all of that time, whatever is not worth a line.
func TestMeanwhileAddsUp(t *testing.T) {
	for _, f := range []Finding{
		{Line: Line{Critical: 100}, Meanwhile: []PathTime{{0, 89}, {1, 11}}}, // of an earlier version
		{Line: Line{Critical: 3}, Awaited: 3, Meanwhile: []PathTime{{0, 1}, {1, 1}, {2, 1}}},
		{Line: Line{Critical: 5}, Awaited: 100, Meanwhile: []PathTime{{0, 5}}, Onward: []Onward{{PathTime{1, 80}, 0}}},
		{Line: Line{Critical: 20}, Awaited: 100, Meanwhile: []PathTime{{0, 20}}, Onward: []Onward{{PathTime{1, 11}, 0}}},
		{Line: Line{Critical: 10}, Awaited: 100, Meanwhile: []PathTime{{0, 10}}},
		{Awaited: 90, Onward: []Onward{{PathTime{1, 30}, 0}, {PathTime{1, 30}, 1}, {PathTime{2, 29}, 1}}},
	} {
		p := &page{e: hydro()}
		p.meanwhile(&f)
		sum := 0.0
		for _, line := range strings.Split(strings.TrimSpace(p.out.String()), "\n") {
			require.LessOrEqual(t, width(line), pageWidth)
			share, _, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "meanwhile "), " ")
			require.True(t, found)
			v, err := strconv.ParseFloat(share, 64)
			require.NoError(t, err, line)
			sum += v
		}
		require.InDelta(t, 100, sum, 0.001, p.out.String())
	}
}

// However long the names are of those who were waited for in turn, there is a call path before them.
func TestMeanwhileOfLongNames(t *testing.T) {
	p := &page{e: hydro()}
	for i := range p.e.Groups {
		p.e.Groups[i].Name, p.e.Groups[i].Count = strings.Repeat("main.Name[int].", 9), 1000
	}
	p.meanwhile(&Finding{Line: Line{Critical: 5}, Awaited: 100, Meanwhile: []PathTime{{0, 5}}, Onward: []Onward{{PathTime{1, 80}, 0}}})
	require.Contains(t, p.out.String(), ", waiting for ")
	for line := range strings.Lines(p.out.String()) {
		require.LessOrEqual(t, width(strings.TrimSuffix(line, "\n")), pageWidth, line)
	}
}

// Where those who were waited for were off the critical path most of the time, there is nothing to tell, unless something on it is.
func TestMeanwhileNotKnown(t *testing.T) {
	s := hydro().Sentences()
	for _, c := range []struct {
		critical, onward int64
		told             int
	}{{9, 0, 0}, {10, 0, 2}, {0, 49, 0}, {0, 50, 2}, {9, 49, 3}} {
		f := Finding{Line: Line{Critical: c.critical}, Awaited: 100, Meanwhile: []PathTime{{0, c.critical}}, Onward: []Onward{{PathTime{1, c.onward}, 0}}}
		list, _ := s.Meanwhile(&f)
		require.Len(t, list, c.told, c)
	}
}

// What is done at one place is told once, whatever the call paths that lead there: of who was waited for, and of what they did meanwhile.
func TestPlacesAreToldOnce(t *testing.T) {
	e := hydro()
	at := func(leaf string, parents ...string) (path int32) {
		path = -1
		for _, name := range append(parents, leaf) {
			file, line := "", 0
			if name == "send" {
				file, line = "/src/hydro/halo.go", 99
			}
			region := slices.IndexFunc(e.Regions, func(r Region) bool { return r.Name == name })
			if region < 0 {
				region, e.Regions = len(e.Regions), append(e.Regions, Region{Name: name, File: file, Line: line, Operation: name == "send"})
			}
			path, e.Paths = int32(len(e.Paths)), append(e.Paths, CallPath{Parent: path, Region: uint32(region)})
		}
		return path
	}
	one, other, sweep := at("send", "left"), at("send", "right"), at("sweep")
	f := e.Findings[0]
	f.Severity, f.Critical, f.Awaited = 100, 60, 100
	f.Causers = []Causer{{0, one, 40, []uint32{0}, 0}, {1, one, 30, []uint32{1, 2}, 0}, {1, other, 30, []uint32{2, 3}, 0}}
	f.Meanwhile = []PathTime{{uint32(one), 25}, {uint32(sweep), 15}, {uint32(other), 20}}
	f.Onward = []Onward{{PathTime{uint32(one), 12}, 0}, {PathTime{uint32(other), 11}, 0}, {PathTime{uint32(other), 10}, 1}}
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	require.Contains(t, strings.ReplaceAll(p.sentence(&f), nbsp, " "), "60.0 % of it for worker ×3 (of 8), which was in send at halo.go:99; 40.0 % of it for main, which was in send at halo.go:99.")
	e.Groups = append(e.Groups, Group{Name: "worker", Creator: 2, Count: 4})
	f.Causers[2].Group, e.Locations[3].Group = 2, 2
	require.Contains(t, strings.ReplaceAll(p.sentence(&f), nbsp, " "), "60.0 % of it for worker ×3 (of 12), which", "wherever they were started")
	path, ok := e.mostlyIn(&f)
	require.True(t, ok, "45 of 60")
	require.Equal(t, uint32(one), path)
	list := e.doings(&f)
	require.Equal(t, []doing{{45, one, -1, nil}, {23, one, 0, nil}, {15, sweep, -1, nil}, {10, other, 1, nil}, {7, -1, -1, nil}}, list)
	first, whole := e.ahead(&f, list)
	require.Equal(t, list, first)
	require.Equal(t, int64(100), whole)
	f.Lines = []Line{{Path: uint32(one)}, {Path: uint32(other)}}
	first, whole = e.ahead(&f, list)
	require.Equal(t, []doing{{45, one, -1, nil}, {15, sweep, -1, nil}, {7, -1, -1, nil}}, first, "who waited where those did who waited for him")
	require.Equal(t, int64(67), whole)
	f.Onward = append(f.Onward, Onward{PathTime{uint32(one), 5}, 2})
	list = e.doings(&f)
	require.Equal(t, doing{15, other, 1, []int32{2}}, list[3], "wherever they were started")
	require.Equal(t, glue("worker ×12"), p.all(list[3]))
}

// What was done meanwhile is told of those who did it, even if others were waited for longer, off the critical path.
func TestWhoWasThere(t *testing.T) {
	e := hydro()
	f := e.Findings[0]
	sweep := f.Causers[0].Path
	f.Causers = []Causer{{0, sweep, 3_300 * ms, []uint32{0}, 0}, {1, sweep, 480 * ms, []uint32{4}, 0}}
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	require.Equal(t, "for worker[3], which was mostly in sweep at ppm.go:88 then", strings.ReplaceAll(p.because(&f), nbsp, " "))
	f.Causers = f.Causers[:1]
	require.NotContains(t, p.because(&f), "mostly", "the path is on none of them there")
}

// What those who were waited for did on the critical path is not what they mostly did if they waited for others longer, in another place than those who waited for them.
func TestMostlyWaited(t *testing.T) {
	e := hydro()
	f := e.Findings[0]
	there := f.Meanwhile[0].Time // in sweep
	step := f.Meanwhile[1].Path
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	said := func(path uint32, ns int64) string {
		f.Onward, f.Awaited = []Onward{{PathTime{path, ns}, 0}}, f.Critical+ns
		return spaced(p.because(&f))
	}
	require.Equal(t, "for worker[3], which was mostly in sweep at ppm.go:88 then", said(step, there))
	require.Equal(t, "for worker[3], which was in sweep at ppm.go:88", said(step, there+1))
	require.Equal(t, "for worker[3], which was mostly in sweep at ppm.go:88 then", said(f.Path, there+1), "in one queue with them")
}

// Those who were in two places about equally long were mostly in neither.
func TestMostlyInNeither(t *testing.T) {
	e := hydro()
	f := e.Findings[0]
	f.Critical, f.Awaited, f.Onward, f.Causers = 100*ms, 100*ms, nil, f.Causers[:1]
	sweep, recv := f.Meanwhile[0].Path, f.Path
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	for first, want := range map[int64]string{
		56: "for worker[3], which was mostly in sweep at ppm.go:88 then",
		55: "for worker[3], which was in sweep at ppm.go:88 and in recv at halo.go:120 then",
		50: "for worker[3], which was in sweep at ppm.go:88 and in recv at halo.go:120 then",
	} {
		for _, rest := range []int64{0, 10} { // of 100, in other places
			f.Meanwhile = []PathTime{{sweep, first * ms}, {recv, (100 - first - rest) * ms}}
			require.Equal(t, want, spaced(p.because(&f)))
		}
	}
	f.Meanwhile = []PathTime{{sweep, 50 * ms}, {recv, 39 * ms}}
	require.Equal(t, "for worker[3], which was in sweep at ppm.go:88", spaced(p.because(&f)), "89 of 100")
}

// Of many who were waited for, none is named if it has less than a third of the waiting; which need not be what delays the run.
func TestManyWaitedFor(t *testing.T) {
	e := hydro()
	f := e.Findings[0]
	path, other := f.Causers[0].Path, f.Causers[1].Path
	f.Severity, f.Meanwhile, f.Onward = 300*ms, nil, nil
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	for most, want := range map[int64]string{
		151: "for worker[3], which was in sweep at ppm.go:88",
		149: "49.7 % of the waiting for worker[3], the rest for 2 others",
		100: "33.3 % of the waiting for worker[3], the rest for 2 others",
		99:  "for 3 others",
	} {
		f.Causers = []Causer{{1, path, most * ms, []uint32{4}, 0}, {1, other, 98 * ms, []uint32{5}, 0}, {0, path, 98 * ms, []uint32{0}, 0}}
		require.Equal(t, want, spaced(p.because(&f)))
	}
}

// Whoever was waited for hardly at all is not said to be whom the others waited for, even if the critical path was on it at that place.
func TestWhoHardlyWas(t *testing.T) {
	e := hydro()
	f := &e.Findings[0]
	sweep := f.Causers[0].Path
	f.Causers, f.Lines = []Causer{{0, sweep, 3_700 * ms, []uint32{0}, 0}, {1, sweep, 80 * ms, []uint32{4}, 0}}, nil
	e.Judge()
	require.NotContains(t, e.Verdict.Text, "worker[3]")
}

// Where a lock was held is not told again as what was done meanwhile, unless nobody worked there.
func TestHeldAndDoneAtOnePlace(t *testing.T) {
	e := hydro()
	f, sweep := e.Findings[0], e.Findings[0].Causers[0].Path
	f.Critical, f.Meanwhile = 100, []PathTime{{uint32(sweep), 90}}
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	then := func(region string) string {
		return strings.ReplaceAll(p.then(&f, []holder{{region: region}}), nbsp, " ")
	}
	require.Equal(t, ", mostly in sweep at ppm.go:88 then", then("solve"))
	require.Empty(t, then(p.at(uint32(sweep))))
	e.Operations = []OperationSplit{{Path: uint32(sweep), Runnable: 1 << 50}}
	require.Equal(t, ", mostly ready to run in sweep at ppm.go:88 then", then(p.at(uint32(sweep))))
}
