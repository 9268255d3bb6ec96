package guest

import "fmt"

// MapRegister shows an event, in user mode, in the register hpmcounterN, N from 3 to 31. Each thread of the process reads there what was counted of
// itself since its beginning, by one instruction.
func MapRegister(n int, event string) error {
	all, err := events()
	if err != nil {
		return err
	}
	for i, e := range all {
		if e.Name == event {
			if r := call(Map, uint64(n), nil, uint64(i), nil, 0); r < 0 {
				return fmt.Errorf("hpmcounter%d: %w", n, failure(r))
			}
			return nil
		}
	}
	return fmt.Errorf("%s: %w", event, ErrUnknownEvent)
}

// Register reads the register hpmcounterN, which [MapRegister] must have been called for: otherwise it is an illegal instruction.
//
//go:noinline
func Register(n int) uint64 { return registers[n]() }
