package readable

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// minus stands before negative numbers.
const minus = "−"

var long = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9,]{5,}(\.[0-9]+)?`) })

// Number is Right for a number. One that is too wide is not cut, which would make another one of it, but rounded to three
// digits: "×1,859,301" becomes "×1.86 M".
func Number(s string, w int) string {
	if Width(s) > w {
		s = long().ReplaceAllStringFunc(s, func(s string) string {
			v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
			if err != nil {
				return s
			}
			return Short(v)
		})
	}
	return Right(s, w)
}

// Quantity writes a value in its unit: seconds with three digits in a multiple that suits ("491 ms", "19,874 s"; there are no minutes
// or hours, so that times compare at a glance), bytes likewise ("1.50 GiB", "32 KiB" if it is just that), and everything else as a number
// with commas between thousands.
func Quantity(v float64, unit string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case v < 0:
		return minus + Quantity(-v, unit)
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

// Short writes a number in three digits and a multiple: "3.10 M".
func Short(v float64) string {
	if v < 0 {
		return minus + Short(-v)
	}
	return strings.TrimSuffix(scale(v, 1000, "", "k", "M", "G", "T", "P", "E"), " ")
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
	if step == 1024 && v == math.Trunc(v) {
		return Count(v) + " " + units[0]
	}
	return digits(v) + " " + units[0]
}

// Duration is Quantity for a length of time, a time.Duration or nanoseconds.
func Duration[N ~int64](ns N) string { return Quantity(float64(ns), "ns") }

// Bytes is Quantity for the size of a file or of memory.
func Bytes(n int64) string { return Quantity(float64(n), "bytes") }

// digits is Digits, but of a small number writes all three.
func digits(v float64) string {
	if v < 0.00995 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return Digits(v)
}

// Digits writes a number with three significant digits, two of them behind the point at most, but never fewer than the
// integer part has.
func Digits(v float64) string {
	switch {
	case v < 0:
		return minus + Digits(-v)
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
		return minus + Count(-v)
	case v < 1000 && v != math.Trunc(v):
		return digits(v)
	}
	return commas(strconv.FormatFloat(v, 'f', 0, 64))
}

// commas groups the digits of a whole number.
func commas(s string) string {
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Grouped writes an integer with commas between thousands, its last digits, as many as decimals says, behind a point.
func Grouped[N int | int64 | uint64](n N, decimals int) string {
	text, sign := fmt.Sprint(n), ""
	if n < 0 {
		sign, text = minus, text[1:]
	}
	for len(text) <= decimals {
		text = "0" + text
	}
	whole, rest := commas(text[:len(text)-decimals]), text[len(text)-decimals:]
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}

// Plural writes n with its noun: "1 event", "12,345 events", "3 processes".
func Plural[N int | int64 | uint64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"):
		noun += "es"
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return Grouped(n, 0) + " " + noun
}

// Between writes what a value lies in, of both ends as they are written: "33–45", or with signs "−45 to −33".
func Between(low, high string) string {
	sign := func(number string) string { // numbers with all their digits are not written here
		if rest, negative := strings.CutPrefix(number, "-"); negative {
			return minus + rest
		}
		return number
	}
	low, high = sign(low), sign(high)
	if strings.HasPrefix(low, minus) || strings.HasPrefix(high, minus) {
		return low + " to " + high
	}
	return low + "–" + high
}

// RoughPercent writes a part of a whole in a sentence: "38 %", "3.8 %", "less than 0.1 %".
func RoughPercent(part float64) string {
	switch p := 100 * part; {
	case p == 0:
		return "0 %"
	case p >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 0.095:
		return fmt.Sprintf("%.1f %%", p)
	}
	return "less than 0.1 %"
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
		return minus + Percent(-p)
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// ExitStatus writes the exit status of a program; shells and recorders add 128 to the signal that ended it.
func ExitStatus(n int) string {
	text := fmt.Sprintf("exit status %d", n)
	if 128 < n && n <= 128+64 {
		text += fmt.Sprintf(" (signal %d)", n-128)
	}
	return text
}
