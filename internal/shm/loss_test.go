//go:build linux

package shm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// TestLosses has two locations lose events: one goes on, the other does not, and gets its note from the recorder.
func TestLosses(t *testing.T) {
	b, v := open(t, Config{})
	lost, ends := v.Losses()
	require.Empty(t, lost)
	require.Empty(t, ends)

	first, second := b.NewLoss(3, 30), b.NewLoss(4, 40)
	first.Begin(100, 7)
	first.Add(110)
	first.Add(150)
	events, closed := first.End()
	require.EqualValues(t, 2, events)
	require.Zero(t, closed)
	first.Begin(300, 9)
	first.Add(310)
	events, _ = first.End()
	require.EqualValues(t, 1, events, "only those since")
	second.Begin(200, 5)
	second.Add(200)
	second.Close(2)
	second.Add(260)

	lost, ends = v.Losses()
	require.Equal(t, []LocationLoss{{3, 30, 60}, {4, 40, 60}}, lost)
	require.Equal(t, []Chunk{{Label: Label{Location: 4, GoID: 40, Seq: 5, Base: 260}, Words: []uint64{wire.Head(wire.Lost, 2, 0), 2}}}, ends)
	require.Empty(t, v.Owned(), "they are no chunks")
}

// TestLossesWithoutRoom counts what locations lose also where the recorder cannot be shown it.
func TestLossesWithoutRoom(t *testing.T) {
	b, v := open(t, Config{Buffer: minBlocks * blockSize})
	const more = 5000
	for i := range uint64(more) {
		l := b.NewLoss(1+i, i)
		l.Begin(1, 0)
		l.Add(2)
		events, _ := l.End()
		require.EqualValues(t, 1, events)
	}
	lost, _ := v.Losses()
	require.Len(t, lost, int(b.lossBlocks)*blockSize/64)
	require.Less(t, len(lost), more)
	require.True(t, b.Define(someDef))
}
