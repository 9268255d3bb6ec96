// Paths calls and returns in every way that Go has, and prints for each goroutine what was called and what returned, in the
// order in which it happened.
package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

// diary is what one goroutine did.
type diary struct{ lines []string }

func (d *diary) note(what string) { d.lines = append(d.lines, what) }

//go:noinline
func plain(d *diary, n int) int {
	d.note("+main.plain")
	defer d.note("-main.plain")
	if n > 0 {
		return plain(d, n-1) + 1
	}
	return 0
}

// deep needs a larger stack again and again.
//
//go:noinline
func deep(d *diary, n int) byte {
	d.note("+main.deep")
	var room [500]byte
	room[n%500] = byte(n)
	if n > 0 {
		room[0] = deep(d, n-1)
	}
	d.note("-main.deep")
	return room[n%500]
}

//go:noinline
func throws(d *diary, n int) {
	d.note("+main.throws")
	defer d.note("-main.throws")
	if n == 0 {
		panic("thrown")
	}
	throws(d, n-1)
}

//go:noinline
func catches(d *diary, n int) (caught any) {
	d.note("+main.catches")
	defer d.note("-main.catches")
	defer func() { caught = recover() }()
	throws(d, n)
	return nil
}

// inLoop has defers that are not known when it is compiled, and panics again in one of them.
//
//go:noinline
func inLoop(d *diary) (err error) {
	d.note("+main.inLoop")
	defer d.note("-main.inLoop")
	for i := range 3 {
		defer func() {
			if what := recover(); what != nil && i > 0 {
				panic(fmt.Sprint(what, i))
			} else if what != nil {
				err = errors.New(what.(string))
			}
		}()
	}
	throws(d, 1)
	return nil
}

//go:noinline
func faults(d *diary, p *[4]int) (caught bool) {
	d.note("+main.faults")
	defer d.note("-main.faults")
	defer func() { caught = recover() != nil }()
	return p[3] == 0
}

// bad panics when it is printed; fmt catches that.
type bad struct{ d *diary }

//go:noinline
func (b bad) String() string {
	b.d.note("+main.bad.String")
	defer b.d.note("-main.bad.String")
	throws(b.d, 1)
	return ""
}

//go:noinline
func leaves(d *diary) {
	d.note("+main.leaves")
	defer d.note("-main.leaves")
	plain(d, 1)
	runtime.Goexit()
}

// base and its like: the methods of the second are wrappers that jump to those of the first.
type base struct{ d *diary }

//go:noinline
func (b *base) method(n int) int {
	b.d.note("+main.(*base).method")
	n += plain(b.d, 0)
	b.d.note("-main.(*base).method")
	return n
}

type like struct {
	name string
	*base
}

type method interface{ method(n int) int }

//go:noinline
func generic[T any](d *diary, v T) (T, string) {
	d.note("+main.generic[...]")
	s := fmt.Sprint(v)
	d.note("-main.generic[...]")
	return v, s
}

//go:noinline
func numbers(d *diary) iter.Seq[int] {
	return func(yield func(int) bool) {
		d.note("+main.numbers.func1")
		defer d.note("-main.numbers.func1")
		for i := 0; yield(i); i++ {
			plain(d, 0)
		}
	}
}

type byLength struct {
	d *diary
	s []string
}

func (b byLength) Len() int      { return len(b.s) }
func (b byLength) Swap(i, j int) { b.s[i], b.s[j] = b.s[j], b.s[i] }

//go:noinline
func (b byLength) Less(i, j int) bool {
	b.d.note("+main.byLength.Less")
	less := len(b.s[i]) < len(b.s[j])
	b.d.note("-main.byLength.Less")
	return less
}

//go:noinline
func passes(d *diary, in, out chan int, times int) {
	d.note("+main.passes")
	for range times {
		out <- <-in + plain(d, 1)
		runtime.Gosched()
	}
	time.Sleep(time.Microsecond)
	d.note("-main.passes")
}

//go:noinline
func burns(d *diary, n int) (sum float64) {
	d.note("+main.burns")
	for i := range n {
		sum += 1 / float64(i+1)
	}
	d.note("-main.burns")
	return sum
}

//go:noinline
func all(d *diary) {
	d.note("+main.all")
	plain(d, 5)
	deep(d, 40)
	catches(d, 0)
	catches(d, 7)
	inLoop(d)
	faults(d, nil)
	_ = fmt.Sprint(bad{d})
	method(like{"like", &base{d}}).method(1)
	(&like{"like", &base{d}}).method(1)
	generic(d, "generic")
	generic(d, 5)
	sort.Sort(byLength{d, strings.Fields("some words of this and that length")})
	burns(d, 100_000)
	d.note("-main.all")
}

func main() {
	var wait sync.WaitGroup
	var diaries []*diary
	start := func(f func(d *diary)) {
		d := new(diary)
		diaries = append(diaries, d)
		wait.Add(1)
		go func() {
			defer wait.Done()
			f(d)
		}()
	}
	start(all)
	start(leaves)
	a, b := make(chan int), make(chan int, 1)
	start(func(d *diary) { passes(d, a, b, 20) })
	start(func(d *diary) { passes(d, b, a, 20) })
	for range 4 {
		start(func(d *diary) { deep(d, 150); all(d) })
	}
	b <- 1
	d := new(diary)
	next, stop := iter.Pull(numbers(d))
	for range 3 {
		next()
		runtime.GC()
	}
	stop()
	wait.Wait()
	for i, d := range append(diaries, d) {
		fmt.Println(i, strings.Join(d.lines, " "))
	}
	if len(os.Args) > 1 {
		os.Exit(3)
	}
}
