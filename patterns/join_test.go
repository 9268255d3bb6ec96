package patterns_test

import (
	"testing"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

func add(loc uint32, t int64, n uint32) analyzer.Op { return mode(point(wire.Add, loc, t), n) }
func done(loc uint32, t int64) analyzer.Op          { return mode(point(wire.Done, loc, t), 1) }
func wait(loc uint32, begin, end int64) analyzer.Op {
	return op(wire.JoinBegin, loc, begin, atOnce, end)
}

func TestJoin(t *testing.T) {
	run(t, []scenario{
		{"last done", wire.WaitGroup, 0, ops{add(1, 0, 3), wait(1, 10, 100), done(2, 30), done(3, 90), done(4, 60)},
			[]string{"join_wait 1 10-90 by 3@90 from 60"}, 0},
		{"all were done", wire.WaitGroup, 0, ops{add(1, 0, 2), wait(1, 50, 51), done(2, 30), done(3, 40)},
			nil, 0},
		{"nothing to wait for", wire.WaitGroup, 0, ops{wait(1, 50, 51)}, nil, 0},
		{"mean before the wait", wire.WaitGroup, 0, ops{add(1, 0, 2), wait(1, 80, 100), done(2, 10), done(3, 90)},
			[]string{"join_wait 1 80-90 by 3@90"}, 0},
		{"two generations", wire.WaitGroup, 0, ops{
			add(1, 0, 2), wait(1, 10, 50), add(1, 100, 1), wait(1, 110, 150), done(2, 20), done(2, 140), done(3, 40)},
			[]string{"join_wait 1 10-40 by 3@40 from 30", "join_wait 1 110-140 by 2@140 from 140"}, 0},
		{"two waiters", wire.WaitGroup, 0, ops{add(1, 0, 1), wait(1, 10, 50), wait(2, 20, 51), done(3, 40)},
			[]string{"join_wait 1 10-40 by 3@40 from 40", "join_wait 2 20-40 by 3@40 from 40"}, 0},
		{"a done is missing", wire.WaitGroup, 0, ops{
			add(1, 0, 2), wait(1, 10, 50), add(1, 60, 1), wait(1, 70, 100), done(2, 40), done(2, 90)},
			[]string{"join_wait 1 10-40 by 2@40 from 40", "join_wait 1 70-90 by 2@90 from 90"}, 1},
		{"a generation without dones", wire.WaitGroup, 0, ops{
			add(1, 0, 1), wait(1, 10, 50), add(1, 60, 1), wait(1, 70, 100), wait(3, 20, 101), done(2, 40)},
			[]string{"join_wait 1 10-40 by 2@40 from 40", "join_wait 3 20-40 by 2@40 from 40"}, 1},
		{"adds are missing", wire.WaitGroup, 0, ops{wait(1, 10, 50), done(2, 30), done(3, 40)},
			[]string{"join_wait 1 10-40 by 3@40 from 40"}, 0},
		{"never done", wire.WaitGroup, 0, ops{add(1, 0, 2), open(wait(1, 10, 100)), done(2, 40)},
			[]string{"external_wait 1 10-100"}, 0},
		{"done but never ended", wire.WaitGroup, 0, ops{add(1, 0, 1), open(wait(1, 10, 100)), done(2, 40)},
			[]string{"join_wait 1 10-40 by 2@40 from 40"}, 0},
	})
}

func TestCond(t *testing.T) {
	condWait := func(loc uint32, begin, end int64) analyzer.Op { return op(wire.CondBegin, loc, begin, atOnce, end) }
	run(t, []scenario{
		{"signals wake the oldest", wire.Cond, 0, ops{
			condWait(1, 10, 60), condWait(2, 5, 41), point(wire.Signal, 3, 40), point(wire.Signal, 3, 50)},
			[]string{"cond_wait 2 5-40 by 3@40", "cond_wait 1 10-50 by 3@50"}, 0},
		{"broadcast wakes all", wire.Cond, 0, ops{condWait(1, 10, 60), condWait(2, 5, 61), point(wire.Broadcast, 3, 40)},
			[]string{"cond_wait 1 10-40 by 3@40", "cond_wait 2 5-40 by 3@40"}, 0},
		{"a signal without waiter is lost", wire.Cond, 0, ops{point(wire.Signal, 3, 1), condWait(1, 10, 60), point(wire.Signal, 3, 50)},
			[]string{"cond_wait 1 10-50 by 3@50"}, 0},
		{"a signal is missing", wire.Cond, 0, ops{condWait(1, 10, 20), condWait(2, 15, 60), point(wire.Signal, 3, 50)},
			[]string{"external_wait 1 10-20", "cond_wait 2 15-50 by 3@50"}, 0},
		{"never signalled", wire.Cond, 0, ops{open(condWait(1, 10, 100)), point(wire.Signal, 3, 5)},
			[]string{"external_wait 1 10-100"}, 0},
	})
}

func TestOnce(t *testing.T) {
	do := func(loc uint32, begin, end int64) analyzer.Op { return op(wire.OnceBegin, loc, begin, atOnce, end) }
	runs := func(loc uint32, begin, end int64) analyzer.Op { return mode(do(loc, begin, end), 1) }
	run(t, []scenario{
		{"waits for the one that runs", wire.Once, 0, ops{
			do(1, 10, 101), runs(2, 5, 100), point(wire.OnceRun, 2, 6), do(3, 20, 99), do(3, 110, 110)},
			[]string{"once_wait 1 10-100 by 2@5", "once_wait 3 20-99 by 2@5"}, 0},
		{"done long ago", wire.Once, 0, ops{runs(2, 5, 100), point(wire.OnceRun, 2, 6), do(1, 100, 101), do(2, 200, 201)}, nil, 0},
		{"called from within", wire.Once, 0, ops{open(runs(1, 5, 100)), point(wire.OnceRun, 1, 6), open(do(1, 10, 100))},
			[]string{"external_wait 1 10-100"}, 0},
		{"the run is missing", wire.Once, 0, ops{do(2, 5, 100)}, nil, 0},
		{"never ends", wire.Once, 0, ops{open(runs(1, 5, 100)), point(wire.OnceRun, 1, 6), open(do(2, 10, 100))},
			[]string{"once_wait 2 10-100 by 1@5"}, 0},
	})
}

func TestBarrier(t *testing.T) {
	arrive := func(loc uint32, begin, end int64, generation uint32) analyzer.Op {
		return mode(op(wire.BarrierBegin, loc, begin, atOnce, end), generation)
	}
	run(t, []scenario{
		{"one is late", wire.Barrier, 3, ops{
			arrive(1, 10, 95, 0), arrive(2, 20, 92, 0), arrive(3, 90, 91, 0),
			arrive(1, 100, 151, 1), arrive(2, 150, 151, 1), arrive(3, 120, 151, 1)},
			[]string{
				"barrier_wait 1 10-90 by 3@90", "barrier_wait 2 20-90 by 3@90", "barrier_completion 1 91-95", "barrier_completion 2 91-92",
				"barrier_wait 1 100-150 by 2@150", "barrier_wait 3 120-150 by 2@150"}, 0},
		{"all at once", wire.Barrier, 2, ops{arrive(1, 64, 64, 0), arrive(2, 64, 64, 0)}, nil, 0},
		{"first out before the latest came, by its stamp", wire.Barrier, 2, ops{arrive(1, 10, 40, 7), arrive(2, 50, 60, 7)},
			[]string{"barrier_wait 1 10-40 by 2@50", "barrier_completion 2 50-60"}, 0},
		{"somebody never came", wire.Barrier, 3, ops{open(arrive(1, 10, 100, 0)), open(arrive(2, 20, 100, 0))},
			[]string{"external_wait 1 10-100", "external_wait 2 20-100"}, 0},
	})
}
