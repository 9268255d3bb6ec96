#include "textflag.h"

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

// func returnPC() uintptr
//
// Frames are linked: 0(R29) is the frame of the function above, 8(R29) the address to which this one returns.
TEXT ·returnPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD (R29), R0
	MOVD 8(R0), R0
	MOVD R0, ret+0(FP)
	RET

// func ownReturnPC() uintptr
TEXT ·ownReturnPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD 8(R29), R0
	MOVD R0, ret+0(FP)
	RET

// func returnPCs(pcs *[16]uintptr)
//
// Assembly of the program may have used the register for something else: only frames further and further up the goroutine's stack are
// believed.
TEXT ·returnPCs(SB), NOSPLIT|NOFRAME, $0-8
	MOVD pcs+0(FP), R1
	MOVD R29, R2
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
