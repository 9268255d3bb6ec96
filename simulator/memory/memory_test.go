//go:build linux

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestSpace(t *testing.T) {
	s, err := New(1 << 30)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Map(0x10000, 0x3000, Read|Write, "data"))
	b, ok := s.Bytes(0x10ff8, 16, Write)
	require.True(t, ok)
	copy(b, "sixteen bytes ..")
	_, ok = s.Bytes(0x12ff8, 9, Read)
	require.False(t, ok, "it ends behind the mapping")
	_, ok = s.Bytes(^uint64(0)-3, 9, Read)
	require.False(t, ok, "it wraps around")
	require.NoError(t, s.Protect(0x11000, 0x1000, Read))
	_, ok = s.Bytes(0x10ff8, 16, Write)
	require.False(t, ok)
	b, ok = s.Bytes(0x10ff8, 16, Read)
	require.True(t, ok)
	require.Equal(t, "sixteen bytes ..", string(b))
	require.Len(t, s.Regions(), 3)
	require.NoError(t, s.Protect(0x11000, 0x1000, Read|Write))
	require.Equal(t, []Region{{0x10000, 0x13000, Read | Write, "data"}}, s.Regions(), "joined again")
	require.NoError(t, s.Zero(0x10000, 0x1000))
	require.Equal(t, "\x00\x00\x00\x00\x00\x00\x00\x00tes ..", string(b[:8])+string(b[10:]))

	at, ok := s.Free(0x2000, 0x1000, 0x13000)
	require.True(t, ok)
	require.EqualValues(t, 0xe000, at)
	_, ok = s.Free(0x20000, 0x1000, 0x13000)
	require.False(t, ok)
	require.ErrorIs(t, s.Protect(0x12000, 0x2000, Read), unix.ENOMEM)
	require.ErrorIs(t, s.Map(0x10001, 0x1000, Read, ""), unix.EINVAL)
	require.ErrorIs(t, s.Map(1<<30, 0x1000, Read, ""), unix.EINVAL)
	require.ErrorIs(t, s.Map(0x1000, ^uint64(0)&^0xfff, Read, ""), unix.EINVAL)
}

// Against a table of pages.
func TestSpaceAgainstPages(t *testing.T) {
	const pages = 64
	s, err := New(pages * PageSize)
	require.NoError(t, err)
	defer s.Close()
	var model [pages]int // -1 + permissions; 0 not mapped
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		begin := r.Uint64N(pages)
		size := 1 + r.Uint64N(pages-begin)
		p := Prot(r.IntN(8))
		switch r.IntN(3) {
		case 0:
			require.NoError(t, s.Map(begin*PageSize, size*PageSize, p, ""))
			for i := range size {
				model[begin+i] = 1 + int(p)
			}
		case 1:
			require.NoError(t, s.Unmap(begin*PageSize, size*PageSize))
			clear(model[begin : begin+size])
		case 2:
			all := true
			for _, m := range model[begin : begin+size] {
				all = all && m != 0
			}
			require.Equal(t, all, s.Protect(begin*PageSize, size*PageSize, p) == nil)
			for i := range size {
				if all {
					model[begin+i] = 1 + int(p)
				}
			}
		}
		for i, m := range model {
			region, ok := s.Find(uint64(i)*PageSize + 5)
			require.Equal(t, m != 0, ok)
			if ok {
				require.Equal(t, m-1, int(region.Prot))
			}
		}
	}
}
