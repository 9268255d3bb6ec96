package analyzer_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/naive/random"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// oneLock is a mutex that two goroutines wait for in two lines at once while main holds it, in a third.
const oneLock = `
mutex m @store.go:7
location main
  0 enter main
  0 lock m @store.go:7
  0 leave
  0 create w1 @main.go:2
  0 create w2 @main.go:2
  100 unlock m
  200 exit
location w1
  0 begin worker by main
  10 lock m @store.go:13
  11 blocked
  101 leave
  102 unlock m
  110 end
location w2
  0 begin worker by main
  20 lock m @store.go:33
  21 blocked
  103 leave
  104 unlock m
  110 end
`

func TestLockIsOneFinding(t *testing.T) {
	x := analyzeText(t, oneLock)
	require.Len(t, x.Findings, 1)
	f := x.Findings[0]
	require.EqualValues(t, 90, f.Critical, "the time in which both waited counts once")
	require.EqualValues(t, 90+80+1, f.Severity, "main's hold and w1's")
	require.Len(t, f.Lines, 2)
	require.Equal(t, f.Path, f.Lines[0].Path)
	require.Equal(t, 13, x.Regions[x.Paths[f.Lines[0].Path].Region].Line)
	require.EqualValues(t, 90, f.Lines[0].Critical)
	require.Equal(t, 33, x.Regions[x.Paths[f.Lines[1].Path].Region].Line)
	require.EqualValues(t, 80, f.Lines[1].Critical)
	require.Equal(t, report.Object{Type: "mutex", File: "store.go", Line: 7, Count: 1}, f.Object)
	require.Equal(t, []uint32{1, 2}, f.Locations)
	require.Equal(t, "main", x.Groups[f.Causers[0].Group].Name)
	require.EqualValues(t, 170, f.Causers[0].Severity)
}

// The server writes to each goroutine in turn. Two that ask wait from 10 to 50 and from 20 to 80, at one place: who started the second one is not known. One that polls waits at
// the same place, from 30 to 150, in another function.
func TestWhereverStarted(t *testing.T) {
	x := analyzeText(t, `
stream one
stream two
stream three
location main
  0 enter main
  0 create server @a.go:1
  0 create asker @a.go:2
  200 exit
location server
  0 begin serve by main
  50 write one 1 @a.go:11
  80 write two 1 @a.go:11
  150 write three 1 @a.go:11
  190 end
location asker
  0 begin ask by main
  10 network @a.go:4
  10 blocked
  51 reached one received 1
  60 end
location older
  0 begin ask
  20 network @a.go:4
  20 blocked
  81 reached two received 1
  90 end
location poller
  0 begin poll
  30 network @a.go:4
  30 blocked
  151 reached three received 1
  160 end
`)
	require.Len(t, x.Findings, 2)
	at := slices.IndexFunc(x.Findings, func(f report.Finding) bool { return x.Groups[f.Group].Name == "ask" })
	ask, poll := &x.Findings[at], &x.Findings[1-at]
	require.EqualValues(t, 40+60, ask.Severity)
	require.EqualValues(t, 2, ask.Instances)
	require.Len(t, ask.Lines, 2)
	require.EqualValues(t, 120, poll.Severity)
	require.Contains(t, strings.ReplaceAll(x.Sentences().Finding(ask), "\u00a0", " "), "ask ×2 waited 100 ns in network at a.go:4, 2 times, 50 ns on average, for serve")
	var text strings.Builder
	require.NoError(t, report.Text(&text, x, report.TextOptions{Top: 5}))
	require.NotContains(t, text.String(), "started", "they were not started at one place")
}

// A program that ends within its last write has told of all others. Whoever read them knows whom he waited for; only who read more, although the program
// wrote once again, knows that somebody else writes to the stream.
func TestUnfinishedWrite(t *testing.T) {
	for again, critical := range map[string]int64{"": 40, "\n  95 write one 3 @a.go:11": 0} {
		x := analyzeText(t, `
stream one
location main
  0 enter main
  0 create server @a.go:1
  0 create asker @a.go:2
  100 exit
location server
  0 begin serve by main
  50 write one 1 @a.go:11`+again+`
  99 end
location asker
  0 begin ask by main
  10 network @a.go:4
  10 blocked
  51 reached one received 1
  60 network @a.go:4
  60 blocked
  90 reached one received 2
  91 network @a.go:4
  91 blocked
  93 reached one received 4
  94 end
`)
		peer := int64(0)
		for _, c := range x.Cells(x.MetricIndex(metric.LatePeer)) {
			peer += c.Value
		}
		require.Equal(t, critical, peer, again)
	}
}

// A select that found a case ready did not wait, if those that do are known: closed channels of which nobody saw the close, such as that of a context that was cancelled before it was asked for it.
func TestSelectFoundCaseReady(t *testing.T) {
	for state, external := range map[string]int64{"  0 running on 0\n": 0, "": 9} {
		x := analyzeText(t, `
channel done @a.go:3
location main
`+state+`  0 enter main @a.go:1
  20 select @a.go:5
  29 chose done closed
  100 exit
`)
		require.Equal(t, external, x.Total(x.MetricIndex(metric.ExternalWait)), state)
	}
}

// Main waits for a worker to send, and another worker for the lock that it holds meanwhile. If main waits about as long, the lock is what both wait for;
// if it waits for much more, or for others than workers, its own wait comes first.
func TestCausesComeFirst(t *testing.T) {
	first := func(begin, worker, holder string) string {
		x := analyzeText(t, strings.NewReplacer("BEGIN", begin, "WORKER", worker, "HOLDER", holder).Replace(`
mutex m @store.go:7
channel out @store.go:8
location main
  0 enter main
  0 create a @main.go:2
  0 create b @main.go:2
  1000 recv out @main.go:4
  1001 blocked
  9901 leave
  10000 exit
location a
  0 begin HOLDER by main
  900 lock m @store.go:13
  900 leave
  9800 unlock m
  9900 send out @main.go:9
  9900 leave
  9990 end
location b
  0 begin WORKER by main
  BEGIN lock m @store.go:13
  BEGIN blocked
  9801 leave
  9802 unlock m
  9803 end
`))
		require.Len(t, x.Findings, 2)
		return x.Groups[x.Findings[0].Group].Name
	}
	require.Equal(t, "worker", first("1010", "worker", "worker"))
	require.Equal(t, "main", first("2000", "worker", "worker"), "the lock explains too little")
	require.Equal(t, "main", first("1010", "other", "worker"), "main waits for nobody who waits")
}

// A lock for reading and writing is called by what is true of all who wait for it: reader 1 has it during [0, 80), the writer is pending from 10 on,
// reader 2 comes at 20.
func TestTitleOfAllLines(t *testing.T) {
	x := analyzeText(t, `
process main cpu 1000
rwmutex rw @store.go:1
location main
  0 enter scan @main.go:1
  0 lock rw shared @store.go:10
  0 leave
  80 unlock rw shared
  100 exit
location update
  0 begin update
  10 lock rw @store.go:20
  10 blocked
  80 leave
  85 unlock rw
  90 end
location get
  0 begin get
  20 lock rw shared @store.go:30
  20 blocked
  86 leave
  87 unlock rw shared
  90 end
`)
	require.Len(t, x.Findings, 1)
	f := &x.Findings[0]
	lines := map[string]int64{}
	for _, l := range f.Lines {
		lines[x.Metrics[l.Metric].Name] = l.Severity
	}
	require.Equal(t, map[string]int64{"rw_writer_wait": 70, "rw_reader_wait": 65}, lines)
	require.EqualValues(t, 135, f.Severity)
	require.Equal(t, "rw_writer_wait", x.Metrics[f.Metric].Name, "the dearest line's")
	lock := x.MetricIndex("lock_competition")
	require.EqualValues(t, 135, x.Total(lock), "just this is what the words are about")
	require.Equal(t, "Lock competition", x.Sentences().Headline(f))
	require.Equal(t, x.Metrics[lock].Advice, x.Advice(f))
	f.Lines = f.Lines[:1]
	require.Equal(t, "Writer waits for readers", x.Sentences().Headline(f))
	require.Equal(t, x.Metrics[f.Metric].Advice, x.Advice(f))
}

// replies is a program in which two requests each make a channel for the reply at one place, and each waits for it, and two
// locks whose names the place of their first use does not tell.
const replies = `
channel reply1 @serve.go:5
channel reply2 @serve.go:5
mutex a @lock.go:3
mutex b @lock.go:3
mutex c @lock.go:9
location main
  0 enter main
  1 recv reply1 @serve.go:6
  2 blocked
  50 leave
  51 recv reply2 @serve.go:6
  52 blocked
  90 leave
  91 lock c @lock.go:9
  92 blocked
  99 leave
  99 unlock c
  100 exit
location server
  0 begin server
  48 send reply1 @serve.go:20
  49 leave
  50 lock c @lock.go:9
  51 leave
  88 send reply2 @serve.go:20
  89 leave
  98 unlock c
  100 end
`

func TestObjectsOfOnePlaceAreOneFinding(t *testing.T) {
	x := analyzeText(t, replies)
	late := x.Findings[0]
	require.Equal(t, "late_sender", x.Metrics[late.Metric].Name)
	require.Equal(t, report.Object{Type: "channel", File: "serve.go", Line: 5, Count: 2, Waited: 2, Most: 47}, late.Object)
	require.EqualValues(t, 2, late.Instances)
	require.EqualValues(t, 47+37, late.Severity)
}

// Objects that the program calls by one name are one, wherever each was used first; a name without meaning elsewhere unites nothing.
func TestObjectsOfOneNameAreOneFinding(t *testing.T) {
	text := strings.ReplaceAll(replies, "channel reply2 @serve.go:5", "channel reply2 @serve.go:20")
	for _, unique := range []bool{false, true} {
		a, err := tracetext.Open("test", text)
		require.NoError(t, err)
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Name: func(r *report.Region) analyzer.ObjectName {
			return analyzer.ObjectName{Text: map[bool]string{true: "request.reply", false: "reply"}[strings.HasPrefix(r.File, "serve")], Unique: unique}
		}})
		require.NoError(t, err)
		if unique {
			require.Len(t, x.Findings, 2)
			require.Equal(t, report.Object{Name: "request.reply", Type: "channel", File: "serve.go", Line: 5, Count: 2, Waited: 2, Most: 47}, x.Findings[0].Object)
		} else {
			require.Len(t, x.Findings, 3)
			require.Equal(t, "request.reply", x.Findings[0].Object.Name)
		}
	}
}

// Those of a causer's locations are told apart that have nearly all of it: b and c waited 990 ns each for a, and c another 9 of 1,989 ns, or 21 of 2,001, for b.
func TestCausersThatMatter(t *testing.T) {
	for held, want := range map[string]int{"1000": 1, "1012": 0} {
		x := analyzeText(t, strings.ReplaceAll(`
mutex m @store.go:7
location main
  0 enter main
  0 create a @store.go:1
  0 create b @store.go:1
  2000 exit
location a
  0 begin work by main
  0 lock m
  0 leave
  991 unlock m
  2000 end
location b
  0 begin work by main
  1 lock m
  1 blocked
  991 leave
  TIME unlock m
  2000 end
location c
  0 begin wait
  1 lock m
  1 blocked
  TIME leave
  TIME unlock m
  2000 end
`, "TIME", held))
		f := slices.IndexFunc(x.Findings, func(f report.Finding) bool { return len(f.Causers) > 0 && len(f.Causers[0].Locations) == 2 })
		require.GreaterOrEqual(t, f, 0)
		require.Equal(t, want, x.Findings[f].Causers[0].Mattering)
	}
}

// Two channels that one line uses first are not one if it says so.
func TestObjectsOfOneLine(t *testing.T) {
	text := strings.NewReplacer("channel reply1 @serve.go:5", "channel reply1 @serve.go:5(main.recv)", "channel reply2 @serve.go:5", "channel reply2 @serve.go:5(main.send)").Replace(replies)
	for second, count := range map[string]int{"gate": 2, "done": 1} {
		a, err := tracetext.Open("test", text)
		require.NoError(t, err)
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Name: func(r *report.Region) analyzer.ObjectName {
			return analyzer.ObjectName{Text: map[bool]string{true: second, false: "gate"}[r.Func == "main.send"]}
		}})
		require.NoError(t, err)
		late := slices.IndexFunc(x.Findings, func(f report.Finding) bool { return f.Object.Name == second })
		require.GreaterOrEqual(t, late, 0)
		require.Equal(t, count, x.Findings[late].Object.Count)
	}
}

// Of objects that a helper uses first, a name that one of them has elsewhere is not that of the others.
func TestObjectsOfAHelperHaveItsName(t *testing.T) {
	text := strings.NewReplacer("mutex m @store.go:7", "mutex m @help.go:7\nmutex n @help.go:7", "lock m @store.go:33", "lock n @help.go:7",
		"100 unlock m", "100 unlock m\n  100 unlock n", "0 lock m @store.go:7\n  0 leave", "0 lock m @help.go:7\n  0 leave\n  0 lock n @help.go:7\n  0 leave",
		"104 unlock m", "104 unlock n").Replace(oneLock)
	for _, c := range []struct {
		everywhere bool
		want       string
	}{{false, "mu"}, {true, "DB.mu"}} {
		a, err := tracetext.Open("test", text)
		require.NoError(t, err)
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Name: func(r *report.Region) analyzer.ObjectName {
			if r.File == "help.go" && !c.everywhere {
				return analyzer.ObjectName{Text: "mu"}
			}
			return analyzer.ObjectName{Text: "DB.mu", Unique: true}
		}})
		require.NoError(t, err)
		require.Len(t, x.Findings, 1)
		require.Len(t, x.Findings[0].Lines, 2)
		require.Equal(t, 2, x.Findings[0].Object.Count)
		require.Equal(t, c.want, x.Findings[0].Object.Name)
	}
}

var objectLines = regexp.MustCompile(`(?m)^((channel|mutex|rwmutex|waitgroup|cond|once|barrier) .*)$`)

// TestFindingsDoNotCountTwice: whatever objects have in common, waits are in one line of one finding.
func TestFindingsDoNotCountTwice(t *testing.T) {
	for seed := range seeds(300) {
		a, err := tracetext.Open("random", objectLines.ReplaceAllString(random.Trace(seed), "$1 @made.go:1"))
		require.NoError(t, err)
		all := map[string]int64{}
		for _, united := range []bool{false, true} {
			x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 2, Name: func(*report.Region) analyzer.ObjectName {
				return analyzer.ObjectName{Text: "all", Unique: united}
			}})
			require.NoError(t, err)
			invariants(t, x)
			sum := map[string]int64{}
			for _, f := range x.Findings {
				for _, l := range f.Lines {
					sum[x.Metrics[l.Metric].Name] += l.Severity
				}
			}
			for m := range x.Metrics {
				if of := &x.Metrics[m]; of.Kind == metric.WaitState {
					own := int64(0)
					for _, c := range x.Cells(m) {
						own += c.Value
					}
					require.Equal(t, own, sum[of.Name], of.Name)
				}
			}
			if len(all) > 0 {
				require.Equal(t, all, sum)
			}
			all = sum
		}
	}
}

// Of several objects that have one name or place, a finding says how many somebody waited for, and that it was one mostly.
func TestHottestObject(t *testing.T) {
	for second, want := range map[string]string{
		"": "", "\n  95 lock two @s.go:9\n  95 blocked\n  97 leave\n  97 unlock two": "on the 3 mutexes first used at s.go:1, 2 times, 17 ns on average, for main, which had locked it in lock at s.go:5. One mutex has 97.1 % of it.",
	} {
		x := analyzeText(t, `
mutex one @s.go:1
mutex two @s.go:1
mutex three @s.go:1
location main
  0 enter main
  0 create b @a.go:1
  1 lock one @s.go:5
  1 leave
  1 lock two @s.go:5
  1 leave
  1 lock three @s.go:5
  1 leave
  2 unlock three
  44 unlock one
  96 unlock two
  100 exit
location b
  0 begin b by main
  10 lock one @s.go:9
  10 blocked
  45 leave
  45 unlock one`+second+`
  99 end
`)
		f := &x.Findings[0]
		text := strings.ReplaceAll(x.Sentences().Finding(f), "\u00a0", " ")
		if second == "" {
			require.Contains(t, text, "on 1 of the 3 mutexes first used at s.go:1")
			require.Equal(t, 1, f.Object.Waited)
			require.EqualValues(t, f.Severity, f.Object.Most)
			continue
		}
		require.Equal(t, 2, f.Object.Waited)
		require.EqualValues(t, 34, f.Object.Most)
		require.Contains(t, text, want)
	}
}

// Where nothing is on the critical path, the longest waits come first, but for those of package testing, which waits for tests.
func TestPackageTestingComesLast(t *testing.T) {
	x := analyzeText(t, `
channel signal @testing.go:1
channel d @a.go:1
location main
  0 enter main @a.go:1
  0 create t @testing.go:3
  1 recv signal @testing.go:9(testing.(*T).Run)
  1 blocked
  90 leave
  100 exit
location t
  0 begin t by main
  0 create x @a.go:3
  0 create y @a.go:3
  89 send signal @testing.go:8(testing.tRunner)
  90 leave
  95 end
location x
  0 begin x by t
  10 recv d @a.go:5
  10 blocked
  30 leave
  40 end
location y
  0 begin y by t
  30 send d @a.go:6
  30 leave
  40 end
`)
	text := page(t, x)
	require.Contains(t, text, "Little or no waiting for others is on the critical path.")
	require.Contains(t, text, "x waited 20 ns in recv at a.go:5")
	require.Less(t, strings.Index(text, "x waited 20 ns"), strings.Index(text, "main waited 88 ns"))
}
