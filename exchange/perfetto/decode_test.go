package perfetto_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// field is a field of a message as it stands on the wire.
type field struct {
	number int
	value  uint64 // varint, fixed64
	bytes  []byte
}

// fields takes a message apart. It knows nothing of how it was made.
func fields(t *testing.T, b []byte) (list []field) {
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 { // there are so many that an assertion takes longer than all else
			require.Fail(t, "no number", "%x", b)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		key := number()
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			f.value = number()
		case 1:
			f.value, b = binary.LittleEndian.Uint64(b), b[8:]
		case 2:
			length := number()
			if length > uint64(len(b)) {
				require.Fail(t, "length", "%d of %d bytes", length, len(b))
			}
			f.bytes, b = b[:length], b[length:]
		default:
			require.Fail(t, "wire type", "%d", key&7)
		}
		list = append(list, f)
	}
	return list
}

// slice is a slice or instant that was drawn.
type slice struct {
	track, name, category, causer string
	file                          string
	line                          uint64
	begin, end                    uint64
	instant                       bool
	shares                        []share // of a wait of several parts
}

// share is how long a part of a wait lasted.
type share struct {
	name string
	time int64
}

// arrow is a flow.
type arrow struct {
	from, to string // tracks
	fromTime uint64
	toTime   uint64
	fromName string
	toName   string
}

// counter is a value of a counter track.
type counter struct {
	track string
	time  uint64
	value int64
}

// drawing is what a reader sees.
type drawing struct {
	slices   []slice
	arrows   []arrow
	counters []counter
	wall     uint64
}

type flow struct {
	track, name string
	time        uint64
	ended       bool
}

// decoder holds what the packets so far have said.
type decoder struct {
	t          *testing.T
	out        drawing
	now        uint64
	names      map[uint64]string
	categories map[uint64]string
	sources    map[uint64]slice
	tracks     map[uint64]string
	counters   map[uint64]bool
	open       map[uint64][]int // indices in out.slices
	flows      map[uint64]*flow
	arrows     map[uint64]int
}

// unzipped returns what is in a compressed file.
func unzipped(t *testing.T, b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	b, err = io.ReadAll(z)
	require.NoError(t, err)
	return b
}

// decode reads a trace as a strict reader would: packets ascend by time; tracks and interned data are there before they are
// referred to; slices nest, and are all closed; every flow begins once and ends once, later.
func decode(t *testing.T, b []byte) *drawing {
	d := &decoder{t: t, names: map[uint64]string{}, categories: map[uint64]string{}, sources: map[uint64]slice{}, tracks: map[uint64]string{},
		counters: map[uint64]bool{}, open: map[uint64][]int{}, flows: map[uint64]*flow{}, arrows: map[uint64]int{}}
	for i, p := range fields(t, unzipped(t, b)) {
		require.Equal(t, 1, p.number)
		d.packet(i == 0, fields(t, p.bytes))
	}
	for track, open := range d.open {
		require.Empty(t, open, d.tracks[track])
	}
	for id, f := range d.flows {
		require.True(t, f.ended, "flow %d from %s at %d", id, f.track, f.time)
	}
	return &d.out
}

func (d *decoder) packet(first bool, list []field) {
	flags, sequence, time := uint64(0), uint64(0), uint64(0)
	for _, f := range list {
		switch f.number {
		case 8:
			time = f.value
		case 10:
			sequence = f.value
		case 13:
			flags = f.value
		case 12:
			d.intern(fields(d.t, f.bytes))
		}
	}
	require.NotZero(d.t, sequence)
	require.Equal(d.t, first, flags&1 != 0)
	require.LessOrEqual(d.t, d.now, time)
	d.now = time
	for _, f := range list {
		switch f.number {
		case 6:
			for _, c := range fields(d.t, f.bytes) {
				if clock := fields(d.t, c.bytes); clock[0].value == 1 {
					d.out.wall = clock[1].value
				}
			}
		case 11:
			d.event(fields(d.t, f.bytes))
		case 60:
			d.track(fields(d.t, f.bytes))
		}
	}
}

func (d *decoder) intern(list []field) {
	for _, entry := range list {
		e := fields(d.t, entry.bytes)
		id := e[0].value
		require.NotZero(d.t, id)
		switch entry.number {
		case 1:
			require.False(d.t, has(d.categories, id))
			d.categories[id] = string(e[1].bytes)
		case 2:
			require.False(d.t, has(d.names, id))
			d.names[id] = string(e[1].bytes)
		case 4:
			require.False(d.t, has(d.sources, id))
			d.sources[id] = slice{file: string(e[1].bytes), line: e[3].value}
		}
	}
}

func (d *decoder) track(list []field) {
	uuid, name := uint64(0), ""
	for _, f := range list {
		switch f.number {
		case 1:
			uuid = f.value
		case 2:
			name = string(f.bytes)
		case 3, 4:
			for _, g := range fields(d.t, f.bytes) {
				if g.number == 6 || f.number == 4 && g.number == 5 {
					name = string(g.bytes)
				}
			}
		case 5:
			require.True(d.t, has(d.tracks, f.value))
		case 8:
			d.counters[uuid] = true
		}
	}
	for _, f := range list {
		if f.number == 8 {
			d.counters[uuid] = true
		}
	}
	require.NotZero(d.t, uuid)
	require.False(d.t, has(d.tracks, uuid))
	d.tracks[uuid] = name
}

func (d *decoder) event(list []field) {
	var s slice
	kind, track, value := uint64(0), uint64(0), int64(0)
	for _, f := range list {
		switch f.number {
		case 9:
			kind = f.value
		case 11:
			track = f.value
		case 30:
			value = int64(f.value)
		case 10:
			require.True(d.t, has(d.names, f.value))
			s.name = d.names[f.value]
		case 3:
			require.True(d.t, has(d.categories, f.value))
			s.category = d.categories[f.value]
		case 34:
			require.True(d.t, has(d.sources, f.value))
			s.file, s.line = d.sources[f.value].file, d.sources[f.value].line
		case 4:
			if note := fields(d.t, f.bytes); string(note[0].bytes) == "caused by" {
				s.causer = string(note[1].bytes)
			} else {
				s.shares = append(s.shares, share{string(note[0].bytes), int64(note[1].value)})
			}
		}
	}
	require.True(d.t, has(d.tracks, track))
	require.Equal(d.t, d.counters[track], kind == 4)
	s.track, s.begin, s.end = d.tracks[track], d.now, d.now
	switch kind {
	case 1:
		require.NotEmpty(d.t, s.name)
		d.open[track] = append(d.open[track], len(d.out.slices))
		d.out.slices = append(d.out.slices, s)
	case 2:
		open := d.open[track]
		require.NotEmpty(d.t, open, "%s at %d", s.track, d.now)
		d.out.slices[open[len(open)-1]].end = d.now
		d.open[track] = open[:len(open)-1]
	case 3:
		s.instant = true
		d.out.slices = append(d.out.slices, s)
	case 4:
		d.out.counters = append(d.out.counters, counter{s.track, d.now, value})
	default:
		require.Fail(d.t, "type", "%d", kind)
	}
	for _, f := range list {
		switch f.number {
		case 47:
			require.False(d.t, has(d.flows, f.value))
			d.flows[f.value] = &flow{track: s.track, name: s.name, time: d.now}
			require.NotEqual(d.t, uint64(2), kind)
		case 48:
			from := d.flows[f.value]
			require.NotNil(d.t, from)
			require.False(d.t, from.ended)
			require.Less(d.t, from.time, d.now)
			from.ended = true
			d.out.arrows = append(d.out.arrows, arrow{from.track, s.track, from.time, d.now, from.name, s.name})
		}
	}
}

func has[V any](m map[uint64]V, key uint64) bool {
	_, ok := m[key]
	return ok
}

// String tells the arrow.
func (a arrow) String() string {
	return fmt.Sprintf("%s %s %d -> %s %s %d", a.from, a.fromName, a.fromTime, a.to, a.toName, a.toTime)
}

// String tells the slice.
func (s slice) String() string {
	text := fmt.Sprintf("%s %s %d", s.track, s.name, s.begin)
	if !s.instant {
		text += fmt.Sprintf("-%d", s.end)
	}
	if s.file != "" {
		text += fmt.Sprintf(" %s:%d", s.file, s.line)
	}
	if s.causer != "" {
		text += " by " + s.causer
	}
	return text
}
