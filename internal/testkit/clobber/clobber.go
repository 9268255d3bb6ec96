//go:build amd64 || arm64

// Package clobber calls functions as assembly does that needs every register: the frame pointer is lost.
package clobber

// Call calls f while the register of frame pointers holds something else.
func Call(f func(), instead uintptr)
