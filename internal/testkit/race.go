//go:build race

package testkit

// Race tells whether the tests were built with the race detector, with which simulated programs are many times slower.
const Race = true
