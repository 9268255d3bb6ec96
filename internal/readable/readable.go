// Package readable formats names, numbers and tables for people. Other packages choose words; this package alone decides how things
// look:
//
//   - Names and texts come from recorded programs. Clean removes everything from them that a terminal would obey, Argument quotes them for a shell.
//   - Widths are terminal columns, not bytes or runes (Width): Elide, Left, Right, Wrap, Hang and Table all count so. Words joined by NoBreak
//     stay on one line.
//   - Numbers have commas between thousands (Grouped, Count), three digits where there is a fraction (Digits) or no room for more (Short,
//     Number). Quantity knows units: times (Duration) and sizes (Bytes) are in a suitable multiple, but never in minutes or hours, so that people
//     can compare times at a glance.
//   - A negative number has a true minus sign.
//   - Percentages have one digit after the point (Percent) or, in sentences, two digits (RoughPercent). A value other than 0 never looks like 0.
//   - A count has its noun (Plural), a long list ends with the number of items left out (List), and an uncertain value is an
//     interval (Between).
//   - A place in the source is file:line (Place), and in tables and sentences the file is the last part of its name (Base).
//   - Programs get JSON in lines, with < and & as they are (JSON).
//   - Only terminals (Terminal) get colors and progress.
//
// No function depends on locale or environment, so that the same input gives the same bytes.
package readable

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// NoBreak joins words that a line break must not separate. Clean and Wrap know it.
const NoBreak = "\u00a0"

// Glue keeps all words of s on one line.
func Glue(s string) string { return strings.ReplaceAll(s, " ", NoBreak) }

// Loose is the opposite of Glue, for whoever breaks no lines, or has broken them.
func Loose(s string) string { return strings.ReplaceAll(s, NoBreak, " ") }

// Clean makes a recorded name safe to print: a control character in one could take over the reader's terminal.
func Clean(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0 { // as most are
		return s
	}
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

// JSON writes a value for programs, in lines that people can read.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Terminal tells whether a reader or writer is a terminal.
func Terminal(stream any) (is bool) {
	if f, ok := stream.(*os.File); ok {
		if conn, err := f.SyscallConn(); err == nil {
			conn.Control(func(fd uintptr) { is = term.IsTerminal(int(fd)) }) // f.Fd would make it block
		}
	}
	return is
}

// Colored tells whether a writer is a terminal whose user did not ask for plain text.
func Colored(w io.Writer) bool {
	return Terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
