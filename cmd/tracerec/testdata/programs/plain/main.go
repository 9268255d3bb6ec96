// Command plain is not instrumented. It exits with the status given, after copying its input to its output.
package main

import (
	"io"
	"os"
	"strconv"
)

func main() {
	io.Copy(os.Stdout, os.Stdin)
	if len(os.Args) > 1 {
		status, _ := strconv.Atoi(os.Args[1])
		os.Exit(status)
	}
}
