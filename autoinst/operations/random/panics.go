package random

import (
	"fmt"
	"strings"
)

// panics returns a function that operates on a channel in vain, or whose operation is never begun as what it is given panics or ends the goroutine. It may defer operations before, in
// between and behind.
func (p *program) panics() string {
	text := p.fill(p.of(broken...))
	switch p.IntN(4) {
	case 1:
		text = "for i := 0; i < 3; i++ {\n" + p.fill(p.of(deferred...)) + "if i == # - 2 {\n" + text + "} }\n"
	case 2:
		text = "for i := 0; i < 3; i++ { c := make(chan int, 1); if i == 2 { close(c) }; select { case c <- i: case <-never(w, 1): }\n" + p.fill(p.of(deferred...)) + "}\n"
	case 3:
		text += p.fill(p.of(deferred...))
	}
	text = strings.ReplaceAll(text, "# - 2", fmt.Sprint(p.IntN(3)))
	return "w.panics(func() { closed := closed(w, 1); _ = closed\n" + p.of("", p.fill(p.of(deferred...))) + text + "})\n"
}

// deferred is what functions that panic defer.
var deferred = []string{
	"defer w.note(?)",
	"defer func() { c := make(chan int, 1); c <- ?; w.note(<-c) }()",
	"defer func() { c := full(w, ?); select { case v := <-c: w.note(v); case c <- #: } }()",
	"defer func() { defer func() { w.say(recover() != nil) }(); closed <- ? }()",
	"func() { defer w.note(#) }()",
}

// broken is operations that panic, and such as are not begun.
var broken = []string{
	"closed <- ?",
	"select { case closed <- ?:\n case <-never(w, ?): }",
	"select { case closed <- ?: w.say(`sent`); default: w.say(`default`) }",
	"select { case closed <- ?: }",
	"select { case stuck(w, 1) <- ?: case closed <- ?: case <-never(w, 1): }",
	"$L: select { case closed <- ?: break $L\n case <-never(w, 1): }",
	"$L: for { select { case closed <- ?: continue $L\n case <-never(w, 1): break $L } }",
	"w.say(func() int { select { case closed <- ?: return 1; case v := <-never(w, 1): return v } }())",
	"w.say(func() int { goto $L\n$L: select { case closed <- ?: return 1; case v := <-never(w, 1): return v } }())",
	"for $i := 0; ; $i++ { if c := make(chan int, 1); $i < # { select { case c <- $i: case <-never(w, 1): } } else { select { case closed <- $i: case <-never(w, 1): } } }",
	"$n := 0\n$A: select { case map[bool]chan int{true: make(chan int, 1), false: closed}[$n < #] <- ?: w.say($n)\n case <-never(w, ?): }; if $n++; $n < 5 { goto $A }",
	"{ c := make(chan int); go func() { time.Sleep(time.Millisecond); close(c) }(); c <- ? }",
	"{ c := make(chan int); go func() { time.Sleep(time.Millisecond); close(c) }(); select { case c <- ?: case <-never(w, ?): } }",
	"close(closed)",
	"{ var c chan int; close(c) }",
	"boom(w, ?) <- ?",
	"full(w, ?) <- <-boom(w, ?)",
	"<-boom(w, ?)",
	"close(boom(w, ?))",
	"empty(w, ?) <- <-full(w, first(<-boom(w, ?), ?))",
	"select { case closed <- ?: case <-boom(w, ?): }",
	"select { case boom(w, ?) <- ?: case <-never(w, ?): default: }",
	"select { case closed <- <-boom(w, ?): case x := <-full(w, ?): w.say(x) }",
	"{ var a []int; select { case a[w.note(#)] = <-full(w, ?): case closed <- <-boom(w, ?): } }",
	"{ var a []int; select { case a[w.note(#)] = <-full(w, ?): case <-never(w, ?): } }",
	"{ var g sync.WaitGroup; g.Add(#); g.Add(-5) }",
	"{ var g sync.WaitGroup; g.Done() }",
	"{ var m *sync.Mutex; m.Lock() }",
	"{ var m *sync.Mutex; m.TryLock() }",
	"{ var m *sync.Mutex; m.Unlock() }",
	"{ var m *sync.RWMutex; m.Lock() }",
	"{ var m *sync.RWMutex; m.RLock() }",
	"{ var m *sync.RWMutex; m.TryLock() }",
	"{ var m *sync.RWMutex; m.TryRLock() }",
	"{ var m *sync.RWMutex; m.Unlock() }",
	"{ var m *sync.RWMutex; m.RUnlock() }",
	"{ var m *sync.RWMutex; m.RLocker().Lock() }",
	"{ var g *sync.WaitGroup; g.Wait() }",
	"{ var g *sync.WaitGroup; g.Add(#) }",
	"{ var g *sync.WaitGroup; g.Go(func() {}) }",
	"{ var c *sync.Cond; c.Wait() }",
	"{ var c *sync.Cond; c.Signal() }",
	"{ var c sync.Cond; c.Wait() }",
	"{ c := sync.Cond{L: breaks{}}; c.Wait() }",
	"{ var o *sync.Once; o.Do(func() {}) }",
	"{ var o sync.Once; o.Do(nil) }",
	"{ var o sync.Once; o.Do(func() { panic(w.note(?)) }) }",
	"{ var o sync.Once; o.Do(func() { closed <- ? }) }",
	"{ var o sync.Once; c := full(w, ?); d := make(chan int); go func() { defer close(d); o.Do(func() { c <- <-exits(w, c) }) }(); <-d; o.Do(func() { w.say(`never`) }) }",
	"{ c, d := full(w, ?), make(chan int); go func() { defer close(d); c <- <-exits(w, c) }(); <-d; w.say(<-c) }",
	"{ c, d := full(w, ?), make(chan int); go func() { defer close(d); select { case closed <- <-exits(w, c): case <-never(w, 1): } }(); <-d; w.say(<-c) }",
	"{ c, d := full(w, ?), make(chan int); go func() { defer close(d); defer func() { w.say(<-c); c <- ? }(); select { case closed <- ?: case <-exits(w, c): } }(); <-d; w.say(<-c) }",
	"{ d := make(chan int); go func() { defer close(d); defer func() { recover(); runtime.Goexit() }(); select { case closed <- ?: case <-never(w, ?): } }(); <-d }",
	"for $v := range several(w, 3) { closed <- $v }",
	"for range boom(w, ?) { }",
	"go two(w, boom(w, ?))",
	"with(nil, func() {})",
}
