package cube

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// scatter makes bytes of which about the given part is not zero.
func scatter(rnd *rand.Rand, n int, part float64) []byte {
	b := make([]byte, n)
	for i := range b {
		if rnd.Float64() < part {
			b[i] = byte(rnd.Uint32())
		}
	}
	return b
}

func TestAdler(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1, 4, 8, 36, 848} {
		for _, part := range []float64{0, 0.001, 0.1, 1} {
			for _, n := range []int{0, 1, 2, 63, 64, 65, 9_000} {
				b := scatter(rnd, n*size, part)
				at := columns(nil, b, size)
				require.Equal(t, adler32.Checksum(b), adler(b, len(b), at, size), "%d values of %d bytes", n, size)
				set := map[int32]bool{}
				for _, i := range at {
					set[i] = true
				}
				zeros := make([]byte, size)
				for i := range n {
					if bytes.Equal(b[i*size:(i+1)*size], zeros) == set[int32(i)] {
						require.Fail(t, "columns", "%d of %d values of %d bytes", i, n, size)
					}
				}
			}
		}
	}
	high := bytes.Repeat([]byte{0xff}, 1<<23)
	require.Equal(t, adler32.Checksum(high), adler(high, len(high), columns(nil, high, 1), 1), "nothing overflows")
	require.Equal(t, adler32.Checksum(high), adler(high, len(high), columns(nil, high, 1<<12), 1<<12), "nothing overflows")
}

// Sparse rows of every shape are what the standard library inflates: runs of zeros of all lengths, bytes of all values.
func TestPackSparse(t *testing.T) {
	d := deflaters.Get().(*deflater)
	requireInflated := func(n int, at []int32, values []byte) {
		t.Helper()
		r := Row{dtype: "INT64", layout: DType("INT64").layout(), n: n, sparse: true, at: at, data: values}
		packed, err := d.pack(r, binary.LittleEndian)
		require.NoError(t, err)
		z, err := zlib.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		got, err := io.ReadAll(z)
		require.NoError(t, err)
		require.True(t, bytes.Equal(r.dense(), got), "%v", at)
	}
	for n := range 200 {
		requireInflated(n, nil, nil)
		if n > 1 {
			requireInflated(n, []int32{0, int32(n) - 1}, []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x00\x00\x00\x00\x00\x00\x00\xff"))
			requireInflated(n, []int32{int32(n) / 2}, make([]byte, 8)) // a zero that is stored
			requireInflated(n, []int32{0, 1}, append(make([]byte, 8), 1, 0, 0, 0, 0, 0, 0, 0))
		}
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		n := 1 + rnd.IntN(400)
		var at []int32
		var values []byte
		for i := range n {
			if rnd.IntN(1+n/4) == 0 {
				at = append(at, int32(i))
				values = append(values, scatter(rnd, 8, rnd.Float64())...)
			}
		}
		requireInflated(n, at, values)
	}
}

// What is packed, the standard library unpacks, and the other way round.
func TestPack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	f := inflaters.Get().(*inflater)
	d := deflaters.Get().(*deflater)
	for _, n := range []int{0, 1, 200, 40_000} {
		for _, part := range []float64{0, 0.01, 1} {
			b := scatter(rnd, 8*n, part)
			r, err := MakeRawRow("INT64", n, b)
			require.NoError(t, err)
			packed, err := d.pack(r, binary.LittleEndian)
			require.NoError(t, err)
			z, err := zlib.NewReader(bytes.NewReader(packed))
			require.NoError(t, err)
			got, err := io.ReadAll(z)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, got))
			for _, level := range []int{0, 1, 6, 9} {
				var theirs bytes.Buffer
				w, err := zlib.NewWriterLevel(&theirs, level)
				require.NoError(t, err)
				_, err = w.Write(b)
				require.NoError(t, err)
				require.NoError(t, w.Close())
				got, err := f.unpack(theirs.Bytes(), n, 8)
				require.NoError(t, err)
				require.True(t, bytes.Equal(b, got))
				require.Equal(t, columns(nil, b, 8), append([]int32(nil), f.at...))
			}
		}
	}
}

// No changed bit makes other values of a packed row.
func TestUnpackDamaged(t *testing.T) {
	b := scatter(rand.New(rand.NewPCG(3, 3)), 400, 0.2)
	r, err := MakeRawRow("INT64", 50, b)
	require.NoError(t, err)
	packed, err := deflaters.Get().(*deflater).pack(r, binary.LittleEndian)
	require.NoError(t, err)
	f := inflaters.Get().(*inflater)
	for i := range 8 * len(packed) {
		damaged := bytes.Clone(packed)
		damaged[i/8] ^= 1 << (i % 8)
		got, err := f.unpack(damaged, 50, 8)
		require.True(t, err != nil || bytes.Equal(got, b), "bit %d", i) // some bits do not matter
	}
	for n := range packed {
		_, err := f.unpack(packed[:n], 50, 8)
		require.Error(t, err)
	}
	_, err = f.unpack(packed, 49, 8)
	require.ErrorContains(t, err, "more than 392 bytes")
	_, err = f.unpack(packed, 51, 8)
	require.Error(t, err)
}

// However many do the work, the bytes are the same, and of several damaged rows the first is named.
func TestParallel(t *testing.T) {
	c := small(t)
	var first bytes.Buffer
	require.NoError(t, c.Write(&first))
	for range 20 {
		var again bytes.Buffer
		require.NoError(t, c.Write(&again))
		require.True(t, bytes.Equal(first.Bytes(), again.Bytes()))
	}
	seen := make([]int, 1000)
	parallel(len(seen), func(i int) { seen[i]++ })
	for _, n := range seen {
		require.Equal(t, 1, n)
	}
	parallel(0, func(int) { t.Error("nothing to do") })
	var rows []string
	for range 2 {
		rows = append(rows, string(make([]byte, 8)))
	}
	packed := []byte(compressedRows(t, rows...))
	packed[len(packed)-1] ^= 1                 // the checksum of the second row
	packed[len(compressedMagic)+8+2*24+2] ^= 1 // the first row
	for range 50 {
		err := requireRead(t, cubexOf(t, bothRows, string(packed))).Load()
		require.ErrorContains(t, err, "0.data: offset 67: row of 2 values")
		require.NotContains(t, err.Error(), "\n")
	}
}
