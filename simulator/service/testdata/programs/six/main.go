// Six makes the six calls of the counters, and every other one of package guest.
package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"

	"tracerec/simulator/guest"
)

//go:noinline
func roots(n int) float64 {
	x := 2.0
	for range n {
		x = math.Sqrt(x + 1)
	}
	return x
}

func must(err error) {
	if err != nil {
		_, file, line, _ := runtime.Caller(1)
		fmt.Println(file, line, err)
		os.Exit(1)
	}
}

var events = []string{"PAPI_FSQ_INS", "PAPI_TOT_INS", "PAPI_LST_INS", "PAPI_L1_DCM", "SIM_SYSCALL", "PAPI_TOT_CYC", "PAPI_BR_INS", "SIM_KERNEL_CYC"}

// counters of a scope over all of events.
func counters(s guest.Scope, id uint64) *guest.Counters {
	c, err := guest.InitOf(s, id)
	must(err)
	must(c.Select(events...))
	return c
}

// six is the life of a set.
func six() {
	c := counters(guest.Process, 0)
	user, kernel := make([]uint64, len(events)), make([]uint64, len(events))
	must(c.Start())
	roots(1000)
	must(c.Stop())
	roots(500) // not counted
	must(c.Read(user, kernel))
	fmt.Println("stopped", user[0], kernel[0] == guest.Absent)
	must(c.Start())
	roots(30)
	os.Getpid()
	must(c.Read(user, kernel))
	fmt.Println("running", user[0], user[4], kernel[5], kernel[7], user[7])
	must(c.Reset())
	roots(7)
	must(c.Stop())
	must(c.Read(user, nil))
	fmt.Println("reset", user[0])
	must(c.Close())
	fmt.Println("closed", errors.Is(c.Start(), guest.ErrGone))
}

// cost tells what lies between two calls in a row, when caches are warm.
func cost() {
	c := counters(guest.Goroutine, 0)
	a, b := make([]uint64, len(events)), make([]uint64, len(events))
	for range 3 {
		_, err := c.Now(a, nil)
		must(err)
		_, err = c.Now(b, nil)
		must(err)
	}
	fmt.Print("read-read")
	for i := range a {
		fmt.Print(" ", b[i]-a[i])
	}
	calls, err := guest.InitOf(guest.Domain, 7) // what asking costs
	must(err)
	must(calls.Select("PAPI_TOT_INS"))
	one, two := make([]uint64, 1), make([]uint64, 1)
	for range 2 {
		_, err = calls.Now(one, nil)
		must(err)
		_, err = calls.Now(two, nil)
		must(err)
	}
	fmt.Print("\ncall ", two[0]-one[0])
	for range 3 {
		must(c.Reset())
		must(c.Start())
		must(c.Stop())
	}
	must(c.Read(a, nil))
	fmt.Println("\nstart-stop", a)
}

// parts counts goroutines, threads and tasks, each with its own work.
func parts() {
	var group sync.WaitGroup
	var mu sync.Mutex
	got := make([]uint64, 8)
	for i := range got {
		group.Go(func() {
			c := counters(guest.Goroutine, 0)
			caller := counters(guest.Caller, 0)
			v, w := make([]uint64, len(events)), make([]uint64, len(events))
			must(c.Start())
			for range 10 {
				roots(10 * (i + 1))
				runtime.Gosched()
			}
			must(c.Stop())
			must(c.Read(v, nil))
			id, err := guest.Identity(guest.Goroutine)
			must(err)
			whose, err := caller.Now(w, nil)
			must(err)
			mu.Lock()
			got[i] = v[0]
			if whose != id || w[0] != v[0] {
				fmt.Println("not the caller", whose, id, w[0], v[0])
			}
			mu.Unlock()
		})
	}
	group.Wait()
	fmt.Println("goroutines", got)
}

// tasks splits the work of a thread.
func tasks() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for round := range 3 {
		for task := range uint64(3) {
			must(guest.SwitchTask(task + 1))
			roots(100*int(task+1) + round)
		}
	}
	must(guest.ExitTask(3))
	roots(5000)
	must(guest.SwitchTask(0))
	v := make([]uint64, len(events))
	fmt.Print("tasks")
	for task := range uint64(3) {
		_, err := counters(guest.Task, task+1).Now(v, nil)
		must(err)
		fmt.Print(" ", v[0])
	}
	fmt.Println("", errors.Is(guest.SwitchTask(3), guest.ErrGone), errors.Is(guest.ExitTask(9), guest.ErrGone))
}

// registers reads by one instruction.
func registers() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	must(guest.MapRegister(3, "PAPI_FSQ_INS"))
	must(guest.MapRegister(31, "PAPI_TOT_INS"))
	before, first := guest.Register(3), guest.Register(31)
	second := guest.Register(31)
	roots(77)
	fmt.Println("registers", guest.Register(3)-before, second-first, errors.Is(guest.MapRegister(32, "PAPI_TOT_INS"), guest.ErrInvalid))
}

func files() {
	for _, name := range []string{"note.txt", "sub/deep.txt", "../secret", "link", "absent", "sub", "/etc/passwd"} {
		b, err := guest.ReadFile(name)
		fmt.Printf("file %s %q %v\n", name, b, err)
	}
	must(guest.CopyFile("large", "/out/large"))
	info, err := os.Stat("/out/large")
	must(err)
	fmt.Println("copied", info.Size())
}

func main() {
	if !guest.Available() {
		_, err := guest.Init(guest.Process)
		fmt.Println(errors.Is(err, guest.ErrNotSimulated))
		return
	}
	all, err := guest.Events()
	must(err)
	fmt.Println(len(all), all[0].Name, all[0].Description)
	for _, do := range []func(){six, cost, parts, tasks, registers, files} {
		do()
	}
	_, err = guest.InitOf(guest.Thread, 99999)
	fmt.Println("errors", errors.Is(err, guest.ErrGone), errors.Is(counters(guest.Process, 0).Select("x"), guest.ErrUnknownEvent),
		errors.Is(guest.Trace(guest.Range{}, guest.Range{}), guest.ErrNoTrace))
}
