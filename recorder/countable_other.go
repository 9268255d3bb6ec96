//go:build !linux

package recorder

// Countable returns an error: recording needs Linux.
func Countable([]string, string) error { return errSystem }
