// Package readable writes names and numbers for people: in terminal columns rather than bytes, in units that suit, and without
// anything in them that a terminal would obey.
package readable

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NoBreak joins words that a line break must not separate. Clean and Wrap know it.
const NoBreak = "\u00a0"

// Clean makes a recorded name safe to print: a control character in one could take over the reader's terminal.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case !unicode.IsPrint(r) && string(r) != NoBreak:
			return utf8.RuneError
		}
		return r
	}, s)
}

// OneLine is what an error says, errors that are joined one behind the other.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Argument writes a name as a shell takes it for one word: in quotes, if need be.
func Argument(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:,=+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Width is the number of terminal columns that s takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// head returns the longest beginning of s that fits into w columns.
func head(s string, w int) string {
	for i, r := range s {
		if w -= runeWidth(r); w < 0 {
			return s[:i]
		}
	}
	return s
}

// tail returns the longest end of s that fits into w columns.
func tail(s string, w int) string {
	i := len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if w -= runeWidth(r); w < 0 {
			break
		}
		i -= n
	}
	return s[i:]
}

// Elide shortens s in its middle to w columns: both ends of a name tell more than its middle.
func Elide(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 1 {
		return head("…", w)
	}
	back := (w - 1) * 3 / 5 // the end usually differs where the beginning is common
	return head(s, w-1-back) + "…" + tail(s, back)
}

// Wrap breaks text into lines of at most w columns; longer words are elided. Words joined by NoBreak stay together.
func Wrap(text string, w int) (lines []string) {
	return wrap(text, w, func(word string) string { return Elide(word, w) })
}

// WrapWhole is Wrap for text whose words may be copied, such as names of events: a longer word gets a line that is longer.
func WrapWhole(text string, w int) (lines []string) {
	return wrap(text, w, func(word string) string { return word })
}

func wrap(text string, w int, fit func(word string) string) (lines []string) {
	line := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
		switch word = fit(word); {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= w:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], NoBreak, " ")
	}
	return lines
}

// Left and Right pad s to w columns; what is longer is elided.
func Left(s string, w int) string { s = Elide(s, w); return s + strings.Repeat(" ", w-Width(s)) }

// Right is Left for numbers.
func Right(s string, w int) string { s = Elide(s, w); return strings.Repeat(" ", w-Width(s)) + s }

var long = regexp.MustCompile(`[0-9,]{5,}(\.[0-9]+)?`)

// Number is Right for a number. One that is too wide is not cut, which would make another one of it, but rounded to three
// digits: "×1,859,301" becomes "×1.86 M".
func Number(s string, w int) string {
	if Width(s) > w {
		s = long.ReplaceAllStringFunc(s, func(s string) string {
			v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
			if err != nil {
				return s
			}
			return scale(v, 1000, "", "k", "M", "G", "T", "P", "E")
		})
	}
	return Right(s, w)
}

// Quantity writes a value in its unit: seconds with three digits in a multiple that suits ("491 ms", "19,874 s"; there are no minutes
// or hours, so that times compare at a glance), bytes likewise, and
// everything else as a number with commas between thousands.
func Quantity(v float64, unit string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case v < 0:
		return "-" + Quantity(-v, unit)
	}
	switch unit {
	case "ns":
		return scale(v, 1000, "ns", "µs", "ms", "s")
	case "sec", "s":
		if v == 0 {
			return "0 s"
		}
		return scale(v*1e9, 1000, "ns", "µs", "ms", "s")
	case "bytes":
		return scale(v, 1024, "B", "KiB", "MiB", "GiB", "TiB")
	}
	return Count(v)
}

// scale writes v in the greatest unit of which it is at least 1.
func scale(v, step float64, units ...string) string {
	if v == math.Trunc(v) && v < 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + units[0]
	}
	for v >= 999.5 && len(units) > 1 {
		v /= step
		units = units[1:]
	}
	return digits(v) + " " + units[0]
}

// digits writes v with three significant digits, but never fewer than the integer part has.
func digits(v float64) string {
	switch {
	case v < 0.00995:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(math.Round(v))
}

// Count writes a number with commas between thousands, and three digits if it is small and has a fraction.
func Count(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) >= 1e18:
		return strconv.FormatFloat(v, 'g', 6, 64)
	case v < 0:
		return "-" + Count(-v)
	case v < 1000 && v != math.Trunc(v):
		return digits(v)
	}
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Grouped writes an integer with commas between thousands, its last digits, as many as decimals says, behind a point.
func Grouped[N int | int64 | uint64](n N, decimals int) string {
	text, sign := fmt.Sprint(n), ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	for len(text) <= decimals {
		text = "0" + text
	}
	whole, rest := text[:len(text)-decimals], text[len(text)-decimals:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}

// Plural writes n with its noun: "1 event", "12,345 events", "3 processes".
func Plural[N int | int64 | uint64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return Grouped(n, 0) + " " + noun
}

// FileSize writes how large a file is: "1 byte", "2.5 kB".
func FileSize(n int64) string {
	value, unit := float64(n), 0
	for value >= 1000 && unit < 4 {
		value, unit = value/1000, unit+1
	}
	if unit == 0 {
		return Plural(n, "byte")
	}
	return fmt.Sprintf("%.1f %cB", value, " kMGT"[unit])
}

// MemorySize writes a size of memory, as processors have it: "32 KiB", "1.5 GiB".
func MemorySize(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	v := float64(n)
	for v >= 1024 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + units[0]
}

// Between writes what a value lies in, of both ends as they are written: "33–45", or with signs "−45 to −33".
func Between(low, high string) string {
	const minus = "−"
	signed := func(s string) string {
		if rest, ok := strings.CutPrefix(s, "-"); ok {
			return minus + rest
		}
		return s
	}
	low, high = signed(low), signed(high)
	if strings.HasPrefix(low, minus) || strings.HasPrefix(high, minus) {
		return low + " to " + high
	}
	return low + "–" + high
}

// Percent writes a number of per cent: "38.2 %".
func Percent(p float64) string {
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "–"
	case p == 0:
		return "0 %"
	case p > 0 && p < 0.05:
		return "<0.1 %"
	case p < 0:
		return "-" + Percent(-p)
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}
