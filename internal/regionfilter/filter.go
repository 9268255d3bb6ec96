// Package regionfilter reads and writes the files that say which regions are recorded, in the syntax of Score-P:
//
//	SCOREP_FILE_NAMES_BEGIN
//	  EXCLUDE */generated/*
//	SCOREP_FILE_NAMES_END
//	SCOREP_REGION_NAMES_BEGIN
//	  EXCLUDE parser.* parser.(\*Scanner).next
//	  INCLUDE parser.Parse
//	  EXCLUDE MANGLED example.org/tool/parser.skip
//	SCOREP_REGION_NAMES_END
//
// A region is recorded unless the last rule that matches its name, or that of its file, excludes it. The name of a region is that of its function
// without the path of the package, ants.(*Pool).run; behind MANGLED it is the whole, github.com/panjf2000/ants/v2.(*Pool).run.
package regionfilter

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Rule includes or excludes what its pattern matches.
type Rule struct {
	Exclude bool
	Mangled bool // the pattern is of the whole name of a function
	Pattern string
}

// Filter says which regions are recorded. The zero Filter excludes none.
type Filter struct {
	Files   []Rule
	Regions []Rule
}

// Excludes tells whether the filter leaves out a function, given its name, its name with the path of its package, and its file.
func (f *Filter) Excludes(name, full, file string) bool {
	excluded := false
	for _, r := range f.Files {
		if r.Exclude != excluded && Match(r.Pattern, file) {
			excluded = r.Exclude
		}
	}
	if excluded {
		return true
	}
	for _, r := range f.Regions {
		of := name
		if r.Mangled {
			of = full
		}
		if r.Exclude != excluded && Match(r.Pattern, of) {
			excluded = r.Exclude
		}
	}
	return excluded
}

// The words of the syntax.
const (
	filesBegin   = "SCOREP_FILE_NAMES_BEGIN"
	filesEnd     = "SCOREP_FILE_NAMES_END"
	regionsBegin = "SCOREP_REGION_NAMES_BEGIN"
	regionsEnd   = "SCOREP_REGION_NAMES_END"
)

// Read reads a filter. Its errors name the line.
func Read(r io.Reader) (*Filter, error) {
	p := parser{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		for _, word := range words(lines.Text()) {
			if err := p.take(word); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if p.block != "" {
		return nil, fmt.Errorf("line %d: %s is missing", n, p.block)
	}
	return &p.filter, nil
}

// words splits a line at blanks, up to a comment. A backslash before a character makes it part of a word; it stays there for Match.
func words(line string) (words []string) {
	begin, at := 0, 0
	for ; at < len(line) && line[at] != '#'; at++ {
		switch line[at] {
		case '\\':
			if at+1 < len(line) {
				at++
			}
		case ' ', '\t', '\r', '\v', '\f':
			if begin < at {
				words = append(words, line[begin:at])
			}
			begin = at + 1
		}
	}
	if begin < at {
		words = append(words, line[begin:at])
	}
	return words
}

// parser is between two words.
type parser struct {
	filter Filter
	block  string // the word that ends the block, "" outside of them
	rules  *[]Rule
	verb   string
	rule   Rule // of the patterns to come
}

func (p *parser) take(word string) error {
	switch {
	case p.block == "" && word == filesBegin:
		p.block, p.rules = filesEnd, &p.filter.Files
	case p.block == "" && word == regionsBegin:
		p.block, p.rules = regionsEnd, &p.filter.Regions
	case p.block == word && word != "":
		p.block, p.verb = "", ""
	case p.block != "" && (word == "EXCLUDE" || word == "INCLUDE"):
		p.verb, p.rule = word, Rule{Exclude: word == "EXCLUDE"}
	case p.verb != "" && p.block == regionsEnd && (word == "MANGLED" || word == "DEMANGLED"):
		p.rule.Mangled = word == "MANGLED"
	case p.verb == "", word == filesBegin, word == filesEnd, word == regionsBegin, word == regionsEnd:
		return fmt.Errorf("%q is not expected here", word)
	default:
		if err := Check(word); err != nil {
			return err
		}
		p.rule.Pattern = word
		*p.rules = append(*p.rules, p.rule)
	}
	return nil
}

// Check is an error for a pattern with a set that has no end: it would match the bracket itself, which hardly anybody means.
func Check(pattern string) error {
	for at := 0; at < len(pattern); at++ {
		switch pattern[at] {
		case '\\':
			at++
		case '[':
			width, _ := matchSet(pattern[at:], 0)
			if width == 0 {
				return fmt.Errorf(`pattern %q: no ] ends the [; \[ is the character itself`, pattern)
			}
			at += width - 1
		}
	}
	return nil
}

// Match tells whether a pattern of a shell matches all of a name: * stands for any characters, ? for one, [a-z] for one of several and
// [!a-z] for any other; a backslash takes the meaning from the character behind it.
func Match(pattern, name string) bool {
	star, from := -1, 0 // behind the last star, and where in the name it ends so far
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			star, from = p, n
			continue
		}
		if width, ok := matchOne(pattern[p:], name[n]); ok {
			p += width
			n++
			continue
		}
		if star < 0 {
			return false
		}
		from++
		p, n = star, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne matches one character by the beginning of a pattern, and returns the length of that.
func matchOne(pattern string, c byte) (width int, ok bool) {
	switch {
	case pattern == "":
		return 0, false
	case pattern[0] == '?':
		return 1, true
	case pattern[0] == '\\' && len(pattern) > 1:
		return 2, pattern[1] == c
	case pattern[0] == '[':
		if width, ok = matchSet(pattern, c); width > 0 {
			return width, ok
		}
	}
	return 1, pattern[0] == c
}

// matchSet matches one character by a set in brackets; its length is 0 if it has no end, and so is none.
func matchSet(pattern string, c byte) (width int, ok bool) {
	at := 1
	not := strings.HasPrefix(pattern[at:], "!") || strings.HasPrefix(pattern[at:], "^")
	if not {
		at++
	}
	next := func() byte {
		if pattern[at] == '\\' && at+1 < len(pattern) {
			at++
		}
		at++
		return pattern[at-1]
	}
	for first := at; at < len(pattern); {
		if pattern[at] == ']' && at > first {
			return at + 1, ok != not
		}
		low := next()
		high := low
		if at+1 < len(pattern) && pattern[at] == '-' && pattern[at+1] != ']' {
			at++
			high = next()
		}
		ok = ok || low <= c && c <= high
	}
	return 0, false
}

// Literal returns the pattern that matches only this name.
func Literal(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if strings.IndexByte("*?[]\\# \t", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// WriteTo writes the filter, so that Read gives the same.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	block := func(begin, end string, rules []Rule) {
		if len(rules) == 0 {
			return
		}
		fmt.Fprintln(&b, begin)
		for _, r := range rules {
			verb := "INCLUDE"
			if r.Exclude {
				verb = "EXCLUDE"
			}
			if r.Mangled {
				verb += " MANGLED"
			}
			fmt.Fprintf(&b, "  %s %s\n", verb, r.Pattern)
		}
		fmt.Fprintln(&b, end)
	}
	block(filesBegin, filesEnd, f.Files)
	block(regionsBegin, regionsEnd, f.Regions)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
