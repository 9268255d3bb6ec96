package gotrace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/gotrace"
	"tracerec/internal/readable"
	"tracerec/internal/testkit"
	"tracerec/patterns"
	"tracerec/report"
	archive "tracerec/trace"
	"tracerec/trace/tracetext"
)

// traced returns the execution trace of what f does.
func traced(t testing.TB, f func()) []byte {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	f()
	trace.Stop()
	return out.Bytes()
}

// opened opens a trace without damage, and checks its archive.
func opened(t testing.TB, text []byte) *archive.Archive {
	a, damage, err := gotrace.Open("test", bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, damage)
	t.Cleanup(func() { a.Close() })
	require.Empty(t, a.Check())
	return a
}

// analyzed analyzes an archive. What the analysis had to mend is not to be.
func analyzed(t testing.TB, a *archive.Archive) *report.Experiment {
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	for _, w := range e.Warnings {
		require.NotRegexp(t, "clock|ignored|contradict|still open", w)
	}
	return e
}

// stuck waits until a goroutine that runs a function of this package is in a state, as a dump of stacks calls both.
func stuck(t testing.TB, function, state string) {
	pattern := regexp.MustCompile(`^goroutine \d+ \[` + state + `\]:\n(.*\n\t.*\n)*.*gotrace_test\.` + function + `\(`)
	buf := make([]byte, 1<<20)
	testkit.Until(t, function+" in "+state, func() bool {
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if pattern.MatchString(g) {
				return true
			}
		}
		return false
	})
}

// waits lists the waits of an experiment for others: "metric: operation in function < operation in function".
func waits(e *report.Experiment) (list []string) {
	at := func(path int32) string {
		if path < 0 {
			return "?"
		}
		r := e.Regions[e.Paths[path].Region]
		return fmt.Sprintf("%s in %s", r.Name, strings.TrimPrefix(r.Func, "tracerec/exchange/gotrace_test."))
	}
	for i := range e.Findings {
		for _, l := range e.Findings[i].AllLines() {
			for _, c := range l.Causers {
				if c.Group >= 0 {
					list = append(list, fmt.Sprintf("%s: %s < %s", e.Metrics[l.Metric].Name, at(int32(l.Path)), at(c.Path)))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// Each of these functions waits for something, in a goroutine of its own.
func receives(c chan int) { <-c }
func ranges(c chan int)   { <-c }
func sends(c chan int)    { c <- 1 }
func chooses(a, b chan int) {
	select {
	case <-a:
	case <-b:
	}
}
func offers(a, b chan int) {
	select {
	case a <- 1:
	case <-b:
	}
}
func locks(mu *sync.Mutex)     { mu.Lock(); mu.Unlock() }
func reads(mu *sync.RWMutex)   { mu.RLock(); mu.RUnlock() }
func writes(mu *sync.RWMutex)  { mu.Lock(); mu.Unlock() }
func joins(wg *sync.WaitGroup) { wg.Wait() }
func signalled(c *sync.Cond)   { c.L.Lock(); c.Wait(); c.L.Unlock() }
func initialises(o *sync.Once) { o.Do(func() {}) }
func sleeps()                  { time.Sleep(time.Millisecond) }
func stays(c chan int)         { <-c }

// TestWaits: each kind of wait is found, with what ended it, where.
func TestWaits(t *testing.T) {
	never := make(chan int)
	var ended sync.WaitGroup
	run := func(f func()) { ended.Add(1); go func() { defer ended.Done(); f() }() }
	text := traced(t, func() {
		go stays(never)
		stuck(t, "stays", "chan receive")
		a, b := make(chan int), make(chan int)
		run(func() { receives(a) })
		stuck(t, "receives", "chan receive")
		a <- 1
		run(func() { ranges(b) })
		stuck(t, "ranges", "chan receive")
		close(b)
		c, d := make(chan int), make(chan int)
		run(func() { sends(c) })
		stuck(t, "sends", "chan send")
		<-c
		run(func() { chooses(c, d) })
		stuck(t, "chooses", "select")
		d <- 1
		run(func() { offers(c, d) })
		stuck(t, "offers", "select")
		<-c
		var mu sync.Mutex
		mu.Lock()
		run(func() { locks(&mu) })
		stuck(t, "locks", "sync.Mutex.Lock")
		mu.Unlock()
		var rw, wr sync.RWMutex
		rw.Lock()
		run(func() { reads(&rw) })
		stuck(t, "reads", "sync.RWMutex.RLock")
		rw.Unlock()
		wr.RLock()
		run(func() { writes(&wr) })
		stuck(t, "writes", "sync.RWMutex.Lock")
		wr.RUnlock()
		var wg sync.WaitGroup
		wg.Add(1)
		run(func() { joins(&wg) })
		stuck(t, "joins", "sync.WaitGroup.Wait")
		wg.Done()
		cond := sync.NewCond(new(sync.Mutex))
		run(func() { signalled(cond) })
		stuck(t, "signalled", "sync.Cond.Wait")
		cond.Signal()
		var once sync.Once
		once.Do(func() {
			run(func() { initialises(&once) })
			stuck(t, "initialises", "sync.Mutex.Lock")
		})
		run(sleeps)
		ended.Wait()
	})
	close(never)
	e := analyzed(t, opened(t, text))
	test := "TestWaits.func2"
	for _, want := range []string{
		"late_sender: recv in receives < send in " + test,
		"late_close: recv in ranges < close in " + test,
		"late_receiver: send in sends < recv in " + test,
		"late_sender: select in chooses < send in " + test,
		"late_receiver: select in offers < recv in " + test,
		"lock_competition: lock in locks < unlock in " + test,
		"rw_reader_wait: rlock in reads < unlock in " + test,
		"rw_writer_wait: lock in writes < unlock in " + test,
		"join_wait: wait in joins < done in " + test,
		"cond_wait: condwait in signalled < signal in " + test,
		"once_wait: once in initialises < once in " + test,
	} {
		require.Contains(t, waits(e), want)
	}
	i := slices.IndexFunc(e.NeverEnded, func(n report.NeverEnded) bool { return e.Locations[n.Location].Name == "gotrace_test.stays" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, "channel that the trace does not name", e.NeverEnded[i].Object)
	require.True(t, e.Header.States)
	require.Equal(t, runtime.GOMAXPROCS(0), e.Header.Processors)
	require.Positive(t, e.Total(e.MetricIndex("sleep")))
}

// TestProcessors: how many goroutines can run at once is what the program sets while it is traced.
func TestProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(before)
	text := traced(t, func() {
		c := make(chan int)
		go sends(c)
		receives(c)
		runtime.GOMAXPROCS(3)
	})
	require.Equal(t, 3, analyzed(t, opened(t, text)).Header.Processors)
}

// TestWaysToWake: what ends a wait for a channel is told apart however the program does it.
func TestWaysToWake(t *testing.T) {
	var ended sync.WaitGroup
	value := reflect.ValueOf
	text := traced(t, func() {
		receiver := func(wake func(c chan int)) {
			c := make(chan int)
			ended.Go(func() { receives(c) })
			stuck(t, "receives", "chan receive")
			wake(c)
		}
		sender := func(wake func(c chan int)) {
			c := make(chan int)
			ended.Go(func() { sends(c) })
			stuck(t, "sends", "chan send")
			wake(c)
		}
		receiver(func(c chan int) {
			select {
			case c <- 1:
			default:
			}
		})
		receiver(func(c chan int) { value(c).Send(value(1)) })
		receiver(func(c chan int) { value(c).TrySend(value(1)) })
		receiver(func(c chan int) {
			reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: value(c), Send: value(1)}})
		})
		sender(func(c chan int) {
			select {
			case <-c:
			default:
			}
		})
		sender(func(c chan int) { value(c).Recv() })
		sender(func(c chan int) { value(c).TryRecv() })
		receiver(func(c chan int) { value(c).Close() })
		ended.Wait()
	})
	count := map[string]int{}
	e := analyzed(t, opened(t, text))
	for i := range e.Stats {
		if m := &e.Metrics[i]; e.Stats[i].Count > 0 && strings.HasPrefix(m.Name, "late_") {
			count[m.Name] += int(e.Stats[i].Count)
		}
	}
	require.Equal(t, map[string]int{"late_sender": 4, "late_receiver": 3, "late_close": 1}, count)
}

// TestOlder: what goroutines wait for that were blocked before the trace began, is told by those who wake them. A goroutine is
// in the function that it was started with.
func TestOlder(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() { receives(a); ranges(b) }()
	stuck(t, "receives", "chan receive")
	e := analyzed(t, opened(t, traced(t, func() {
		a <- 1
		stuck(t, "ranges", "chan receive")
	})))
	close(b)
	require.Contains(t, waits(e), "late_sender: recv in  < send in TestOlder.func2")
	require.True(t, slices.ContainsFunc(e.Regions, func(r report.Region) bool { return r.Name == "gotrace_test.TestOlder.func1" }))
}

// TestPaths: call paths are those of the stacks, and a goroutine that goes on is in what two stacks have in common.
func TestPaths(t *testing.T) {
	e := analyzed(t, opened(t, traced(t, func() {
		done := make(chan bool)
		go func() {
			outer()
			close(done)
		}()
		<-done
	})))
	var found []string
	for p := range e.Paths {
		if text := pathOf(e, int32(p)); strings.Contains(text, "outer") {
			found = append(found, text)
		}
	}
	slices.Sort(found)
	base := "gotrace_test.TestPaths.func1.1/gotrace_test.outer"
	require.Equal(t, []string{base, base + "/gotrace_test.inner", base + "/gotrace_test.inner/sleep", base + "/sleep"}, found)
}

// TestDeeds: what lets another goroutine go on is done by the function that does it, not by what that returns to.
func TestDeeds(t *testing.T) {
	e := analyzed(t, opened(t, traced(t, func() {
		c := make(chan int)
		go receives(c)
		stuck(t, "receives", "chan receive")
		done := make(chan bool)
		go func() {
			sends(c)
			close(done)
		}()
		<-done
	})))
	var found []string
	for p := range e.Paths {
		if text, is := strings.CutPrefix(pathOf(e, int32(p)), "gotrace_test.TestDeeds.func1.1/"); is {
			found = append(found, text)
		}
	}
	slices.Sort(found)
	found = slices.DeleteFunc(found, func(path string) bool { return path == "close" }) // which only shows if main waits by then
	require.Equal(t, []string{"gotrace_test.sends", "gotrace_test.sends/send"}, found)
}

// TestInterrupted: who waits for the network until another goroutine closes that, or sets a deadline, waits for that goroutine.
func TestInterrupted(t *testing.T) {
	expire := (*os.File).SetDeadline // no limit: it is over at once
	for name, interrupt := range map[string]func(r *os.File) error{
		"close":    (*os.File).Close,
		"deadline": func(r *os.File) error { return expire(r, time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			e := analyzed(t, opened(t, traced(t, func() {
				r, w, err := os.Pipe()
				require.NoError(t, err)
				defer r.Close()
				defer w.Close()
				done := make(chan bool)
				go func() {
					reader(r)
					close(done)
				}()
				stuck(t, "reader", "IO wait")
				time.Sleep(20 * time.Millisecond)
				require.NoError(t, interrupt(r))
				<-done
			})))
			require.Zero(t, e.Total(e.MetricIndex("network")))
			require.Positive(t, e.Total(e.MetricIndex("late_peer")))
			require.GreaterOrEqual(t, e.Split.Sleep, int64(20*time.Millisecond), "the critical path goes back to who slept before")
		})
	}
}

//go:noinline
func reader(r io.Reader) { r.Read(make([]byte, 1)) }

// TestUser: what the program calls regions and tasks are levels of call paths, from where they begin to where they end.
func TestUser(t *testing.T) {
	e := analyzed(t, opened(t, traced(t, func() {
		done := make(chan bool)
		go func() {
			tasks()
			close(done)
		}()
		<-done
	})))
	var found []string
	base := "gotrace_test.TestUser.func1.1/gotrace_test.tasks"
	for p := range e.Paths {
		if text, is := strings.CutPrefix(pathOf(e, int32(p)), base+"/"); is {
			found = append(found, text)
		}
	}
	slices.Sort(found)
	require.Equal(t, []string{
		"order", "order/pay", "order/pay/gotrace_test.inner", "order/pay/gotrace_test.inner/sleep", "order/pay/sleep", "order/sleep", "order/sleep",
		"ship", "ship/trace.WithRegion", "ship/trace.WithRegion/gotrace_test.inner", "ship/trace.WithRegion/gotrace_test.inner/sleep", "sleep",
	}, found)
	order := slices.IndexFunc(e.Regions, func(r report.Region) bool { return r.Name == "order" })
	require.Equal(t, "runtime/trace.NewTask", e.Regions[order].Func)
}

// TestTaskElsewhere: of tasks that another goroutine ends, or their own one when it has left the function that began them, it is told where that is. In a loop, they are not within
// each other; one that is in another one, in the same function, is. One that never ends is left, too.
func TestTaskElsewhere(t *testing.T) {
	a := opened(t, traced(t, func() {
		done := make(chan bool)
		go func() {
			tasks() // which end where they began
			early := begins()
			time.Sleep(1) // the function is seen to have ended
			early.End()
			begins()
			ended := make(chan bool)
			for range 3 {
				_, task := trace.NewTask(context.Background(), "loop")
				go func() { task.End(); task.End(); ended <- true }()
				time.Sleep(1)
			}
			for range 3 {
				<-ended
			}
			ctx, parent := trace.NewTask(context.Background(), "parent")
			_, child := trace.NewTask(ctx, "child")
			time.AfterFunc(1, func() { child.End(); ended <- true })
			<-ended
			time.Sleep(1)
			parent.End()
			close(done)
		}()
		<-done
	}))
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))
	require.Equal(t, 6, strings.Count(text.String(), " taskleft "))
	require.Equal(t, 5, strings.Count(text.String(), " taskend "))
	e := analyzed(t, a)
	var within []string
	for p := range e.Paths {
		if i := strings.Index(pathOf(e, int32(p)), ".func1.1/"); i >= 0 && !strings.Contains(pathOf(e, int32(p)), "gotrace_test.tasks") {
			within = append(within, pathOf(e, int32(p))[i+len(".func1.1/"):])
		}
	}
	require.Contains(t, within, "loop")
	require.Contains(t, within, "parent/child")
	require.NotContains(t, within, "loop/loop")
	require.NotContains(t, within, "loop/parent")
	require.Contains(t, within, "parent/sleep", "the child has ended")
}

//go:noinline
func begins() *trace.Task {
	_, task := trace.NewTask(context.Background(), "order")
	time.Sleep(1)
	return task
}

//go:noinline
func tasks() {
	ctx, task := trace.NewTask(context.Background(), "order")
	time.Sleep(1)
	r := trace.StartRegion(ctx, "pay")
	time.Sleep(1)
	inner()
	r.End()
	time.Sleep(1)
	task.End()
	time.Sleep(1)
	trace.WithRegion(ctx, "ship", inner)
}

//go:noinline
func outer() { inner(); time.Sleep(1) }

//go:noinline
func inner() { time.Sleep(1); time.Sleep(1) }

func pathOf(e *report.Experiment, path int32) string {
	p := e.Paths[path]
	name := e.Regions[p.Region].Name
	if p.Parent >= 0 {
		return pathOf(e, p.Parent) + "/" + name
	}
	return name
}

// TestCreators: a goroutine knows by whom and where it was started.
func TestCreators(t *testing.T) {
	e := analyzed(t, opened(t, traced(t, func() {
		var wg sync.WaitGroup
		wg.Go(sleeps)
		wg.Wait()
	})))
	i := slices.IndexFunc(e.Groups, func(g report.Group) bool { return g.Name == "gotrace_test.sleeps" })
	require.GreaterOrEqual(t, i, 0, "what WaitGroup.Go starts is called after its function: %v", e.Groups)
	require.Contains(t, pathOf(e, e.Groups[i].Creator), "TestCreators.func1/go")
}

// TestDamage: what is wrong with a trace is one line, and what can be read is. Between two parts of a trace nobody can see that it was cut.
func TestDamage(t *testing.T) {
	text := traced(t, sleeps)
	all := 0
	for _, c := range opened(t, text).Chunks() {
		all += c.Events
	}
	const cuts = 50
	for i := range cuts + 3 {
		n := len(text) * i / cuts
		if i > cuts {
			n = len(text) + i - cuts
		}
		cut := append(slices.Clone(text[:min(n, len(text))]), "more"[:max(0, n-len(text))]...)
		a, damage, err := gotrace.Open("cut", bytes.NewReader(cut))
		require.NoError(t, err)
		events := 0
		for _, c := range a.Chunks() {
			events += c.Events
		}
		require.NoError(t, a.Close())
		switch {
		case n >= len(text):
			require.Equal(t, all, events)
		case damage == nil:
			require.Zero(t, events, n)
		}
		if n != len(text) && damage != nil {
			want := "^cut: cut at byte %s"
			if n > len(text) {
				want, n = "^cut: damaged at about byte %s: .+$", len(text)+1
			}
			require.Regexp(t, fmt.Sprintf(want, readable.Grouped(n, 0)), damage.Error())
			left := "only what is complete before that is analyzed"
			if events == 0 {
				left = "nothing before that is complete, so there is nothing to analyze"
			}
			require.True(t, strings.HasSuffix(damage.Error(), ": "+left), damage)
		}
		require.Equal(t, n > len(text), n >= len(text) && damage != nil)
	}
}

// TestShared: traces of older versions of Go.
func TestShared(t *testing.T) {
	for name, want := range map[string]struct {
		goroutines int
		wait       string
	}{
		"go1.19-trace.bin": {10, ""}, "go1.21-task.trace": {1, ""},
		"go1.21-fgprof.trace":             {184, "late_close: select in net/http.(*persistConn).writeLoop < close in net/http.(*persistConn).closeLocked"},
		"go1.25-test-encoding-json.trace": {606, "late_sender: recv in runtime/pprof.StopCPUProfile < send in runtime/pprof.profileWriter"},
	} {
		f, err := os.Open(filepath.Join("../../../shared/data/gotrace", name))
		if err != nil {
			t.Skip(err)
		}
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		e := analyzed(t, opened(t, text))
		require.Equal(t, want.goroutines, e.Header.Goroutines, name)
		if want.wait != "" {
			require.Contains(t, waits(e), want.wait, name)
		}
	}
}

// FuzzOpen: no bytes make a panic, or an archive that is not right.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Add(traced(f, func() {
		c := make(chan int)
		go sends(c)
		<-c
	}))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, _, err := gotrace.Open("fuzz", bytes.NewReader(text))
		require.NoError(t, err)
		defer a.Close()
		require.Empty(t, a.Check())
		if _, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 1}); err != nil {
			require.ErrorContains(t, err, "no events recorded")
		}
	})
}
