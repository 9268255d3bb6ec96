package testkit

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchIgnored lets programs that tests start have the usual signals, also where the tests' own parent ignores some, as nohup and
// shells do for programs in the background. The tests themselves go on ignoring them. TestMain calls it.
func CatchIgnored() {
	for _, s := range []os.Signal{syscall.SIGHUP, os.Interrupt} { // the others are not left ignored by Go
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // what is caught is not ignored after exec
		}
	}
}
