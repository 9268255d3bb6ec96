package patterns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

func lock(loc uint32, begin, blocked, end int64) analyzer.Op {
	return op(wire.LockBegin, loc, begin, blocked, end)
}

func unlock(loc uint32, t int64) analyzer.Op { return point(wire.Release, loc, t) }

func rlock(loc uint32, begin, blocked, end int64) analyzer.Op {
	return mode(lock(loc, begin, blocked, end), wire.Shared)
}

func runlock(loc uint32, t int64) analyzer.Op { return mode(unlock(loc, t), wire.Shared) }

func TestLock(t *testing.T) {
	run(t, []scenario{
		{"one holder", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), lock(2, 10, 11, 40), unlock(2, 50)},
			[]string{"lock_competition 2 10-30 by 1@0"}, 0},
		{"every holder gets its part", wire.Mutex, 0, ops{
			lock(1, 0, atOnce, 1), unlock(1, 20), lock(3, 5, 6, 22), unlock(3, 50), lock(2, 10, 11, 60), unlock(2, 61)},
			[]string{"lock_competition 3 5-20 by 1@0", "lock_competition 2 10-20 by 1@0", "lock_competition 2 22-50 by 3@5"}, 0},
		{"the long holder, not the last one", wire.Mutex, 0, ops{
			lock(1, 0, atOnce, 0), unlock(1, 100), lock(2, 10, 11, 110), unlock(2, 111), lock(3, 20, 21, 120), unlock(3, 121)},
			[]string{"lock_competition 2 10-100 by 1@0", "lock_competition 3 20-100 by 1@0", "lock_competition 3 110-111 by 2@10"}, 0},
		{"an acquisition that did not block", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), lock(2, 10, atOnce, 40), unlock(2, 50)},
			nil, 0},
		{"a free lock", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 10), lock(2, 10, 11, 40), unlock(2, 50)},
			nil, 0},
		{"a try that failed", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), with(lock(2, 10, atOnce, 12), wire.Failed), lock(3, 11, 12, 31), unlock(3, 32)},
			[]string{"lock_competition 3 11-30 by 1@0"}, 0},
		{"an acquisition whose end is lost", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), with(lock(2, 10, 11, 50), wire.Failed), lock(3, 35, 36, 40), unlock(3, 41)},
			[]string{"lock_competition 2 10-30 by 1@0", "lock_competition 2 40-41 by 3@35"}, 0},
		{"released by another goroutine", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), lock(2, 10, 11, 35), unlock(2, 40), unlock(3, 30)},
			[]string{"lock_competition 2 10-30 by 3@30"}, 0},
		{"always released by another goroutine", wire.Mutex, 0, ops{
			lock(1, 0, atOnce, 1), lock(1, 10, 11, 35), lock(1, 40, 41, 55), unlock(2, 30), unlock(2, 50), unlock(2, 60), lock(3, 52, 53, 61), unlock(3, 62)},
			[]string{"lock_competition 1 10-30 by 2@30", "lock_competition 1 40-50 by 2@50", "lock_competition 3 55-60 by 2@60"}, 0},
		{"a release is missing", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), lock(3, 50, atOnce, 51), unlock(3, 60), lock(2, 10, 11, 70), unlock(2, 71)},
			[]string{"lock_competition 2 10-51 by 1@0", "lock_competition 2 51-60 by 3@50"}, 0},
		{"an acquisition is missing", wire.Mutex, 0, ops{unlock(1, 30), lock(2, 10, 11, 35), unlock(2, 40)},
			nil, 1},
		{"holds shorter than the resolution", wire.Mutex, 0, ops{
			lock(1, 0, atOnce, 64), unlock(1, 64), lock(2, 0, 0, 64), unlock(2, 128), lock(3, 0, 0, 128), unlock(3, 128)},
			[]string{"lock_competition 3 64-128 by 2@0"}, 0},
		{"never released", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), open(lock(2, 10, 11, 100))},
			[]string{"lock_competition 2 10-100 by 1@0"}, 0},
		{"locked twice by one goroutine", wire.Mutex, 0, ops{lock(1, 0, atOnce, 1), open(lock(1, 10, 11, 100))},
			[]string{"external_wait 1 11-100"}, 0},
	})
}

func TestRWLock(t *testing.T) {
	run(t, []scenario{
		{"reader waits for a writer", wire.RWMutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), rlock(2, 10, 11, 33), runlock(2, 40)},
			[]string{"rw_reader_wait 2 10-30 by 1@0"}, 0},
		{"readers do not wait for readers", wire.RWMutex, 0, ops{rlock(1, 0, atOnce, 1), runlock(1, 30), rlock(2, 10, 11, 33), runlock(2, 40)},
			nil, 0},
		{"writers wait for writers", wire.RWMutex, 0, ops{lock(1, 0, atOnce, 1), unlock(1, 30), lock(2, 10, 11, 33), unlock(2, 40)},
			[]string{"lock_competition 2 10-30 by 1@0"}, 0},
		{"reader waits for a pending writer", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), runlock(1, 40), lock(2, 10, 11, 41), unlock(2, 60), rlock(3, 20, 21, 62), runlock(3, 63)},
			[]string{"rw_writer_wait 2 10-40 by 1@0", "rw_reader_wait 3 20-60 by 2@10"}, 0},
		{"writer waits for a writer, then for readers", wire.RWMutex, 0, ops{
			lock(1, 0, atOnce, 1), unlock(1, 20), rlock(2, 5, 6, 21), runlock(2, 50), lock(3, 10, 11, 51), unlock(3, 52)},
			[]string{"rw_reader_wait 2 5-20 by 1@0", "lock_competition 3 10-20 by 1@0", "rw_writer_wait 3 20-50 by 2@5"}, 0},
		{"the last reader to leave", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), runlock(1, 30), rlock(2, 0, atOnce, 2), runlock(2, 50), rlock(3, 3, atOnce, 4), runlock(3, 40),
			lock(4, 10, 11, 52), unlock(4, 53)},
			[]string{"rw_writer_wait 4 10-50 by 2@0"}, 0},
		{"what the writer acquired shared itself, and gave to others", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), rlock(1, 2, atOnce, 3), runlock(2, 30), runlock(3, 50), lock(1, 10, 11, 52), unlock(1, 53)},
			[]string{"rw_writer_wait 1 10-50 by 3@50"}, 0},
		{"readers that left before the writer came", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), runlock(1, 9), lock(4, 10, 11, 52), unlock(4, 53)},
			nil, 0},
		{"a writer that is next does not keep a reader", wire.RWMutex, 0, ops{
			lock(1, 0, atOnce, 1), unlock(1, 30), rlock(2, 10, 11, 35), runlock(2, 38), lock(3, 12, 13, 40), unlock(3, 41)},
			[]string{"rw_reader_wait 2 10-30 by 1@0", "lock_competition 3 12-30 by 1@0", "rw_writer_wait 3 30-38 by 2@10"}, 0},
		{"recursive reader behind a writer", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), open(rlock(1, 20, 21, 100)), open(lock(2, 10, 11, 100))},
			[]string{"rw_writer_wait 2 10-100 by 1@0", "rw_reader_wait 1 20-100 by 2@10"}, 0},
		{"nested shared holds", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), rlock(1, 2, atOnce, 3), runlock(1, 20), runlock(1, 40), lock(2, 10, 11, 42), unlock(2, 50)},
			[]string{"rw_writer_wait 2 10-40 by 1@0"}, 0},
		{"a writer waits for whom it has handed its shared hold to", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), lock(1, 10, 11, 42), unlock(1, 50), runlock(2, 40)},
			[]string{"rw_writer_wait 1 10-40 by 2@40"}, 0},
		{"a shared release is missing", wire.RWMutex, 0, ops{
			rlock(1, 0, atOnce, 1), lock(2, 10, 11, 42), unlock(2, 50), lock(3, 60, 61, 70), unlock(3, 71)},
			[]string{"rw_writer_wait 2 10-42 by 1@0"}, 0},
	})
}

// A wait through very many holds has a bounded number of parts; their sum is exact, and the holder that
// matters is charged with at least what it held.
func TestWaitThroughManyHolds(t *testing.T) {
	list := ops{}
	held, long, now := int64(0), int64(0), int64(1000)
	for i := range int64(5000) {
		loc, length := uint32(1), 10+i%7
		if i%500 == 250 {
			loc, length = 2, 1000
			long += length
		}
		list = append(list, lock(loc, now, atOnce, now), unlock(loc, now+length))
		held += length
		now += length + 3
	}
	list = append(list, lock(3, 1005, 1006, now), unlock(3, now+1))
	ops, waits, _ := match(wire.Mutex, 0, list)
	require.LessOrEqual(t, len(waits), 200)
	var sum, charged, last int64
	for _, w := range waits {
		require.EqualValues(t, 3, ops[w.Op].Loc)
		require.LessOrEqual(t, last, w.Begin)
		last = w.Release
		sum += w.Release - w.Begin
		if w.Causer == 2 {
			charged += w.Release - w.Begin
		}
	}
	require.Equal(t, held-5, sum)
	require.GreaterOrEqual(t, charged, long)
	require.Less(t, charged, 2*long)
	require.Equal(t, now-3, last)
}
