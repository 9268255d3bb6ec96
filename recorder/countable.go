//go:build linux

package recorder

import "tracerec/internal/launch"

// Countable returns why counters cannot be read together at the regions of a program, nil if they can. The error is a
// *launch.Error if the program is not found.
func Countable(names []string, program string) error {
	path, err := launch.Find(program)
	if err != nil || len(names) == 0 {
		return err
	}
	_, err = handDown(names, path)
	return err
}
