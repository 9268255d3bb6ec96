// Children starts itself twice, and computes as many square roots in each process as that is told.
package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
)

//go:noinline
func roots(n int) (x float64) {
	for range n {
		x = math.Sqrt(x + 1)
	}
	return x
}

//go:noinline
func child(n int) {
	command := exec.Command("/proc/self/exe", strconv.Itoa(n))
	command.Stdout = os.Stdout
	fmt.Println(command.Run())
}

func main() {
	if len(os.Args) > 1 {
		n, _ := strconv.Atoi(os.Args[1])
		fmt.Println(n, roots(n) > 1)
		os.Exit(n/1000 - 1)
	}
	fmt.Println(roots(100) > 1)
	child(2000)
	child(3000)
}
