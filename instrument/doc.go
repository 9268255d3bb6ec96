// Package instrument is what a measured program calls: regions, and drop-in replacements for the operations with
// which goroutines wait for each other. Without a recorder, every call costs the load of a flag and does
// exactly what the operation that it replaces does. With a recorder, it also writes events into a buffer in
// shared memory.
//
//	defer instrument.Region("solve").End()
//
// To record a select statement, call [Select] before it, and a method of its result at the beginning of each case, even of one that
// only returns.
//
// Regions nest per goroutine. All functions and methods may be called from any goroutine.
package instrument
