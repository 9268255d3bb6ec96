package otf2

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive/scenario"
	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

// levelsOf returns for each location of an archive when which level began and ended. Locations without events are left out. What never ends, ends with its process. Functions of goroutines are levels, too, if asked for.
func levelsOf(t testing.TB, a *trace.Archive, functions bool) (all [][]string) {
	d := a.Definitions()
	lists := make([][]string, len(d.Locations))
	open, own, ended := make([]levels.Stack[string], len(d.Locations)), make([]string, len(d.Locations)), make([]bool, len(d.Locations))
	lasts := make([]int64, len(d.Locations))
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if err == io.EOF {
			break
		}
		lasts[l] = e.Time
		require.NoError(t, err)
		if ended[l] {
			continue
		}
		begin := func(region uint32) string {
			name := unknownName
			if int(region) < len(d.Regions) {
				r := &d.Regions[region]
				name = fmt.Sprintf("%s %s:%d", r.Name, r.File, r.Line)
			}
			lists[l] = append(lists[l], fmt.Sprint(e.Time, " begins ", name))
			return name
		}
		end := func(name string) { lists[l] = append(lists[l], fmt.Sprint(e.Time, " ends ", name)) }
		if open[l].Forgets(e.Kind) {
			end(open[l].Forget().Of)
		}
		closed, _ := open[l].Close(e.Kind, e.ID)
		for i := len(closed) - 1; i >= 0; i-- {
			end(closed[i].Of)
		}
		switch {
		case e.Kind.Does() == wire.Opens:
			*open[l].Open(e.Kind) = begin(e.ID)
		case e.Kind == wire.Begin && functions && own[l] == "" && open[l].Top() == nil:
			own[l] = begin(e.ID)
		case e.Kind == wire.End:
			if ended[l] = true; own[l] != "" {
				end(own[l])
			}
		}
	}
	for l, list := range lists {
		last := max(lasts[l], d.Processes[d.Locations[l].Process].End)
		for i := len(open[l].Levels) - 1; i >= 0; i-- {
			list = append(list, fmt.Sprint(last, " ends ", open[l].Levels[i].Of))
		}
		if own[l] != "" && !ended[l] {
			list = append(list, fmt.Sprint(last, " ends ", own[l]))
		}
		if len(list) > 0 {
			all = append(all, list)
		}
	}
	return all
}

// TestExported: in an archive that was written, regions and operations of every scenario begin and end when they did, on the same locations; OTF2 itself reads the same as we.
func TestExported(t *testing.T) {
	program, missing := exec.LookPath("otf2-print")
	scenarios, err := scenario.Load("../../testdata/traces")
	require.NoError(t, err)
	kinds := [256]bool{}
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			a, err := tracetext.Open(s.Name, s.Trace)
			require.NoError(t, err)
			name := filepath.Join(t.TempDir(), "traces.otf2")
			problems, err := Export(name, a, "me")
			require.NoError(t, err)
			require.Empty(t, problems)
			b, err := Open(name)
			require.NoError(t, err)
			require.Empty(t, b.Problems())
			readAll(t, b, func(_ *Location, e *Event) { kinds[e.Spec.ID] = true })
			require.Equal(t, levelsOf(t, a, true), levelsOf(t, b.Trace(), false))
			if missing == nil {
				compareWithPrint(t, program, b)
			}
			_, err = Export(name, a, "me")
			require.ErrorContains(t, err, "exists already")
		})
	}
	for _, id := range []uint8{idEnter, idLeave, idMetric, idParameterString, idParameterUnsignedInt, idThreadAcquireLock, idThreadReleaseLock, idThreadCreate, idThreadBegin, idThreadEnd} {
		require.True(t, kinds[id], SpecOf(Events, id).Name)
	}
	if missing != nil {
		t.Skip("not compared with otf2-print, which is not here; it is in Debian's otf2-tools")
	}
}

// TestExportedEvents: all events of one recording are those of an archive as said: threads, locks, metrics, parameters, attributes.
func TestExportedEvents(t *testing.T) {
	a, err := tracetext.Open("text", `
mutex m
channel c
location main
  0 enter main
  0 create w @a.go:1
  20 lock m @a.go:10
  21 blocked
  63 leave
  70 unlock m
  80 recv c @a.go:11
  90 leave closed
  91 sample depth 7
  100 exit
location w
  0 begin worker by main
  9 lock m @a.go:20
  10 leave
  60 unlock m
  85 close c @a.go:21
  90 end
`)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "traces.otf2")
	_, err = Export(name, a, "me")
	require.NoError(t, err)
	b, err := Open(name)
	require.NoError(t, err)
	require.Equal(t, "me", b.Anchor.Creator)
	var got []string
	readAll(t, b, func(l *Location, e *Event) {
		text := b.AppendText(fmt.Appendf(nil, "%d:%d %d %s ", l.ID>>32, uint32(l.ID), e.Time, e.Spec.Name), &e.Record)
		if len(e.Attributes) > 0 {
			text = b.AppendAttributes(append(text, " + "...), e.Attributes)
		}
		got = append(got, string(text))
	})
	require.Equal(t, strings.Split(strings.TrimSpace(exportedText), "\n"), got)
}

const exportedText = `
0:0 0 Enter region: "main" <0>
0:0 0 ThreadCreate threadContingent: "goroutines" <0>, sequenceCount: 2 + "region": "create" <1>
0:0 20 Enter region: "lock" <2> + "object": "mutex 1" <17>
0:0 21 ParameterUnsignedInt parameter: "blocked" <0>, value: 0
0:0 63 ThreadAcquireLock model: "goroutines" <7>, lockID: 0, acquisitionOrder: 2
0:0 63 Leave region: "lock" <2>
0:0 70 ThreadReleaseLock model: "goroutines" <7>, lockID: 0, acquisitionOrder: 2 + "object": "mutex 1" <17>
0:0 80 Enter region: "recv" <3> + "object": "channel 2" <19>
0:0 90 Leave region: "recv" <3> + "outcome": "closed" <20>
0:0 91 Metric metric: "" <0>, numberOfMetrics: 1, typeIDs: INT64, metricValues: 7
0:0 100 Leave region: "main" <0>
1:0 0 ThreadBegin threadContingent: "goroutines" <0>, sequenceCount: 2
1:0 0 Enter region: "worker" <4>
1:0 9 Enter region: "lock" <5> + "object": "mutex 1" <17>
1:0 10 ThreadAcquireLock model: "goroutines" <7>, lockID: 0, acquisitionOrder: 1
1:0 10 Leave region: "lock" <5>
1:0 60 ThreadReleaseLock model: "goroutines" <7>, lockID: 0, acquisitionOrder: 1 + "object": "mutex 1" <17>
1:0 85 ParameterString parameter: "close" <1>, string: "channel 2" <19> + "region": "close" <6>
1:0 90 Leave region: "worker" <4>
1:0 90 ThreadEnd threadContingent: "goroutines" <0>, sequenceCount: 2
`

// TestWrittenAgain: an archive that was copied is the same, also if its files are damaged or locations are not defined, as far as it can be read.
func TestWrittenAgain(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		dir := t.TempDir()
		name, again := filepath.Join(dir, "traces.otf2"), filepath.Join(dir, "again.otf2")
		small(t, name, Anchor{Zipped: !damaged})
		if damaged {
			require.NoError(t, os.Truncate(filepath.Join(dir, "traces", "1.evt"), 250))
			require.NoError(t, os.Link(filepath.Join(dir, "traces", "0.evt"), filepath.Join(dir, "traces", "7.evt")))
		}
		a, err := Open(name)
		require.NoError(t, err)
		problems, err := Copy(again, a)
		require.NoError(t, err)
		require.Equal(t, damaged, len(problems) > 0, "%v", problems)
		b, err := Open(again)
		require.NoError(t, err)
		require.Empty(t, b.Problems())
		require.Len(t, b.Locations, len(a.Locations))
		if !damaged {
			require.Equal(t, textOf(t, a), textOf(t, b))
			continue
		}
		require.Equal(t, a.Locations[0].Events, b.Locations[0].Events)
		require.Less(t, b.Locations[1].Events, a.Locations[1].Events)
		require.Equal(t, Location{ID: 7, Name: "location 7", Kind: 1, Events: 20, Group: none}, *b.Locations[2])
	}
}

// TestCutAndCopied: wherever the events of a location are cut, a copy has those that are left, and nothing wrong with it.
func TestCutAndCopied(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "traces.otf2")
	small(t, name, Anchor{})
	file := filepath.Join(dir, "traces", "0.evt")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	last := uint64(0)
	for n := range content {
		require.NoError(t, os.WriteFile(file, content[:n], 0o600))
		a, err := Open(name)
		require.NoError(t, err)
		again := filepath.Join(dir, fmt.Sprint(n), "again.otf2")
		_, err = Copy(again, a)
		require.NoError(t, err)
		b, err := Open(again)
		require.NoError(t, err)
		require.Empty(t, b.Problems())
		require.Empty(t, b.Count().Problems)
		require.Equal(t, a.Count().Events, b.Count().Events)
		require.GreaterOrEqual(t, b.Locations[0].Events, last, "cut to %d bytes", n)
		last = b.Locations[0].Events
	}
	require.EqualValues(t, 20, last)
}

// TestExportedAlways: the same recording gives the same files, of as many locations as one likes, each written in many pieces.
func TestExportedAlways(t *testing.T) {
	var text strings.Builder
	text.WriteString("location main\n  0 enter main\n")
	const locations, visits = 40, 3000
	for l := range locations {
		fmt.Fprintf(&text, "  %d create w%d @a.go:1\n", l, l)
	}
	text.WriteString("  90000 exit\n")
	for l := range locations {
		fmt.Fprintf(&text, "location w%d\n  %d begin worker by main\n", l, l)
		for i := range visits {
			fmt.Fprintf(&text, "  %d enter work\n  %d exit\n", 100+20*i, 110+20*i)
		}
		text.WriteString("  80000 end\n")
	}
	a, err := tracetext.Open("text", text.String())
	require.NoError(t, err)
	files := func() (all []string) {
		dir := t.TempDir()
		_, err := Export(filepath.Join(dir, "traces.otf2"), a, "me")
		require.NoError(t, err)
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			require.NoError(t, err)
			if !d.IsDir() {
				b, err := os.ReadFile(path)
				require.NoError(t, err)
				all = append(all, filepath.Base(path)+" "+string(b))
			}
			return nil
		}))
		b, err := Open(filepath.Join(dir, "traces.otf2"))
		require.NoError(t, err)
		require.Empty(t, b.Count().Problems)
		require.Equal(t, levelsOf(t, a, true), levelsOf(t, b.Trace(), false))
		return all
	}
	first := files()
	require.Len(t, first, 2+2*(locations+1))
	require.Equal(t, first, files())
}
