//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace/wire"
)

// event is a recorded event with its region's or object's definition looked up.
type event struct {
	kind   wire.Kind
	id     uint32
	words  []uint64
	time   uint64
	region string // name of the region, if the id is one
	at     string // file:line of it
}

func (e event) String() string {
	text := e.kind.String()
	if e.region != "" {
		text += " " + e.region
	} else if e.id != 0 {
		text += fmt.Sprint(" ", e.id)
	}
	return text
}

// object returns the object of an event and its upper half.
func (e event) object() (uint32, uint32) { return uint32(e.words[0]), uint32(e.words[0] >> 32) }

// recording is what a session left in its buffer.
type recording struct {
	t         testing.TB
	buffer    string
	locations map[uint64][]event // by number
	regions   map[uint32]wire.Def
	at        map[uint32]string // file:line of regions
	objects   map[uint32]wire.Def
	metrics   map[uint32]wire.Def
	warnings  map[string]uint64
	counters  []string
	missing   map[string]string // counters that could not be opened, and why
}

// manyBuffers is the address space of all buffers that these tests make.
const manyBuffers = 64 << 30

// record runs f under a session and decodes what was recorded.
func record(t testing.TB, c shm.Config, f func()) *recording {
	testkit.NeedAddresses(t, manyBuffers)
	c.Dir = t.TempDir()
	require.NoError(t, instrument.Attach(c))
	func() {
		defer instrument.Detach()
		f()
	}()
	return decode(t, c.Dir)
}

// decode decodes what a session left in its directory, after the chunks that were saved before.
func decode(t testing.TB, dir string, saved ...shm.Chunk) *recording {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+shm.Suffix))
	require.Len(t, files, 1)
	v, err := shm.Open(files[0])
	require.NoError(t, err)
	defer v.Close()
	r := &recording{t, files[0], map[uint64][]event{}, map[uint32]wire.Def{}, map[uint32]string{}, map[uint32]wire.Def{}, map[uint32]wire.Def{}, v.Warnings(), nil, map[string]string{}}
	v.TakeRetired(nil) // as a recorder would, Owned finds them all the same
	chunks := append(saved, v.Owned()...)
	for d, err := range v.NewDefs() { // each is written before its first use
		require.NoError(t, err)
		switch d.Type {
		case wire.DefCounters:
			r.counters = d.Names
		case wire.DefMissing:
			r.missing[d.Name] = d.Unit
		}
		table := map[wire.DefType]map[uint32]wire.Def{wire.DefRegion: r.regions, wire.DefObject: r.objects, wire.DefMetric: r.metrics}[d.Type]
		if table != nil {
			if _, twice := table[d.ID]; twice {
				t.Fatalf("%v is defined twice", d)
			}
			table[d.ID] = d
		}
		if d.Type == wire.DefRegion {
			r.at[d.ID] = fmt.Sprintf("%s:%d", filepath.Base(d.File), d.Line)
		}
	}
	for _, c := range chunks {
		r.decode(c)
	}
	for number, events := range r.locations {
		r.checkNesting(number, events)
	}
	return r
}

func (r *recording) decode(c shm.Chunk) {
	now, words, events := c.Base, slices.Clone(c.Words), r.locations[c.Location]
	if len(events) > 0 {
		require.GreaterOrEqual(r.t, now, events[len(events)-1].time)
	}
	events = slices.Grow(events, len(words))
	for at := 0; at < len(words); {
		kind, id, delta := wire.Unpack(words[at])
		n := wire.WordsOf(kind, id)
		now += delta
		e := event{kind: kind, id: id, words: words[at+1 : at+1+n : at+1+n], time: now}
		if kind == wire.Overhead {
			if e.words[0] > now {
				r.t.Fatalf("%d ticks of overhead before %d", e.words[0], now)
			}
			at += 1 + n
			continue // depends on chance
		}
		if kind == wire.Time {
			require.GreaterOrEqual(r.t, e.words[0], now)
			now = e.words[0]
		}
		spec, _ := wire.SpecOf(kind)
		if spec.ID == wire.RegionID {
			def, ok := r.regions[id]
			if !ok {
				r.t.Fatalf("region %d is not defined", id)
			}
			e.region, e.at = def.Name, r.at[id]
		}
		if len(spec.Words) > 0 && strings.HasPrefix(spec.Words[0], "object") {
			if object, _ := e.object(); object != 0 && r.objects[object].ID == 0 {
				r.t.Fatalf("object %d is not defined", object)
			}
		}
		atOnce := wire.TakenAtOnce(kind, e.words)
		events = append(events, e)
		if atOnce {
			events = append(events, event{kind: wire.Leave, time: now})
		}
		at += 1 + n
	}
	if len(events) > 0 {
		r.locations[c.Location] = events
	}
}

// checkNesting checks that no event closes more levels than are open, and returns how many are at the end.
func (r *recording) checkNesting(number uint64, events []event) int {
	depth := 0
	for i := range events {
		e := &events[i]
		switch e.kind.Does() {
		case wire.Opens:
			depth++
		case wire.Leaves:
			depth--
		case wire.Exits:
			depth -= 1 + int(e.id)
		case wire.Loses:
			depth -= int(e.id)
		}
		if depth < 0 {
			r.t.Fatalf("location %d, event %d: %v closes too much", number, i, *e)
		}
	}
	return depth
}

// only returns the events of the one location that has any.
func (r *recording) only() []event {
	require.Len(r.t, r.locations, 1)
	for _, events := range r.locations {
		return events
	}
	return nil
}

// texts returns events as texts.
func texts(events []event) []string {
	var s []string
	for _, e := range events {
		s = append(s, e.String())
	}
	return s
}

// line returns file:line of the caller, some lines away.
func line(away int) string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), n+away)
}

func TestMain(m *testing.M) {
	if role := os.Getenv("INSTRUMENT_TEST_ROLE"); role != "" {
		roles[role]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startDrain begins a session whose chunks are thrown away as they fill. The result ends it,
// and returns what the process counted.
func startDrain(t testing.TB, c shm.Config) (stop func() map[string]uint64) {
	require.NoError(t, instrument.Attach(c))
	files, _ := filepath.Glob(filepath.Join(c.Dir, fmt.Sprint(os.Getpid(), "-*", shm.Suffix)))
	require.Len(t, files, 1)
	v, err := shm.Open(files[0])
	require.NoError(t, err)
	os.Remove(files[0])
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(time.Millisecond):
			}
			for _, c := range v.TakeRetired(nil) {
				v.Free(c)
			}
		}
	}()
	return func() map[string]uint64 {
		instrument.Detach()
		close(end)
		<-ended
		defer v.Close()
		return v.Warnings()
	}
}
