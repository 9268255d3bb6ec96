package build

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tracerec/internal/readable"
)

// long is how long a program is built without a word.
const long = 2 * time.Second

// told says that Building has said so.
var told sync.Once

// Building says in a terminal, once, that a program is being built, if that takes long. It is done when what it returns is called. What is built to find the functions
// that become regions takes most of the time, before the go command is run for the user.
func Building(w io.Writer) (done func()) { return building(w, long, &told) }

func building(w io.Writer, long time.Duration, told *sync.Once) (done func()) {
	if !readable.Terminal(w) {
		return func() {}
	}
	timer := time.AfterFunc(long, func() {
		told.Do(func() {
			fmt.Fprintln(w, "tracerec: building the program, and the first time the standard library, too")
		})
	})
	return func() { timer.Stop() }
}
