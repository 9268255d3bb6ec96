package algebra

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tracerec/report/cube"
)

// term is what one input has to say about a metric of the union.
type term struct {
	in     *operand
	metric *cube.Metric // with stored values
	n      int          // of so many runs
	whole  bool         // into wants the value of the union's location at once, not piece by piece
	into   func(sum, v cube.Value, column int) cube.Value
	totals []cube.Value // by call path of the union: value of all locations together, if wanted
}

// fill computes the values of a metric of the union from those of the inputs, one row after the other, in parallel.
func (u *union) fill(to *cube.Metric, terms ...*term) error {
	list := u.stored(to.Kind, terms)
	rows := make([]cube.Row, len(list))
	err := parallel(len(list), func() func(int) error {
		w := &rowWorker{union: u, to: to, terms: terms, sum: make([]cube.Value, len(u.units)), part: make([]cube.Value, len(u.units))}
		return func(i int) (err error) {
			rows[i], err = w.row(list[i])
			return err
		}
	})
	if err != nil {
		return fmt.Errorf("metric %s: %w", to.Name, err)
	}
	paths := u.cube.Paths()
	for i, r := range rows {
		if r.Len() == 0 || r.Zero() {
			continue
		}
		if err := to.Set(paths[list[i]], r); err != nil {
			return err
		}
	}
	return nil
}

// stored lists the call paths of the union that one of the terms has values for, ascending.
func (u *union) stored(kind cube.Kind, terms []*term) []int32 {
	has := make([]bool, len(u.cube.Paths()))
	for _, t := range terms {
		for _, p := range t.metric.Stored() {
			if i := t.in.paths[p.Index()]; i >= 0 {
				has[i] = true
			}
			if t.metric.Kind != kind && p.Parent != nil && t.in.paths[p.Parent.Index()] >= 0 {
				has[t.in.paths[p.Parent.Index()]] = true // whose own part changes with that of its calls
			}
		}
	}
	var list []int32
	for i, ok := range has {
		if ok {
			list = append(list, int32(i))
		}
	}
	return list
}

// rowWorker computes rows of one metric.
type rowWorker struct {
	*union
	to        *cube.Metric
	terms     []*term
	sum, part []cube.Value // by column
	set       []int32      // columns of sum that are set
}

// few is what part of the columns is worth a row that is dense.
const few = 8

func (w *rowWorker) row(path int32) (cube.Row, error) {
	for _, t := range w.terms {
		if err := w.add(t, path); err != nil {
			return cube.Row{}, fmt.Errorf("%s: %w", t.in.Name, err)
		}
	}
	defer w.clear()
	if len(w.set) > len(w.sum)/few {
		return cube.MakeRow(w.to.DType, w.sum)
	}
	slices.Sort(w.set)
	values := make([]cube.Value, len(w.set))
	for i, column := range w.set {
		values[i] = w.sum[column]
	}
	return cube.MakeSparseRow(w.to.DType, len(w.sum), w.set, values)
}

// clear forgets the last row.
func (w *rowWorker) clear() {
	for _, column := range w.set {
		w.sum[column] = cube.Value{}
	}
	w.set = w.set[:0]
}

// put adds a value to the row.
func (w *rowWorker) put(t *term, column int, v cube.Value) {
	before := w.sum[column]
	if w.sum[column] = t.into(before, v, column); before == (cube.Value{}) {
		w.set = append(w.set, int32(column))
	}
}

// add adds what one input has at a call path.
func (w *rowWorker) add(t *term, path int32) error {
	sources := t.in.sources(path, w.to.Kind)
	if len(sources) == 0 {
		return nil
	}
	var total cube.Value
	pieces := t.whole && (len(sources) > 1 || !t.in.same)
	if pieces {
		clear(w.part)
	}
	take := func(column int, v cube.Value) {
		if t.totals != nil {
			total = aggregate(t.metric, total, v)
		}
		column = int(t.in.columns[column])
		if pieces {
			w.part[column] = aggregate(t.metric, w.part[column], v)
		} else {
			w.put(t, column, v)
		}
	}
	for _, p := range sources {
		if err := values(t.metric, t.in.Cube.Paths()[p], w.to.Kind, take); err != nil {
			return err
		}
	}
	if pieces {
		for column, v := range w.part {
			if v != (cube.Value{}) {
				w.put(t, column, v)
			}
		}
	}
	if t.totals != nil {
		t.totals[path] = divide(total, t.n)
	}
	return nil
}

// aggregate combines two values, of which the zero Value is none.
func aggregate(m *cube.Metric, v, w cube.Value) cube.Value {
	if v == (cube.Value{}) {
		return w
	}
	return m.Aggregate(v, w)
}

// values calls take for the values of a metric at a call path that are not zero, as a metric of the given kind has them. A
// least or greatest value of zero is that of nothing.
func values(m *cube.Metric, p *cube.CallPath, kind cube.Kind, take func(column int, v cube.Value)) error {
	if m.Kind != kind && (m.Kind == cube.Inclusive || m.Kind == cube.Exclusive) {
		list, err := m.Values(p, kind == cube.Inclusive)
		if err != nil {
			return err
		}
		for i, v := range list {
			if !v.Zero() {
				take(i, v)
			}
		}
		return nil
	}
	r, err := m.Read(p)
	if err != nil {
		return err
	}
	for i, v := range r.All() {
		if !v.Zero() {
			take(i, v)
		}
	}
	return nil
}

// sources returns the call paths of the input whose values make up those of one of the union.
func (in *operand) sources(path int32, kind cube.Kind) []int32 {
	in.once.Do(func() {
		top := int32(-1)
		for _, to := range in.paths {
			top = max(top, to)
		}
		in.back = slices.Repeat([]int32{-1}, int(top)+1)
		for from, to := range in.paths { // parents come first, so what was pruned comes after the call path it is added to
			switch {
			case to < 0:
			case in.back[to] < 0:
				in.back[to] = int32(from)
			default:
				if in.more == nil {
					in.more = map[int32][]int32{}
				}
				in.more[to] = append(in.more[to], int32(from))
			}
		}
	})
	if int(path) >= len(in.back) || in.back[path] < 0 {
		return nil
	}
	list := in.back[path : path+1]
	if more := in.more[path]; more != nil && kind == cube.Exclusive {
		list = append(slices.Clone(list), more...)
	}
	return list
}

// parallel calls what for 0 to n−1, on all processors. Each of these has a function of its own, from begin. Of several errors
// that of the least number is returned.
func parallel(n int, begin func() func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, n)
	var failed atomic.Bool
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			what := begin()
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[i] = what(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
