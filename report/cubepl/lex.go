package cubepl

import "strings"

type tokenKind uint8

const (
	tokenEnd      tokenKind = iota
	tokenOp                 // an operator or a bracket
	tokenWord               // a keyword, a function, or a name with ::
	tokenNumber             // digits
	tokenString             // "…", text is what it says
	tokenVariable           // ${name}, text is the name
	tokenRegexp             // =~ /…/, text is the expression
	tokenBody               // << … >>, text is what lies between
)

// token is a piece of source. The words that take the bare name of a variable in parentheses, such as sizeof,
// are one token with it.
type token struct {
	kind   tokenKind
	offset int
	text   string
	name   string // of the variable that sizeof, defined, local or global is about
}

// describe says what a token is in an error message.
func (t token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenVariable:
		return "${" + t.text + "}"
	case tokenRegexp:
		return "=~"
	case tokenBody:
		return "<<"
	}
	if len(t.text) > 40 {
		return `"` + t.text[:40] + `…"`
	}
	return `"` + t.text + `"`
}

// lexer cuts source into tokens.
type lexer struct {
	source string
	offset int
}

// operators, those of two characters first.
var operators = []string{"==", "!=", ">=", "<=", "+", "-", "*", "/", "^", "(", ")", "[", "]", "{", "}", ";", ",", "|", "=", ">", "<"}

func (l *lexer) next() (token, *Error) {
	l.skipSpace()
	start := l.offset
	rest := l.source[start:]
	switch {
	case rest == "":
		return token{kind: tokenEnd, offset: start}, nil
	case rest[0] == '$':
		l.offset++
		name, err := l.name('{', '}')
		return token{kind: tokenVariable, offset: start, text: name}, err
	case rest[0] == '"':
		return l.quoted()
	case strings.HasPrefix(rest, "=~"):
		return l.regexp()
	case strings.HasPrefix(rest, "<<"):
		end := strings.Index(rest, ">>")
		if end < 0 {
			return token{}, errorAt(start, "<< without >>")
		}
		l.offset += end + 2
		return token{kind: tokenBody, offset: start, text: rest[2:end]}, nil
	case isLetter(rest[0]):
		return l.word()
	case isDigit(rest[0]) || rest[0] == '.':
		return l.number(), nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.offset += len(op)
			return token{kind: tokenOp, offset: start, text: op}, nil
		}
	}
	return token{}, errorAt(start, "character %q means nothing here", rest[:1])
}

// skipSpace skips white space and comments.
func (l *lexer) skipSpace() {
	for l.offset < len(l.source) {
		switch c := l.source[l.offset]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.offset++
		case strings.HasPrefix(l.source[l.offset:], "//"):
			line := strings.IndexByte(l.source[l.offset:], '\n')
			if line < 0 {
				line = len(l.source) - l.offset
			}
			l.offset += line
		default:
			return
		}
	}
}

// while moves over the characters that belong and returns them.
func (l *lexer) while(belongs func(byte) bool) string {
	start := l.offset
	for l.offset < len(l.source) && belongs(l.source[l.offset]) {
		l.offset++
	}
	return l.source[start:l.offset]
}

func (l *lexer) word() (token, *Error) {
	t := token{kind: tokenWord, offset: l.offset}
	t.text = l.while(func(c byte) bool { return isLetter(c) || isDigit(c) })
	if strings.HasPrefix(l.source[l.offset:], "::") {
		t.text += l.while(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("_:=.", c) >= 0 })
	}
	var err *Error
	switch t.text {
	case "sizeof", "defined", "local", "global":
		t.name, err = l.name('(', ')')
	}
	return t, err
}

// name reads the name of a variable in brackets.
func (l *lexer) name(open, shut byte) (string, *Error) {
	bracket := func(c byte) bool {
		l.skipSpace()
		if l.offset == len(l.source) || l.source[l.offset] != c {
			return false
		}
		l.offset++
		return true
	}
	if !bracket(open) {
		return "", errorAt(l.offset, "%q expected before the name of a variable", open)
	}
	l.skipSpace()
	start := l.offset
	name := l.while(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(":_-#", c) >= 0 })
	if name == "" || !isLetter(name[0]) {
		return "", errorAt(start, "name of a variable expected")
	}
	if !bracket(shut) {
		return "", errorAt(l.offset, "%q expected after the name of a variable", shut)
	}
	return name, nil
}

// number reads digits, a point, and an exponent.
func (l *lexer) number() token {
	t := token{kind: tokenNumber, offset: l.offset}
	t.text = l.while(func(c byte) bool { return isDigit(c) || c == '.' })
	exponent := l.source[l.offset:]
	if len(exponent) > 1 && (exponent[0] == 'e' || exponent[0] == 'E') {
		digits := strings.TrimLeft(exponent[1:2], "+-") + exponent[2:]
		if digits != "" && isDigit(digits[0]) {
			l.offset += len(exponent) - len(digits)
			l.while(isDigit)
			t.text = l.source[t.offset:l.offset]
		}
	}
	return t
}

// quoted reads a text in quotation marks.
func (l *lexer) quoted() (token, *Error) {
	t := token{kind: tokenString, offset: l.offset}
	var b strings.Builder
	for l.offset++; l.offset < len(l.source); l.offset++ {
		switch c := l.source[l.offset]; c {
		case '"':
			l.offset++
			t.text = b.String()
			return t, nil
		case '\\':
			escaped := strings.IndexByte(`"tn`, at(l.source, l.offset+1))
			if escaped >= 0 {
				l.offset++
				b.WriteByte("\"\t\n"[escaped])
			}
		default:
			b.WriteByte(c)
		}
	}
	return t, errorAt(t.offset, "quotation mark without its partner")
}

// regexp reads =~ and the regular expression behind it.
func (l *lexer) regexp() (token, *Error) {
	t := token{kind: tokenRegexp, offset: l.offset}
	l.offset += len("=~")
	l.skipSpace()
	if at(l.source, l.offset) != '/' {
		return t, errorAt(l.offset, "/ expected after =~")
	}
	var b strings.Builder
	for l.offset++; l.offset < len(l.source); l.offset++ {
		c := l.source[l.offset]
		if c == '/' {
			l.offset++
			t.text = b.String()
			return t, nil
		}
		if c == '\\' && at(l.source, l.offset+1) == '/' {
			l.offset++
			c = '/'
		}
		b.WriteByte(c)
	}
	return t, errorAt(t.offset, "regular expression without its closing /")
}

// at returns the byte at an offset, 0 behind the end.
func at(s string, offset int) byte {
	if offset >= len(s) {
		return 0
	}
	return s[offset]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
