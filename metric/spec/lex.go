package spec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of tokens that are not one of the characters + - * / | = ( ) , [ ].
const (
	end     = 0
	newline = '\n'
	word    = 'a' // a name, a keyword or a number
	quoted  = '"' // a name or text in double quotes
)

type position struct {
	file         string
	line, column int
}

type token struct {
	kind byte
	text string
	at   position
}

func (t token) String() string {
	switch t.kind {
	case end:
		return "the end of the file"
	case newline:
		return "the end of the line"
	}
	text := t.text
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "") + "…"
	}
	if t.kind == word {
		return text
	}
	return fmt.Sprintf("%q", text)
}

// touches tells whether an operator follows at once, as in a name that would have to be in quotes.
func (t token) touches(next token) bool {
	return strings.IndexByte(operators, next.kind) >= 0 && next.kind != end && next.at.line == t.at.line && next.at.column == t.at.column+utf8.RuneCountInString(t.text)
}

// operators are the characters that are tokens of their own. In the middle of a name, - and / are part of it: task-clock,
// HT_I/O_XFER, msr/tsc/, cpu/event=0x3c,umask=0/.
const operators = "+-*/|=(),[]"

const maxName = 200

type lexer struct {
	rest    string
	at      position
	tokens  []token
	problem func(at position, format string, values ...any)
}

// split makes tokens of a text. Lines that are continued are joined: a line end after an operator, or before one, is none.
func split(file, text string, problem func(position, string, ...any)) []token {
	l := &lexer{rest: text, at: position{file, 1, 1}, problem: problem}
	for l.rest != "" {
		l.next()
	}
	l.add(newline, "")
	l.tokens = append(l.tokens, token{end, "", l.at})
	return join(l.tokens)
}

func join(tokens []token) []token {
	joined := tokens[:0:0]
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind != newline {
			joined = append(joined, t)
			continue
		}
		for tokens[i+1].kind == newline {
			i++
		}
		if len(joined) == 0 || joined[len(joined)-1].kind == newline {
			continue
		}
		if !strings.ContainsRune("+-*/|(,=", rune(joined[len(joined)-1].kind)) && !strings.ContainsRune("+-*/|),=", rune(tokens[i+1].kind)) {
			joined = append(joined, t)
		}
	}
	return joined
}

func (l *lexer) add(kind byte, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.at})
}

// skip goes past the first n bytes.
func (l *lexer) skip(n int) {
	for _, c := range l.rest[:n] {
		l.at.column++
		if c == '\n' {
			l.at.line++
			l.at.column = 1
		}
	}
	l.rest = l.rest[n:]
}

func (l *lexer) next() {
	c, size := utf8.DecodeRuneInString(l.rest)
	switch {
	case c == '\n':
		l.add(newline, "")
	case unicode.IsSpace(c):
	case c == '#':
		size = strings.IndexByte(l.rest, '\n')
		if size < 0 {
			size = len(l.rest)
		}
	case c == '"':
		size = l.quoted()
	case strings.ContainsRune(operators, c):
		l.add(byte(c), l.rest[:1])
	case c == utf8.RuneError && size == 1:
		l.problem(l.at, "this is not UTF-8")
	case !unicode.IsPrint(c):
		l.problem(l.at, "character %U cannot be part of a specification", c)
	default:
		size = wordLength(l.rest)
		l.add(word, l.rest[:size])
	}
	l.skip(size)
}

// quoted is the length of the text in quotes at the beginning, which is made a token.
func (l *lexer) quoted() int {
	size := strings.IndexAny(l.rest[1:], "\"\n")
	if size < 0 || l.rest[1+size] == '\n' {
		l.problem(l.at, "the quote is not closed")
		if size < 0 {
			return len(l.rest)
		}
		return 1 + size
	}
	text := l.rest[1 : 1+size]
	if i := strings.IndexFunc(text, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }); i >= 0 {
		l.problem(l.at, "text in quotes has a character that cannot be printed")
	}
	if len(text) > 10*maxName {
		l.problem(l.at, "a text of %d bytes, at most %d are allowed", len(text), 10*maxName)
		text = ""
	}
	l.add(quoted, text)
	return size + 2
}

// wordLength is the length of the name or number at the beginning of s.
func wordLength(s string) int {
	slashes := 0
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '-':
			if !inWord(s[i+1:]) {
				return i
			}
		case c == '/':
			if slashes == 0 {
				size = terms(s[i:])
			}
			slashes++
			if size == 1 && !inWord(s[i+1:]) && slashes < 2 {
				return i
			}
		case !inWord(s[i:]):
			return i
		}
		i += size
	}
	return len(s)
}

// inWord tells whether the character at the beginning of s can be in a name anywhere.
func inWord(s string) bool {
	c, size := utf8.DecodeRuneInString(s)
	return size > 0 && !strings.ContainsRune(operators+"#\"", c) && unicode.IsPrint(c) && c != ' ' && !(c == utf8.RuneError && size == 1)
}

// terms is the length of "/event=0x3c,umask=0/" at the beginning of s, which has commas and equal signs, or else 1.
func terms(s string) int {
	n := strings.IndexAny(s[1:], "/ \t\r\n#\"")
	if n <= 0 || s[1+n] != '/' || !strings.Contains(s[1:1+n], "=") {
		return 1
	}
	return n + 2
}
