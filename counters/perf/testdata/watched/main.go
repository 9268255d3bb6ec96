// Command watched counts stores to its own variable by watchpoints that name it.
package main

import (
	"fmt"
	"os"

	"tracerec/counters"
)

var cells [2]uint64

func main() {
	for _, name := range os.Args[1:] {
		c, err := counters.Start(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for i := range 14 {
			cells[i%2]++
		}
		v, err := c.Stop()
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(name, v[0])
	}
}
