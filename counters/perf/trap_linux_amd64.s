#include "textflag.h"

// The kernel calls it as a C function: signal in DI, siginfo in SI, ucontext in DX. Nothing but AX is changed before the next handler runs.
TEXT ·onTrap(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	CMPL 8(SI), $1 // si_code is TRAP_BRKPT
	JNE  next
	MOVQ 168(DX), AX // the program counter
	CMPB -1(AX), $0xF1 // the instruction INT1 asks for it
	JEQ  next
	LOCK
	INCQ ·lostHits(SB)
	RET
next:
	MOVQ ·nextTrap(SB), AX
	JMP  AX

TEXT ·trapHandler(SB), NOSPLIT, $0-8
	LEAQ ·onTrap(SB), AX
	MOVQ AX, ret+0(FP)
	RET
