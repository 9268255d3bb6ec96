//go:build !amd64 && !arm64 && !riscv64

package clock

const counterKind Kind = 0 // none

func counter() uint64          { return 0 }
func counterFrequency() uint64 { return 0 }

// Best returns the best clock of this machine.
func Best() Kind { return Monotonic }
