package hardware

// cpuid executes the instruction of that name.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

var hereID identification = cpuid
