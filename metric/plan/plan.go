// Package plan chooses the fewest sets of counters that measure all events of a specification under the constraints
// of a processor.
package plan
