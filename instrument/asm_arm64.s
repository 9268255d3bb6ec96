#include "textflag.h"

// FRAME gets the frame pointer of the caller. Moved into the runtime, these functions are called by wrappers with frames of their own.
#ifdef TRACEREC_MOVED
#define FRAME(r) MOVD (R29), r
#else
#define FRAME(r) MOVD R29, r
#endif

// In the runtime, these results are returned as by functions in Go, without a wrapper.
#ifdef TRACEREC_MOVED

// func getg() unsafe.Pointer
TEXT ·getg<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD g, R0
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MRS  CNTVCT_EL0, R1
	MOVD g, R0
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	ISB  $15
	MRS  CNTVCT_EL0, R1
	MOVD g, R0
	RET

#else

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here(SB), NOSPLIT, $0-16
	MRS  CNTVCT_EL0, R0
	MOVD g, gp+0(FP)
	MOVD R0, ticks+8(FP)
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced(SB), NOSPLIT, $0-16
	ISB  $15
	MRS  CNTVCT_EL0, R0
	MOVD g, gp+0(FP)
	MOVD R0, ticks+8(FP)
	RET

#endif

// func returnPC() uintptr
//
// Frames are linked: 0(R29) is the frame of the function above, 8(R29) the address to which this one returns.
TEXT ·returnPC(SB), NOSPLIT|NOFRAME, $0-8
	FRAME(R0)
	MOVD (R0), R0
	MOVD 8(R0), R0
	MOVD R0, ret+0(FP)
	RET

// func ownReturnPC() uintptr
TEXT ·ownReturnPC(SB), NOSPLIT|NOFRAME, $0-8
	FRAME(R0)
	MOVD 8(R0), R0
	MOVD R0, ret+0(FP)
	RET

// func returnPCs(pcs *[16]uintptr)
//
// Assembly of the program may have used the register for something else: only frames further and further up the goroutine's stack are
// believed.
TEXT ·returnPCs(SB), NOSPLIT|NOFRAME, $0-8
	MOVD pcs+0(FP), R1
	FRAME(R2)
	MOVD 8(g), R5   // where the stack ends
	SUB  $16, R5
	MOVD RSP, R4    // the last frame
	SUB  $1, R4     // it may be at the pointer itself
	MOVD $16, R3

next:
	CMP  R4, R2
	BLS  done
	CMP  R5, R2
	BHI  done
	MOVD R2, R4
	MOVD 8(R2), R0
	MOVD R0, (R1)
	MOVD (R2), R2
	ADD  $8, R1
	SUB  $1, R3
	CBNZ R3, next

done:
	RET

// func returnPCAt(n int) uintptr
TEXT ·returnPCAt(SB), NOSPLIT|NOFRAME, $0-16
	MOVD n+0(FP), R3
	FRAME(R2)
	MOVD 8(g), R5   // where the stack ends
	SUB  $16, R5
	MOVD RSP, R4    // the last frame
	SUB  $1, R4     // it may be at the pointer itself
	MOVD ZR, R0

up:
	CMP  R4, R2
	BLS  found
	CMP  R5, R2
	BHI  found
	MOVD R2, R4
	MOVD 8(R2), R0
	MOVD (R2), R2
	SUB  $1, R3
	TBZ  $63, R3, up

found:
	MOVD R0, ret+8(FP)
	RET
