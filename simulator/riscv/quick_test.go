//go:build linux

package riscv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
)

// The observer is not told of accesses that are quick, of each size of loads and stores; of others it is, and of all when
// somebody else observes the hart, or nothing is quick any more.
func TestQuickAccesses(t *testing.T) {
	m, err := cache.Named("server")
	require.NoError(t, err)
	for _, op := range []Op{LB, LH, LW, LD, LBU, LHU, LWU, SB, SH, SW, SD, FLW, FLD, FSW, FSD} {
		word := encoding(t, op)&^(31<<15) | 6<<15
		all, err := cache.NewHierarchies(m, 1, false)
		require.NoError(t, err)
		q, _ := all[0].Quick()
		run := func(q *cache.Quick, by func(l *listener) Observer, at uint64) int {
			h, l := machine(t, word, 0x73), &listener{}
			h.X[6] = at - uint64(Decode(word, 0).Imm)
			h.Observe(l)
			h.Quick(by(l), q)
			require.Equal(t, Stop{Why: Syscall}, h.Run(10), op.String())
			return int(l.accesses)
		}
		self := func(l *listener) Observer { return l }
		require.Equal(t, 1, run(q, self, dataPage+64), "%s: nobody accessed the line yet", op)
		all[0].Data(dataPage+64, 8, true)
		require.Equal(t, 0, run(q, self, dataPage+64), op.String())
		require.Equal(t, 1, run(q, self, dataPage+128), "%s: another line", op)
		require.Equal(t, 1, run(q, func(*listener) Observer { return &listener{} }, dataPage+64), "%s: somebody else's", op)
		require.Equal(t, 1, run(nil, self, dataPage+64), op.String())
		if op != LB && op != LBU && op != SB {
			require.Equal(t, 1, run(q, self, dataPage+65), "%s: not aligned", op)
		}
	}
}
