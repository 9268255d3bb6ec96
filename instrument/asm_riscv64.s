#include "textflag.h"

// In the runtime, these results are returned as by functions in Go, without a wrapper.
#ifdef TRACEREC_MOVED

// func getg() unsafe.Pointer
TEXT ·getg<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MOV g, X10
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	RDTIME X11
	MOV    g, X10
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	FENCE
	RDTIME X11
	MOV    g, X10
	RET

#else

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

#endif

// func returnPC() uintptr
//
// See returnAt. Moved into the runtime, it is called by a wrapper, and the address is not known.
TEXT ·returnPC(SB), NOSPLIT|NOFRAME, $0-8
#ifdef TRACEREC_MOVED
	MOV X0, ret+0(FP)
	RET
#else
	MOV ·returnAt(SB), X5
	ADD X2, X5
	MOV (X5), X5
	MOV X5, ret+0(FP)
	RET
#endif

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

// func returnPCAt(n int) uintptr
//
// Nor is it called.
TEXT ·returnPCAt(SB), NOSPLIT|NOFRAME, $0-16
	MOV X0, ret+8(FP)
	RET
