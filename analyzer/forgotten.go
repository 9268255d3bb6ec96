package analyzer

import (
	"cmp"
	"fmt"
	"sync"

	"tracerec/trace/wire"
)

// A select whose case tells nothing of itself stays open in the record, and with it whatever encloses it would be wrong.
// It is closed at the next thing that its goroutine does. As later events count it as a level, those are
// remembered: how many lie directly in each open level.

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

// inSelect says whether a select is the innermost level.
func (l *location) inSelect() bool {
	n := len(l.stack)
	return n > 0 && l.stack[n-1].kind == wire.SelectBegin
}

// forget closes the select that the location left without a word, if it is in one.
func (w *scanner) forget(l *location, t int64) {
	if !l.inSelect() {
		return
	}
	n := len(l.stack) - 1
	v := &l.stack[n]
	w.forgotten.add(&forgotten{n: 1, begin: v.begin, loc: w.loc, region: w.s.paths.region(v.path)})
	w.shut(l, n, wire.Failed, t)
	*l.forgottenIn(n)++
}

// forgottenIn returns how many forgotten selects lie directly in the innermost of n open levels.
func (l *location) forgottenIn(n int) *uint32 {
	if n == 0 {
		return &l.forgotten
	}
	return &l.stack[n-1].forgotten
}

// forgottenLevels are the forgotten selects of locations between two batches, for the second look. Most have none.
type forgottenLevels struct {
	mu   sync.Mutex
	list [][]uint32
}

// save returns a number for the forgotten selects in the levels of l; 0 if there are none.
func (f *forgottenLevels) save(l *location) uint32 {
	any := l.forgotten
	for i := range l.stack {
		any |= l.stack[i].forgotten
	}
	if any == 0 {
		return 0
	}
	counts := []uint32{l.forgotten}
	for i := range l.stack {
		counts = append(counts, l.stack[i].forgotten)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, counts)
	return uint32(len(f.list))
}

// restore puts them back; it may not happen at the same time as save.
func (f *forgottenLevels) restore(l *location, number uint32) {
	if number > 0 {
		for n, count := range f.list[number-1] {
			*l.forgottenIn(n) = count
		}
	}
}
