// Package instrument is what a measured program calls: regions, and drop-in forms of the operations with
// which goroutines wait for each other. Without a recorder every call costs the load of a flag and does
// exactly what the operation it stands for does; under a recorder it also leaves events in a buffer in
// shared memory.
//
//	defer instrument.Region("solve").End()
//
// Regions nest per goroutine. All functions and methods may be called from any goroutine.
package instrument
