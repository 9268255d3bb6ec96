//go:build linux

#include "textflag.h"

// func ask(service uint64, a1 uint64, p2 unsafe.Pointer, a3 uint64, p4 unsafe.Pointer, a5 uint64) int64
TEXT ·ask(SB), NOSPLIT, $0-56
	MOV	service+0(FP), A0
	MOV	a1+8(FP), A1
	MOV	p2+16(FP), A2
	MOV	a3+24(FP), A3
	MOV	p4+32(FP), A4
	MOV	a5+40(FP), A5
	MOV	$0x7452, A7
	ECALL
	MOV	A0, ret+48(FP)
	RET
