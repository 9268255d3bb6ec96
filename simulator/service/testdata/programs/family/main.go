// Family is a Go program that runs other programs, at the same time, and becomes one of them in the end. Its goroutine number i takes 1000*(i+1) square roots,
// and it counts them itself.
package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"tracerec/simulator/guest"
)

var (
	next  atomic.Int64
	group sync.WaitGroup
	sink  [8]float64
)

func alpha() {
	defer group.Done()
	i := next.Add(1)
	x := 2.0
	for range 1000 * i {
		x = math.Sqrt(x + 1)
	}
	sink[i] = x
}

func main() {
	c, err := guest.Init(guest.Process)
	if err == nil {
		err = c.Select("PAPI_FSQ_INS")
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	group.Add(4)
	for range 4 {
		go alpha()
	}
	var children sync.WaitGroup
	out := make([]string, len(os.Args))
	for i, name := range os.Args[1:] {
		children.Go(func() {
			b, err := exec.Command("/bin/" + name).CombinedOutput()
			out[i] = fmt.Sprintln(string(b), err)
		})
	}
	children.Wait()
	group.Wait()
	v := make([]uint64, 1)
	if err := c.Stop(); err == nil {
		err = c.Read(v, nil)
		fmt.Println("parent", v[0], err)
	}
	for _, o := range out {
		fmt.Print(o)
	}
	fmt.Println(syscall.Exec("/bin/other", []string{"other"}, nil))
}
