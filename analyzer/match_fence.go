package analyzer

import (
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// fence emits the waits of the members of a fence of a window for the last one, if all were in it at one time: until what they have of the window was accessed for the last time, for the one that did that. And it counts
// with whom each synchronizes, and with whom for nothing: neither has accessed what the other one has.
func (m *Matcher) fence(ops []Op, members, accesses []int32) {
	last := m.latest(ops, members, everybody)
	overlap := m.overlap(ops, members, last)
	accessed, passed := m.accessed(ops, members, accesses)
	for k, i := range members {
		others := int64(len(members) - 1)
		m.adds(PairSyncs, i, others)
		if !m.others { // who has passed data is known
			m.adds(PairSyncsUnneeded, i, others-passed[k])
		}
		if !overlap {
			continue
		}
		begin := ops[i].Begin
		until := begin
		if by := accessed[k]; by != noOp {
			until = max(begin, min(ops[by].End, ops[last].Begin))
			m.point(AccessedAtFence, i, by, begin, until, begin)
		}
		m.point(ArrivedAtFence, i, last, until, ops[last].Begin, until)
	}
}

// accessed returns which access to what each member has of a window ended last, noOp if there was none, and with how many others it has passed data.
func (m *Matcher) accessed(ops []Op, members, accesses []int32) (last []int32, passed []int64) {
	last, passed = slices.Repeat([]int32{noOp}, len(members)), make([]int64, len(members))
	if len(accesses) == 0 {
		return last, passed
	}
	byNumber, byLocation := make(map[uint32]int, len(members)), make(map[uint32]int, len(members))
	for k, i := range members {
		byNumber[wire.Meeting(ops[i].Mode).Number()], byLocation[ops[i].Loc] = k, k
	}
	pairs := spill.Make[[2]int32](m.store, len(accesses))[:0]
	defer spill.Free(m.store, pairs)
	for _, a := range accesses {
		by, is := byLocation[ops[a].Loc]
		of, has := byNumber[ops[a].Mode]
		if !is || !has || by == of {
			continue
		}
		pairs = append(pairs, [2]int32{int32(min(by, of)), int32(max(by, of))})
		if last[of] == noOp || ops[a].End > ops[last[of]].End {
			last[of] = a
		}
	}
	compared := 0
	slices.SortFunc(pairs, func(x, y [2]int32) int {
		if compared++; compared%paced == 0 {
			m.store.Pace()
		}
		return slices.Compare(x[:], y[:])
	})
	for _, p := range slices.Compact(pairs) {
		passed[p[0]]++
		passed[p[1]]++
	}
	return last, passed
}
