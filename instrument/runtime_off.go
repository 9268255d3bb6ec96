//go:build !tracerec_runtime

package instrument

// hooked says whether the runtime tells what goroutines do. This program's does not.
const hooked = false

// tellRuntime tells a runtime with hooks which recording is in progress, and whether it wants states.
func tellRuntime(recording uint32, states bool) {}

// announce makes sure that the begin of the running goroutine is recorded.
func announce() {}

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1).
func quiet(n int32) {}

func (s *slot) follow()                          {}
func (s *slot) awaitStates()                     {}
func (se *session) tellStates(s *slot, t uint64) {}
