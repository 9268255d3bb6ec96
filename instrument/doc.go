// Package instrument is what a measured program calls: regions, and drop-in forms of the operations with
// which goroutines wait for each other. Without a recorder every call costs the load of a flag and does
// exactly what the operation it stands for does; under a recorder it also leaves events in a buffer in
// shared memory.
//
//	defer instrument.Region("solve").End()
//
// A select statement is recorded by [Select] before it and a call at the beginning of each of its cases, also of one that
// only returns.
//
// Regions nest per goroutine. All functions and methods may be called from any goroutine.
package instrument
