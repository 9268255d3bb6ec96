//go:build linux

#include "textflag.h"

// func fsbase() uint64
TEXT ·fsbase(SB), NOSPLIT, $0-8
	RDFSBASEQ AX
	MOVQ AX, ret+0(FP)
	RET
