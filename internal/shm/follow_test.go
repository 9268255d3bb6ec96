//go:build linux

package shm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
	"tracerec/trace/wire"
)

// A follower sees every event once, in order, whether its chunk grows, is retired, or is given to another location.
func TestFollower(t *testing.T) {
	b, err := Create(Config{Dir: t.TempDir()}, clock.Monotonic, 0)
	require.NoError(t, err)
	recorder, err := Open(b.Path())
	require.NoError(t, err)
	defer recorder.Close()
	f, err := Follow(b.Path())
	require.NoError(t, err)
	defer f.Close()
	enter, exit := wire.Head(wire.Enter, 1, 2), wire.Head(wire.Exit, 0, 1)

	require.Empty(t, f.Next())
	label := Label{Location: b.NewLocation(), GoID: 7, Base: 5}
	chunk, _ := b.Alloc(Small, label)
	write(chunk, enter)
	require.Equal(t, []Piece{{Label: label, Words: []uint64{enter}}}, f.Next())
	require.Empty(t, f.Next(), "nothing is new")
	write(chunk, enter, exit, wire.Head(wire.Add, 0, 1)) // the word of the last is zero: it may be there already
	require.Equal(t, []Piece{{Label: label, At: 1, Words: []uint64{exit, wire.Head(wire.Add, 0, 1), 0}}}, f.Next())
	b.Retire(chunk)
	require.Equal(t, []Piece{{Label: label, At: 4, Whole: true}}, f.Next())
	require.Empty(t, f.Next())

	for _, c := range recorder.TakeRetired(nil) {
		recorder.Free(c)
	}
	require.Empty(t, f.Next())
	label = Label{Location: b.NewLocation(), GoID: 8, Base: 9}
	again, _ := b.Alloc(Small, label)
	require.Equal(t, chunk, again, "the same memory")
	write(again, exit)
	require.Equal(t, []Piece{{Label: label, Words: []uint64{exit}}}, f.Next())
}
