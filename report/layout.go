package report

import (
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// pageWidth is the number of terminal columns a text report fills and never exceeds.
const pageWidth = readable.Columns

// How text is laid out is said in readable, these are short names for it.
var (
	clean, elide = readable.Clean, readable.Elide
	elidePath    = readable.Path
	number, glue = readable.Number, readable.Glue
	left, right  = readable.Left, readable.Right
	width, wrap  = readable.Width, readable.Wrap
	digits       = readable.Digits
	count        = readable.Plural[int64]
)

// nbsp joins words that a line break must not separate.
const nbsp = readable.NoBreak

// goName is a recorded name as Go's tools say it, without the compiler's mark of method values.
func goName(name string) string { return clean(strings.TrimSuffix(name, "-fm")) }

// seconds writes a duration with three digits in the unit that suits it: 740 ns, 12.3 µs, 491 ms, 1.28 s.
func seconds(ns int64) string { return quantity(ns, metric.Nanoseconds) }

// grouped writes an integer with commas between thousands.
func grouped(n int64) string { return readable.Grouped(n, 0) }

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
	return readable.Quantity(float64(v), unit)
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
