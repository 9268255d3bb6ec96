package otf2

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// one makes the events of a location, each at another time.
type one struct{ events [][]uint64 }

func (o *one) does(e ...uint64) {
	o.events = append(o.events, append([]uint64{0, uint64(101 + len(o.events))}, e...))
}

// goesOn lets a location suspend its task, and go on with another one.
func (o *one) goesOn(task uint64) {
	o.does(idThreadTaskSwitch, 7, 0, 0)
	o.does(idThreadTaskSwitch, 7, 0, task)
}

const lostTasks = "tasks are within more than 1024 others, or more than 65536 suspended at once, or more than 128 regions open in them then: what is beyond that is missing"

// TestDeepTask: a task in which 1,000 regions are open is suspended and resumed 1,000 times, by its location or by another one. No more of them are entered again than are kept, and all that are open are left in the end.
func TestDeepTask(t *testing.T) {
	const n = 1000
	for _, untied := range []bool{false, true} {
		var o one
		o.does(idEnter, 0)
		o.does(idThreadTaskSwitch, 7, 0, 1)
		if untied {
			o.does(idThreadTaskComplete, 7, 0, 1)
			o.does(idThreadTaskSwitch, 7, 0, 1)
			o.does(idLeave, 3)
		}
		for range n {
			o.does(idEnter, 2)
		}
		for range n {
			o.goesOn(1)
		}
		for range n {
			o.does(idLeave, 2)
		}
		o.does(idThreadTaskComplete, 7, 0, 1)
		o.does(idLeave, 0)
		for _, chunk := range []uint64{0, 4096} {
			a := tasks(t, chunk, o.events)
			s, _ := a.survey()
			require.Equal(t, untied, s.untied != nil)
			require.Contains(t, s.Header.Notes, lostTasks)
			decode, depth := s.decoder(), 0
			for i := range s.Chunks {
				var to trace.Batch
				require.NoError(t, decode(i, &to))
				require.LessOrEqual(t, len(to.Events), mostKept*s.Chunks[i].Events)
				for _, e := range to.Events {
					switch e.Kind {
					case wire.Enter:
						depth++
					case wire.Exit:
						depth -= 1 + int(e.ID)
					}
					require.GreaterOrEqual(t, depth, 0)
				}
			}
			require.Zero(t, depth)
		}
	}
}

// TestNestedTasks: a location that executes tasks in each other, and completes none of them, keeps no more than it may.
func TestNestedTasks(t *testing.T) {
	const n = 5000
	var o one
	o.does(idEnter, 0)
	for i := range uint64(n) {
		o.does(idThreadTaskSwitch, 7, 0, i+1)
	}
	o.does(idThreadTaskSwitch, 7, 0, 0)
	o.does(idLeave, 0)
	s, _ := tasks(t, 96, o.events).survey()
	for _, w := range s.starts {
		require.LessOrEqual(t, len(w.stack), 1+mostNested)
	}
	require.Contains(t, s.Header.Notes, lostTasks)
}

// TestSmallChunks: however many regions are open, or tasks suspended, where chunks begin that are small, what is known there is together not larger than the events are many; and what is read is the same.
func TestSmallChunks(t *testing.T) {
	const n = 5000
	var deep, suspended one
	for range n {
		deep.does(idEnter, 2)
	}
	for i := range uint64(n) {
		suspended.does(idThreadTaskSwitch, 7, 0, i+1)
		suspended.does(idEnter, 2)
		suspended.does(idThreadTaskSwitch, 7, 0, 0)
	}
	for range n {
		deep.does(idLeave, 2)
		suspended.does(idEnter, 2)
		suspended.does(idLeave, 2)
	}
	for _, o := range []one{deep, suspended} {
		a := tasks(t, 64, o.events)
		s, _ := a.survey()
		size, events := 0, 0
		for i, w := range s.starts {
			size += w.size()
			events += s.Chunks[i].Events
		}
		require.Equal(t, len(o.events), events)
		require.LessOrEqual(t, size, len(o.events)+startsAtFirst)
		require.Greater(t, len(s.starts), 2)
		require.Equal(t, eventsOf(t, tasks(t, 0, o.events).Trace()), eventsOf(t, a.Trace()))
	}
}

// TestJoinedDamage: chunks that are read together are each read up to what is damaged in them, and what is wrong with the first one is told.
func TestJoinedDamage(t *testing.T) {
	a := tasks(t, 64, func() [][]uint64 {
		var o one
		for range 20 {
			o.does(idEnter, 2)
		}
		return o.events
	}())
	chunks, problems := a.Chunks(a.Locations[0])
	require.Empty(t, problems)
	require.Greater(t, len(chunks), 4)
	read := func(breaks func(next []span)) (n int, err error) {
		c := chunks[0]
		for _, next := range chunks[1:] {
			c.join(next)
		}
		breaks(c.joined)
		r := a.NewReader()
		defer r.Close()
		require.NoError(t, r.Open(c))
		for r.Next() || r.onward() {
			n++
		}
		return n, r.Err()
	}
	n, err := read(func([]span) {})
	require.NoError(t, err)
	require.Equal(t, 20, n)
	n, err = read(func(next []span) { next[0].offset++ })
	require.ErrorContains(t, err, "not a chunk")
	require.Equal(t, 20-int(chunks[1].Events), n)
	n, err = read(func(next []span) { next[0].size = 30 })
	require.Error(t, err)
	require.Less(t, n, 20)
	require.GreaterOrEqual(t, n, 20-int(chunks[1].Events))
}

// TestUntiedKeepsLittle: in an archive with an untied task, only tasks that are suspended, or in which something is left that others entered, are noted; and where these are too many, what is open in them is not followed.
func TestUntiedKeepsLittle(t *testing.T) {
	archive := func(whole, suspended int) *Archive {
		var o one
		o.does(idEnter, 0)
		o.does(idThreadTaskSwitch, 7, 0, 1)
		o.does(idLeave, 3)
		o.does(idThreadTaskComplete, 7, 0, 1)
		for i := range uint64(whole) {
			o.does(idThreadTaskSwitch, 7, 0, i+2)
			o.does(idEnter, 2)
			o.does(idLeave, 2)
			o.does(idThreadTaskComplete, 7, 0, i+2)
		}
		o.does(idThreadTaskSwitch, 7, 1, 1)
		o.does(idEnter, 2)
		for range suspended {
			o.does(idThreadTaskSwitch, 7, 0, 0)
			o.does(idThreadTaskSwitch, 7, 1, 1)
		}
		o.does(idLeave, 2)
		o.does(idThreadTaskComplete, 7, 1, 1)
		o.does(idLeave, 0)
		return tasks(t, 0, o.events)
	}
	s, _ := archive(1000, 10).survey()
	require.NotNil(t, s.untied)
	s.untied = make([]map[int32]kept, 1) // as before all was looked at
	all := s.look()
	require.Len(t, all[0].segments, 1+10+1)
	require.Empty(t, s.Header.Notes)

	const tooMany = "what is open in tasks that one thread suspends and another one resumes is not known of all of them: there are too many"
	s, _ = archive(1000, 10).survey()
	s.untied = nil
	first := s.look()
	require.Equal(t, 1+2*10, first[0].suspended, "each time with the region that is open")
	first[0].suspended = mostSegments + 1
	require.Equal(t, first[0].suspended, s.unties(first)[0].suspended)
	require.Nil(t, s.untied)
	require.Equal(t, []string{tooMany}, s.Header.Notes)
}

// TestUntiedAtOnce: a location begins a task and suspends it in the same tick in which another one resumes it.
func TestUntiedAtOnce(t *testing.T) {
	const enter, leave, goes, completes = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete
	begins := [][]uint64{{1, 100, enter, 0}, {1, 105, enter, 1}, {1, 110, goes, 7, 0, 1}, {1, 110, enter, 2}, {1, 110, goes, 7, 1, 0}, {1, 190, leave, 1}, {1, 200, leave, 0}}
	resumes := [][]uint64{{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 140, leave, 2}, {0, 140, completes, 7, 0, 1}, {0, 140, goes, 7, 0, 0}, {0, 190, leave, 1}, {0, 200, leave, 0}}
	for i, events := range [][][]uint64{slices.Concat(begins, resumes), slices.Concat(resumes, begins)} {
		times, _ := spent(t, tasks(t, 0, events))
		require.Equal(t, 30, times[[]string{"[1 main barrier task]", "[0 main barrier task]"}[i]])
	}
	begins = slices.Insert(slices.Clone(begins), 5, []uint64{1, 150, goes, 7, 0, 1}, []uint64{1, 170, leave, 2}, []uint64{1, 170, completes, 7, 0, 1}, []uint64{1, 170, goes, 7, 1, 0})
	resumes[3], resumes[4] = []uint64{0, 140, goes, 7, 0, 0}, []uint64{0, 141, enter, 3}
	resumes[5] = []uint64{0, 142, leave, 3}
	times, _ := spent(t, tasks(t, 0, slices.Concat(resumes, begins)))
	require.Equal(t, []int{30, 20}, []int{times["[0 main barrier task]"], times["[1 main barrier task]"]})

	// All in one tick; then the team is forked again, and has a task of the same number.
	times, _ = spent(t, tasks(t, 0, [][]uint64{
		{0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 110, leave, 3}, {0, 110, leave, 2}, {0, 110, completes, 7, 0, 1}, {0, 150, goes, 7, 0, 1}, {0, 150, enter, 2}, {0, 155, goes, 7, 0, 0}, {0, 157, goes, 7, 0, 1}, {0, 160, leave, 2}, {0, 160, completes, 7, 0, 1},
		{0, 190, leave, 1}, {0, 200, leave, 0},
		{1, 100, enter, 0}, {1, 110, goes, 7, 0, 1}, {1, 110, enter, 2}, {1, 110, enter, 3}, {1, 110, goes, 7, 1, 0}, {1, 200, leave, 0},
	}))
	require.Equal(t, 5+3, times["[0 main barrier task]"])
}

// TestUntiedToTheEnd: a location goes on with a task of another one until its events end.
func TestUntiedToTheEnd(t *testing.T) {
	const enter, leave, goes = idEnter, idLeave, idThreadTaskSwitch
	for _, chunk := range []uint64{0, 64} {
		a := tasks(t, chunk, [][]uint64{
			{0, 100, enter, 0}, {0, 110, goes, 7, 0, 1}, {0, 110, enter, 2}, {0, 120, goes, 7, 0, 0}, {0, 200, leave, 0},
			{1, 100, enter, 0}, {1, 130, goes, 7, 0, 1}, {1, 140, enter, 3}, {1, 150, leave, 3},
		})
		events := eventsOf(t, a.Trace())[1]
		require.True(t, slices.ContainsFunc(events, func(e trace.Event) bool { return e.Kind == wire.Enter && e.ID == 2 && e.Word == trace.Elsewhere }))
	}
}

// TestSuspendedInTeam: a task that a thread executes in its team, not in a barrier, is not within a barrier, whatever region is the first one of the archive.
func TestSuspendedInTeam(t *testing.T) {
	const enter, leave, goes, begin, end = idEnter, idLeave, idThreadTaskSwitch, idThreadTeamBegin, idThreadTeamEnd
	a := tasks(t, 0, [][]uint64{
		{0, 100, enter, 3}, {0, 110, idThreadFork, openMP, 2}, {0, 110, begin, 7}, {0, 115, goes, 7, 0, 1}, {0, 115, enter, 2}, {0, 120, goes, 7, 0, 0}, {0, 125, enter, 1}, {0, 130, leave, 1},
		{0, 150, end, 7}, {0, 150, idThreadJoin, openMP}, {0, 160, leave, 3}, {1, 110, begin, 7}, {1, 125, enter, 1}, {1, 130, leave, 1}, {1, 150, end, 7},
	})
	a.records[a.index[Regions][0]].Values[8], a.records[a.index[Regions][0]].Values[9] = roleBarrier, openMP
	require.False(t, slices.ContainsFunc(eventsOf(t, a.Trace())[0], func(e trace.Event) bool { return e.Kind == wire.Within }))
}

// TestTeamInUntied: a thread that has taken a task over forks a team there. Its other thread works below all that is open in the task.
func TestTeamInUntied(t *testing.T) {
	const enter, leave, goes, completes, begin, end = idEnter, idLeave, idThreadTaskSwitch, idThreadTaskComplete, idThreadTeamBegin, idThreadTeamEnd
	for _, loc := range []uint64{0, 1} {
		times, _ := spent(t, tasks(t, 0, slices.Concat([][]uint64{
			{1, 100, enter, 0}, {1, 105, enter, 1}, {0, 100, enter, 0}, {0, 105, enter, 1}, {0, 110, goes, 7, 0, 1}, {0, 110, enter, 2}, {0, 115, enter, 3}, {0, 116, enter, 3}, {0, 120, goes, 7, 0, 0},
			{loc, 130, goes, 7, 0, 1}, {loc, 130, leave, 3}, {loc, 131, idThreadFork, openMP, 2}, {loc, 131, begin, 9}, {loc, 131, enter, 0}, {loc, 150, leave, 0}, {loc, 150, end, 9}, {loc, 150, idThreadJoin, openMP},
			{loc, 160, leave, 3}, {loc, 165, leave, 2}, {loc, 165, completes, 7, 0, 1}, {loc, 166, goes, 7, loc, 0}, {0, 190, leave, 1}, {0, 200, leave, 0}, {1, 190, leave, 1}, {1, 200, leave, 0},
			{2, 100, enter, 1}, {2, 131, begin, 9}, {2, 131, enter, 0}, {2, 150, leave, 0}, {2, 150, end, 9}, {2, 200, leave, 1},
		})))
		require.Equal(t, 19, times["[2 barrier main barrier task f main]"], "%v", times)
	}
}
