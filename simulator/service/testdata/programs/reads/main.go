// Reads reads counters as often as its argument says.
package main

import (
	"fmt"
	"os"
	"strconv"

	"tracerec/simulator/guest"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	c, e := guest.Init(guest.Caller)
	if err == nil {
		err = e
	}
	if err == nil {
		err = c.Select("PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM")
	}
	v := make([]uint64, 4)
	for i := 0; i < n && err == nil; i++ {
		_, err = c.Now(v, nil)
	}
	fmt.Println(err)
}
