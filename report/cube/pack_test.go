package cube

import (
	"bytes"
	"compress/zlib"
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
	for _, part := range []float64{0, 0.001, 0.1, 1} {
		for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 33, 5551, 5552, 5553, 200_000} {
			b := scatter(rnd, n, part)
			require.Equal(t, adler32.Checksum(b), adler(b), "%d bytes", n)
			z := zeros(b)
			require.Equal(t, make([]byte, z), b[:z])
			require.True(t, z == n || b[z] != 0)
		}
	}
	high := bytes.Repeat([]byte{0xff}, 1<<20)
	require.Equal(t, adler32.Checksum(high), adler(high), "nothing overflows")
}

// What is packed, the standard library unpacks, and the other way round.
func TestPack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	f := inflaters.Get().(*inflater)
	d := deflaters.Get().(*deflater)
	for _, n := range []int{0, 8, 1000, 300_000} {
		for _, part := range []float64{0, 0.01, 1} {
			b := scatter(rnd, n, part)
			packed, err := d.pack(b)
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
				got, err := f.unpack(theirs.Bytes(), int64(n))
				require.NoError(t, err)
				require.True(t, bytes.Equal(b, got))
			}
		}
	}
}

// No changed bit makes other values of a packed row.
func TestUnpackDamaged(t *testing.T) {
	b := scatter(rand.New(rand.NewPCG(3, 3)), 400, 0.2)
	packed, err := deflaters.Get().(*deflater).pack(b)
	require.NoError(t, err)
	f := inflaters.Get().(*inflater)
	for i := range 8 * len(packed) {
		damaged := bytes.Clone(packed)
		damaged[i/8] ^= 1 << (i % 8)
		got, err := f.unpack(damaged, 400)
		require.True(t, err != nil || bytes.Equal(got, b), "bit %d", i) // some bits do not matter
	}
	for n := range packed {
		_, err := f.unpack(packed[:n], 400)
		require.Error(t, err)
	}
	_, err = f.unpack(packed, 399)
	require.ErrorContains(t, err, "more than 399 bytes")
	_, err = f.unpack(packed, 401)
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
