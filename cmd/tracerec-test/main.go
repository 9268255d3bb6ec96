// Command tracerec-test is what tracerec test has the go command start for each package, if it lies beside tracerec: it records the tests of the package as
// tracerec would do, and starts in half of the time, because it can do nothing else.
package main

import (
	"os"

	"tracerec/recorder/tests"
)

func main() { os.Exit(tests.Main(os.Args[1:], os.Stderr)) }
