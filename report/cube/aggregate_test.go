package cube

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// grown makes a cube of a random call tree with one location, a metric of every stored kind, and no values.
func grown(t *testing.T, rnd *rand.Rand, n int) *Cube {
	region := &Region{Name: "r", Begin: -1, End: -1}
	paths := []*CallPath{{ID: 0, Region: region, Line: -1}}
	c := &Cube{Regions: []*Region{region}, Roots: paths[:1:1],
		System: []*SystemNode{{Groups: []*LocationGroup{{Locations: []*Location{{}}}}}},
		Metrics: []*Metric{{ID: 0, Name: "inclusive", DType: "INT64", Kind: Inclusive}, {ID: 1, Name: "exclusive", DType: "INT64", Kind: Exclusive},
			{ID: 2, Name: "simple", DType: "INT64", Kind: Simple}, {ID: 3, Name: "least", DType: "MINDOUBLE"}, {ID: 4, Name: "most", DType: "MAXDOUBLE"}}}
	for i := 1; i < n; i++ {
		p := &CallPath{ID: i, Region: region, Line: -1}
		if parent := rnd.IntN(i + 1); parent == i {
			c.Roots = append(c.Roots, p)
		} else {
			paths[parent].Children = append(paths[parent].Children, p)
		}
		paths = append(paths, p)
	}
	require.NoError(t, c.Complete())
	return c
}

// Exclusive values taken from inclusive ones add up to these again, and also after writing and reading, whatever the tree.
func TestInclusiveAndExclusive(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		c := grown(t, rnd, 40)
		want := map[int]int64{}
		for _, p := range c.Paths() {
			want[p.ID] = rnd.Int64N(1<<40) - 1<<39
			set(t, c, "inclusive", p, Int(want[p.ID]))
			set(t, c, "simple", p, Int(want[p.ID]))
		}
		for _, p := range c.Paths() {
			own, err := c.Metric("inclusive").Values(p, false)
			require.NoError(t, err)
			set(t, c, "exclusive", p, own...)
		}
		var b bytes.Buffer
		require.NoError(t, c.Write(&b))
		for _, c := range []*Cube{c, requireRead(t, b.Bytes())} {
			for _, p := range c.Paths() {
				for _, name := range []string{"inclusive", "exclusive", "simple"} {
					v, err := c.Metric(name).Values(p, true)
					require.NoError(t, err)
					require.Equal(t, []Value{Int(want[p.ID])}, v, "%s of call path %d, seed %d", name, p.ID, seed)
				}
				v, err := c.Metric("simple").Values(p, false)
				require.NoError(t, err)
				require.Equal(t, []Value{Int(want[p.ID])}, v)
			}
		}
	}
}

// Least and greatest values are not added up; call paths without a row have none.
func TestLeastAndGreatest(t *testing.T) {
	c := grown(t, rand.New(rand.NewPCG(1, 1)), 10)
	root := c.Roots[0]
	for i, p := range append([]*CallPath{root}, root.Children...)[:3] {
		set(t, c, "least", p, Float(float64(5-i)))
		set(t, c, "most", p, Float(float64(5-i)))
	}
	for name, want := range map[string]float64{"least": 3, "most": 5} {
		v, err := c.Metric(name).Values(root, true)
		require.NoError(t, err)
		require.Equal(t, []Value{Float(want)}, v, name)
		v, err = c.Metric(name).Values(root, false)
		require.NoError(t, err)
		require.Equal(t, []Value{Float(5)}, v, name)
	}
}

func TestValues(t *testing.T) {
	require.Equal(t, Uint(1<<63+1), Uint(1<<63).Add(Uint(1)))
	require.Equal(t, Int(-3), Uint(2).Sub(Uint(5)), "a difference has a sign")
	require.Equal(t, Uint(3), Uint(5).Sub(Uint(2)))
	require.Equal(t, Int(-1), Int(-3).Add(Uint(2)))
	require.Equal(t, Float(1.5), Int(1).Add(Float(0.5)))
	require.Equal(t, "9007199254740993", Int(1<<53+1).String())
	require.Equal(t, "0.1", Float(0.1).String())
	require.True(t, Float(0).Zero() && Int(0).Zero() && Value{}.Zero() && !Int(-1).Zero())
	for d, v := range map[DType]Value{"INT8": Int(-128), "UINT8": Uint(255), "INT16": Int(-2), "UINT16": Uint(65535), "INT32": Int(-1 << 31), "UINT32": Uint(1<<32 - 1),
		"INT64": Int(-1 << 63), "INTEGER": Int(-7), "UINT64": Uint(1<<63 - 1), "DOUBLE": Float(-0.5), "FLOAT": Float(1e300)} {
		r, err := MakeRow(d, []Value{v})
		require.NoError(t, err)
		require.Equal(t, v, r.Value(0), d)
	}
	for d, v := range map[DType]Value{"INT8": Int(128), "UINT8": Int(256), "UINT16": Int(-1), "UINT32": Float(1 << 32), "INT64": Uint(1 << 63), "UINT64": Float(1 << 64)} {
		_, err := MakeRow(d, []Value{v})
		require.ErrorContains(t, err, v.String()+" is no value of type "+string(d))
	}
	_, err := MakeRow("RATE", nil)
	require.ErrorContains(t, err, `type "RATE" are not numbers`)
}

// Counters without a sign that fell below zero are so, as they count modulo 2⁶⁴, and are written as they were.
func TestWrappedCounters(t *testing.T) {
	bytes := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.MaxUint64-6), 9)
	r, err := MakeRawRow("UINT64", 2, bytes)
	require.NoError(t, err)
	require.Equal(t, "-7", r.Value(0).String())
	require.Equal(t, "2", r.Sum().String())
	require.Equal(t, "2", r.SumAt([]int32{0, 1}).String())
	s := NewSums("UINT64", 2)
	s.Add(r, 1)
	s.Add(r, 1)
	require.Equal(t, "-14", s.Value(0).String())
	require.Equal(t, Uint(18), s.Value(1))
	again, err := MakeRow("UINT64", []Value{r.Value(0), r.Value(1)})
	require.NoError(t, err)
	require.Equal(t, bytes, again.dense())
	least := &Metric{DType: "MINDOUBLE"}
	require.Equal(t, r.Value(0), least.Aggregate(r.Value(1), r.Value(0)))
}

// Rows are read from the file by many at once.
func TestConcurrentReaders(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, small(t).Write(&b))
	c := requireRead(t, b.Bytes())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for name, want := range map[string]string{"time": "12", "visits": "4611686018427387908", "hidden": "0"} {
				if v, err := c.Metric(name).Total(); err != nil || v.String() != want {
					t.Errorf("%s: %v, %v", name, v, err)
				}
			}
		})
	}
	all.Wait()
}
