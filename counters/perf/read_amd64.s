//go:build linux

#include "textflag.h"

// func bareRead(fd int, words *uint64, n int) int
TEXT ·bareRead(SB), NOSPLIT, $0-32
	MOVQ fd+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ n+16(FP), DX
	SHLQ $3, DX
	XORL AX, AX // SYS_read
	SYSCALL
	SARQ $3, AX
	MOVQ AX, ret+24(FP)
	RET
