//go:build linux

package riscv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every sequence that is executed in one step does what its instructions do one by one, whatever registers they share, and
// stops within it where they would.
func TestSequences(t *testing.T) {
	require.NotEmpty(t, sequences)
	for key, op := range sequences {
		parts := key[:2]
		if key[2] != Illegal {
			parts = key[:3]
		}
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(op), 7))
			chained := 0
			for range 100 {
				words := sequence(t, parts, r)
				fused, single := machine(t, words...), machine(t, words...)
				single.Observe(&listener{})
				for _, h := range []*Hart{fused, single} {
					h.X[5], h.X[6], h.X[7] = dataPage+256, dataPage+512, dataPage+512
				}
				if r.IntN(2) == 0 { // one that accesses memory faults, if there is one
					fused.X[6], single.X[6] = 0, 0
				}
				b := fused.code.block(codePage)
				if b.fused[0].Op == op {
					chained++
				}
				budget := uint64(len(parts) + 1) // with the jump: what is cut is not fused
				require.Equal(t, single.Run(budget), fused.Run(budget))
				require.Equal(t, single.X, fused.X)
				require.Equal(t, single.PC, fused.PC)
				require.Equal(t, single.Retired, fused.Retired)
				require.Equal(t, bytesAt(t, single, dataPage, page), bytesAt(t, fused, dataPage, page))
			}
			if op > lastChain {
				require.Equal(t, 100, chained)
			} else { // if each uses the result before: one in three of loads, more of others
				require.Greater(t, chained, 5)
				require.Less(t, chained, 80)
			}
		})
	}
}

// Constants that are loaded in one step, and what is left out, change nothing.
func TestConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	shorter := 0
	for range 500 {
		var words []uint32
		for range 8 {
			op := []Op{LUI, LUI, ADDI, ADDIW, ADDIW, ADD, FENCE}[r.IntN(7)]
			part := sequence(t, []Op{op}, r)[0]
			if r.IntN(6) == 0 && op != FENCE {
				part &^= 31 << 7 // the result is nobody's
			}
			words = append(words, part)
		}
		words = append(words, 0x6f)
		fused, single := machine(t, words...), machine(t, words...)
		single.Observe(&listener{})
		for _, h := range []*Hart{fused, single} {
			h.X[5], h.X[6], h.X[7] = 5, 1<<40, 1<<63
		}
		b := fused.code.block(codePage)
		if len(b.fused) < len(b.plain) {
			shorter++
		}
		budget := 9 + uint64(r.IntN(2))
		require.Equal(t, single.Run(budget), fused.Run(budget))
		require.Equal(t, single.X, fused.X)
		require.Equal(t, single.PC, fused.PC)
		require.Equal(t, single.Retired, fused.Retired)
	}
	require.Greater(t, shorter, 100)
}

// sequence returns words of operations on x5 to x7, and a jump to itself behind them.
func sequence(t *testing.T, parts []Op, r *rand.Rand) (words []uint32) {
	register := func() uint32 { return 5 + uint32(r.IntN(3)) }
	for _, op := range parts {
		w := encoding(t, op)
		in := Decode(w, 0)
		switch {
		case op == LUI:
			w = w&0x7f | r.Uint32()<<12
		case op >= BEQ && op <= BGEU: // to the next instruction but one
			w = w&^0xfe000f80 | 8<<7
		case op == JAL:
			w = 0x008000ef
		case op == JALR:
			w = withI(w, op, r.IntN(64))
		case op >= LB && op <= LWU || in.Imm != 0 && (op == ADDI || op == ADDIW || op == ANDI):
			w = withI(w, op, r.IntN(128)-64)
		case op >= SB && op <= SD:
			w = encS(0x23, uint32(op-SB), 0, 0, r.IntN(128)-64)
		}
		if op < BEQ || op > BGEU && (op < SB || op > SD) {
			w = w&^(31<<7) | register()<<7
		}
		if op != LUI && op != JAL {
			w = w&^(31<<15) | register()<<15
		}
		if op >= BEQ && op <= BGEU || op >= SB && op <= SD || op >= ADD && op <= AND || op == ADDW || op == SUBW {
			w = w&^(31<<20) | register()<<20
		}
		require.Equal(t, op, Decode(w, 0).Op)
		words = append(words, w)
	}
	return append(words, 0x6f, 0x6f, 0x6f)
}
