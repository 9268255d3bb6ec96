//go:build linux

#include "textflag.h"

// func bareRead(fd int, words *uint64, n int) int
TEXT ·bareRead(SB), NOSPLIT, $0-32
	MOVD fd+0(FP), R0
	MOVD words+8(FP), R1
	MOVD n+16(FP), R2
	LSL $3, R2
	MOVD $63, R8 // SYS_read
	SVC
	ASR $3, R0
	MOVD R0, ret+24(FP)
	RET
