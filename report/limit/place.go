package limit

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracerec/report/cube"
)

// Place names call paths by the names of their last regions, from the outer to the inner one: main/solve is
// every call path that ends in solve called from main. The zero Place is the whole program.
//
// As text the names are separated by / or ▸. With a / at the beginning the first name is that of a root. A * stands for
// any characters of one name, and ** for any number of regions. A \ takes the special meaning from the character after it,
// among them =, @ and #. Names that have a / themselves, as those of routes, are also found if it is not escaped: GET /user/{id}.
type Place struct {
	rooted bool
	steps  []step
	plain  string // the names with / between them, if no character has a special meaning
}

// step is a name of a place: literal pieces with anything between them; nil stands for any number of regions.
type step []string

// parsePlace reads a place.
func parsePlace(text string) (Place, error) {
	names := strings.Split(text, "▸")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	var p Place
	text, p.rooted = strings.CutPrefix(strings.Join(names, "/"), "/")
	if !strings.ContainsAny(text, special) {
		p.plain = text
	}
	if text == "" {
		return Place{}, errors.New("no place after @; for instance @main/solve")
	}
	for _, name := range splitUnescaped(text) {
		s, err := parseStep(strings.TrimSpace(name))
		if err != nil {
			return Place{}, err
		}
		if n := len(p.steps); s != nil || n == 0 || p.steps[n-1] != nil { // ** again adds nothing
			p.steps = append(p.steps, s)
		}
	}
	if p.steps[len(p.steps)-1] == nil {
		return Place{}, errors.New("a place ends in a name, not in **: what is below a call path always counts")
	}
	if text := p.String(); !strings.ContainsAny(text, special) { // also if something was escaped that need not be
		p.plain = strings.TrimPrefix(text, "/")
	}
	return p, nil
}

// splitUnescaped splits a place into names.
func splitUnescaped(text string) (names []string) {
	from := 0
	for i := range unescaped(text, '/') {
		names, from = append(names, text[from:i]), i+1
	}
	return append(names, text[from:])
}

func parseStep(name string) (step, error) {
	switch name {
	case "":
		return nil, errors.New(`an empty name in the place; \/ is a / within a name`)
	case "**":
		return nil, nil
	}
	s, piece := step{}, []byte{}
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] == '\\' && i+1 < len(name):
			i++
			piece = append(piece, name[i])
		case name[i] == '*':
			s, piece = append(s, string(piece)), nil
		default:
			piece = append(piece, name[i])
		}
	}
	return append(s, string(piece)), nil
}

// Whole says that the place is the whole program.
func (p Place) Whole() bool { return len(p.steps) == 0 }

// String writes the place so that parsePlace reads it; "" for the whole program.
func (p Place) String() string {
	if p.plain != "" && p.rooted {
		return "/" + p.plain
	} else if p.plain != "" {
		return p.plain
	}
	var b strings.Builder
	for i, s := range p.steps {
		if i > 0 || p.rooted {
			b.WriteByte('/')
		}
		if s == nil {
			b.WriteString("**")
		}
		for j, piece := range s {
			if j > 0 {
				b.WriteByte('*')
			}
			b.WriteString(escape(piece))
		}
	}
	return b.String()
}

// special are the characters with a meaning within names; a / is between them.
const special = `\*=@#`

// escape writes a name so that nothing in it has a special meaning.
func escape(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r == '/' || strings.ContainsRune(special, r) || unicode.IsSpace(r) && (r != ' ' || i == 0 || i == len(name)-1) {
			b.WriteByte('\\')
		}
		_, size := utf8.DecodeRuneInString(name[i:])
		b.WriteString(name[i : i+size])
	}
	return b.String()
}

// Find returns the call paths of the place, without those below others of them: so nothing counts twice.
func (p Place) Find(c *cube.Cube) []*cube.CallPath {
	var found []*cube.CallPath
	var walk func([]*cube.CallPath)
	walk = func(list []*cube.CallPath) {
		for _, path := range list {
			if p.matches(path, len(p.steps)) || p.ends(path) {
				found = append(found, path)
			} else {
				walk(path.Children)
			}
		}
	}
	walk(c.Roots)
	return found
}

// ends says whether a call path ends in the names as they are written.
func (p Place) ends(path *cube.CallPath) bool {
	if p.plain == "" {
		return false
	}
	for rest := "/" + p.plain; path != nil; path = path.Parent {
		var more bool
		if rest, more = strings.CutSuffix(rest, "/"+path.Region.Name); !more {
			return false
		}
		if rest == "" {
			return !p.rooted || path.Parent == nil
		}
	}
	return false
}

// matches says whether a call path ends in the first n steps.
func (p Place) matches(path *cube.CallPath, n int) bool {
	if n == 0 {
		return path == nil || !p.rooted
	}
	if p.steps[n-1] == nil {
		return p.matches(path, n-1) || path != nil && p.matches(path.Parent, n)
	}
	return path != nil && p.steps[n-1].matches(path.Region.Name) && p.matches(path.Parent, n-1)
}

// matches says whether a name is made of the pieces, with anything between them.
func (s step) matches(name string) bool {
	if len(s) == 1 {
		return name == s[0]
	}
	last := len(s) - 1
	name, ok := strings.CutPrefix(name, s[0])
	if !ok {
		return false
	}
	for _, piece := range s[1:last] {
		if _, name, ok = strings.Cut(name, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(name, s[last])
}
