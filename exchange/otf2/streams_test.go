package otf2

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// The regions of archives that streamed makes; their numbers, and those of the strings that name them.
const (
	inProgram = iota
	inLaunch
	inSync
	inCopy
	inAsync
	inKernel
)

// streamed makes an archive of a process with a thread, 0, and a context of a GPU with stream 7. An event is a location, a time, a kind and its values; of Enter and Leave, what is behind the region
// is the stream that it refers to, none for nothing, and an event of CUDA. A tick is 1 µs, and the trace begins at 100.
func streamed(t testing.TB, chunk uint64, events [][]uint64) *Archive {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	w, err := Create(name, Anchor{EventChunk: chunk})
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e6, 100, 1000, 0)
	paradigms := []uint64{2, cuda, cuda, cuda, cuda, openMP}
	define("String", []string{"CUDRV"}, 20)
	for i, text := range []string{"main", "cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyDtoH_v2", "cuMemcpyDtoHAsync_v2", "kernel"} {
		define("String", []string{text}, uint64(i))
		define("Region", nil, uint64(i), uint64(i), uint64(i), 0, 20, 0, 0, uint64(i), 1, paradigms[i], 0)
	}
	define("LocationGroup", nil, 0, 0, 1, 0, 1<<32-1)
	define("LocationGroup", nil, 1, 0, accelerator, 0, 0)
	define("Location", nil, 0, 0, 1, 99, 0)
	define("Location", nil, 7, 5, acceleratorStream, 99, 1)
	if slices.ContainsFunc(events, func(e []uint64) bool { return e[0] == 8 }) {
		define("Location", nil, 8, 5, acceleratorStream, 99, 1)
	}
	streams := map[uint64]*EventWriter{}
	for _, e := range events {
		if streams[e[0]] == nil {
			streams[e[0]], err = w.Events(e[0])
			require.NoError(t, err)
		}
		x := Event{Record: Record{SpecOf(Events, uint8(e[2])), e[3:], nil}, Time: e[1]}
		if (e[2] == idEnter || e[2] == idLeave) && len(e) > 4 {
			x.Values, x.Attributes = e[3:4], []Attribute{{ID: 0, Type: typeLocation, Value: e[4]}}
		}
		if len(e) > 5 {
			x.Attributes = append(x.Attributes, Attribute{ID: 1, Type: 4, Value: e[5]})
		}
		if len(x.Attributes) > 0 && e[4] == none {
			x.Attributes = x.Attributes[1:]
		}
		streams[e[0]].Write(&x)
	}
	return closed(t, w, streams, name)
}

// TestStreams: what a thread gives a stream, what that executes, and who waits, whatever chunks are; a context of a device is no process.
func TestStreams(t *testing.T) {
	const enter, leave = idEnter, idLeave
	events := [][]uint64{
		{0, 100, enter, inProgram}, {0, 110, enter, inLaunch, 7}, {0, 112, leave, inLaunch}, {0, 120, enter, inSync, 7}, {0, 142, leave, inSync},
		{0, 150, enter, inCopy}, {0, 160, leave, inCopy}, {0, 170, enter, inAsync}, {0, 171, leave, inAsync}, {0, 200, leave, inProgram},
		{7, 105, enter, inKernel}, {7, 108, leave, inKernel}, {7, 115, enter, inKernel}, {7, 140, leave, inKernel},
		{7, 152, idRmaPut, 0, 0, 4, 1}, {7, 158, idRmaOpBlocking, 0, 1}, {7, 180, leave, inKernel},
	}
	for _, chunk := range []uint64{0, 256} {
		a := streamed(t, chunk, events)
		a.KeepClocks()
		x := a.Trace()
		d := x.Definitions()
		require.Len(t, d.Processes, 1)
		require.Equal(t, []string{"gpu_kernel_launches", "gpu_sync", "gpu_comm", "gpu_comm", "gpu_kernel_executions"},
			[]string{d.Regions[inLaunch].Class, d.Regions[inSync].Class, d.Regions[inCopy].Class, d.Regions[inAsync].Class, d.Regions[inKernel].Class})
		object := uint64(0)
		for i, o := range d.Objects {
			if o.Kind == wire.Device {
				object = uint64(i + 1)
			}
		}
		at := func(us int64, kind wire.Kind, id uint32, word uint64) trace.Event {
			return trace.Event{Time: us, Kind: kind, ID: id, Word: word}
		}
		about := func(us int64, what wire.Command, stream uint32) trace.Event {
			return at(us, wire.Commanded, stream, object|uint64(what)<<32)
		}
		in := func(us int64, region uint32) trace.Event { return at(us, wire.Enter, region, 0) }
		out := func(us int64) trace.Event { return at(us, wire.Exit, 0, 0) }
		idle := uint32(len(d.Regions) - 3)
		idles := func(us int64) trace.Event { return at(us, wire.Enter, idle, trace.Elsewhere) }
		got := eventsOf(t, x)
		for _, list := range got {
			for i := range list {
				list[i].Time /= 1000
			}
		}
		require.Equal(t, []trace.Event{in(0, inProgram), in(10, inLaunch), about(10, wire.Launches, 1), out(12), in(20, inSync), about(20, wire.Names, 1), about(42, wire.Synchronizes, 0), out(42),
			in(50, inCopy), about(60, wire.Copies, 0), out(60), in(70, inAsync), about(70, wire.Hands, 0), out(71), out(100), at(100, wire.End, 0, 0)}, got[0])
		require.Equal(t, []trace.Event{idles(5), about(5, wire.Idled, 1), out(5), in(5, inKernel), about(8, wire.Executed, 1), out(8), idles(8),
			about(15, wire.Idled, 1), out(15), in(15, inKernel), about(40, wire.Executed, 1), out(40), idles(40),
			about(52, wire.Idled, 1), out(52), in(52, idle+2), about(58, wire.Copied, 1), out(58), idles(58), out(80), out(80), idles(80), at(80, wire.End, 0, 0)}, got[1])
	}
}

// TestStreamClocks: no kernel begins before its launch, if that is known; the clock loses what it gained.
func TestStreamClocks(t *testing.T) {
	const enter, leave = idEnter, idLeave
	events := [][]uint64{{0, 100, enter, inProgram}, {0, 110, enter, inLaunch, 7}, {0, 111, leave, inLaunch}, {0, 200, enter, inLaunch, 7}, {0, 201, leave, inLaunch},
		{0, 300, enter, inLaunch, 7}, {0, 301, leave, inLaunch}, {0, 990, leave, inProgram},
		{7, 114, enter, inKernel}, {7, 150, leave, inKernel}, {7, 192, enter, inKernel}, {7, 250, leave, inKernel}, {7, 290, enter, inKernel}, {7, 350, leave, inKernel}}
	x := streamed(t, 0, events).Trace()
	var begins []int64
	for _, e := range eventsOf(t, x)[1] {
		if e.Kind == wire.Enter && e.ID == inKernel {
			begins = append(begins, e.Time/1000)
		}
	}
	// 192 is moved to 200, and 290 to 300; what is before is stretched from 100 × 8 µs before 192 on, so 114 is moved by 8 × (1 − 78/800).
	require.Equal(t, []int64{14 + 7, 100, 200}, begins)
	require.Equal(t, []string{"2 of 3 kernels began before they were launched: the clocks of 1 GPU stream were corrected, by up to 10.0 µs"}, x.Header().Notes)

	// Launches of archives that are looked at twice are noted once.
	a := streamed(t, 0, append([][]uint64{{0, 100, idThreadTaskSwitch, 7, 0, 1}, {0, 100, leave, inKernel}, {0, 100, idThreadTaskComplete, 7, 0, 1}}, events...))
	a.contacts = 3
	x = a.Trace()
	require.Equal(t, []string{"2 of 3 kernels began before they were launched: the clocks of 1 GPU stream were corrected, by up to 10.0 µs"}, x.Header().Notes)

	c := streamClocks{}
	require.Nil(t, c.stream([]int64{10, 20}, []kernel{{12, 15}, {25, 30}}))
	// The second kernel of three is lost: no launch is taken for that of another one.
	require.Equal(t, []knot{{1e6 - 200, 0}, {1e6, 2}}, c.stream([]int64{10, 20, 1e6 + 2}, []kernel{{12, 15}, {1e6, 1e6 + 5}}))
	require.Equal(t, 4, c.kernels)
	// After 200,000 ticks, 2 of 5 are lost, so 3 are no jump, but 4 are.
	require.Equal(t, []knot{{500, 0}, {1000, 5}}, new(streamClocks).stream([]int64{1005, 201003}, []kernel{{1000, 1010}, {201000, 201010}}))
	require.Equal(t, []knot{{500, 0}, {1000, 5}, {201000, 4}}, new(streamClocks).stream([]int64{1005, 201004}, []kernel{{1000, 1010}, {201000, 201010}}))
}

// TestStreamNames: a stream is no thread, and named as what it is.
func TestStreamNames(t *testing.T) {
	a, err := Open("../../../shared/data/otf2/casita/1_ocl_deps/traces.otf2")
	if err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	var got []trace.Location
	for _, l := range a.Trace().Definitions().Locations {
		got = append(got, trace.Location{Name: l.Name, Stream: l.Stream})
	}
	require.Equal(t, []trace.Location{{Name: "Master thread"}, {Name: "GPU stream Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz", Stream: true}}, got)
}

// FuzzStreams: whatever order events of a thread and a stream come in, times ascend, no more levels end on the stream than one for each region that did not begin, from any event on reading can go on from
// what is known there, and no kernel whose launch is known begins before that.
func FuzzStreams(f *testing.F) {
	f.Add([]byte{2, 0, 2, 1, 1, 0, 1, 1, 1, 2, 1, 3, 4, 0, 4, 1})
	f.Add([]byte{2, 0, 2, 1, 1, 2, 1, 2, 1, 3, 1, 1, 1, 0, 3, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 400)] // all that is known is copied at each event
		kinds := []uint8{idEnter, idLeave, idRmaGet, idRmaOpBlocking, idRmaPut, idRmaOpNonBlocking}
		a := twoThreads()
		a.Locations[1].Kind = acceleratorStream
		s := &source{a: a, programs: map[uint64]uint32{}}
		s.define()
		s.classify()
		s.passing.classes = []class{{}, {name: launchClass}, {name: copyClass, waits: wire.Copies}, {waits: wire.Synchronizes}}
		all, walks, events := make([]survey, 2), []*walk{newWalk(0), newWalk(0)}, [2][]Event{}
		for i := 0; i+1 < len(b); i += 2 {
			l, value := b[i]&1, uint64(b[i]>>1&3)
			spec := SpecOf(Events, kinds[int(b[i+1])%len(kinds)])
			e := Event{Record: Record{Spec: spec, Values: []uint64{value, 0, 1, 2}[:len(spec.Head)]}, Time: uint64(i)}
			if b[i]&8 == 0 {
				e.Attributes = []Attribute{{Type: typeLocation, Value: 1}}
			}
			v := &all[l]
			if v.forks.of == nil {
				v.forks.of = map[team][]forked{}
			}
			v.chunks, v.starts = append(v.chunks, Chunk{Time: e.Time}), append(v.starts, walks[l].clone())
			if l == 1 {
				v.kernel(s, walks[l], &e)
			} else {
				v.event(s, walks[l], &e)
			}
			walks[l].last = max(walks[l].last, s.since(e.Time))
			events[l] = append(events[l], e)
		}
		s.gather(all)
		streamEvents(t, s, events)
		if c := s.device.corrected(s, all); c != nil {
			clock := a.withStreamClocks(c).streamClockOf(a.Locations[1])
			late := 0
			for _, k := range all[1].kernels {
				for _, l := range all[0].launches {
					if begin := k.begin + clock.shift(k.begin); begin == l.time {
						late++
						break
					}
				}
			}
			require.Positive(t, late, "who is moved begins when it is launched")
		}
	})
}

// streamEvents checks what events become.
func streamEvents(t *testing.T, s *source, events [2][]Event) {
	chunk := 0
	for l, list := range events {
		w, depth, spare, last := newWalk(0), 1, 0, int64(0)
		for _, e := range list {
			from := s.starts[chunk].clone()
			from.last = w.last
			made := func(w *walk) []trace.Event {
				if l == 1 {
					return s.device.executes(s, 1, w, &e, nil)
				}
				return s.passes(s.of[l], &e, w, s.event(&e, w, nil, nil))
			}
			if e.Spec.ID == idLeave {
				spare++
			}
			want := made(w)
			require.Equal(t, want, made(from))
			for _, x := range want {
				require.GreaterOrEqual(t, x.Time, last)
				if last = x.Time; x.Kind == wire.Enter {
					depth++
				} else if x.Kind == wire.Exit {
					depth--
				}
				if l == 1 {
					require.GreaterOrEqual(t, depth+spare, 0)
				}
			}
			if l == 1 && len(w.stack) == 0 {
				require.LessOrEqual(t, depth, 1, "it is idle")
			}
			w.last = max(w.last, s.since(e.Time))
			chunk++
		}
	}
}

// TestStreamEvents: who waits for an event of CUDA waits for the stream in which it was recorded last, wherever chunks end; what waits for an event in a stream records none.
func TestStreamEvents(t *testing.T) {
	const enter, leave, record, wait, hold = idEnter, idLeave, inAsync, inSync, inCopy
	events := [][]uint64{{0, 100, enter, inProgram}}
	now := uint64(100)
	call := func(what, stream, event uint64) {
		events = append(events, []uint64{0, now + 1, enter, what}, []uint64{0, now + 2, leave, what, stream, event})
		now += 2
	}
	call(wait, none, 1) // which nobody has recorded
	call(record, 7, 1)
	call(wait, none, 1)
	call(record, 8, 2)
	call(hold, 7, 2) // the stream 7 waits for what 8 has recorded
	call(wait, none, 2)
	call(wait, none, 1)
	call(record, 8, 1)
	call(wait, none, 1)
	events = append(events, []uint64{0, now + 1, leave, inProgram}, []uint64{7, 101, enter, inKernel}, []uint64{7, 102, leave, inKernel}, []uint64{8, 101, enter, inKernel}, []uint64{8, 102, leave, inKernel})
	for _, chunk := range []uint64{0, 256} {
		a := streamed(t, chunk, events)
		for number, name := range map[uint64]string{record: "cuEventRecord", wait: "cuEventSynchronize", hold: "cuStreamWaitEvent"} {
			a.records[a.index[Strings][number]].Texts[0] = name
		}
		a.define(&Record{specNamed(Global, "String"), []uint64{30}, []string{"CUDA_EVENT_REF"}})
		a.define(&Record{specNamed(Global, "Attribute"), []uint64{1, 30, 4, 30}, nil})
		a.KeepClocks()
		var streams []uint32
		for _, e := range eventsOf(t, a.Trace())[0] {
			if e.Kind == wire.Commanded && wire.Command(e.Word>>32) == wire.Synchronizes {
				streams = append(streams, e.ID)
			}
		}
		require.Equal(t, []uint32{0, 1, 2, 1, 2}, streams, "the number of the stream, 0 unknown")
	}
}
