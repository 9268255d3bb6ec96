package readable

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuantity(t *testing.T) {
	for want, got := range map[string]string{
		"0 s":       Quantity(0, "sec"),
		"0 ns":      Quantity(0, "ns"),
		"740 ns":    Quantity(740, "ns"),
		"12.3 µs":   Quantity(12345, "ns"),
		"491 ms":    Quantity(0.4912, "sec"),
		"1.28 s":    Quantity(1.28e9, "ns"),
		"−2.50 s":   Quantity(-2.5, "sec"),
		"12,345 s":  Quantity(12345, "sec"),
		"1 KiB":     Quantity(1024, "bytes"),
		"1,234,567": Quantity(1234567, "occ"),
		"0.25":      Quantity(0.25, "occ"),
		"−1,000":    Quantity(-1000, ""),
		"NaN":       Quantity(math.NaN(), "sec"),
		"38.2 %":    Percent(38.2),
		"<0.1 %":    Percent(0.01),
		"−<0.1 %":   Percent(-0.01),
		"–":         Percent(math.Inf(1)),
	} {
		require.Equal(t, want, got)
	}
}

func TestArgument(t *testing.T) {
	for name, want := range map[string]string{
		"/dev/shm/tracerec-1/a_b.dir": "/dev/shm/tracerec-1/a_b.dir",
		"Spur für später":             "'Spur für später'",
		"Spür":                        "Spür",
		"it's":                        `'it'\''s'`,
		"~/a":                         "'~/a'",
		"$HOME":                       "'$HOME'",
		"a;b":                         "'a;b'",
		"":                            "''",
	} {
		require.Equal(t, want, Argument(name))
	}
}

func TestColumns(t *testing.T) {
	require.Equal(t, "a\ufffd[31m b", Clean("a\x1b[31m\tb"))
	require.Equal(t, 4, Width("語x\u0301y"))
	require.Equal(t, "abc…ghij", Elide("abcdefghij", 8))
	for w := range 12 {
		require.LessOrEqual(t, Width(Elide("語語語語語語", w)), w)
		require.Equal(t, w, Width(Left("語語語語語語", w)))
		require.Equal(t, w, Width(Right("abcdefghij", w)))
	}
}

func TestWordsStayTogether(t *testing.T) {
	require.Equal(t, []string{"it took", "38.2 %", "avery…sthere"}, Wrap(Clean("it took\n38.2"+NoBreak+"% averylongwordthatendsthere"), 12))
	require.Equal(t, []string{"a b c"}, Wrap("a"+NoBreak+"b\tc", 5))
}

func TestNumber(t *testing.T) {
	for s, want := range map[string]string{
		"×1,859,301":      "  ×1.86 M",
		"×859,301":        " ×859,301",
		"+1,859,301,000":  "  +1.86 G",
		"~±12,345,678":    " ~±12.3 M",
		"+100000100.0 %":  "+100 M %",
		"−999,999,999.25": "  −1.00 G",
		"12 ms":           "    12 ms",
	} {
		require.Equal(t, Right(want, 9), Number(s, 9))
	}
}

func TestBetween(t *testing.T) {
	require.Equal(t, "33–45", Between("33", "45"))
	require.Equal(t, "−45 to −33", Between("-45", "−33"))
	require.Equal(t, "−5 to 12", Between("−5", "12"))
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", -1234567: "−1,234,567"} {
		require.Equal(t, want, Grouped(n, 0))
	}
	require.Equal(t, "0.05", Grouped(5, 2))
	require.Equal(t, "12,345.67", Grouped(1234567, 2))
	require.Equal(t, "18,446,744,073,709,551,615", Grouped(uint64(1<<64-1), 0))
	require.Equal(t, "1 event", Plural(1, "event"))
	require.Equal(t, "999 events", Plural(999, "event"))
	require.Equal(t, "12,345 processes", Plural(12345, "process"))
}

func TestSizes(t *testing.T) {
	require.Equal(t, "1 B", Bytes(1))
	require.Equal(t, "999 B", Bytes(999))
	require.Equal(t, "2.44 KiB", Bytes(2500))
	require.Equal(t, "32 KiB", Bytes(32<<10))
	require.Equal(t, "1.50 GiB", Bytes(3<<29))
	require.Equal(t, "1,024 TiB", Bytes(1<<50))
	require.Equal(t, "64 ns", Duration(int64(64)))
	require.Equal(t, "90.0 s", Duration(90*time.Second))
}

func TestLongWords(t *testing.T) {
	require.Equal(t, "not\ncpu/event=0x3c,umask=0/\nhere\n", Block("", "not cpu/event=0x3c,umask=0/ here", 9))
	require.Equal(t, []string{"not", "cpu…k=0/", "here"}, Wrap("not cpu/event=0x3c,umask=0/ here", 8))
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "a; b", OneLine(errors.Join(errors.New("a"), errors.New("b"))))
}

func TestSigns(t *testing.T) {
	require.Equal(t, "−1,000", Count(-1000))
	require.Equal(t, "1e-05", Count(1e-05))
	require.Equal(t, "−0.00", Digits(-0.001))
	require.Equal(t, "0.001", Count(0.001))
	require.Equal(t, []string{"1.23 M", "−1.23 M", "999"}, []string{Short(1_234_567), Short(-1_234_567), Short(999)})
}

func TestRoughPercent(t *testing.T) {
	for part, want := range map[float64]string{0: "0 %", 0.0001: "less than 0.1 %", 0.00095: "0.1 %", 0.0994: "9.9 %", 0.0995: "10 %", 1: "100 %"} {
		require.Equal(t, want, RoughPercent(part))
	}
}

func TestHang(t *testing.T) {
	require.Equal(t, []string{"語! one", "    two"}, Hang("語! ", "one two", 8))
	require.Equal(t, "a: abcdefgh\n   b\n", Block("a: ", "abcdefgh b", 5))
	require.Empty(t, Block("label", "", 80))
	require.Empty(t, Hang("label", "", 80))
}

func TestTable(t *testing.T) {
	for align, want := range map[string]string{
		"r":   "   a  long\n語語     1\na sentence across all columns\n",
		"l":   "a     long\n語語  1\na sentence across all columns\n",
		"lr-": "a     long\n語語     1\na sentence across all columns\n",
		"l-":  "a     long\n語語  1\na sentence across all columns\n",
	} {
		var out strings.Builder
		require.NoError(t, Table(&out, [][]string{{"a", "long"}, {"語語", "1"}, {"a sentence across all columns"}}, align))
		require.Equal(t, want, out.String(), align)
	}
}

func TestList(t *testing.T) {
	require.Equal(t, "a, b", List([]string{"a", "b"}, 2))
	require.Equal(t, "a and 1,999 more", List(append([]string{"a"}, make([]string, 1999)...), 1))
	require.Empty(t, List(nil, 2))
}

// TestClusters: what is drawn as one thing is never torn apart, and takes the columns of one thing.
func TestClusters(t *testing.T) {
	const family, flag = "👨\u200d👩\u200d👧", "🇩🇪"
	require.Equal(t, 2, Width(family))
	require.Equal(t, family+"…"+flag, Elide(family+"abc"+flag, 5))
	require.Equal(t, "▸…−█▁←→±×µ≤≥–", Left("▸…−█▁←→±×µ≤≥–", 13)) // ambiguous in East Asia, narrow here
}

func TestTerminal(t *testing.T) {
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	require.False(t, Terminal(file)) // although it is a device
	require.False(t, Terminal(&strings.Builder{}))
}

func TestPath(t *testing.T) {
	names := []string{"main", "domain", "step", "exchange", "recv"}
	for w, want := range map[int]string{
		40: "main ▸ domain ▸ step ▸ exchange ▸ recv",
		30: "main ▸ … ▸ exchange ▸ recv",
		21: "… ▸ exchange ▸ recv",
		18: "main ▸ … ▸ recv",
		9:  "… ▸ recv",
	} {
		require.Equal(t, want, Path(names, w))
	}
	for w := range 60 {
		for _, s := range []string{"e\u0301tude測定" + strings.Repeat("x測", 30), "plain", ""} {
			require.LessOrEqual(t, Width(Path([]string{s, s, s}, w)), w)
		}
	}
	require.Equal(t, "… ▸ exchange ▸ recv", PathEnd(names, 2))
	require.Equal(t, "step ▸ exchange ▸ recv", PathEnd(names[2:], 3))
	require.Empty(t, Path(nil, 5)+PathEnd(nil, 5))
}

func TestGroups(t *testing.T) {
	var by Groups[string]
	for _, x := range [][2]string{{"b", "1"}, {"a", "2"}, {"b", "3"}} {
		by.Add(x[0], x[1])
	}
	require.Equal(t, []string{"b", "a"}, by.Order)
	require.Equal(t, map[string][]string{"b": {"1", "3"}, "a": {"2"}}, by.Names)
}

func TestJSON(t *testing.T) {
	var out strings.Builder
	require.NoError(t, JSON(&out, map[string]string{"vector<int>&": "ns"}))
	require.Equal(t, "{\n  \"vector<int>&\": \"ns\"\n}\n", out.String())
	require.Error(t, JSON(&out, math.NaN()))
}

func TestPlace(t *testing.T) {
	require.Equal(t, "mesh.go:17", Place(Base("/src/mesh.go"), 17))
	require.Equal(t, "mesh.go", Base(`C:\src\mesh.go`))
	require.Equal(t, "a.go", Place("a.go", 0))
	require.Empty(t, Place("", 17))
	require.Equal(t, "a\uFFFD.go:1", Place("a\x1b.go", 1))
}
