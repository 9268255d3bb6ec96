package analyzer

// stamped is an operation with the time of one of its events.
type stamped struct {
	time int64
	op   int32
}

// sortOrder sorts m.order by time and leaves the order of equal times. It merges the runs it finds, of
// which there are as many as locations: n log(locations) instead of n log n.
func (m *Matcher) sortOrder() {
	a, runs := m.order, m.runs[:0]
	for i := range a {
		if i == 0 || a[i].time < a[i-1].time {
			runs = append(runs, int32(i))
		}
	}
	if cap(m.spare) < len(a) {
		m.spare = make([]stamped, cap(a))
	}
	b := m.spare[:len(a)]
	for len(runs) > 1 {
		k := 0
		for i := 0; i < len(runs); i += 2 {
			lo, mid, hi := int(runs[i]), len(a), len(a)
			if i+1 < len(runs) {
				mid = int(runs[i+1])
			}
			if i+2 < len(runs) {
				hi = int(runs[i+2])
			}
			mergeRuns(b[lo:hi], a[lo:mid], a[mid:hi])
			runs[k] = int32(lo)
			k++
		}
		a, b, runs = b, a, runs[:k]
	}
	m.order, m.spare, m.runs = a, b, runs
}

// mergeRuns merges x and y into dst; of equal times those of x come first.
func mergeRuns(dst, x, y []stamped) {
	i, j := 0, 0
	for k := range dst {
		if j == len(y) || i < len(x) && x[i].time <= y[j].time {
			dst[k] = x[i]
			i++
		} else {
			dst[k] = y[j]
			j++
		}
	}
}

// fifo is a queue of operations. Its memory is reused only when it is empty or reset.
type fifo struct {
	items []int32
	head  int
}

func (f *fifo) len() int       { return len(f.items) - f.head }
func (f *fifo) at(i int) int32 { return f.items[f.head+i] }
func (f *fifo) push(op int32)  { f.items = append(f.items, op) }
func (f *fifo) reset()         { f.items, f.head = f.items[:0], 0 }

func (f *fifo) pop() int32 {
	op := f.items[f.head]
	if f.head++; f.head == len(f.items) {
		f.reset()
	}
	return op
}
