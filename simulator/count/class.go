//go:build linux

package count

import "tracerec/simulator/riscv"

// class says what an instruction counts as, whatever it does.
func class(in *riscv.Instruction, v *Values) {
	v[Instructions]++
	one := func(cs ...Counter) {
		for _, c := range cs {
			v[c]++
		}
	}
	switch op := in.Op; {
	case op >= riscv.LB && op <= riscv.LWU:
		one(FXLoads)
		if nowhere(in.Rd) {
			one(LoadsToX0)
		}
	case op >= riscv.SB && op <= riscv.SD:
		one(FXStores)
	case op == riscv.FLW || op == riscv.FLD:
		one(FPLoads)
	case op == riscv.FSW || op == riscv.FSD:
		one(FPStores)
	case op == riscv.LRW || op == riscv.LRD:
		one(FXLoads, Reserved)
	case op == riscv.SCW || op == riscv.SCD:
		one(FXStores, Conditional)
	case op >= riscv.LRW && op <= riscv.AMOMAXUD:
		one(FXLoads, FXStores, Atomics)
	case op >= riscv.BEQ && op <= riscv.BGEU:
		one(Branches)
	case op == riscv.JAL || op == riscv.JALR:
		jump(in, one)
	case op >= riscv.MUL && op <= riscv.MULHU || op == riscv.MULW:
		one(Multiplies)
	case op >= riscv.DIV && op <= riscv.REMUW:
		one(Divides)
	case op == riscv.FENCE || op == riscv.FENCEI:
		one(Fences)
	case op >= riscv.CSRRW && op <= riscv.CSRRCI:
		one(ControlRegisters)
	case op == riscv.ECALL:
		one(SystemCalls)
	case op > riscv.FLW && op < riscv.FLD:
		float(op, riscv.FMADDS, FPSingle, v)
	case op > riscv.FLD && op <= riscv.FMVDX:
		float(op, riscv.FMADDD, FPDouble, v)
	}
}

// float counts arithmetic, of which both precisions have the same order.
func float(op, first riscv.Op, precision Counter, v *Values) {
	c, n := FPOther, uint64(1)
	switch op - first + riscv.FMADDS {
	case riscv.FMADDS, riscv.FMSUBS, riscv.FNMSUBS, riscv.FNMADDS:
		c, n = FMAs, 2
	case riscv.FADDS, riscv.FSUBS:
		c = FPAdds
	case riscv.FMULS:
		c = FPMuls
	case riscv.FDIVS:
		c = FPDivides
	case riscv.FSQRTS:
		c = FPRoots
	}
	if v[c]++; c != FPOther {
		v[precision] += n
	}
}

// nowhere tells whether a result goes to x0.
func nowhere(rd uint8) bool { return rd == 0 || rd > 31 }

// link tells whether a register holds return addresses by convention: calls and returns are known by that.
func link(r uint8) bool { return r == 1 || r == 5 }

// jump tells calls, returns and other jumps apart.
func jump(in *riscv.Instruction, one func(...Counter)) {
	switch {
	case link(in.Rd):
		one(Calls)
	case in.Op == riscv.JALR && link(in.Rs1) && in.Imm == 0:
		one(Returns)
		return
	default:
		one(Jumps)
	}
	if in.Op == riscv.JALR {
		one(Indirect)
	}
}
