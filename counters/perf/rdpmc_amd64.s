//go:build linux

#include "textflag.h"

// func rdpmc(index uint32) uint64
TEXT ·rdpmc(SB), NOSPLIT, $0-16
	MOVL index+0(FP), CX
	RDPMC
	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, ret+8(FP)
	RET
