//go:build linux

package recorder

// Watchpoint returns the event of that name with the address of the program's variable in it, if it is a watchpoint on one:
// mem:main.counter/8:w. Other names come back as they are.
func Watchpoint(name, program string) (string, error) { return addressed(name, program) }
