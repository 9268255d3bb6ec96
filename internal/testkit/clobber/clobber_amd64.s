#include "textflag.h"
#include "funcdata.h"

// func Call(f func(), instead uintptr)
TEXT ·Call(SB), 0, $8-16
	NO_LOCAL_POINTERS
	MOVQ f+0(FP), DX
	MOVQ instead+8(FP), BP
	MOVQ (DX), AX
	CALL AX
	RET
