package sync_test

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/trace"
	"tracerec/trace/wire"
)

var programs = flag.Int("programs", 0, "number of random programs that TestPairing runs; 0 for its own")

// TestPairing runs random programs, whose values say which they are: the receive of a value has the number of its send.
func TestPairing(t *testing.T) {
	n := *programs
	if n == 0 {
		n = testkit.Cases(300)
	}
	const each = 500 // in a process
	seen := map[string]int{}
	for from := 0; from < n; from += each {
		pairs(t, from, min(each, n-from), seen)
	}
	for _, what := range []string{"send", "recv", "select sent", "select received", "closed", "panicked"} {
		require.Positive(t, seen[what], what)
	}
	t.Log(seen)
}

// pairs runs programs and compares what they did with what was recorded.
func pairs(t *testing.T, from, n int, seen map[string]int) {
	log := filepath.Join(t.TempDir(), "log")
	a := record(t, "pairing", strconv.Itoa(from), strconv.Itoa(n), log)
	for _, p := range a.Check() {
		require.Contains(t, p.What, "the previous select ended without") // it panicked
	}
	did := read(t, log)
	type element struct {
		object uint32
		number uint64
	}
	values, received := map[element]string{}, map[element]string{}
	for l, ops := range operations(t, a) {
		list, ok := did[a.Definitions().Locations[l].GoID]
		if !ok {
			continue // main, which waits for the others
		}
		require.Len(t, ops, len(list), "%v\n%v", list, ops)
		for i, o := range ops {
			require.Equal(t, list[i][0], o.what, "%v", ops)
			seen[o.kind]++
			of, which := values, list[i][1:]
			switch o.what {
			case 'r':
				of = received
				fallthrough
			case 's':
				require.NotZero(t, o.number, "%+v", o)
				e := element{o.object, o.number}
				require.Empty(t, of[e], "%+v", o)
				of[e] = strconv.Itoa(from) + which
			}
		}
	}
	for e, v := range received {
		require.Equal(t, values[e], v, "%+v", e)
	}
	require.Positive(t, len(received))
}

// read reads what each goroutine did.
func read(t *testing.T, name string) map[uint64][]string {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	did := map[uint64][]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		id, err := strconv.ParseUint(words[0], 10, 64)
		require.NoError(t, err)
		did[id] = words[1:]
	}
	require.NoError(t, lines.Err())
	return did
}

// passed is an operation by which a value went through a channel, or would have.
type passed struct {
	what   byte // as the program writes it down
	kind   string
	object uint32
	number uint64
}

// operations returns what was recorded of each location.
func operations(t *testing.T, a *trace.Archive) map[trace.LocationID][]passed {
	all := map[trace.LocationID][]passed{}
	begun := map[trace.LocationID]trace.Event{}
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if err != nil {
			break
		}
		b := begun[l]
		object, _ := b.Object()
		o := passed{object: object}
		switch {
		case e.Kind == wire.SendBegin || e.Kind == wire.RecvBegin || e.Kind == wire.SelectBegin || e.Kind == wire.LockBegin:
			begun[l] = e
			continue
		case b.Kind == wire.LockBegin || e.Kind == wire.Blocked:
			continue
		case e.Kind == wire.Passed && b.Kind == wire.SendBegin:
			o.what, o.kind, o.number = 's', "send", e.Word
		case e.Kind == wire.Passed:
			o.what, o.kind, o.number = 'r', "recv", e.Word
		case e.Kind == wire.Leave && wire.Outcome(e.ID) == wire.Closed, e.Kind == wire.Chose && wire.Outcome(e.ID) == wire.Closed:
			o.what, o.kind = 'c', "closed"
		case e.Kind == wire.Leave && wire.Outcome(e.ID) == wire.Panicked:
			o.what, o.kind = 'p', "panicked"
		case e.Kind == wire.Leave && (b.Kind == wire.SendBegin || b.Kind == wire.RecvBegin):
			o.what, o.kind = '?', "without number"
		case e.Kind == wire.Chose && wire.Outcome(e.ID) != wire.Failed:
			index, number := e.Object()
			o = passed{'r', "select received", index, uint64(number)}
			if wire.Outcome(e.ID) == wire.Sent {
				o.what, o.kind = 's', "select sent"
			}
		default:
			continue
		}
		all[l] = append(all[l], o)
	}
	return all
}
