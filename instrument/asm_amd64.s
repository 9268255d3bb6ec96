#include "textflag.h"

// FRAME gets the frame pointer of the caller. Moved into the runtime, these functions are called by wrappers with frames of their own.
#ifdef TRACEREC_MOVED
#define FRAME(r) MOVQ (BP), r
#else
#define FRAME(r) MOVQ BP, r
#endif

// In the runtime, these results are returned as by functions in Go, without a wrapper.
#ifdef TRACEREC_MOVED

// func getg() unsafe.Pointer
TEXT ·getg<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ R14, AX
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	RDTSC
	SHLQ $32, DX
	ORQ  AX, DX
	MOVQ R14, AX
	MOVQ DX, BX
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	LFENCE
	RDTSC
	SHLQ $32, DX
	ORQ  AX, DX
	MOVQ R14, AX
	MOVQ DX, BX
	RET

#else

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func here() (gp unsafe.Pointer, ticks uint64)
TEXT ·here(SB), NOSPLIT, $0-16
	MOVQ (TLS), CX
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ CX, gp+0(FP)
	MOVQ AX, ticks+8(FP)
	RET

// func hereFenced() (gp unsafe.Pointer, ticks uint64)
TEXT ·hereFenced(SB), NOSPLIT, $0-16
	MOVQ (TLS), CX
	LFENCE
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ CX, gp+0(FP)
	MOVQ AX, ticks+8(FP)
	RET

#endif

// func returnPC() uintptr
//
// Frames are linked: 0(BP) is the frame of the function above, 8(BP) the address to which this one returns.
TEXT ·returnPC(SB), NOSPLIT|NOFRAME, $0-8
	FRAME(AX)
	MOVQ (AX), AX
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET

// func ownReturnPC() uintptr
TEXT ·ownReturnPC(SB), NOSPLIT|NOFRAME, $0-8
	FRAME(AX)
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET

// func returnPCs(pcs *[16]uintptr)
//
// Assembly of the program may have used the register for something else: only frames further and further up the goroutine's stack are
// believed.
TEXT ·returnPCs(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ pcs+0(FP), DI
	FRAME(SI)
	MOVQ (TLS), AX
	MOVQ 8(AX), R9  // where the stack ends
	SUBQ $16, R9
	MOVQ SP, R8     // the last frame
	MOVQ $16, CX

next:
	CMPQ SI, R8
	JLS  done
	CMPQ SI, R9
	JHI  done
	MOVQ SI, R8
	MOVQ  8(SI), AX
	MOVQ  AX, (DI)
	MOVQ  (SI), SI
	ADDQ  $8, DI
	DECQ  CX
	JNZ   next

done:
	RET

// func returnPCAt(n int) uintptr
TEXT ·returnPCAt(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ n+0(FP), CX
	FRAME(SI)
	MOVQ (TLS), AX
	MOVQ 8(AX), R9  // where the stack ends
	SUBQ $16, R9
	MOVQ SP, R8     // the last frame
	XORQ AX, AX

up:
	CMPQ SI, R8
	JLS  found
	CMPQ SI, R9
	JHI  found
	MOVQ SI, R8
	MOVQ 8(SI), AX
	MOVQ (SI), SI
	DECQ CX
	JGE  up

found:
	MOVQ AX, ret+8(FP)
	RET
