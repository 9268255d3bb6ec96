package spill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stores makes one in memory, one in a file of which hardly anything may stay in memory, and none at all.
func stores(t *testing.T) map[string]*Store {
	memory, err := New(0, "")
	require.NoError(t, err)
	file, err := New(1, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(memory.Close)
	t.Cleanup(file.Close)
	return map[string]*Store{"memory": memory, "file": file, "none": nil}
}

// Lists keep what is put into them, whatever their size and however often they are put aside.
func TestLists(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var lists [][]uint64
			for i, n := range []int{0, 1, part / 8, part/8 + 1, whole/8 - 1, whole / 8, whole} {
				list := Make[uint64](s, n)
				require.Len(t, list, n)
				for k := range list {
					if list[k] != 0 {
						t.Fatal(n, k)
					}
					list[k] = uint64(i<<32 + k)
				}
				s.Pace()
				lists = append(lists, list)
			}
			Free(s, Make[uint64](s, whole))
			for i, list := range lists {
				for k := range list {
					if list[k] != uint64(i<<32+k) {
						t.Fatal(i, k)
					}
				}
				s.Pace()
			}
			for _, list := range lists {
				Free(s, list)
			}
			require.NoError(t, s.Err())
		})
	}
}

// Grow keeps a list that is large enough. What is freed twice, or has been of the heap, does no harm.
func TestGrow(t *testing.T) {
	for _, s := range stores(t) {
		list := Make[byte](s, whole)
		require.Same(t, &list[0], &Grow(s, list, whole)[:1][0])
		more := Grow(s, list, whole+1)
		require.Empty(t, more)
		require.GreaterOrEqual(t, cap(more), whole+1)
		Free(s, make([]byte, whole))
		small := Make[byte](s, part) // the first of a slab
		Free(s, small)
		small[0] = 1
	}
}

// A list that is extended keeps what it holds, of whatever size it was, and the others keep theirs.
func TestExtend(t *testing.T) {
	for _, s := range stores(t) {
		var lists [3][]uint32
		for n := 1; n < 3*whole/4; n = 3*n + 1 {
			for k := range lists {
				list := Extend(s, lists[k], n)
				require.GreaterOrEqual(t, cap(list), n)
				for i := len(list); i < n; i++ {
					list = append(list, uint32(i*len(lists)+k))
				}
				lists[k] = list
			}
			for k, list := range lists {
				for i, v := range list {
					if v != uint32(i*len(lists)+k) {
						require.Equal(t, uint32(i*len(lists)+k), v)
					}
				}
			}
		}
		require.Same(t, &lists[0][0], &Extend(s, lists[0], 7)[0])
		for _, list := range lists {
			Free(s, list)
		}
		require.NoError(t, s.Err())
	}
}

// Blocks are as large as they should be, and no two have a byte in common until they come back.
func TestBlocks(t *testing.T) {
	for _, s := range stores(t) {
		var all [][]byte
		for i := range 200 {
			b := s.Block()
			require.Len(t, b, BlockSize)
			require.Equal(t, BlockSize, cap(b))
			for k := range b {
				b[k] = byte(i)
			}
			all = append(all, b)
		}
		for i, b := range all {
			require.Equal(t, byte(i), b[0])
			require.Equal(t, byte(i), b[BlockSize-1])
		}
		s.GiveBack(all)
		require.Len(t, s.Block(), BlockSize)
	}
}

// No name of the file is ever left behind.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	s, err := New(1, dir)
	require.NoError(t, err)
	defer s.Close()
	Make[byte](s, whole)[0] = 1
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Where no file can be, that is said in one line.
func TestNoFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of the heap only")
	}
	_, err := New(1, filepath.Join(t.TempDir(), "missing"))
	require.ErrorContains(t, err, "no temporary file")
	require.NotContains(t, err.Error(), "\n")
}

// A full disk is an error, and lists are of the heap from then on. The limit on the size of files stands for it.
func TestFullDisk(t *testing.T) {
	inChild(t, "TestFullDisk", func(t *testing.T) {
		s, err := New(1, t.TempDir())
		require.NoError(t, err)
		defer s.Close()
		limitFiles(t, 8<<20)
		require.Len(t, Make[byte](s, whole), whole)
		require.NoError(t, s.Err())
		list := Make[byte](s, 8<<20)
		require.ErrorContains(t, s.Err(), "temporary file in")
		list[len(list)-1] = 1
		require.Len(t, Make[byte](s, whole), whole)
	})
}

// What is resident at most stays near the limit while four times as much is written and read.
func TestLimit(t *testing.T) {
	inChild(t, "TestLimit", func(t *testing.T) {
		const limit, each = 64 << 20, 16 << 20
		s, err := New(limit, t.TempDir())
		require.NoError(t, err)
		defer s.Close()
		var lists [][]byte
		for range 12 {
			lists = append(lists, Make[byte](s, each))
		}
		for range 2 {
			for _, list := range lists {
				for i := 0; i < len(list); i += 64 {
					if i%part == 0 {
						s.Pace()
					}
					list[i]++
				}
			}
		}
		require.Equal(t, byte(2), lists[0][64])
		require.Less(t, peak(t), int64(limit+2*paceStep))
	})
}

// A touch brings little: a search in a long list stays within the limit as well, for which nothing is put aside meanwhile.
func TestTouches(t *testing.T) {
	inChild(t, "TestTouches", func(t *testing.T) {
		const size = 512 << 20
		s, err := New(64<<20, t.TempDir())
		require.NoError(t, err)
		defer s.Close()
		list := Make[byte](s, size)
		for i := 0; i < size; i += 4096 {
			if i%part == 0 {
				s.Pace()
			}
			list[i] = byte(i >> 12)
		}
		for range 100 {
			s.Pace()
		}
		before := s.residentNow()
		for i := 0; i < size; i += 8 << 20 {
			require.Equal(t, byte(i>>12), list[i])
		}
		require.Less(t, s.residentNow()-before, int64(16<<20))
	})
}

// What is resident is looked at more often the nearer it is to the limit.
func TestLooks(t *testing.T) {
	inChild(t, "TestLooks", func(t *testing.T) {
		far, err := New(1<<40, t.TempDir())
		require.NoError(t, err)
		defer far.Close()
		far.Pace()
		require.Greater(t, far.unseen.Load(), int64(100_000))
		near, err := New(1, t.TempDir())
		require.NoError(t, err)
		defer near.Close()
		near.Pace()
		require.LessOrEqual(t, near.unseen.Load(), int64(paceStep/sparing))
	})
}

// inChild runs a test in a process of its own.
func inChild(t *testing.T, name string, f func(t *testing.T)) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of the heap only")
	}
	if os.Getenv("SPILL_CHILD") != "" {
		f(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), "SPILL_CHILD=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// peak returns the most that was resident of this process.
func peak(t *testing.T) (kb int64) {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &kb)
	require.NoError(t, err)
	return kb << 10
}

// The least of machine and control groups counts.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  int64
	}{
		{nil, 0},
		{map[string]string{"proc/meminfo": "MemFree: 3 kB\nMemTotal:       2048 kB\n"}, 2 << 20},
		{map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n"}, 1 << 20},
		{map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "5:cpu:/a\n4:memory:/a\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n"}, 4096},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			name = filepath.Join(root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		}
		require.Equal(t, c.want, memoryIn(root))
	}
}

// What came back is given again, whole or in parts, longer or shorter: it is zero then, and no two lists have a byte in common.
func TestReuse(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			var lists [][]uint64
			for i := range 60 {
				if len(lists) > 5 || len(lists) > 0 && random.IntN(2) == 0 {
					k := random.IntN(len(lists))
					for _, v := range lists[k] {
						if v != lists[k][0] {
							t.Fatal(i, v)
						}
					}
					if random.IntN(3) == 0 {
						lists[k] = Extend(s, lists[k], len(lists[k])+random.IntN(whole/4))
						continue
					}
					Free(s, lists[k])
					lists = slices.Delete(lists, k, k+1)
				}
				list := Make[uint64](s, whole/8+random.IntN(whole/4))
				for k := range list {
					if list[k] != 0 {
						t.Fatal(i, k)
					}
					list[k] = uint64(i + 1)
				}
				lists = append(lists, list)
			}
			require.NoError(t, s.Err())
		})
	}
}
