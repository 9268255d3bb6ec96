//go:build linux

#include "textflag.h"

// Each reads the register hpmcounterN: csrrs a0, hpmcounterN, x0.
#define READ(name, word) TEXT name(SB), NOSPLIT, $0-8; WORD word; MOV A0, ret+0(FP); RET

READ(·callRegister3, $0xc0302573)
READ(·callRegister4, $0xc0402573)
READ(·callRegister5, $0xc0502573)
READ(·callRegister6, $0xc0602573)
READ(·callRegister7, $0xc0702573)
READ(·callRegister8, $0xc0802573)
READ(·callRegister9, $0xc0902573)
READ(·callRegister10, $0xc0a02573)
READ(·callRegister11, $0xc0b02573)
READ(·callRegister12, $0xc0c02573)
READ(·callRegister13, $0xc0d02573)
READ(·callRegister14, $0xc0e02573)
READ(·callRegister15, $0xc0f02573)
READ(·callRegister16, $0xc1002573)
READ(·callRegister17, $0xc1102573)
READ(·callRegister18, $0xc1202573)
READ(·callRegister19, $0xc1302573)
READ(·callRegister20, $0xc1402573)
READ(·callRegister21, $0xc1502573)
READ(·callRegister22, $0xc1602573)
READ(·callRegister23, $0xc1702573)
READ(·callRegister24, $0xc1802573)
READ(·callRegister25, $0xc1902573)
READ(·callRegister26, $0xc1a02573)
READ(·callRegister27, $0xc1b02573)
READ(·callRegister28, $0xc1c02573)
READ(·callRegister29, $0xc1d02573)
READ(·callRegister30, $0xc1e02573)
READ(·callRegister31, $0xc1f02573)
