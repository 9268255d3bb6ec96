package cube

import (
	"archive/tar"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireRewritten writes the cube, reads it again and requires that nothing changed, not even the bytes of indexes and
// rows if they came from a file.
func requireRewritten(t *testing.T, c *Cube) {
	t.Helper()
	var first, second bytes.Buffer
	require.NoError(t, c.Write(&first))
	again := requireRead(t, first.Bytes())
	require.Empty(t, again.Problems)
	require.Equal(t, string(c.anchor()), string(again.anchor()), "trees")
	requireTrees(t, c, again)
	require.True(t, maps.Equal(allValues(t, c), allValues(t, again)), "values")
	if first.Len() < 200_000 { // compressing takes long
		require.NoError(t, again.Write(&second))
		require.True(t, bytes.Equal(first.Bytes(), second.Bytes()), "written once more")
	}
	members := readTar(t, first.Bytes())
	for _, m := range c.AllMetrics() {
		if m.data == nil || m.data.member == nil {
			continue
		}
		require.Equal(t, original(t, c, m, ".index"), members[m.data.stem+".index"])
		require.Equal(t, inflated(t, original(t, c, m, ".data"), m.data.order), inflated(t, members[m.data.stem+".data"], m.data.order))
	}
	for _, m := range c.Members {
		b, err := io.ReadAll(m.Open())
		require.NoError(t, err)
		require.Equal(t, b, members[m.Name])
	}
}

// requireTrees compares what the anchor says field by field.
func requireTrees(t *testing.T, a, b *Cube) {
	require.Equal(t, a.Attrs, b.Attrs)
	require.Equal(t, a.Mirrors, b.Mirrors)
	require.Equal(t, a.Regions, b.Regions)
	require.Equal(t, a.Roots, b.Roots)
	require.Equal(t, a.System, b.System)
	require.Equal(t, a.Topologies, b.Topologies)
	require.Equal(t, []string{a.MetricsTitle, a.ProgramTitle, a.SystemTitle}, []string{b.MetricsTitle, b.ProgramTitle, b.SystemTitle})
	require.Len(t, b.AllMetrics(), len(a.AllMetrics()))
	for i, m := range a.AllMetrics() {
		x, y := *m, *b.AllMetrics()[i]
		for _, z := range []*Metric{&x, &y} {
			z.cube, z.data, z.Parent, z.Children = nil, nil, nil, nil
		}
		require.Equal(t, x, y)
	}
}

func requireRead(t *testing.T, b []byte) *Cube {
	t.Helper()
	c, err := Read("test.cubex", bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return c
}

// readTar lets the standard library judge the archive.
func readTar(t *testing.T, b []byte) map[string][]byte {
	members := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return members
		}
		require.NoError(t, err)
		members[h.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
}

// original returns a member as it lies in the file that the cube was read from.
func original(t *testing.T, c *Cube, m *Metric, suffix string) []byte {
	member := m.data.member
	if suffix == ".index" {
		member = m.data.index
	}
	b, err := member.read(0, member.Size())
	require.NoError(t, err)
	return b
}

// inflated returns the rows of a compressed member, or the member.
func inflated(t *testing.T, b []byte, order binary.ByteOrder) []byte {
	if !bytes.HasPrefix(b, []byte(compressedMagic)) {
		return b
	}
	b = b[len(compressedMagic):]
	n := order.Uint64(b)
	rows := b[8+24*n:]
	var all []byte
	for i := range n {
		entry := b[8+24*i:]
		require.EqualValues(t, len(all), order.Uint64(entry))
		at, size := order.Uint64(entry[8:]), order.Uint64(entry[16:])
		z, err := zlib.NewReader(bytes.NewReader(rows[at : at+size]))
		require.NoError(t, err)
		row, err := io.ReadAll(z)
		require.NoError(t, err)
		all = append(all, row...)
	}
	return all
}

// small makes a cube of everything that a cube can have.
func small(t *testing.T) *Cube {
	main := &Region{ID: 3, Name: "main<&>\"'", Mangled: "_main", Paradigm: "user", Role: "function", Module: "a & b.go", Begin: 1, End: -1,
		URL: "u", Doc: "line\r\nline\ttab", Attrs: []Attr{{"k", "v\n\t\r "}}}
	work := &Region{ID: 1, Name: "work", Begin: -1, End: -1}
	leaf := &CallPath{ID: 1, Region: work, Module: "a.go", Line: 7, Params: []Param{{"numeric", "i", "-3"}, {"string", "s", "<x>"}}, Attrs: []Attr{{"a", "b"}}}
	second := &CallPath{ID: 9, Region: work, Line: -1}
	root := &CallPath{ID: 4, Region: main, Line: -1, Children: []*CallPath{{ID: 2, Region: work, Line: -1, Children: []*CallPath{leaf}}, second}}
	l0, l1 := &Location{ID: 5, Name: "w", Rank: 1, Type: "thread", Attrs: []Attr{{"x", "y"}}}, &Location{ID: 2, Name: "v", Type: "gpu", Doc: "d"}
	group := &LocationGroup{ID: 0, Name: "p", Rank: 3, Type: "process", Locations: []*Location{l0, l1}}
	node := &SystemNode{ID: 7, Name: "n", Class: "node", Groups: []*LocationGroup{group}}
	machine := &SystemNode{ID: 0, Name: "m", Class: "machine", Doc: "doc", Attrs: []Attr{{"", ""}}, Children: []*SystemNode{node}}
	c := &Cube{
		Attrs: []Attr{{"Creator", "test"}}, Mirrors: []string{"http://a/?b&c"}, MetricsTitle: "M", ProgramTitle: "P", SystemTitle: `"S"`,
		Metrics: []*Metric{
			{ID: 0, Name: "time", Title: "Time", DType: "DOUBLE", Unit: "sec", Kind: Inclusive, URL: "@mirror@x", Doc: "d", Children: []*Metric{
				{ID: 4, Name: "wait", DType: "DOUBLE", Kind: Exclusive, Options: []Attr{{"cacheable", "false"}}, Attrs: []Attr{{"q", "r"}}}}},
			{ID: 1, Name: "visits", DType: "UINT64", Kind: Exclusive, Val: "VOID"},
			{ID: 2, Name: "hidden", DType: "INT32", Kind: Simple, Ghost: true},
			{ID: 3, Name: "ratio", DType: "DOUBLE", Kind: PostDerived, Expressions: []Expression{
				{"cubepl", []Attr{{"rowwise", "false"}}, "\n metric::time(e) / metric::visits(e)\n"}, {"cubeplinit", nil, "{ global(a) }"},
				{"cubeplaggr", []Attr{{"cubeplaggrtype", "plus"}}, "arg1 < arg2"}}},
			{ID: 5, Name: "empty", DType: "TAU_ATOMIC", Kind: Exclusive},
		},
		Regions: []*Region{main, work}, Roots: []*CallPath{root}, System: []*SystemNode{machine},
		Topologies: []*Topology{{Name: "grid", Dims: []Dim{{"x", 2, true}, {"", 3, false}},
			Coords: []Coord{{l0, []int{0, 1}}, {l0, []int{1, 1}}, {group, []int{1, 2}}, {node, []int{0, 0}}}}},
		Members: []*Member{MakeMember("../../etc/x", []byte("content"))},
	}
	require.NoError(t, c.Complete())
	set(t, c, "time", root, Float(8), Float(4))
	set(t, c, "time", second, Float(2), Float(0.5))
	set(t, c, "time", leaf, Float(1), Float(0))
	set(t, c, "visits", leaf, Uint(1<<62), Uint(2))
	set(t, c, "visits", root, Uint(1), Uint(1))
	set(t, c, "hidden", second, Int(-5), Int(0))
	return c
}

func set(t *testing.T, c *Cube, metric string, p *CallPath, values ...Value) {
	t.Helper()
	r, err := MakeRow(c.Metric(metric).DType, values)
	require.NoError(t, err)
	require.NoError(t, c.Metric(metric).Set(p, r))
}

func TestWrite(t *testing.T) {
	c := small(t)
	requireRewritten(t, c)
	var b bytes.Buffer
	require.NoError(t, c.Write(&b))
	members := readTar(t, b.Bytes())
	require.Contains(t, string(members["anchor.xml"]), `value="v&#10;&#9;&#13; "`, "readers take line ends in attributes for spaces")
	require.Contains(t, members, "ghost_2.data")
	require.Equal(t, "content", string(members["../../etc/x"]))
	// Inclusive rows are in the wide order: root, its two children, then the leaf.
	require.Equal(t, "CUBEX.INDEX\x01\x00\x00\x00\x00\x00\x01\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00", string(members["0.index"]))
	// Exclusive ones are in preorder: the leaf comes third.
	require.True(t, strings.HasSuffix(string(members["1.index"]), "\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00"))
	// Simple ones are by number: 1, 2, 4, 9.
	require.True(t, strings.HasSuffix(string(members["ghost_2.index"]), "\x01\x00\x00\x00\x03\x00\x00\x00"))

	again := requireRead(t, b.Bytes())
	require.Equal(t, []int{2, 5}, []int{again.Locations()[0].ID, again.Locations()[1].ID}, "columns ascend by number")
	v, err := again.Metric("visits").Values(again.Roots[0], true)
	require.NoError(t, err)
	require.Equal(t, []Value{Uint(1<<62 + 1), Uint(3)}, v)
	require.Equal(t, "arg1 < arg2", again.Metric("ratio").Expressions[2].Text)
	_, err = again.Metric("ratio").Row(again.Roots[0])
	require.ErrorIs(t, err, errDerived)
}

// Characters that XML cannot have do not make a file unreadable.
func TestWriteStrangeNames(t *testing.T) {
	c := small(t)
	c.Regions[0].Name = "a\x00b\x1b\xff"
	var b bytes.Buffer
	require.NoError(t, c.Write(&b))
	require.Equal(t, "a\uFFFDb\uFFFD\uFFFD", requireRead(t, b.Bytes()).Regions[0].Name)
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.cubex"), filepath.Join(dir, "link.cubex")
	requireSaved := func(name string) {
		t.Helper()
		require.NoError(t, small(t).Save(name))
		c, err := Open(name)
		require.NoError(t, err)
		require.NoError(t, c.Load())
		require.NoError(t, c.Close())
		v, err := c.Metric("time").Total()
		require.NoError(t, err)
		require.Equal(t, "12", v.String())
	}
	requireSaved(file)
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.Symlink(file, link))
	requireSaved(link)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type(), "a link stays one")
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "who may read it stays")

	require.ErrorContains(t, small(t).Save(dir), "is a directory")
	require.Error(t, small(t).Save(filepath.Join(dir, "none", "a.cubex")))
	broken := small(t)
	broken.Members = append(broken.Members, MakeMember("anchor.xml", nil))
	require.ErrorContains(t, broken.Save(file), "given twice")
	requireSaved(file)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing else is left")

	require.NoError(t, small(t).Save(os.DevNull))
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular(), "devices are not replaced")
}

// What is too deep to be read is not written; what is just not too deep comes back.
func TestDepth(t *testing.T) {
	for extra, fails := range []bool{false, true} {
		region := &Region{Name: "recurse"}
		root := &CallPath{Region: region}
		for p, i := root, 1; i < maxDepth-outside+extra; i++ {
			child := &CallPath{ID: i, Region: region}
			p.Children, p = []*CallPath{child}, child
		}
		c := &Cube{Regions: []*Region{region}, Roots: []*CallPath{root}}
		require.NoError(t, c.Complete())
		var file bytes.Buffer
		err := c.Write(&file)
		if fails {
			require.ErrorContains(t, err, "deeper than 9996 levels")
			continue
		}
		require.NoError(t, err)
		again, err := Read("deep", bytes.NewReader(file.Bytes()), int64(file.Len()))
		require.NoError(t, err)
		require.Len(t, again.Paths(), maxDepth-outside)
	}
}

// Members never fill their last block: cubelib expects a block of zeros behind those that do, and other tools end there.
func TestMembersLeaveRoom(t *testing.T) {
	c := &Cube{Attrs: []Attr{{"key", ""}}}
	require.NoError(t, c.Complete())
	lengths := map[int64]bool{}
	for n := range block {
		c.Attrs[0].Value = strings.Repeat("x", n)
		var file bytes.Buffer
		require.NoError(t, c.Write(&file))
		h, err := tar.NewReader(&file).Next()
		require.NoError(t, err)
		require.NotZero(t, h.Size%block)
		lengths[h.Size%block] = true
	}
	require.Len(t, lengths, block-1)
}
