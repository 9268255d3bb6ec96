//go:build arm64 || riscv64

package instrument

import "sync/atomic"

// publish stores the head of an event, after its words: the processor would not keep the order of plain
// stores.
func publish(at *uint64, head uint64) { atomic.StoreUint64(at, head) }
