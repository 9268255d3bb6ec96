//go:build linux

package perf

// For tests from outside.
var (
	Store              = store
	Watches            = watches
	SkipUnlessPossible = skipUnlessPossible
)
