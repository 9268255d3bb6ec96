// Command calls reads counters and switches the address trace through the simulator's services.
package main

import (
	"fmt"
	"tracerec/simulator/guest"
)

func main() {
	c, err := guest.Init(guest.Goroutine)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if err := c.Select("PAPI_LD_INS", "PAPI_L1_DCM", "PAPI_TOT_INS"); err != nil {
		fmt.Println(err)
		return
	}
	c.Start()
	sum := 0
	for i := range 1000 {
		sum += i * i
	}
	c.Stop()
	user, kernel := make([]uint64, 3), make([]uint64, 3)
	if err := c.Read(user, kernel); err == nil {
		fmt.Println(sum, user, kernel)
	}
	fmt.Println(guest.Trace(guest.Range{}, guest.Range{}), guest.Untrace())
}
