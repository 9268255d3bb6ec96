package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
)

// Limits of a specification's text. They are far above what is useful, and bound what hostile input can cost.
const (
	maxText       = 1 << 20 // bytes
	maxStatements = 4096
	maxOperands   = 1024 // of one expression
	maxNesting    = 64   // of parentheses, and of hierarchies
	maxProblems   = 200
)

// Spec is a parsed specification. It is not changed after it was made and may be used concurrently.
type Spec struct {
	Name    string // that of its file
	Title   string // one line on what it is for
	Sets    []Set
	Machine Machine

	processors []processor
	entries    map[string]*entry // by the name of a metric
	order      []string          // the names of the entries, as they were first mentioned
	ratios     []ratio
	units      map[string]string // by the name of a metric
	texts      map[string]string // descriptions, by the name of a metric, set or ratio
	restful    map[string]bool   // files that say with rest which names nothing measures
}

// entry is all that a specification says of a name.
type entry struct {
	compose []part
	measure []part        // alternatives
	compute []computation // alternatives
	parts   []part        // in a hierarchy
	flags   map[string]position
	spec    string
	at      position
}

type part struct {
	name string
	at   position
}

type computation struct {
	operands []operand
	at       position
}

type ratio struct {
	Ratio
	alternatives []*Expr
	own          bool // of a file that is not shipped
}

// statement is one statement of a text: a definition with one of the keywords.
type statement struct {
	keyword  string
	override bool
	spec     string
	name     part
	names    []part // compose, measure, set, machine, root, rest, absent
	alts     []*Expr
	forms    []computation
	options  map[string]string
	text     string
}

// Parse reads a specification; name is that of its file. The error is [Problems].
func Parse(name string, text []byte) (*Spec, error) {
	r := &reader{file: name}
	r.read(string(text))
	return r.result(name, false)
}

// result is the specification that was read, or the problems in the order of the texts.
func (r *reader) result(name string, strict bool) (*Spec, error) {
	s := build(r, strict)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(slices.Index(r.files, a.File), slices.Index(r.files, b.File)), a.Line-b.Line, a.Column-b.Column)
		})
		return nil, r.problems
	}
	s.Name = name
	return s, nil
}

// reader is the parser of one or more texts.
type reader struct {
	file       string   // the present one
	files      []string // all, in their order
	tokens     []token
	operands   int // of the present expression
	nesting    int
	problems   Problems
	statements []statement
}

// problem notes a problem. What is beyond the limit is only said to be there.
func (r *reader) problem(at position, format string, values ...any) {
	switch n := len(r.problems); {
	case n < maxProblems:
		r.problems = append(r.problems, Problem{at.file, at.line, at.column, fmt.Sprintf(format, values...)})
	case n == maxProblems:
		r.problems = append(r.problems, Problem{at.file, at.line, at.column, "and more problems"})
	}
}

// failed notes an error of the present statement.
func (r *reader) failed(err error) {
	var p Problem
	if errors.As(err, &p) {
		r.problem(position{p.File, p.Line, p.Column}, "%s", p.Text)
	}
}

func (r *reader) read(text string) {
	r.files = append(r.files, r.file)
	if len(text) > maxText {
		r.problem(position{r.file, 1, 1}, "a specification of more than %d bytes, which is the most that is allowed", maxText)
		return
	}
	r.tokens = split(r.file, strings.TrimPrefix(text, "\ufeff"), r.problem) // some editors begin a file with a byte order mark
	for r.tokens[0].kind != end {
		if err := r.statement(); err != nil {
			r.failed(err)
			for r.tokens[0].kind != newline && r.tokens[0].kind != end {
				r.tokens = r.tokens[1:]
			}
		}
		if r.tokens[0].kind == newline {
			r.tokens = r.tokens[1:]
		}
		if len(r.statements) > maxStatements {
			r.problem(r.tokens[0].at, "more than %d statements", maxStatements)
			return
		}
	}
}

// keywords are the statements, each with what reads the part behind the keyword.
var keywords = map[string]func(*reader, *statement) error{
	"compose":  (*reader).compose,
	"measure":  (*reader).measure,
	"compute":  (*reader).compute,
	"ratio":    (*reader).ratio,
	"set":      (*reader).set,
	"aggroup":  (*reader).set,
	"machine":  (*reader).machine,
	"cpu":      (*reader).cpu,
	"root":     (*reader).list,
	"rest":     (*reader).list,
	"absent":   (*reader).list,
	"unit":     (*reader).unit,
	"describe": (*reader).describe,
	"title":    (*reader).title,
	"like":     (*reader).list,
}

// overridable are the keywords whose statements another may replace.
var overridable = map[string]bool{"compose": true, "measure": true, "compute": true, "ratio": true, "set": true, "aggroup": true, "unit": true, "describe": true}

func (r *reader) statement() error {
	t := r.take()
	s := statement{spec: r.file}
	if t.kind == word && t.text == "override" {
		s.override = true
		t = r.take()
	}
	read := keywords[t.text]
	if t.kind != word || read == nil {
		return problemAt(t.at, "%s begins no statement; there are %s", t, listed(keywords))
	}
	if s.override && !overridable[t.text] {
		return problemAt(t.at, "%s cannot be overridden", t)
	}
	s.keyword = t.text
	s.name.at = t.at
	if err := read(r, &s); err != nil {
		return err
	}
	if t := r.tokens[0]; t.kind != newline && t.kind != end {
		return problemAt(t.at, "%s does not belong here", t)
	}
	if s.keyword == "aggroup" {
		s.keyword = "set"
	}
	r.statements = append(r.statements, s)
	return nil
}

func listed[V any](m map[string]V) string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func (r *reader) take() token {
	t := r.tokens[0]
	if t.kind != end {
		r.tokens = r.tokens[1:]
	}
	return t
}

// accept takes the next token if it is of a kind.
func (r *reader) accept(kind byte) bool {
	if r.tokens[0].kind != kind {
		return false
	}
	r.take()
	return true
}

func (r *reader) expect(kind byte, what string) error {
	if t := r.tokens[0]; t.kind != kind {
		return problemAt(t.at, "%s, but %s is needed", t, what)
	}
	r.take()
	return nil
}

// part reads a name.
func (r *reader) part() (part, error) {
	t := r.tokens[0]
	if t.kind != word && t.kind != quoted || t.text == "" {
		return part{}, problemAt(t.at, "%s, but a name is needed", t)
	}
	if len(t.text) > maxName {
		return part{}, problemAt(t.at, "a name of %d bytes, at most %d are allowed", len(t.text), maxName)
	}
	r.take()
	if next := r.tokens[0]; t.kind == word && strings.HasPrefix(t.text, "mem:") && !strings.ContainsAny(t.text[len("mem:"):], "/:") && t.touches(next) {
		return part{}, problemAt(t.at, `%s%s ends the name of a watchpoint; put all of it in quotes: "mem:main.table+8/8:w"`, t, next.text)
	}
	return part{t.text, t.at}, nil
}

// defined reads "NAME =".
func (r *reader) defined(s *statement) (err error) {
	if s.name, err = r.part(); err != nil {
		return err
	}
	if s.name.name == metric.Time {
		return problemAt(s.name.at, "%s is the time that was spent; it needs no definition", metric.Time)
	}
	return r.expect('=', `"="`)
}

func (r *reader) separated(by byte) (names []part, err error) {
	for {
		p, err := r.part()
		if err != nil {
			return nil, err
		}
		names = append(names, p)
		if len(names) > maxOperands {
			return nil, problemAt(p.at, "more than %d names", maxOperands)
		}
		if !r.accept(by) {
			return names, nil
		}
	}
}

func (r *reader) compose(s *statement) error {
	return r.named(s, '+', "a composition only adds names; write compute for other sums")
}

func (r *reader) measure(s *statement) error {
	return r.named(s, '|', "one event is measured, or the first there is of several with | between")
}

// named reads a statement of names with one sign between them; otherwise it says what there can be.
func (r *reader) named(s *statement, by byte, otherwise string) (err error) {
	if err = r.defined(s); err != nil {
		return err
	}
	if s.names, err = r.separated(by); err != nil {
		return err
	}
	if t := r.tokens[0]; t.kind != newline && t.kind != end {
		return problemAt(t.at, "%s: %s", t, otherwise)
	}
	return nil
}

func (r *reader) compute(s *statement) (err error) {
	if err = r.defined(s); err != nil {
		return err
	}
	if s.alts, err = r.alternatives(); err != nil {
		return err
	}
	for _, e := range s.alts {
		o, err := e.linear()
		if err != nil {
			return err
		}
		s.forms = append(s.forms, computation{o, e.at})
	}
	return nil
}

func (r *reader) ratio(s *statement) (err error) {
	if s.name, err = r.part(); err != nil {
		return err
	}
	if r.accept('[') {
		if s.options, err = r.options(']', ratioOptions); err != nil {
			return err
		}
		if err = r.expect(']', `"]"`); err != nil {
			return err
		}
	}
	if err = r.expect('=', `"="`); err != nil {
		return err
	}
	if s.alts, err = r.alternatives(); err != nil {
		return err
	}
	for _, e := range s.alts {
		if err := e.evaluable(); err != nil {
			return err
		}
	}
	return nil
}

// ratioOptions are the attributes of ratios: whether each is a number.
var ratioOptions = map[string]bool{"unit": false, "low": true, "high": true, "least": true}

// options reads NAME = VALUE up to a token of kind stop.
func (r *reader) options(stop byte, known map[string]bool) (map[string]string, error) {
	options := map[string]string{}
	for r.tokens[0].kind != stop && r.tokens[0].kind != newline && r.tokens[0].kind != end {
		name := r.take()
		numeric, ok := known[name.text]
		if name.kind != word || !ok {
			return nil, problemAt(name.at, "%s is no attribute; there are %s", name, listed(known))
		}
		if _, again := options[name.text]; again {
			return nil, problemAt(name.at, "%s is given twice", name)
		}
		if err := r.expect('=', `"="`); err != nil {
			return nil, err
		}
		sign := ""
		if numeric && r.accept('-') {
			sign = "-"
		}
		value := r.take()
		if value.kind != word && value.kind != quoted {
			return nil, problemAt(value.at, "%s, but a value is needed", value)
		}
		if _, err := finite(value.text); numeric && (value.kind != word || err != nil) {
			return nil, problemAt(value.at, "%s, but a number is needed", value)
		}
		options[name.text] = sign + value.text
		for r.accept(',') {
			more := r.take()
			options[name.text] += "," + more.text
		}
	}
	return options, nil
}

func (r *reader) set(s *statement) (err error) {
	if err = r.defined(s); err != nil {
		return err
	}
	s.names, err = r.names()
	return err
}

// names reads names with blanks or commas between them.
func (r *reader) names() (names []part, err error) {
	for {
		p, err := r.part()
		if err != nil {
			return nil, err
		}
		names = append(names, p)
		if len(names) > maxOperands {
			return nil, problemAt(p.at, "more than %d names", maxOperands)
		}
		if !r.accept(',') && (r.tokens[0].kind == newline || r.tokens[0].kind == end) {
			return names, nil
		}
	}
}

func (r *reader) list(s *statement) (err error) {
	s.names, err = r.names()
	return err
}

// machine reads "counters = N", "fits N = EVENT …", "group = EVENT …" and "alone = EVENT …".
func (r *reader) machine(s *statement) (err error) {
	if s.name, err = r.part(); err != nil {
		return err
	}
	if s.name.name == "fits" {
		n, err := r.part()
		if err != nil {
			return err
		}
		if c, err := strconv.Atoi(n.name); err != nil || c < 0 || c > 63 {
			return problemAt(n.at, "%s is no counter; they are numbered from 0 to 63", n.name)
		}
		s.text = n.name
	}
	if err = r.expect('=', `"="`); err != nil {
		return err
	}
	if s.names, err = r.names(); err != nil {
		return err
	}
	switch s.name.name {
	case "counters":
		if n, err := strconv.Atoi(s.names[0].name); err != nil || n < 1 || n > 64 || len(s.names) > 1 {
			return problemAt(s.names[0].at, "the number of counters is from 1 to 64")
		}
	case "fits", "group", "alone":
	default:
		return problemAt(s.name.at, "%s says nothing of a machine; there are alone, counters, fits and group", s.name.name)
	}
	return nil
}

func (r *reader) cpu(s *statement) (err error) {
	s.options, err = r.options(newline, cpuOptions)
	if err == nil && len(s.options) == 0 {
		err = problemAt(r.tokens[0].at, "a processor needs attributes: %s", listed(cpuOptions))
	}
	return err
}

// units are those that a metric can have.
var units = []string{"ns", "bytes", "cycles", "events"}

func (r *reader) unit(s *statement) (err error) {
	if err = r.defined(s); err != nil {
		return err
	}
	t := r.take()
	if !slices.Contains(units, t.text) {
		return problemAt(t.at, "%s is no unit; there are ns, bytes, cycles and events", t)
	}
	s.text = t.text
	return nil
}

func (r *reader) describe(s *statement) (err error) {
	if s.name, err = r.part(); err != nil {
		return err
	}
	return r.title(s)
}

func (r *reader) title(s *statement) error {
	t := r.tokens[0]
	s.text = t.text
	return r.expect(quoted, "a text in quotes")
}
