#include "textflag.h"
#include "funcdata.h"

// func Call(f func(), instead uintptr)
TEXT ·Call(SB), 0, $8-16
	NO_LOCAL_POINTERS
	MOVD f+0(FP), R26
	MOVD instead+8(FP), R29
	MOVD (R26), R0
	CALL R0
	RET
