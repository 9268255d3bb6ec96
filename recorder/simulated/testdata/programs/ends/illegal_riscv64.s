#include "textflag.h"

TEXT ·illegal(SB), NOSPLIT, $0-0
	WORD $0
	RET
