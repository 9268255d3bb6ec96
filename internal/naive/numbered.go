package naive

import (
	"maps"
	"slices"
)

// numbered matches the operations on a channel by the numbers of their values.
func (n *analysis) numbered(ops []*op, size int, closes []*op) {
	sends, recvs := map[int]*op{}, map[int]*op{}
	var rest []*op
	for _, o := range ops {
		of := sends
		if isRecv(o) {
			of = recvs
		} else if !isSend(o) {
			continue
		}
		if k := int(o.mode); k == 0 || of[k] != nil {
			rest = append(rest, o)
		} else {
			of[k] = o
		}
	}
	proofs := map[int]*op{}
	for k, r := range recvs {
		proofs[k+size] = r // who made room says more
		if recvs[k-size] == nil {
			proofs[k] = r
		}
	}
	serve(sends, sorted(rest, func(o *op) bool { return isSend(o) && stuck(o) }, attempt), proofs)
	serve(recvs, sorted(rest, func(o *op) bool { return isRecv(o) && stuck(o) }, attempt), sends)
	all := maps.Clone(sends)
	maps.Copy(all, recvs)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		n.message(element{sends[k], recvs[k]}, k > size, recvs[k-size], size, closes)
	}
	for _, o := range rest {
		switch {
		case sends[int(o.mode)] == o, recvs[int(o.mode)] == o: // served
		case isRecv(o):
			n.message(element{nil, o}, false, nil, size, closes)
		default:
			n.message(element{o, nil}, true, nil, size, closes)
		}
	}
}

// stuck says whether o never ended, and its number is not known.
func stuck(o *op) bool { return o.open && o.mode == 0 }

// serve gives each that waits the least number that has a proof and that nobody has.
func serve(given map[int]*op, waiting []*op, proofs map[int]*op) {
	for _, o := range waiting {
		for _, k := range slices.Sorted(maps.Keys(proofs)) {
			if given[k] == nil && attempt(o) <= proofs[k].end {
				given[k], o.mode = o, uint32(k)
				break
			}
		}
	}
}
