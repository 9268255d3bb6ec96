// Package random writes programs that use channels, locks and goroutines in all forms that the language has, and print the same however they run.
package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Files returns the files of a command that runs the first n programs of a seed, by name: package main, without a go.mod. With a number as its argument, it runs all of
// them at the same time, each as often, and prints the same.
func Files(seed uint64, n int) map[string]string {
	files := map[string]string{"helpers.go": helpers}
	for i := range n {
		files[fmt.Sprintf("p%d_program.go", i)] = randomProgram(seed, uint64(i))
	}
	return files
}

// program writes a random program: a function that tells the same however its goroutines run. It is made of scenes, each of which uses operations in
// one of the forms that the language has, with everything that is evaluated noted in its order.
type program struct {
	*rand.Rand
	n    int // names given
	deep int
}

// randomProgram returns the file of program number n of a seed.
func randomProgram(seed, n uint64) string {
	p := &program{Rand: rand.New(rand.NewPCG(seed, n))}
	constraint := ""
	if p.IntN(4) == 0 {
		constraint = "//go:build go1.21\n\n" // variables of loops are shared
	}
	return fmt.Sprintf("%spackage main\n\nimport (\n\t\"runtime\"\n\t\"sync\"\n\t\"time\"\n)\n\nvar _ = runtime.Goexit\nvar _ sync.Mutex\nvar _ time.Duration\n\nfunc init() {\n\tprograms[%d] = func(w *log) {\n%s\t}\n}\n",
		constraint, n, p.scenes(3+p.IntN(5)))
}

func (p *program) scenes(n int) string {
	var s strings.Builder
	for range n {
		s.WriteString(p.scene())
	}
	return s.String()
}

// of returns one of several texts.
func (p *program) of(list ...string) string { return list[p.IntN(len(list))] }

// name returns a new name.
func (p *program) name(kind string) string {
	p.n++
	return fmt.Sprintf("%s%d", kind, p.n)
}

// inner is what stands in a body: often nothing.
func (p *program) inner() string {
	if p.deep > 2 || p.IntN(3) > 0 {
		return ""
	}
	p.deep++
	s := p.scene()
	p.deep--
	return s
}

// fill replaces $ and a letter by names, new for each letter, ? by expressions, # by small numbers, and @ by inner scenes.
func (p *program) fill(text string) string {
	var s strings.Builder
	names := map[byte]string{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '$':
			i++
			if names[text[i]] == "" {
				names[text[i]] = p.name(text[i : i+1])
			}
			s.WriteString(names[text[i]])
		case '?':
			s.WriteString(p.expression(0))
		case '#':
			fmt.Fprint(&s, 1+p.IntN(4))
		case '@':
			s.WriteString(p.inner())
		default:
			s.WriteByte(c)
		}
	}
	s.WriteByte('\n')
	return s.String()
}

// expression returns one of type int.
func (p *program) expression(deep int) string {
	if deep > 2 {
		return fmt.Sprint(p.IntN(100))
	}
	x := func() string { return p.expression(deep + 1) }
	switch p.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("w.note(%d)", p.IntN(1000))
	case 2:
		return fmt.Sprintf("<-full(w, %s)", x())
	case 3:
		return fmt.Sprintf("(%s + <-full(w, %s))", x(), x())
	case 4:
		return fmt.Sprintf("first(%s, %s)", x(), x())
	case 5:
		return fmt.Sprintf("<-<-nested(w, %s)", x())
	case 6:
		return fmt.Sprintf("func() int { %s; return %s }()", p.of("w.note(1)", "c := make(chan int, 1); c <- 3; w.note(<-c)"), x())
	}
	return fmt.Sprint(p.IntN(100))
}

func (p *program) scene() string {
	switch p.IntN(7) {
	case 0:
		return p.fill(p.of(receives...))
	case 1:
		return p.fill(p.of(sends...))
	case 2:
		return p.fill(p.of(loops...))
	case 3:
		if p.IntN(2) == 0 {
			return p.choice()
		}
		return p.fill(p.of(selects...))
	case 4:
		return p.fill(p.of(starts...))
	case 5:
		return p.panics()
	}
	return p.fill(p.of(locks...))
}

// choice returns a select statement of which one case is ready, or none.
func (p *program) choice() string {
	ready := p.IntN(4) - 1
	n := 1 + p.IntN(4)
	var cases []string
	for i := range n {
		r := "never(w, "
		if i == ready {
			r = "full(w, "
		}
		r += fmt.Sprint(i) + ")"
		s := "stuck(w, "
		if i == ready {
			s = "empty(w, "
		}
		s += fmt.Sprint(i) + ")"
		cases = append(cases, p.fill(p.of(
			"case <-"+r+": w.note(?) \n@",
			"case $v := <-"+r+":\n w.note($v)\n@",
			"case $v, $k := <-"+r+": w.say($v, $k)\n@",
			"case $v, _ := <-"+r+":\n w.say($v)",
			"case x = <-"+r+": w.say(x)",
			"case x, ok = <-"+r+":\n w.say(x, ok)\n@",
			"case x, is = <-"+r+":\n w.say(x, is)",
			"case a[w.note(#)], _ = <-"+r+": w.say(a)",
			"case any1 = <-"+r+": w.say(any1)",
			"case (*(&x)) = (<-"+r+"):",
			"case "+s+" <- ?: w.say(`sent`)\n@",
			"case "+s+" <- 'a': { @ }",
			"case "+strings.ReplaceAll(strings.ReplaceAll(s, "empty(", "emptyAny("), "stuck(", "stuckAny(")+" <- ?:\n@",
		)))
	}
	label := ""
	if ready < 0 || ready >= n || p.IntN(3) == 0 {
		leave := ""
		if p.IntN(2) == 0 {
			label = p.name("L") + ":\n"
			leave = "; if w.note(1) == 1 { break " + strings.TrimSuffix(label, ":\n") + " }"
		}
		cases = append(cases, "default: w.say(`default`)"+leave+"\n")
	}
	p.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	text := label + "select {\n" + strings.Join(cases, "") + "}\n"
	switch p.IntN(3) {
	case 1:
		text = "for i := 0; i < 3; i++ {\n" + text + "}\n"
	case 2:
		n := p.name("again")
		text = n + "n := 0\n" + n + ":\n" + text + "if " + n + "n++; " + n + "n < 2 { goto " + n + " }\n"
	}
	return "func() { var x int; var ok bool; var is flag; var a [8]int; var any1 any; _, _, _, _, _ = x, ok, is, a, any1\n" + text + "}()\n"
}

var receives = []string{
	"$v := <-full(w, ?)\nw.say($v)",
	"$v, $k := <-full(w, ?); w.say($v, $k)",
	"var $v, $k = <-closed(w, ?)\nw.say($v, $k)",
	"var $v int = (<-full(w, ?)); w.say($v)",
	"{ var a [8]int; a[w.note(#)] = <-full(w, ?); w.say(a) }",
	"{ m := map[int]int{}; var ok bool\n m[?], ok = <-full(w, ?); w.say(m, ok) }",
	"{ var x any; var ok any; x, ok = <-full(w, ?)\nw.say(x, ok) }",
	"{ var f float64; f = <-floats(w, ?); w.say(f) }",
	"w.say(first(<-full(w, ?), <-full(w, ?)))",
	"<-full(w, ?); (<-full(w, ?))",
	"if $v, $k := <-full(w, ?); $k && $v > # { w.say($v) } else {\n@}",
	"switch <-full(w, ?) { case #: w.say(`a`); case ?: w.say(`b`)\n@ default:\n w.say(`c`) }",
	"switch $v := (<-anys(w, ?)).(type) { case int: w.say($v + 1); default: w.say(`?`) }",
	"for $i := <-full(w, #); $i > 0; $i -= <-full(w, 1) {\nw.say($i) }",
	"w.say(func() int { return <-full(w, ?) }())",
	"func() { defer w.say(<-full(w, ?)); w.note(?)\n@ }()",
	"{ x := 1; x += <-full(w, ?); x <<= <-full(w, 2); w.say(x) }",
	"w.say([]int{<-full(w, ?), 2, <-full(w, ?)}, map[int]int{<-full(w, #): ?})",
	"w.say(!<-flags(w), -<-full(w, ?))",
	"w.say((<-funcs(w, ?))())",
	"w.say((<-pairs(w, ?)).b, len(<-arrays(w)))",
	"w.say(<-full(w, ?) == <-full(w, ?))",
	"var $c ints = full(w, ?)\nw.say(<-$c)",
	"w.say(take(full(w, ?)), take(ints(full(w, ?))), takeAll(ints(full(w, ?))))",
	"{ var a, b = <-full(w, ?), <-full(w, ?); a, b = <-full(w, ?),\n <-full(w, b); w.say(a, b) }",
	"{ v := 5; c := full(w, ?); v, c = <-c, nil; w.say(v, c == nil) }",
}

var sends = []string{
	"$c := make(chan int, 1); $c <- ?\nw.say(<-$c)",
	"$c := make(chan float64, 2); $c <- 1; $c <- 1 << 3; w.say(<-$c, <-$c)",
	"$c := make(chan error, 2); $c <- nil; $c <- failure(?); w.say(<-$c, <-$c)",
	"$c := make(chan any, 3); $c <- ?; $c <- nil; $c <- 'x'\nw.say(<-$c, <-$c, <-$c)",
	"$c := make(chan func() int, 1); $c <- func() int { return ? }; w.say((<-$c)())",
	"$c := make(chan getter, 1); $c <- func() int { return ? }; w.say((<-$c)())",
	"$c := make(chan (<-chan int), 1); $c <- full(w, ?); w.say(<-<-$c)",
	"$c := make(chan flag, 2); $c <- ? == ?; $c <- true; w.say(<-$c, <-$c)",
	"$c := make(chan uint8, 1); $n := uint(<-full(w, #)); $c <- 1 << $n; w.say(<-$c)",
	"$c := make(chan int, 9); for $i := 0; $i < 3; $c <- $i { $i++ }; w.say(len($c))",
	"$c := make(chan int, 9); if $c <- ?; len($c) > 0 {\nw.say(<-$c) }",
	"$c := make(chan int, 1); $c <- <-full(w, ?); w.say(<-$c)",
	"{ c := make(chan int, 1); d := c; f := func() int { c = nil; return # }; d <- f(); w.say(len(d)) }",
	"emptyAny(w, ?) <- pair{?, ?}",
	"w.panics(func() { c := make(chan int)\nclose(c)\n\nc <- ?\n})",
	"w.panics(func() { var c chan int\n close(c) })",
	"w.panics(func() { c := make(chan int); defer close(c); close(c) })",
	"w.panics(func() { c := make(chan int)\n close(c); select { case c <- ?:\n case <-never(w, 1): } })",
	"w.panics(func() { c := make(chan int)\n close(c); select {\n case c <- ?: } })",
	"give(full(w, ?), w)",
	"{ type C chan<- int; c := make(chan int, 1); C(c) <- ?; w.say(<-c) }",
}

var loops = []string{
	"for $v := range several(w, #) {\nw.say($v)\n@}",
	"for range several(w, #) { w.note(?) }",
	"for _ = range several(w, #) { }",
	"{ var x int; for x = range several(w, #) { w.say(x) }; w.say(x) }",
	"{ var a [8]int; for a[w.note(#)] = range several(w, #) { @ }; w.say(a) }",
	"{ var x any; for x = range several(w, #) {}; w.say(x) }",
	"{ var fs []func() int\nfor $v := range several(w, #) { fs = append(fs, func() int { $v++; return $v }) }\nfor _, f := range fs { w.say(f(), f()) } }",
	"for $v := range several(w, #) { $v := $v + ?; w.say($v) }",
	"for $v := range several(w, 4) { if $v == # { continue }\nif $v == # { break }\n w.say($v); @ }",
	"$O:\nfor $v := range several(w, #) { for $u := range several(w, #) { if $u == # { continue $O }; if $v+$u > 5 { break $O }\nw.say($v, $u) } }",
	"func() { for $v := range several(w, #) { defer w.say($v)\n defer func() { w.say($v) }() } }()",
	"w.say(func() int { for $v := range several(w, #) {\nif $v > # { return $v }; @ }; return -1 }())",
	"for $v := range several(w, 3) { $n := 0\n$G: w.say($v)\nif $n++; $n < 2 { goto $G } }",
	"for $v := range ints(several(w, #)) { w.say($v) }",
	"each(several(w, #), w); eachOf(ints(several(w, #)), w)",
	"for $v := range func() chan int { @; return several(w, #) }() { switch { case $v > 1: break; default: w.say($v) } }",
	"for _, $v := range []int{0, 1, 2} { c := make(chan int, 3); c <- $v; close(c)\nfor u := range c { w.say(u) } }",
}

var selects = []string{
	"w.say(func() int { select { case v := <-full(w, ?): return v; case <-never(w, 1): return 2 } }())",
	"w.say(func() int {\nselect {\ncase v := <-full(w, ?):\nreturn v\n}\n}())",
	"go func() { select {} }()",
	"select { default: w.say(`d`)\n@ }",
	"{ d := make(chan struct{}); c := make(chan int); go func() { defer close(d)\nfor { select { case v, ok := <-c: if !ok { return }; w.say(v) } } }(); x, y := ?, ?; c <- x; c <- y; close(c); <-d }",
	"{ c, d := make(chan int), make(chan bool); go func() { for i := 0; i < 3; i++ { c <- i }; close(d) }()\n$L: for { select { case v := <-c: w.say(v); continue $L; case <-d: break $L } } }",
	"{ c := make(chan int, 2); for i := 0; i < 4; i++ { select { case c <- i: w.say(`s`); case v := <-never(w, 1): w.say(v); default: w.say(<-c) } } }",
	"select { case <-time.After(time.Millisecond): w.say(`t`); case <-never(w, ?): }",
	"{ var n chan int; select { case <-n: case n <- ?: default: w.say(`nil`) } }",
	"{ c := full(w, ?); var i int; a := []int{0, 0, 0, 0, 0, 0}; select { case a[w.note(#)] = <-c: w.say(a, i); case i = <-never(w, 1): } }",
}

var starts = []string{
	"{ var g sync.WaitGroup; g.Add(1); go func() { defer g.Done(); w.note(?); @ }(); g.Wait() }",
	"{ d := make(chan int); go func(a, b int) { d <- a - b }(?, ?); w.say(<-d) }",
	"{ d := make(chan int); go send(d, ?, ?)\nw.say(<-d) }",
	"{ d := make(chan int); go sendAll(d, ?, ?,\n?); w.say(<-d) }",
	"{ d := make(chan int); go sendAll(d, []int{?, ?}...); w.say(<-d) }",
	"{ d := make(chan int); p := pair{?, ?}; go p.sum(d); p.a = 0; w.say(<-d) }",
	"{ d := make(chan int); p := pair{?, ?}; go p.sumOf(d); w.say(<-d) }",
	"{ d := make(chan int); var s summer = pair{?, ?}; go s.sum(d); s = nil; w.say(<-d) }",
	"{ d := make(chan int); go pair.sum(pair{?, ?}, d); w.say(<-d) }",
	"{ d := make(chan int); go generic(d, ?); w.say(<-d) }",
	"{ d := make(chan int); go generic[int](d, ?); w.say(<-d) }",
	"{ d := make(chan int); go result(d, ?); w.say(<-d) }",
	"{ d := make(chan uint8, 1); n := uint(#); go wide(d, 1<<n, ? == ?); w.say(<-d) }",
	"{ d := make(chan any); go anything(d, 1, nil, 'x'); w.say(<-d); go anything(d, ?, failure(1), nil); w.say(<-d) }",
	"{ d := make(chan int); go send(two(w, d)); w.say(<-d) }",
	"{ d := make(chan int); go close(d); <-d }",
	"{ d := make(chan int); f := func() { d <- ? }; go f(); w.say(<-d) }",
	"{ d := make(chan int); f := func(i int) func() { w.note(i); return func() { d <- i } }; go f(?)(); w.say(<-d) }",
	"{ d := make(chan int); for i := 0; i < 3; i++ { go func(i int) { d <- i * i }(i) }; w.say(<-d + <-d + <-d) }",
	"{ var g sync.WaitGroup; n := [4]int{}; for i := range n { i := i; g.Go(func() { n[i] = i * # }) }; g.Wait(); w.say(n) }",
	"{ var g sync.WaitGroup; g.Add(2); go g.Done(); go g.Add(-1); g.Wait(); wait := g.Wait; wait() }",
	"{ d := make(chan int); x := ?; go func(p *int) { d <- *p }(&x); w.say(<-d) }",
	"w.panics(func() { var s summer; go s.sum(nil) })",
	"w.panics(func() { var g sync.WaitGroup; g.Done() })",
}

var locks = []string{
	"{ var m sync.Mutex; m.Lock(); w.say(m.TryLock()); m.Unlock(); w.say(m.TryLock()); m.Unlock() }",
	"{ m := new(sync.Mutex); func() { m.Lock(); defer m.Unlock()\n@ }(); w.say(m.TryLock()) }",
	"{ var s struct { sync.Mutex; n int }; s.Lock(); s.n = ?; s.Unlock(); w.say(s.n, s.TryLock()) }",
	"{ s := &struct { *sync.RWMutex }{new(sync.RWMutex)}; s.RLock(); w.say(s.TryLock(), s.TryRLock()); s.RUnlock(); s.RUnlock(); s.Lock(); w.say(s.TryRLock()); s.Unlock() }",
	"{ var m sync.Mutex; lock, unlock := m.Lock, m.Unlock; lock(); w.say(m.TryLock()); unlock(); (*sync.Mutex).Lock(&m); f := (*sync.Mutex).Unlock; f(&m) }",
	"{ var m sync.RWMutex; var l sync.Locker = m.RLocker(); l.Lock(); w.say(m.TryLock()); l.Unlock(); l = &m; l.Lock(); defer l.Unlock(); w.say(m.TryRLock()) }",
	"{ a := make([]sync.Mutex, 5); a[w.note(#)].Lock(); x := 0; for i := range a { if a[i].TryLock() { x++ } }; w.say(x) }",
	"{ m := map[string]*sync.Mutex{`a`: {}}; m[`a`].Lock(); defer m[`a`].Unlock(); w.say(len(m)) }",
	"{ var o sync.Once; for i := 0; i < 3; i++ { o.Do(func() { w.say(`once`); @ }) } }",
	"{ var o sync.Once; w.panics(func() { o.Do(func() { panic(`in once`) }) }); o.Do(func() { w.say(`never`) }) }",
	"{ f := sync.OnceFunc(func() { w.say(`f`) }); f(); f(); g := sync.OnceValue(func() int { return ? }); w.say(g(), g()); h := sync.OnceValues[int, error](func() (int, error) { return ?, nil }); w.say(h()) }",
	"{ var m sync.Mutex; c := sync.NewCond(&m); n := 0; d := make(chan int); go func() { m.Lock(); for n == 0 { c.Wait() }; n++; m.Unlock(); d <- n }(); m.Lock(); n = #; c.L.Unlock(); c.Broadcast(); w.say(<-d) }",
	"{ var m sync.RWMutex; c := sync.Cond{L: m.RLocker()}; n := false; d := make(chan bool); go func() { c.L.Lock(); for !n { c.Wait() }; c.L.Unlock(); close(d) }(); m.Lock(); n = true; m.Unlock(); for i := true; i; { c.Signal(); select { case <-d: i = false; default: time.Sleep(time.Microsecond) } } }",
	"{ n := 0; var m sync.Mutex; var g sync.WaitGroup; for i := 0; i < 4; i++ { g.Add(1); go func() { defer g.Done(); for j := 0; j < 25; j++ { m.Lock(); n++; m.Unlock() } }() }; g.Wait(); w.say(n) }",
	"time.Sleep(time.Duration(<-full(w, #)))",
	"{ sleep := time.Sleep; sleep(1) }",
	"{ type locks struct { sync.Locker; o sync.Once }; s := locks{Locker: new(sync.Mutex)}; s.Lock(); s.o.Do(func() { w.note(?) }); s.Unlock(); with(s.Locker, func() { @ }) }",
}

// helpers is what the programs use.
const helpers = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

var programs = map[int]func(*log){}

type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *log) say(a ...any) { w.mu.Lock(); defer w.mu.Unlock(); fmt.Fprintln(&w.text, a...) }
func (w *log) note(n int) int { w.say("note", n); return n }

// panics says how f panics, and at which line of the program.
func (w *log) panics(f func()) {
	defer func() {
		x := recover()
		_, is := x.(runtime.Error)
		var pcs [32]uintptr
		at := ""
		for frames, more := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])]), true; more && at == ""; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.Contains(f.File, "/p") && strings.HasPrefix(f.Function, "main.") && strings.HasSuffix(f.File, "program.go") {
				at = fmt.Sprint(f.Line)
			}
		}
		w.say("panic", x, is, at)
	}()
	f()
}

type (
	ints   chan int
	flag   bool
	getter func() int
	pair   struct{ a, b int }
	summer interface{ sum(chan int) }
	failure int
	breaks  struct{}
)

func (breaks) Lock()   {}
func (breaks) Unlock() { panic("unlock") }

func (f failure) Error() string          { return fmt.Sprint("failure ", int(f)) }
func (p pair) sum(d chan int)            { d <- p.a + p.b }
func (p *pair) sumOf(d chan<- int)       { d <- p.a + p.b }
func first(a, b int) int                 { return a }
func full(w *log, n int) chan int        { w.say("full", n); c := make(chan int, 1); c <- n; return c }
func closed(w *log, n int) chan int      { c := full(w, n); <-c; close(c); return c }
func empty(w *log, n int) chan<- int     { w.say("empty", n); return make(chan int, 1) }
func emptyAny(w *log, n int) chan any    { w.say("empty", n); return make(chan any, 1) }
func stuck(w *log, n int) chan<- int     { w.say("stuck", n); return make(chan int) }
func stuckAny(w *log, n int) chan<- any  { w.say("stuck", n); return make(chan any) }
func boom(w *log, n int) chan int        { panic(w.note(n)) }
func exits(w *log, c chan int) chan int  { c <- <-c; runtime.Goexit(); return c }
func never(w *log, n int) <-chan int     { w.say("never", n); return nil }
func floats(w *log, n int) chan float64  { c := make(chan float64, 1); c <- float64(n); return c }
func anys(w *log, n int) chan any        { c := make(chan any, 1); c <- n; return c }
func flags(w *log) chan bool             { c := make(chan bool, 1); c <- true; return c }
func funcs(w *log, n int) chan func() int { c := make(chan func() int, 1); c <- func() int { return n }; return c }
func pairs(w *log, n int) chan pair      { c := make(chan pair, 1); c <- pair{n, n + 1}; return c }
func arrays(w *log) chan [3]int          { c := make(chan [3]int, 1); c <- [3]int{}; return c }
func nested(w *log, n int) chan chan int { c := make(chan chan int, 1); c <- full(w, n); return c }
func several(w *log, n int) chan int     { c := make(chan int, n); for i := range n { c <- i }; close(c); return c }
func send(d chan int, a, b int)          { d <- a*3 + b }
func sendAll(d chan int, a ...int)       { s := 0; for _, v := range a { s += v }; d <- s }
func generic[T any](d chan T, v T)       { d <- v }
func result(d chan int, v int) error     { d <- v; return nil }
func wide(d chan uint8, v uint8, f flag) { if f { v++ }; d <- v }
func anything(d chan any, a any, e error, r any) { d <- fmt.Sprintf("%T %v %T", a, e, r) }
func two(w *log, d chan int) (chan int, int, int) { return d, w.note(1), w.note(2) }
func with(l sync.Locker, f func())       { l.Lock(); defer l.Unlock(); f() }

func take[T any](c <-chan T) T                  { return <-c }
func takeAll[C ~chan T, T any](c C) (v T)       { v, _ = <-c; return v }
func each[T any](c chan T, w *log)              { for v := range c { w.say(v) } }
func eachOf[C ~chan T, T any](c C, w *log)      { for v := range c { w.say(v) } }
func give[C ~chan int](c C, w *log) {
	w.say(<-c)
	c <- 1
	select {
	case v := <-c:
		w.say(v)
	case c <- 2:
	}
	close(c)
}

func main() {
	texts, times := make([]string, len(programs)), 0
	if len(os.Args) > 1 {
		times, _ = strconv.Atoi(os.Args[1])
	}
	var all sync.WaitGroup
	for i := range texts {
		run := func() {
			w := &log{}
			programs[i](w)
			if text := w.text.String(); texts[i] == "" {
				texts[i] = text
			} else if texts[i] != text {
				texts[i] += "and then " + text
			}
		}
		if times == 0 {
			run()
			continue
		}
		all.Go(func() {
			for range times {
				run()
			}
		})
	}
	all.Wait()
	for i, text := range texts {
		fmt.Println("program", i, text)
	}
}
`
