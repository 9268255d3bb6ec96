package addresstrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written returns a trace of records.
func written(t testing.TB, f Format, records ...Record) []byte {
	var b bytes.Buffer
	w, err := NewWriter(&b, f)
	require.NoError(t, err)
	for _, r := range records {
		w.Add(r)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// records reads all of a trace.
func records(trace []byte) (all []Record, err error) {
	r, err := NewReader(bytes.NewReader(trace))
	if err != nil {
		return nil, err
	}
	for {
		record, err := r.Next()
		if err != nil {
			if _, again := r.Next(); again != err {
				return all, errors.New("the error is not the same the second time")
			}
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		all = append(all, record)
	}
}

func open(t testing.TB, trace []byte) *Reader {
	r, err := NewReader(bytes.NewReader(trace))
	require.NoError(t, err)
	return r
}

// random returns records like those of a program.
func random(n int, seed uint64) (all []Record) {
	r := rand.New(rand.NewPCG(seed, 1))
	pc, data := uint64(0x10000), uint64(1<<38-1<<20)
	for range n {
		switch k := r.IntN(100); {
		case k < 70:
			size := uint8(2 + 2*r.IntN(2))
			all = append(all, Record{Fetch, size, pc})
			if pc += uint64(size); r.IntN(6) == 0 {
				pc += uint64(r.IntN(1<<14)) &^ 1
				pc -= 1 << 13
			}
		case k < 97:
			all = append(all, Record{Op(r.IntN(2)), 1 << r.IntN(4), data + uint64(r.IntN(1<<10))*uint64(r.IntN(300))})
			data += 64
		case k < 98:
			all = append(all, Record{Op: CPU, Address: uint64(r.IntN(2))})
		case k < 99:
			all = append(all, Record{Op: Thread, Address: r.Uint64()})
		default:
			all = append(all, Record{Op: Unfetched, Address: uint64(r.IntN(64))})
		}
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	corners := []Record{{Read, 0, 0}, {Write, 8, 1<<64 - 1}, {Fetch, 4, 1<<64 - 1}, {Fetch, 2, 0}, {Read, 1, 1 << 63}, {Op: Undone, Address: 1 << 63}}
	for _, all := range [][]Record{nil, corners, random(10, 1), random(200_000, 2)} {
		trace := written(t, Binary, all...)
		got, err := records(trace)
		require.NoError(t, err)
		require.Equal(t, all, got)
		require.Equal(t, trace, written(t, Binary, all...), "the same bytes")

		got, err = records(written(t, Dinero, all...))
		require.NoError(t, err)
		var want []Record
		for _, r := range all {
			if r.Op <= Fetch {
				want = append(want, Record{Op: r.Op, Address: r.Address})
			}
		}
		require.Equal(t, want, got)
	}
}

// The bytes are those that the documentation says.
func TestBytes(t *testing.T) {
	all := []Record{{Fetch, 4, 0x1000}, {Write, 8, 0x20}, {Fetch, 2, 0x1004}, {Op: CPU, Address: 1}}
	require.Equal(t, "2 1000\n1 20\n2 1004\n", string(written(t, Dinero, all...)))

	trace := written(t, Binary, all...)
	require.Equal(t, "simtrc\x00\x01", string(trace[:8]))
	r, err := NewReader(bytes.NewReader(trace))
	require.NoError(t, err)
	require.NoError(t, r.chunk())
	require.Equal(t, []byte{2 | 2<<3, 0x80, 0x40, 1 | 3<<3, 0x40, 2 | 1<<3 | 1<<6, 3 | 7<<3, 1}, r.all)
	last := trace[len(trace)-24:]
	require.Equal(t, []byte{0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}, last[:12])
	require.Equal(t, uint64(4), binary.LittleEndian.Uint64(last[16:]))
}

func TestText(t *testing.T) {
	got, err := records([]byte("0 7fff\n\n 1 0xA0 the rest is ignored\n2 10"))
	require.NoError(t, err)
	require.Equal(t, []Record{{Read, 0, 0x7fff}, {Write, 0, 0xa0}, {Fetch, 0, 0x10}}, got)
	for input, want := range map[string]string{
		"0 7fff\n1\n":                       `offset 7: corrupt address trace: "1" is not a label from 0 to 2 and an address`,
		"0 7fff\n3 10\n":                    `offset 7: corrupt address trace: "3 10" is not a label from 0 to 2 and an address`,
		"0 xyz\n":                           `offset 0: corrupt address trace: "xyz" is not an address in hexadecimal`,
		"0 12345678123456789\n":             `offset 0: corrupt address trace: "12345678123456789" is not an address in hexadecimal`,
		"\x7fELF":                           `offset 0: corrupt address trace: it begins with "\x7fELF": neither Dinero's text nor a binary trace`,
		"0 " + strings.Repeat("1", 100_000): `offset 0: corrupt address trace: a line of more than 1024 bytes`,
	} {
		_, err := records([]byte(input))
		require.ErrorIs(t, err, ErrCorrupt)
		require.EqualError(t, err, want)
	}
	_, err = NewWriter(io.Discard, "xml")
	require.EqualError(t, err, `address trace: unknown format "xml": neither din nor trz`)
}

// A damaged trace is known as such wherever the damage is, and what was read before it is right.
func TestDamage(t *testing.T) {
	all := random(500, 3)
	trace := written(t, Binary, all...)
	for at := range trace {
		cut, err := records(trace[:at])
		if at == 0 {
			require.NoError(t, err, "an empty text")
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt, at)
		require.Contains(t, err.Error(), "offset ")
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, all[:len(cut)], append([]Record{}, cut...))

		damaged := bytes.Clone(trace)
		damaged[at] ^= 0x40
		got, err := records(damaged)
		require.ErrorIs(t, err, ErrCorrupt, at)
		require.Equal(t, all[:len(got)], append([]Record{}, got...))
	}
	_, err := records(append(bytes.Clone(trace), 0))
	require.ErrorContains(t, err, "there is something after the end")
	newer := bytes.Clone(trace)
	newer[7] = 9
	_, err = records(newer)
	require.EqualError(t, err, "offset 7: corrupt address trace: version 9; this program reads 1")
}

// failing writes so many bytes.
type failing struct{ left int }

var errFull = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteError(t *testing.T) {
	for _, f := range []Format{Dinero, Binary} {
		w, err := NewWriter(&failing{100}, f)
		require.NoError(t, err)
		for _, r := range random(300_000, 4) {
			w.Add(r)
		}
		require.ErrorIs(t, w.Close(), errFull)
	}
}

// Whatever is read, a reader says where it is wrong, or what it has read can be written and read again.
func FuzzReader(f *testing.F) {
	f.Add(written(f, Binary, random(50, 5)...))
	f.Add(written(f, Dinero, random(50, 6)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := records(b)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.ErrorIs(t, err, ErrCorrupt)
		}
		got, err := records(written(t, Binary, all...))
		require.NoError(t, err)
		require.Equal(t, all, got)
	})
}
