// Other is run by family: its goroutine number i takes 500*(i+1) square roots, and it counts them itself.
package main

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"tracerec/simulator/guest"
)

var (
	next  atomic.Int64
	group sync.WaitGroup
	sink  [8]float64
)

func beta() {
	defer group.Done()
	i := next.Add(1)
	x := 2.0
	for range 500 * i {
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
	group.Add(3)
	for range 3 {
		go beta()
	}
	group.Wait()
	v := make([]uint64, 1)
	if err == nil {
		err = c.Read(v, nil)
	}
	fmt.Println("other", v[0], err)
}
