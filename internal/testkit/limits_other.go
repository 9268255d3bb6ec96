//go:build !unix

package testkit

import "testing"

// NeedDescriptors does nothing: there is no such limit.
func NeedDescriptors(testing.TB, uint64) {}

// NeedSimulator does nothing: there is no such limit.
func NeedSimulator(testing.TB) {}

// NeedAddresses does nothing: there is no such limit.
func NeedAddresses(testing.TB, uint64) {}
