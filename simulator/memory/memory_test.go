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
	require.Equal(t, []Region{{Begin: 0x10000, End: 0x13000, Prot: Read | Write, Name: "data"}}, s.Regions(), "joined again")
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

// A copy has the same content and permissions, private memory of its own, and shares what is shared, also after it was split.
func TestCopy(t *testing.T) {
	s, err := New(1 << 30)
	require.NoError(t, err)
	defer s.Close()
	const page = PageSize
	require.NoError(t, s.Map(16*page, 1<<20, Read|Write, "private"))
	require.NoError(t, s.MapShared(Region{Begin: 1 << 24, End: 1<<24 + 4*page, Prot: Read | Write, Object: 7}, -1))
	set := func(s *Space, at uint64, v byte) {
		b, ok := s.Bytes(at, 1, Write)
		require.True(t, ok)
		b[0] = v
	}
	get := func(s *Space, at uint64) byte {
		b, ok := s.Bytes(at, 1, Read)
		require.True(t, ok)
		return b[0]
	}
	set(s, 20*page, 1)
	set(s, 1<<24+3*page, 2)
	require.NoError(t, s.Protect(30*page, page, 0))
	require.NoError(t, s.Protect(1<<24+page, page, Read))
	require.NoError(t, s.Zero(1<<24, 4*page), "leaves what is shared")
	c, err := s.Copy()
	require.NoError(t, err)
	defer c.Close()
	require.Equal(t, s.Regions(), c.Regions())
	require.EqualValues(t, 2*page, c.Regions()[len(c.Regions())-1].Offset)
	require.EqualValues(t, 1, get(c, 20*page))
	require.EqualValues(t, 2, get(c, 1<<24+3*page))
	set(c, 20*page, 3)
	set(c, 1<<24+3*page, 4)
	require.EqualValues(t, 1, get(s, 20*page))
	require.EqualValues(t, 4, get(s, 1<<24+3*page))
	require.NoError(t, s.Protect(1<<24+page, page, Read|Write))
	require.Len(t, s.Regions(), 4, "joined again: %v", s.Regions())
}
