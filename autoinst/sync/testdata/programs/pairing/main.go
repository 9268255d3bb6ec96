// Command pairing runs random concurrent programs on channels. Every value says which one it is, so what goroutines sent and received is
// known: the program writes it down, for a test to compare it with a recording.
//
//	pairing SEED PROGRAMS FILE
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tracerec/instrument"
)

func main() {
	seed, _ := strconv.ParseUint(os.Args[1], 10, 64)
	n, _ := strconv.ParseUint(os.Args[2], 10, 64)
	f, err := os.Create(os.Args[3])
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(f)
	for i := range n {
		(&program{out: out}).run(seed + i)
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

// program is one random program.
type program struct {
	channels []chan uint64
	closed   []atomic.Bool
	values   atomic.Uint64
	mu       sync.Mutex
	out      *bufio.Writer
	wg       sync.WaitGroup
}

// actor is a goroutine that does what its source of random numbers says.
type actor struct {
	*rand.Rand
	p   *program
	log strings.Builder
	own bool // it uses package instrument

	silent bool // a panic would not be recorded
}

func (p *program) run(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range 1 + r.IntN(4) {
		p.channels = append(p.channels, make(chan uint64, []int{0, 0, 1, 2, 5, 64}[r.IntN(6)]))
	}
	p.closed = make([]atomic.Bool, len(p.channels))
	for i := range 2 + r.IntN(6) {
		p.wg.Add(1)
		a := &actor{Rand: rand.New(rand.NewPCG(seed, uint64(2+i))), p: p, own: r.IntN(3) == 0}
		go a.acts(5 + r.IntN(40))
	}
	var done atomic.Bool
	rescued := make(chan struct{})
	go func() {
		(&actor{Rand: rand.New(rand.NewPCG(seed, 100)), p: p}).rescues(&done)
		close(rescued)
	}()
	p.wg.Wait()
	done.Store(true)
	<-rescued
}

func goid() string {
	var buf [64]byte
	return strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))[1]
}

// ends writes down what the actor did.
func (a *actor) ends() {
	a.p.mu.Lock()
	defer a.p.mu.Unlock()
	fmt.Fprintf(a.p.out, "%s%s\n", goid(), a.log.String())
}

func (a *actor) acts(n int) {
	defer a.p.wg.Done()
	defer a.ends()
	for range n {
		a.act()
		if a.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
}

// rescues sends and receives whatever it can until the others are done, so that none waits for ever.
func (a *actor) rescues(done *atomic.Bool) {
	defer a.ends()
	for !done.Load() {
		i := a.IntN(len(a.p.channels))
		if a.IntN(2) == 0 {
			a.trySend(i)
		} else if !a.p.closed[i].Load() || a.IntN(50) == 0 {
			a.tryRecv(i)
		}
		runtime.Gosched()
	}
}

// did notes what happened to a value: s(ent), r(eceived), the channel was c(losed), or the send p(anicked).
func (a *actor) did(what string, value uint64) { fmt.Fprintf(&a.log, " %s%d", what, value) }

func (a *actor) received(v uint64, ok bool) {
	if ok {
		a.did("r", v)
	} else {
		a.did("c", 0)
	}
}

// panicked notes that a send did.
func (a *actor) panicked() {
	if recover() != nil && !a.silent {
		a.did("p", 0)
	}
	a.silent = false
}

func (a *actor) act() {
	i := a.IntN(len(a.p.channels))
	switch n := a.IntN(100); {
	case n < 30:
		a.send(i)
	case n < 60:
		a.recv(i)
	case n < 68:
		a.trySend(i)
	case n < 76:
		a.tryRecv(i)
	case n < 90:
		a.choose(i, a.IntN(len(a.p.channels)))
	case n < 94:
		a.reflected()
	case n < 98:
		a.ranges(i)
	case n == 99 && a.p.closed[i].CompareAndSwap(false, true):
		close(a.p.channels[i])
	}
}

func (a *actor) send(i int) {
	defer a.panicked()
	v := a.p.values.Add(1)
	if a.own {
		instrument.Send(a.p.channels[i], v)
	} else {
		a.p.channels[i] <- v
	}
	a.did("s", v)
}

func (a *actor) recv(i int) {
	var v uint64
	var ok bool
	if a.own {
		v, ok = instrument.Recv2(a.p.channels[i])
	} else {
		v, ok = <-a.p.channels[i]
	}
	a.received(v, ok)
}

func (a *actor) trySend(i int) {
	defer a.panicked()
	v := a.p.values.Add(1)
	select {
	case a.p.channels[i] <- v:
		a.did("s", v)
	default:
	}
}

func (a *actor) tryRecv(i int) {
	select {
	case v, ok := <-a.p.channels[i]:
		a.received(v, ok)
	default:
	}
}

func (a *actor) choose(i, j int) {
	defer a.panicked()
	v := a.p.values.Add(1)
	x, y, z := a.p.channels[i], a.p.channels[j], a.p.channels[a.IntN(len(a.p.channels))]
	if a.own {
		a.silent = true
		s := instrument.Select()
		select {
		case x <- v:
			s.Sent(x)
			a.did("s", v)
		case v, ok := <-y:
			s.Received(y, ok)
			a.received(v, ok)
		}
		return
	}
	select {
	case x <- v:
		a.did("s", v)
	case v, ok := <-y:
		a.received(v, ok)
	case v, ok := <-z:
		a.received(v, ok)
	}
}

// reflected is a select over all channels.
func (a *actor) reflected() {
	defer a.panicked()
	v := a.p.values.Add(1)
	var cases []reflect.SelectCase
	for _, c := range a.p.channels {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
	}
	cases[0] = reflect.SelectCase{Dir: reflect.SelectSend, Chan: cases[0].Chan, Send: reflect.ValueOf(v)}
	if i, got, ok := reflect.Select(cases); i == 0 {
		a.did("s", v)
	} else {
		a.received(got.Uint(), ok)
	}
}

func (a *actor) ranges(i int) {
	n := 1 + a.IntN(5)
	for v := range a.p.channels[i] {
		a.received(v, true)
		if n--; n == 0 {
			return
		}
	}
	a.received(0, false)
}
