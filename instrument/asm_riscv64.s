#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOV g, ret+0(FP)
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here(SB), NOSPLIT, $0-16
	RDTIME X5
	MOV    g, gp+0(FP)
	MOV    X5, ticks+8(FP)
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced(SB), NOSPLIT, $0-16
	FENCE
	RDTIME X5
	MOV    g, gp+0(FP)
	MOV    X5, ticks+8(FP)
	RET

// func returnPC() uintptr
//
// See returnAt.
TEXT ·returnPC(SB), NOSPLIT|NOFRAME, $0-8
	MOV ·returnAt(SB), X5
	ADD X2, X5
	MOV (X5), X5
	MOV X5, ret+0(FP)
	RET

// func ownReturnPC() uintptr
//
// Nor is it called.
TEXT ·ownReturnPC(SB), NOSPLIT|NOFRAME, $0-8
	MOV X0, ret+0(FP)
	RET

// func returnPCs(pcs *[16]uintptr)
//
// Frames are not linked, which testFrames finds out.
TEXT ·returnPCs(SB), NOSPLIT|NOFRAME, $0-8
	RET
