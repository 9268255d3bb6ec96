//go:build !tracerec_runtime

package instrument

// tellRuntime tells a runtime with hooks which recording is in progress. This program's has none.
func tellRuntime(recording uint32) {}

// announce makes sure that the begin of the running goroutine is recorded.
func announce() {}

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1).
func quiet(n int32) {}
