package cube

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// file is a member of an archive under test.
type file struct{ name, content string }

func tarOf(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: 0o600}))
		_, err := w.Write([]byte(f.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(s))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// simple is an anchor with one metric, two call paths and two locations.
const simple = `<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4"><metrics><metric id="0" type="EXCLUSIVE"><uniq_name>a</uniq_name><dtype>INT32</dtype></metric></metrics>
<program><region id="0"><name>r &amp; s</name></region><cnode id="0" calleeId="0"><cnode id="1" calleeId="0"/></cnode></program>
<system><systemtreenode Id="0"><locationgroup Id="0"><rank>0</rank><location Id="0"><rank>0</rank></location>
<location Id="1"><rank>1</rank></location></locationgroup></systemtreenode></system></cube>`

const (
	head      = "CUBEX.INDEX\x01\x00\x00\x00\x00\x00"
	bothRows  = head + "\x01\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00"
	secondRow = head + "\x01\x01\x00\x00\x00\x01\x00\x00\x00"
	oneToFour = "CUBEX.DATA\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00"
)

// grid is a topology of one dimension at the end of the system.
func grid(coords string) string {
	return `<topologies><cart ndims="1"><dim size="2" periodic="true"/>` + coords + `</cart></topologies></system>`
}

func cubexOf(t testing.TB, index, rows string) []byte {
	return tarOf(t, file{"0.index", index}, file{"0.data", rows}, file{"anchor.xml", simple})
}

func compressedRows(t testing.TB, rows ...string) string {
	var packed, table bytes.Buffer
	at := 0
	for _, row := range rows {
		start := packed.Len()
		z := zlib.NewWriter(&packed)
		_, err := z.Write([]byte(row))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, binary.Write(&table, binary.LittleEndian, []uint64{uint64(at), uint64(start), uint64(packed.Len() - start)}))
		at += len(row)
	}
	return compressedMagic + string(binary.LittleEndian.AppendUint64(nil, uint64(len(rows)))) + table.String() + packed.String()
}

// What writers get wrong, or do in another way, is read all the same.
func TestTolerated(t *testing.T) {
	plain := cubexOf(t, bothRows, oneToFour)
	wrongSum := bytes.Clone(plain)
	copy(wrongSum[148:], "0000000\x00")
	lone := append(bytes.Clone(plain[:1024]), append(make([]byte, 512), plain[1024:]...)...)
	big := func(s string) string {
		b := []byte(s)
		for i := 0; i < len(b); i += 4 {
			b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
		}
		return string(b)
	}
	for name, b := range map[string][]byte{
		"plain":              plain,
		"wrong checksum":     wrongSum,
		"lone block of zero": lone,
		"no end":             plain[:len(plain)-1024],
		"dense index":        cubexOf(t, head+"\x03", oneToFour),
		"rows of nobody":     cubexOf(t, bothRows, oneToFour+strings.Repeat("\x00", 16)),
		"compressed":         cubexOf(t, bothRows, compressedRows(t, oneToFour[10:18], oneToFour[18:])),
		"compressed, more":   cubexOf(t, bothRows, compressedRows(t, oneToFour[10:18], oneToFour[18:], strings.Repeat("\x00", 8))),
		"other byte order": cubexOf(t, "CUBEX.INDEX\x00\x00\x00\x01\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01",
			"CUBEX.DATA"+big(oneToFour[10:])),
		"compressed anchor":  tarOf(t, file{"0.index", bothRows}, file{"0.data", oneToFour}, file{"anchor.xml", gzipped(t, simple)}),
		"all compressed":     []byte(gzipped(t, string(plain))),
		"name given twice":   tarOf(t, file{"0.index", "old"}, file{"0.index", bothRows}, file{"0.data", oneToFour}, file{"anchor.xml", simple}),
		"unquoted, bare and": tarOf(t, file{"0.index", bothRows}, file{"0.data", oneToFour}, file{"anchor.xml", strings.ReplaceAll(strings.ReplaceAll(simple, `Id="0"`, "Id=0"), "&amp;", "&")}),
	} {
		t.Run(name, func(t *testing.T) {
			c := requireRead(t, b)
			require.Empty(t, c.Problems)
			require.Equal(t, "r & s", c.Regions[0].Name)
			stored("a: 1 2 3 4")(t, "", c)
			requireRewritten(t, c)
		})
	}
}

func TestMissingRowsAreZero(t *testing.T) {
	c := requireRead(t, cubexOf(t, secondRow, oneToFour[:18]))
	stored("a: 0 0 1 2")(t, "", c)
	c = requireRead(t, tarOf(t, file{"anchor.xml", simple}))
	stored("a: 0 0 0 0")(t, "", c)
	require.Empty(t, c.Metric("a").Stored())
}

// Long names and large numbers are written in headers of their own, or in binary.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("directory/", 30) + "ä"
	for _, format := range []tar.Format{tar.FormatPAX, tar.FormatGNU} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "dir/", Typeflag: tar.TypeDir, Format: format}))
		require.NoError(t, w.WriteHeader(&tar.Header{Name: long, Size: 3, Typeflag: tar.TypeReg, Format: format}))
		_, err := w.Write([]byte("abc"))
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "anchor.xml", Size: int64(len(simple)), Typeflag: tar.TypeReg, Format: format}))
		_, err = w.Write([]byte(simple))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		c := requireRead(t, b.Bytes())
		require.Len(t, c.Members, 1)
		require.Equal(t, long, c.Members[0].Name)
		require.EqualValues(t, 3, c.Members[0].Size())
		requireRewritten(t, c)
	}
}

// Damage is told with member and offset, and costs no memory.
func TestRefused(t *testing.T) {
	anchor := func(s string) []byte { return tarOf(t, file{"anchor.xml", s}) }
	replaced := func(old, new string) []byte {
		require.Contains(t, simple, old)
		return anchor(strings.Replace(simple, old, new, 1))
	}
	hugeSize := cubexOf(t, bothRows, oneToFour)
	copy(hugeSize[124:], "77777777777\x00")
	binarySize := cubexOf(t, bothRows, oneToFour)
	copy(binarySize[124:], "\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	tooMany := strings.Repeat("\x00", 2*fileGrant)
	for _, test := range []struct {
		name, member, what string
		offset             int64
		file               []byte
	}{
		{"empty", "", "neither .cubex nor .cube", 0, nil},
		{"short", "", "neither .cubex nor .cube", 0, []byte("PatternName Count")},
		{"garbage", "", "neither .cubex nor .cube: not the header of a tar member", 0, bytes.Repeat([]byte("garbage "), 200)},
		{"no anchor", "", "no anchor.xml", -1, tarOf(t, file{"0.index", bothRows})},
		{"member beyond the file", "", `member "0.index" has 8589934591 bytes`, 512, hugeSize},
		{"binary size", "", `size of member "0.index"`, 0, binarySize},
		{"text that is no cube", "anchor.xml", "<svg> is not the beginning of a cube", 0, anchor("<svg/>")},
		{"unknown version", "anchor.xml", `version "5.0"`, -1, replaced("4.4", "5.0")},
		{"cut anchor", "anchor.xml", "the file ends within <system>", -1, anchor(simple[:strings.Index(simple, "<systemtree")])},
		{"wrong end", "anchor.xml", "</metrics> ends <metric>", -1, replaced("</metric></metrics>", "</metrics></metric>")},
		{"not a number", "anchor.xml", `id="x" is not a number`, -1, replaced(`metric id="0"`, `metric id="x"`)},
		{"number too large", "anchor.xml", "is not a number", -1, replaced(`metric id="0"`, `metric id="99999999999999999999"`)},
		{"number twice", "anchor.xml", "location 0: number is negative or given twice", -1, replaced(`location Id="1"`, `location Id="0"`)},
		{"unknown region", "anchor.xml", "call path 1 calls region 7", -1, replaced(`id="1" calleeId="0"`, `id="1" calleeId="7"`)},
		{"unknown kind", "anchor.xml", `type "X" of a metric`, -1, replaced("EXCLUSIVE", "X")},
		{"coordinates of nobody", "anchor.xml", `coordinates of locId="8", which is not defined`, -1, replaced("</system>", grid(`<coord locId="8">0</coord>`))},
		{"coordinates of nothing", "anchor.xml", "coordinates of nothing", -1, replaced("</system>", grid(`<coord>0</coord>`))},
		{"coordinate in words", "anchor.xml", `coordinate "x" is not a number`, -1, replaced("</system>", grid(`<coord locId="1">x</coord>`))},
		{"too many coordinates", "anchor.xml", "a place has 2 coordinates, there are 1 dimensions", -1, replaced("</system>", grid(`<coord locId="1">0 1</coord>`))},
		{"size in words", "anchor.xml", `size="" is not a number`, -1, replaced("</system>", grid(`<dim/>`))},
		{"rank in words", "anchor.xml", `"1st" is not a number`, -1, replaced("<rank>1", "<rank>1st")},
		{"character set", "anchor.xml", `character set "EBCDIC" is not known`, -1, replaced("UTF-8", "EBCDIC")},
		{"not text", "anchor.xml", "invalid UTF-8", -1, replaced("r &amp; s", "\xe4")},
		{"endless nesting", "anchor.xml", "more than 10000 levels", -1, anchor(`<cube version="4.4">` + strings.Repeat("<x>", 10001))},
		{"endless calls", "anchor.xml", "more than 10000 levels", -1, replaced("</program>", strings.Repeat(`<cnode id="9" calleeId="0">`, 10001))},
		{"endless text", "anchor.xml", "more than 8388608 bytes without an element", -1, replaced("</program>", strings.Repeat(" ", maxText))},
		{"inflating anchor", "anchor.xml", "inflates from", -1, anchor(gzipped(t, `<cube version="4.4">`+strings.Repeat("<x/>", 3<<20)))},
		{"inflating file", "", "inflates from", 0, []byte(gzipped(t, tooMany))},
		{"no index", "", "is missing", -1, tarOf(t, file{"0.data", oneToFour}, file{"anchor.xml", simple})},
		{"index cut", "0.index", "18 bytes expected, the member has only 3", 0, cubexOf(t, "CUB", oneToFour)},
		{"other index", "0.index", "does not begin as an index does", 0, cubexOf(t, strings.Repeat("x", 30), oneToFour)},
		{"byte order", "0.index", "byte order", 11, cubexOf(t, "CUBEX.INDEX\x02\x00\x00\x00\x00\x00\x03", oneToFour)},
		{"index version", "0.index", "version 1", 15, cubexOf(t, "CUBEX.INDEX\x01\x00\x00\x00\x01\x00\x03", oneToFour)},
		{"index format", "0.index", "format 2", 17, cubexOf(t, head+"\x02", oneToFour)},
		{"too many rows", "0.index", "4294967295 rows for 2 call paths", 18, cubexOf(t, head+"\x01\xff\xff\xff\xff", oneToFour)},
		{"positions cut", "0.index", "8 bytes expected", 22, cubexOf(t, bothRows[:26], oneToFour)},
		{"position too large", "0.index", "position 2", 22, cubexOf(t, head+"\x01\x01\x00\x00\x00\x02\x00\x00\x00", oneToFour)},
		{"positions descend", "0.index", "position 0 does not ascend", 26, cubexOf(t, head+"\x01\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", oneToFour)},
		{"other rows", "0.data", "does not begin as rows", 0, cubexOf(t, bothRows, "CUBEX.DATE")},
		{"rows cut", "0.data", "2 rows of 2 values need 1 bytes more", 25, cubexOf(t, bothRows, oneToFour[:25])},
		{"half a row more", "0.data", "3 bytes after the last row", 26, cubexOf(t, bothRows, oneToFour+"\x00\x00\x00")},
		{"row of nobody", "0.data", "values of a call path that the index does not list", 18, cubexOf(t, secondRow, oneToFour)},
		{"compressed table cut", "0.data", "8 bytes expected", 11, cubexOf(t, bothRows, compressedMagic+"\x02")},
		{"compressed rows lack", "0.data", "1 compressed rows, the index has 2", 11, cubexOf(t, bothRows, compressedRows(t, "12345678"))},
		{"compressed rows endless", "0.data", "compressed rows, the index has 2", 11, cubexOf(t, bothRows, compressedMagic+strings.Repeat("\xff", 60))},
		{"compressed row outside", "0.data", "not within the member", 19, cubexOf(t, secondRow, compressedMagic+"\x01"+strings.Repeat("\x00", 15)+strings.Repeat("\xff", 16))},
		{"compressed row too long", "0.data", "row of 2 values: more than 8 bytes", 43, cubexOf(t, secondRow, compressedRows(t, "12345678\x00"))},
		{"compressed row too short", "0.data", "row of 2 values: unexpected EOF", 43, cubexOf(t, secondRow, compressedRows(t, "1234567"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			var err error
			most := uint64(40 << 20)
			if strings.HasPrefix(test.name, "inflating") {
				most = 10 * fileGrant // the granted bytes, and what growing to them leaves behind
			}
			require.Less(t, allocated(func() { err = readAll(test.file) }), most)
			require.ErrorContains(t, err, test.what)
			var format *FormatError
			require.True(t, errors.As(err, &format), "%v", err)
			require.Equal(t, "x.cubex", format.File)
			require.Equal(t, test.member, format.Member)
			if test.offset >= 0 {
				require.Equal(t, test.offset, format.Offset)
			}
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func readAll(b []byte) error {
	c, err := Read("x.cubex", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return c.Load()
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A file that was cut anywhere is refused, except within the zeros at its end, and never crashes.
func TestCut(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, small(t).Write(&b))
	for n := range b.Len() {
		err := readAll(b.Bytes()[:n])
		if n < b.Len()-1024-511 {
			require.Error(t, err, "%d bytes", n)
		}
	}
}

// Entities are not expanded, neither those that the file defines nor those from elsewhere.
func TestEntities(t *testing.T) {
	bomb := `<!DOCTYPE cube [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`
	c := requireRead(t, tarOf(t, file{"anchor.xml", strings.Replace(strings.Replace(simple, "<cube", bomb+"<cube", 1), "r &amp; s", "&b;&c;&lt;", 1)}))
	require.Equal(t, "&b;&c;<", c.Regions[0].Name)
}

// Names need not be in UTF-8 if the file says so.
func TestCharacterSet(t *testing.T) {
	for _, name := range []string{"ISO-8859-1", "latin1"} {
		c := requireRead(t, tarOf(t, file{"anchor.xml", strings.NewReplacer("UTF-8", name, "r &amp; s", "m\xe4nnlich").Replace(simple)}))
		require.Equal(t, "männlich", c.Regions[0].Name)
	}
}

// Headers of the oldest form say nothing but have a checksum.
func TestOldHeaders(t *testing.T) {
	b := cubexOf(t, bothRows, oneToFour)
	for at := 0; at < len(b)-1024; {
		h := b[at : at+512]
		size, err := octal(h[124:136])
		require.NoError(t, err)
		clear(h[257:])
		sum := 8 * int(' ')
		for i, x := range h {
			if i < 148 || i >= 156 {
				sum += int(x)
			}
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		at += 512 + (int(size)+511)/512*512
	}
	stored("a: 1 2 3 4")(t, "", requireRead(t, b))
	b[150]++
	require.ErrorContains(t, readAll(b), "not the header of a tar member")
}

// What does not fit a metric is not stored.
func TestSetRefuses(t *testing.T) {
	c := small(t)
	p := c.Roots[0]
	short, err := MakeRow("DOUBLE", []Value{Float(1)})
	require.NoError(t, err)
	require.ErrorContains(t, c.Metric("time").Set(p, short), "a row of 1 values of DOUBLE does not fit 2 locations and DOUBLE")
	other, err := MakeRow("FLOAT", []Value{Float(1), Float(2)})
	require.NoError(t, err)
	require.ErrorContains(t, c.Metric("time").Set(p, other), "does not fit")
	require.ErrorIs(t, c.Metric("ratio").Set(p, other), errDerived)
	_, err = MakeRawRow("INT99", 1, nil)
	require.ErrorContains(t, err, `unknown type of values "INT99"`)
	_, err = MakeRawRow("RATE", 1, []byte{1})
	require.ErrorContains(t, err, "1 bytes for 1 values of type RATE")
	c.Members = append(c.Members, MakeMember("0.data", nil))
	require.ErrorContains(t, c.Write(io.Discard), `member "0.data": the name is given twice`)
	require.Error(t, c.Save(t.TempDir()+"/none/x.cubex"))
}

// Values of a type that is not known are never taken for zero, and are written as they were.
func TestUnknownType(t *testing.T) {
	for _, dtype := range []string{"INT33", "NDOUBLES(999999999)", "HISTOGRAM(0)", "HISTOGRAM(5", "PAIR(2)", ""} {
		c := requireRead(t, tarOf(t, file{"0.index", bothRows}, file{"0.data", oneToFour}, file{"anchor.xml", strings.Replace(simple, "INT32", dtype, 1)}))
		require.Len(t, c.Problems, 1)
		require.Contains(t, c.Problems[0], fmt.Sprintf("unknown type of values %q", dtype))
		_, err := c.Metric("a").Row(c.Roots[0])
		require.ErrorContains(t, err, "unknown type of values")
		_, err = c.Metric("a").Total()
		require.Error(t, err)
		var b bytes.Buffer
		require.NoError(t, c.Write(&b))
		require.Equal(t, oneToFour, string(readTar(t, b.Bytes())["0.data"]))
	}
}

// What is not known is left out, and told.
func TestUnknownElements(t *testing.T) {
	c := requireRead(t, tarOf(t, file{"anchor.xml", strings.Replace(simple, "<dtype>", "<new><deep/>x</new><dtype>", 1)}))
	require.Len(t, c.Problems, 1)
	require.Contains(t, c.Problems[0], "anchor.xml: offset")
	require.Contains(t, c.Problems[0], "<new> is not known and left out")
	c = requireRead(t, tarOf(t, file{"anchor.xml", strings.Replace(simple, "<dtype>", strings.Repeat("<new/>", 1000)+"<dtype>", 1)}))
	require.Len(t, c.Problems, maxProblems+1)
}

// The old form with values in the text is as strict about them.
func TestRefusedText(t *testing.T) {
	text := func(severity string) []byte {
		return []byte(strings.Replace(simple, "</cube>", "<severity>"+severity+"</severity></cube>", 1))
	}
	require.NoError(t, readAll(text(`<matrix metricId="0"><row cnodeId="1"> 1 -2 </row></matrix>`)))
	for severity, what := range map[string]string{
		`<matrix metricId="1"></matrix>`:                                    "values of metric 1, which is not defined",
		`<matrix metricId="0"><row cnodeId="2">1 2</row></matrix>`:          "values of call path 2, which is not defined",
		`<matrix metricId="0"><row cnodeId="1">1 2 3</row></matrix>`:        "3 values of metric a and call path 1, there are 2 locations",
		`<matrix metricId="0"><row cnodeId="1">1 x</row></matrix>`:          `value "x" of metric a`,
		`<matrix metricId="0"><row cnodeId="1">1 2147483648</row></matrix>`: `value "2147483648" of metric a`,
		`</severity><severity>`:                                             "a second <severity>",
	} {
		err := readAll(text(severity))
		require.ErrorContains(t, err, what)
		require.ErrorContains(t, err, "x.cubex: offset ")
	}
}

// A report with many locations of which few have values costs little memory.
func TestSparseRows(t *testing.T) {
	const n = 10_000
	data := make([]byte, 8*n)
	binary.LittleEndian.PutUint64(data[8*77:], 5)
	r, err := MakeRawRow("UINT64", n, data)
	require.NoError(t, err)
	require.LessOrEqual(t, cap(r.data)+4*cap(r.at), 16)
	require.Equal(t, Uint(5), r.Value(77))
	require.Equal(t, Uint(0), r.Value(78))
	s, err := MakeSparseRow("UINT64", n, []int32{77}, []Value{Uint(5)})
	require.NoError(t, err)
	require.Equal(t, r, s)
	require.Equal(t, data, s.dense())
	for i, v := range s.All() {
		require.Equal(t, []any{77, Uint(5)}, []any{i, v})
	}
	for _, columns := range [][]int32{{-1}, {n}, {3, 3}, {4, 3}} {
		_, err := MakeSparseRow("UINT64", n, columns, make([]Value, len(columns)))
		require.Error(t, err, fmt.Sprint(columns))
	}
}

// A bomb takes no more memory than it has bytes, or little more.
func TestBombsTakeNoMemory(t *testing.T) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range 300 {
		_, err := z.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Read("bomb", bytes.NewReader(b.Bytes()), int64(b.Len()))
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, "inflates from")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}
