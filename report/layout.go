package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracerec/metric"
)

// pageWidth is the number of terminal columns a text report fills and never exceeds.
const pageWidth = 80

// arrow separates the regions of a call path in text.
const arrow = " ▸ "

// clean makes a recorded name safe to print: names come from files, and a control character in one could
// take over the reader's terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' {
			return ' '
		}
		if !unicode.IsPrint(r) && string(r) != nbsp {
			return utf8.RuneError
		}
		return r
	}, s)
}

// runeWidth is the number of columns a terminal gives to r.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// width is the number of columns s takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
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

// elide shortens s in its middle to w columns: both ends of a name tell more than its middle.
func elide(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w <= 1 {
		return head("…", w)
	}
	back := (w - 1) * 3 / 5 // the end usually differs where the beginning is common
	return head(s, w-1-back) + "…" + tail(s, back)
}

// elidePath writes a call path in w columns. Regions in the middle go first, then the root: the last two tell most.
func elidePath(names []string, w int) string {
	n := len(names)
	if n == 0 {
		return ""
	}
	var candidates []string
	most := (w + width(arrow)) / (1 + width(arrow)) // so many names fit, if they are not empty
	if n <= most {
		candidates = append(candidates, strings.Join(names, arrow))
	}
	for keep := min(n-2, most); keep >= 2; keep-- {
		candidates = append(candidates, names[0]+arrow+"…"+arrow+strings.Join(names[n-keep:], arrow))
	}
	if n > 2 {
		candidates = append(candidates, "…"+arrow+strings.Join(names[n-2:], arrow), names[0]+arrow+"…"+arrow+names[n-1])
	}
	if n > 1 {
		candidates = append(candidates, "…"+arrow+names[n-1])
	}
	for _, c := range candidates {
		if width(c) <= w {
			return c
		}
	}
	return elide(names[n-1], w)
}

// readable is a recorded name as Go's tools say it, without the compiler's mark of method values.
func readable(name string) string { return clean(strings.TrimSuffix(name, "-fm")) }

// left and right pad s to w columns, eliding it when it is longer.
func left(s string, w int) string  { s = elide(s, w); return s + strings.Repeat(" ", w-width(s)) }
func right(s string, w int) string { s = elide(s, w); return strings.Repeat(" ", w-width(s)) + s }

// wrap breaks text into lines of at most w columns. Words longer than a line are elided. A no-break space keeps
// a number and its unit together and is printed as a space.
func wrap(text string, w int) []string {
	var lines []string
	line := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
		word = elide(word, w)
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= w:
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
		lines[i] = strings.ReplaceAll(lines[i], nbsp, " ")
	}
	return lines
}

// nbsp joins words that a line break must not separate.
const nbsp = "\u00a0"

// seconds writes a duration with three digits in the unit that suits it: 740 ns, 12.3 µs, 491 ms, 1.28 s.
func seconds(ns int64) string {
	if ns < 0 {
		return "−" + seconds(-max(ns, -math.MaxInt64)) // the least number has no opposite
	}
	if ns < 1000 {
		return strconv.FormatInt(ns, 10) + " ns"
	}
	v := float64(ns)
	for _, unit := range []string{" µs", " ms"} {
		v /= 1000
		if v < 999.5 {
			return digits(v) + unit
		}
	}
	return digits(v/1000) + " s"
}

// digits writes v with three significant digits, but never fewer than the integer part has.
func digits(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return grouped(int64(math.Round(v)))
}

// grouped writes an integer with commas between thousands.
func grouped(n int64) string {
	if n < 0 {
		return "−" + grouped(-max(n, -math.MaxInt64)) // the least number has no opposite
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent writes part of whole as "38.2 %".
func percent(part, whole int64) string {
	if whole <= 0 {
		return "–"
	}
	switch p := 100 * float64(part) / float64(whole); {
	case part == 0:
		return "0 %"
	case p > 0 && p < 0.05:
		return "<0.1 %"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
}

// quantity writes a value in its unit.
func quantity(v int64, u metric.Unit) string {
	switch u {
	case metric.Nanoseconds:
		return seconds(v)
	case metric.Bytes:
		f := float64(v)
		for _, unit := range []string{" B", " KiB", " MiB", " GiB"} {
			if f < 999.5 {
				if unit == " B" {
					return strconv.FormatInt(v, 10) + unit
				}
				return digits(f) + unit
			}
			f /= 1024
		}
		return digits(f) + " TiB"
	}
	return grouped(v)
}

// bar draws part of whole in w columns, to an eighth of a column.
func bar(part, whole int64, w int) string {
	if whole <= 0 || part <= 0 {
		return strings.Repeat(" ", w)
	}
	eighths := int(float64(w*8)*float64(min(part, whole))/float64(whole) + 0.5)
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string(rune('█' + 8 - r)) // U+2588 full … U+258F one eighth
	}
	return left(s, w)
}
