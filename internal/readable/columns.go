package readable

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Columns is how many columns a text for people fills and never exceeds.
const Columns = 80

// Width is the number of terminal columns that s takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return uniseg.StringWidth(s)
		}
	}
	return len(s) // most texts, and a tenth of the time
}

// head returns the longest beginning of s that fits into w columns.
func head(s string, w int) string {
	rest, state := s, -1
	for rest != "" {
		_, next, columns, after := uniseg.FirstGraphemeClusterInString(rest, state)
		if w -= columns; w < 0 {
			break
		}
		rest, state = next, after
	}
	return s[:len(s)-len(rest)]
}

// tail returns the longest end of s that fits into w columns.
func tail(s string, w int) string {
	columns, state := 0, -1
	for over := Width(s) - w; over > 0; over -= columns {
		_, s, columns, state = uniseg.FirstGraphemeClusterInString(s, state)
	}
	return s
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

// ElideUnlike is Elide where others become the same text: what differs from them stays. If that needs more room than there is, s stays whole. Others may include s.
func ElideUnlike(s string, others []string, w int) string {
	if short := Elide(s, w); !becomes(short, s, others, func(x string) string { return Elide(x, w) }) {
		return short
	}
	first := len(s) // where s differs from the first of them to differ
	for _, x := range others {
		if n := common(s, x); x != s {
			first = min(first, n)
		}
	}
	side := w / 4
	cut := func(x string) string {
		begin := head(x, side)
		if len(x) <= first || first <= len(begin) {
			return x
		}
		return begin + "…" + Elide(x[first:], w-Width(begin)-1)
	}
	if short := cut(s); !becomes(short, s, others, cut) {
		return short
	}
	return s
}

// becomes says whether one of others that is not s is cut to the same text as it.
func becomes(short, s string, others []string, cut func(string) string) bool {
	return slices.ContainsFunc(others, func(x string) bool { return x != s && cut(x) == short })
}

// common returns how many bytes two texts have in common where they begin, up to the last character that they share.
func common(s, x string) (n int) {
	for i := range s {
		if i > len(x) || s[:i] != x[:i] {
			break
		}
		n = i
	}
	return n
}

// Wrap breaks text into lines of at most w columns; longer words are elided. Words joined by NoBreak stay together.
func Wrap(text string, w int) (lines []string) {
	return wrap(text, w, func(word string) string { return Elide(word, w) })
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
		lines[i] = Loose(lines[i])
	}
	return lines
}

// Left and Right pad s to w columns; what is longer is elided.
func Left(s string, w int) string { s = Elide(s, w); return s + strings.Repeat(" ", w-Width(s)) }

// Right is Left for numbers.
func Right(s string, w int) string { s = Elide(s, w); return strings.Repeat(" ", w-Width(s)) + s }

// Hang writes text beside a label, in lines of at most w columns: the first begins with the label, the others are indented as far.
func Hang(label, text string, w int) []string { return hang(label, Wrap(text, w-Width(label))) }

// Block is Hang as one text of lines, "" if there is no text. Words may be copied, such as names of events: a longer one gets a line that is longer.
func Block(label, text string, w int) string {
	whole := func(word string) string { return word }
	return strings.Join(append(hang(label, wrap(text, w-Width(label), whole)), ""), "\n")
}

func hang(label string, lines []string) []string {
	for i := range lines {
		lines[i] = label + lines[i]
		if i == 0 {
			label = strings.Repeat(" ", Width(label))
		}
	}
	return lines
}

// Table writes rows in columns as wide as their widest cell, two apart. align has a letter for each column, the last one for all that follow:
// l for left, r for right, and - for cells that stay as they are, such as long ones at the end.
// A row of one cell is a line of its own.
func Table(w io.Writer, rows [][]string, align string) error {
	lies := func(row []string, column int) byte {
		if len(row) == 1 {
			return '-'
		}
		return align[min(column, len(align)-1)]
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if lies(row, i) != '-' {
				widths[i] = max(widths[i], Width(cell))
			}
		}
	}
	var text strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i > 0 {
				line += "  "
			}
			switch lies(row, i) {
			case 'l':
				cell = Left(cell, widths[i])
			case 'r':
				cell = Right(cell, widths[i])
			}
			line += cell
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Groups are names that belong to one thing each, such as what is missing by its reason.
type Groups[K comparable] struct {
	Order []K // as they first came
	Names map[K][]string
}

// Add adds a name to a group.
func (g *Groups[K]) Add(group K, name string) {
	if g.Names == nil {
		g.Names = map[K][]string{}
	}
	if g.Names[group] == nil {
		g.Order = append(g.Order, group)
	}
	g.Names[group] = append(g.Names[group], name)
}

// List joins names with commas; of more than most, those behind are only counted: "a, b and 3 more".
func List(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %s more", Grouped(more, 0))
	}
	return text
}
