package operations

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// edit replaces a part of a file, or inserts where that is empty.
type edit struct {
	from, to int
	text     string
	order    int // among insertions at one place
}

// text is a file in the making. Whatever is done to it, every line keeps its number.
type text struct {
	file  *token.File
	old   string
	edits []edit
}

func (t *text) offset(p token.Pos) int { return t.file.Offset(p) }

// source is a part of the file as it was.
func (t *text) source(from, to token.Pos) string { return t.old[t.offset(from):t.offset(to)] }

// replace replaces what is between two places.
func (t *text) replace(from, to token.Pos, by string) {
	t.edits = append(t.edits, edit{t.offset(from), t.offset(to), by, 0})
}

// before inserts text before something: within what was inserted before what is around it.
func (t *text) before(p token.Pos, s string) {
	t.edits = append(t.edits, edit{t.offset(p), t.offset(p), s, len(t.edits)})
}

// behind inserts text behind something: within what is inserted behind what is around it.
func (t *text) behind(p token.Pos, s string) {
	t.edits = append(t.edits, edit{t.offset(p), t.offset(p), s, -1 - len(t.edits)})
}

// wrap puts something between two texts.
func (t *text) wrap(n ast.Node, before, behind string) {
	t.before(n.Pos(), before)
	t.behind(n.End(), behind)
}

// render returns a part of the file with the edits in it.
func (t *text) render(from, to int) string {
	slices.SortStableFunc(t.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.order, b.order))
	})
	var s strings.Builder
	for _, e := range t.edits {
		s.WriteString(t.old[from:e.from])
		s.WriteString(e.text)
		from = e.to
	}
	s.WriteString(t.old[from:to])
	return s.String()
}

// apart renders something that visit edits, and takes these edits away: it goes elsewhere.
func (t *text) apart(n ast.Node, visit func(ast.Node)) string {
	before := t.edits
	t.edits = nil
	visit(n)
	s := t.render(t.offset(n.Pos()), t.offset(n.End()))
	t.edits = before
	return s
}

// lines are as many line ends as there are in s.
func lines(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
