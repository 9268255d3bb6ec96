package gotrace

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	exp "golang.org/x/exp/trace"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestSampled: a sample stands for 5 ms before and after it, but not for the time before its goroutine ran, nor behind the next stack, nor for what is nearer to another sample.
func TestSampled(t *testing.T) {
	for _, c := range []struct{ name, does, want string }{
		{"one", "0 serve; 20 ~serve/login/hash; 40 serve/write", "0+serve 15+login 15+hash 25-hash 25-login 40+write 40-write"},
		{"none", "0 serve; 40 serve/write", "0+serve 40+write 40-write"},
		{"a stack soon after", "0 serve; 20 ~serve/login/hash; 22 serve/write", "0+serve 15+login 15+hash 22-hash 22-login 22+write 22-write"},
		{"a stack shortly before", "0 serve; 18 serve/read; 20 ~serve/login", "0+serve 18+read 18-read 18+login 25-login"},
		{"it ran since", "0 serve; 18 runs; 20 ~serve/login", "0+serve 18! 18+login 25-login"},
		{"it ran before", "0 serve; 10 runs; 20 ~serve/login", "0+serve 10! 15+login 25-login"},
		{"it stopped within", "0 serve; 20 ~serve/login; 22 runs; 40 serve", "0+serve 15+login 22! 25-login"},
		{"two near each other", "0 serve; 20 ~serve/hash; 24 ~serve/rank", "0+serve 15+hash 22-hash 22+rank 29-rank"},
		{"two far apart", "0 serve; 20 ~serve/hash; 50 ~serve/rank", "0+serve 15+hash 25-hash 45+rank 55-rank"},
		{"in one function all the time", "0 serve; 20 ~serve/hash; 30 ~serve/hash; 40 ~serve/hash", "0+serve 15+hash 45-hash"},
		{"in one function again", "0 serve; 20 ~serve/hash; 50 ~serve/hash", "0+serve 15+hash 55-hash"},
		{"the first stack", "0 starts serve; 3 runs; 4 ~serve/hash", "3+serve 3! 3+hash 9-hash"},
		{"another stack than its own", "0 serve; 20 ~signal/handler; 40 serve/write", "0+serve 40+write 40-write"},
		{"while it waits", "0 serve; 1 waits serve; 20 ~serve/hash; 40 serve/write", "0+serve 40+write 40-write"},
		{"interrupted", "0 serve; 20 stops serve/hash; 30 resumes; 50 serve/write", "0+serve 15+hash 30! 35-hash 50+write 50-write"},
		{"interrupted soon after a sample", "0 serve; 20 ~serve/rank; 24 stops serve/hash; 30 resumes; 31 serve/write", "0+serve 15+rank 22-rank 22+hash 30! 31-hash 31+write 31-write"},
		{"within a library", "0 serve; 20 ~serve/read|/wait; 30 ~serve/read|/copy; 40 serve", "0+serve 15+read 35-read"},
		{"in a region of a library", "0 begins serve/read/wait; 20 ~serve/read|/wait; 30 ~serve/read|/wait/copy; 40 serve", "0+serve 0+read 0+wait 0+region 25+copy 35-copy 35-region 35-wait 35-read"},
		{"interrupted at its first stack", "0 starts serve; 3 stops serve/hash; 9 resumes; 20 serve/write", "3+serve 3+hash 9! 14-hash 20+write 20-write"},
	} {
		require.Equal(t, c.want, sampled(t, c.does), c.name)
	}
}

// sampled converts what a goroutine does at times in ms, at stacks, or samples of such (~), or where it is interrupted (stops) or begins a region, and returns when it enters (+) and exits (-) functions, and begins to run (!), until 60 ms.
func sampled(t *testing.T, does string) string {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Options{Resolution: 1})
	require.NoError(t, err)
	p, err := w.AddProcess(trace.ProcessInfo{Processors: 1, Clock: "nanotime"})
	require.NoError(t, err)
	c := newConverter(p, nil, part{0, math.MaxInt64})
	g := &goroutine{id: 1, loose: true, queued: -1}
	c.goroutines[1] = g
	path := func(text string) *stack {
		s := &stack{}
		brief, _, cut := strings.Cut(text, "|")
		for _, name := range strings.Split(strings.Replace(text, "|", "", 1), "/") {
			s.path = append(s.path, frame{region: c.function(&exp.StackFrame{Func: name})})
		}
		if s.start, s.brief = s.path[0].region, s.path; cut {
			s.brief = s.path[:strings.Count(brief, "/")+1]
		}
		return s
	}
	at := func(ms int) { c.now, c.latest = uint64(ms)*1e6, uint64(ms)*1e6 }
	for _, each := range strings.Split(does, "; ") {
		var ms int
		_, err := fmt.Sscan(each, &ms)
		require.NoError(t, err)
		at(ms)
		_, what, _ := strings.Cut(each, " ")
		start, starts := strings.CutPrefix(what, "starts ")
		wait, waits := strings.CutPrefix(what, "waits ")
		sample, samples := strings.CutPrefix(what, "~")
		begin, begins := strings.CutPrefix(what, "begins ")
		stop, stops := strings.CutPrefix(what, "stops ")
		switch {
		case starts:
			c.name(g, path(start))
		case waits:
			c.settle(g, path(wait))
			g.loose = false
		case begins:
			c.settle(g, path(begin))
			c.enter(g, operation{name: "region"}, &user{ends: "region"})
			c.loosen(g)
		case samples:
			c.sampled(g, path(sample))
		case stops:
			key := exp.MakeStack([]exp.StackFrame{{PC: 1, Func: stop}})
			c.stacks[key] = path(stop)
			c.stop(g, &exp.StateTransition{Stack: key}, exp.GoRunning)
		case what == "resumes":
			c.run(g, &step{})
		case what == "runs":
			c.tell(g, wire.Running, 1)
		default:
			c.settle(g, path(what))
			c.loosen(g)
		}
	}
	at(60)
	c.finish()
	require.NoError(t, c.err)
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("sampled", bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Empty(t, a.Check())
	return entered(t, a)
}

// entered writes down when the goroutine of an archive enters and exits functions, and begins to run.
func entered(t *testing.T, a *trace.Archive) string {
	var said, open []string
	for _, c := range a.Chunks() {
		batches, err := a.NewDecoder().Decode(c, new(trace.Buffer))
		require.NoError(t, err)
		for _, e := range batches[0].Events {
			ms := e.Time / 1e6
			switch e.Kind {
			case wire.Enter:
				open = append(open, a.Definitions().Regions[e.ID].Name)
				said = append(said, fmt.Sprintf("%d+%s", ms, open[len(open)-1]))
			case wire.Exit:
				for range e.ID + 1 {
					said = append(said, fmt.Sprintf("%d-%s", ms, open[len(open)-1]))
					open = open[:len(open)-1]
				}
			case wire.Running:
				said = append(said, fmt.Sprintf("%d!", ms))
			}
		}
	}
	return strings.Join(said, " ")
}

// TestBrief: what a library does within the function of it that the program calls is no level of a sample.
func TestBrief(t *testing.T) {
	const src = "/usr/local/go/src/"
	hash := exp.StackFrame{Func: "example.com/app.hash", File: "/app/main.go", Line: 7}
	block, sum := exp.StackFrame{Func: "crypto/sha256.block", File: src + "crypto/sha256/block.go"}, exp.StackFrame{Func: "crypto/sha256.Sum256", File: src + "crypto/sha256/sha256.go"}
	serve, exit := exp.StackFrame{Func: "net/http.(*conn).serve", File: src + "net/http/server.go"}, exp.StackFrame{Func: "runtime.goexit", File: src + "runtime/asm.s"}
	for _, c := range []struct {
		frames []exp.StackFrame
		levels int
	}{
		{[]exp.StackFrame{block, sum, hash, serve, exit}, 3},
		{[]exp.StackFrame{sum, hash, serve, exit}, 3},
		{[]exp.StackFrame{hash, serve, exit}, 2},
		{[]exp.StackFrame{block, sum, serve, exit}, 3},
		{[]exp.StackFrame{hash, sum, hash, exit}, 3},
	} {
		for i := range c.frames {
			c.frames[i].PC = uint64(i + 1)
		}
		s := newConverter(nil, nil, part{}).newStack(exp.MakeStack(c.frames))
		require.Len(t, s.brief, c.levels)
		require.Equal(t, s.path[:c.levels], s.brief)
		require.Len(t, s.path, len(c.frames)-1)
	}
}
