//go:build linux

package guest

// registers read hpmcounter3 to hpmcounter31.
var registers = [32]func() uint64{
	3:  callRegister3,
	4:  callRegister4,
	5:  callRegister5,
	6:  callRegister6,
	7:  callRegister7,
	8:  callRegister8,
	9:  callRegister9,
	10: callRegister10,
	11: callRegister11,
	12: callRegister12,
	13: callRegister13,
	14: callRegister14,
	15: callRegister15,
	16: callRegister16,
	17: callRegister17,
	18: callRegister18,
	19: callRegister19,
	20: callRegister20,
	21: callRegister21,
	22: callRegister22,
	23: callRegister23,
	24: callRegister24,
	25: callRegister25,
	26: callRegister26,
	27: callRegister27,
	28: callRegister28,
	29: callRegister29,
	30: callRegister30,
	31: callRegister31,
}

func callRegister3() uint64
func callRegister4() uint64
func callRegister5() uint64
func callRegister6() uint64
func callRegister7() uint64
func callRegister8() uint64
func callRegister9() uint64
func callRegister10() uint64
func callRegister11() uint64
func callRegister12() uint64
func callRegister13() uint64
func callRegister14() uint64
func callRegister15() uint64
func callRegister16() uint64
func callRegister17() uint64
func callRegister18() uint64
func callRegister19() uint64
func callRegister20() uint64
func callRegister21() uint64
func callRegister22() uint64
func callRegister23() uint64
func callRegister24() uint64
func callRegister25() uint64
func callRegister26() uint64
func callRegister27() uint64
func callRegister28() uint64
func callRegister29() uint64
func callRegister30() uint64
func callRegister31() uint64
