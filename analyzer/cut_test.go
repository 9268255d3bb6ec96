package analyzer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// unfinished returns the archive of a trace as a recorder leaves it that is killed when it has only to complete it.
func unfinished(t *testing.T, text string) *trace.Archive {
	t.Helper()
	segment, err := tracetext.Parse(text)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, trace.SegmentName(0)), segment[:len(segment)-1], 0o644))
	a, err := trace.Open(dir)
	require.NoError(t, err)
	require.False(t, a.Header().Complete)
	return a
}

// TestCutLives: of an archive whose end is missing, goroutines have no life behind their last event, and nobody waits for ever.
func TestCutLives(t *testing.T) {
	const text = `
channel ch cap 0
location main
  0 enter main
  0 create w @a.go:1
  0 create x @a.go:1
  900 exit
location w
  10 begin worker by main
  20 enter reload
location x
  10 begin receiver by main
  20 recv ch @a.go:9
  20 blocked
`
	whole, err := tracetext.Open("whole", text)
	require.NoError(t, err)
	for _, c := range []struct {
		a              *trace.Archive
		works, awaited int64
		never          int
	}{{whole, 890, 880, 1}, {unfinished(t, text), 10, 0, 0}} {
		x := analyze(t, c.a, 1)
		require.NoError(t, c.a.Close())
		of := map[string]int64{}
		for _, cell := range x.Cells(x.MetricIndex("execution")) {
			of[x.Groups[x.Locations[cell.Location].Group].Name] += cell.Value
		}
		require.Equal(t, c.works, of["worker"], "%v", of)
		require.Equal(t, c.awaited, x.Total(x.MetricIndex("external_wait")))
		require.Len(t, x.NeverEnded, c.never)
		require.Equal(t, c.never == 0, x.Header.Cut)
	}
}

// TestVerdictCut: of a recording that was not completed, this is said first, and of no wait that it never ended, or for what.
func TestVerdictCut(t *testing.T) {
	const head = "This recording is not complete: what each goroutine did last may be missing. What follows is about the rest. "
	for text, want := range map[string]string{`
process main pid 1
channel ch cap 0
location main
  0 running on 0
  0 enter main @main.go:1
  0 create w @main.go:2
  1 send ch @main.go:3
  2 blocked
location w
  0 begin w by main
  0 running on 0
  0 enter load @load.go:1
  90 exit
  91 recv ch @load.go:9
  92 blocked
`: "97.8 % of the critical path is work in load at load.go:1.", `
process main pid 1
location main
  0 running on 0
  0 enter main @main.go:1
  1 recv nil @main.go:3
  2 blocked
  95 leave
  100 exit
`: "93.0 % of the critical path is waiting in recv at main.go:3 for what is not recorded."} {
		a := unfinished(t, text)
		x := analyze(t, a, 1)
		require.NoError(t, a.Close())
		require.False(t, x.Verdict.Certain)
		got := strings.ReplaceAll(x.Verdict.Text, "\u00a0", " ")
		require.True(t, strings.HasPrefix(got, head), got)
		require.Contains(t, got, want)
		require.Equal(t, x.Verdict.Text, x.Sentences().Lead()[0])
		var out bytes.Buffer
		require.NoError(t, report.Text(&out, x, report.TextOptions{}))
		require.NotContains(t, out.String(), "till waiting")
		require.NotContains(t, out.String(), "never ended")
	}
}

// TestVerdictDamaged: what cannot be read of a recording that was completed is said first, and by number. It has 4 + 4 events in two chunks, one for each process.
func TestVerdictDamaged(t *testing.T) {
	whole, err := tracetext.Parse(`
process main pid 1
location main
  0 enter main @main.go:1
  50 enter load @load.go:1
  1000 exit
  1000 exit
process other pid 2
location other
  0 enter main @main.go:1
  50 enter send @load.go:1
  1000 exit
  1000 exit
`)
	require.NoError(t, err)
	damaged := 0
	for at := range whole {
		b := bytes.Clone(whole)
		b[at] ^= 0x40
		a, err := trace.OpenReader("flipped", bytes.NewReader(b), int64(len(b)))
		if err != nil || !a.Header().Complete || a.Header().Damaged == 0 {
			continue
		}
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		if err != nil {
			continue
		}
		damaged++
		require.Equal(t, [2]uint64{4, 4}, [2]uint64{x.Header.Events, x.Header.Damaged})
		require.Regexp(t, `^This recording is damaged: 4 of its 8 events cannot be read\. What follows is about the rest\. .`, x.Verdict.Text)
	}
	require.Positive(t, damaged)
}
