package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var someDefs = []Def{
	{Type: DefRegion, ID: 1, Name: "solve", Func: "main.solve", File: "/src/main.go", Line: 42},
	{Type: DefRegion, ID: MaxID, Name: "", Line: 1<<32 - 1},
	{Type: DefObject, ID: 7, Object: Channel, Size: 1 << 63, Region: 3},
	{Type: DefMetric, ID: 2, Name: "queue length", Unit: "items"},
	{Type: DefCounters, Names: []string{"task-clock", "page-faults"}},
	{Type: DefCounters},
	{Type: DefMissing, Name: "cycles", Unit: "this machine does not have it"},
}

func TestDefRoundTrip(t *testing.T) {
	var b []byte
	for _, d := range someDefs {
		b = AppendDef(b, d)
	}
	for _, want := range someDefs {
		d, n, err := ReadDef(b)
		require.NoError(t, err)
		require.Equal(t, want, d)
		b = b[n:]
	}
	require.Empty(t, b)
}

func TestDefCutsLongStrings(t *testing.T) {
	d, _, err := ReadDef(AppendDef(nil, Def{Type: DefMetric, Name: strings.Repeat("x", 2*MaxDefString)}))
	require.NoError(t, err)
	require.Len(t, d.Name, MaxDefString)
}

func TestReadDefRejectsDamage(t *testing.T) {
	for _, d := range someDefs {
		whole := AppendDef(nil, d)
		for n := range whole {
			_, _, err := ReadDef(whole[:n])
			require.Error(t, err, "cut at %d", n)
		}
	}
	for name, b := range map[string][]byte{
		"unknown type": {99, 0},
		"no type":      {0, 0},
		"huge body":    {byte(DefMetric), 0xff, 0xff, 0xff, 0xff, 0x7f},
		"huge string":  {byte(DefMetric), 4, 1, 0xff, 0xff, 0x7f},
		"too many":     {byte(DefMetric), 4, 1, 0, 0, 0},
		"names":        {byte(DefCounters), 2, 0xff, 0x01},
	} {
		_, _, err := ReadDef(b)
		require.Error(t, err, name)
	}
}

func FuzzReadDef(f *testing.F) {
	for _, d := range someDefs {
		f.Add(AppendDef(nil, d))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, n, err := ReadDef(b)
		if err != nil {
			return
		}
		require.LessOrEqual(t, n, len(b))
		again, _, err := ReadDef(AppendDef(nil, d))
		require.NoError(t, err)
		require.Equal(t, d, again)
	})
}
