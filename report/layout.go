package report

import (
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// pageWidth is the number of terminal columns a text report fills and never exceeds.
const pageWidth = 80

// arrow separates the regions of a call path in text.
const arrow = " ▸ "

// How text is laid out is said in readable, these are short names for it.
var (
	clean, elide = readable.Clean, readable.Elide
	left, right  = readable.Left, readable.Right
	width, wrap  = readable.Width, readable.Wrap
	digits       = readable.Digits
	count        = readable.Plural[int64]
)

// nbsp joins words that a line break must not separate.
const nbsp = readable.NoBreak

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

// goName is a recorded name as Go's tools say it, without the compiler's mark of method values.
func goName(name string) string { return clean(strings.TrimSuffix(name, "-fm")) }

// seconds writes a duration with three digits in the unit that suits it: 740 ns, 12.3 µs, 491 ms, 1.28 s.
func seconds(ns int64) string { return quantity(ns, metric.Nanoseconds) }

// grouped writes an integer with commas between thousands.
func grouped(n int64) string { return readable.Minus(readable.Grouped(n, 0)) }

// percent writes part of whole as "38.2 %".
func percent(part, whole int64) string {
	if whole <= 0 {
		return "–"
	}
	return readable.Percent(100 * float64(part) / float64(whole))
}

// quantity writes a value in its unit.
func quantity(v int64, u metric.Unit) string {
	unit := "ns"
	switch u {
	case metric.Nanoseconds:
	case metric.Bytes:
		unit = "bytes"
	default:
		return grouped(v)
	}
	return readable.Minus(readable.Quantity(float64(v), unit))
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
