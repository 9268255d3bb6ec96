package analyzer

import (
	"cmp"
	"fmt"
	"sync"

	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// forgotten is the first select that was forgotten, and how many there were.
type forgotten struct {
	n           uint64
	begin       int64
	loc, region uint32
}

// add takes note of others.
func (f *forgotten) add(o *forgotten) {
	first := f.n == 0 || o.n > 0 && cmp.Or(cmp.Compare(o.begin, f.begin), cmp.Compare(o.loc, f.loc), cmp.Compare(o.region, f.region)) < 0
	n := f.n + o.n
	if first {
		*f = *o
	}
	f.n = n
}

// warning says what was forgotten where, in words.
func (f *forgotten) warning(r *regions) string {
	at := &r.list[f.region]
	place := at.Name
	if at.File != "" {
		place = fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	return fmt.Sprintf("%d times a select was left by a case without sel.Received, sel.Sent or sel.Default, the first at %s: "+
		"begin every case with one, also before a return; what these selects waited for is not known", f.n, place)
}

// forgot notes a select that its location left without a word.
func (w *scanner) forgot(v *levels.Level[level], t int64) {
	w.forgotten.add(&forgotten{n: 1, begin: v.Of.begin, loc: w.loc, region: w.s.paths.region(v.Of.path)})
	w.operation(v, wire.Failed, t, false)
}

// forgottenLevels are the forgotten selects of locations between two batches, for the second look. Most have none.
type forgottenLevels struct {
	mu   sync.Mutex
	list [][]uint32
}

// save returns a number for the forgotten selects in open levels; 0 if there are none.
func (f *forgottenLevels) save(open *levels.Stack[level]) uint32 {
	counts := open.Forgotten()
	if counts == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, counts)
	return uint32(len(f.list))
}

// restore puts them back; it may not happen at the same time as save.
func (f *forgottenLevels) restore(open *levels.Stack[level], number uint32) {
	if number > 0 {
		open.Remember(f.list[number-1])
	}
}
