package events

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ErrTable is wrapped by the errors about files that are not tables of events.
var ErrTable = errors.New("not a table of events")

// head is the first line of a table.
const head = "# events of a processor, version 1"

// maxTable is the size in bytes of the largest file that is read as a table.
const maxTable = 8 << 20

// Match says to which processors a table belongs.
type Match struct {
	Vendor    string
	Family    int
	Models    [][2]int // inclusive ranges; none is all
	Steppings [2]int   // inclusive; zeros are all
}

// matches tells whether the processor is one of them.
func (m Match) matches(c CPU) bool {
	return m.Vendor == c.Vendor && m.Family == c.Family &&
		(m.Steppings == [2]int{} || m.Steppings[0] <= c.Stepping && c.Stepping <= m.Steppings[1]) && (len(m.Models) == 0 ||
		slices.ContainsFunc(m.Models, func(r [2]int) bool { return r[0] <= c.Model && c.Model <= r[1] }))
}

// New makes a table: t with the matches, events and presets. A name that occurs twice, and a preset of an event that is
// not there, are errors.
func New(t Table, matches []Match, entries []Entry, presets []Preset) (*Table, error) {
	t.matches, t.entries, t.presets = matches, entries, slices.Clone(presets)
	t.find = make(map[string]int, len(entries))
	for i, e := range entries {
		name := canonical(e.Name)
		if e.Name == "" || strings.ContainsAny(e.Name, " \t\n") {
			return nil, fmt.Errorf("%w: event %d: bad name %q", ErrTable, i, e.Name)
		}
		if _, twice := t.find[name]; twice {
			return nil, fmt.Errorf("%w: event %s occurs twice", ErrTable, e.Name)
		}
		t.find[name] = i
	}
	slices.SortStableFunc(t.presets, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	for i, p := range t.presets {
		if i > 0 && p.Name == t.presets[i-1].Name {
			return nil, fmt.Errorf("%w: preset %s occurs twice", ErrTable, p.Name)
		}
		if err := t.check(p); err != nil {
			return nil, fmt.Errorf("%w: preset %s: %w", ErrTable, p.Name, err)
		}
	}
	return &t, nil
}

// check tells what is wrong with a preset.
func (t *Table) check(p Preset) error {
	if len(p.Natives) == 0 {
		return errors.New("no native events")
	}
	for _, n := range p.Natives {
		if _, ok := t.Find(n); !ok {
			return fmt.Errorf("unknown event %s", n)
		}
	}
	return checkFormula(p.Formula, len(p.Natives))
}

// Parse reads a table that [Table.Append] wrote, or a person. It survives any input; the error wraps [ErrTable] and names
// the line.
func Parse(name string, data io.Reader) (*Table, error) {
	t := Table{Name: name}
	var matches []Match
	var entries []Entry
	var presets []Preset
	err := eachLine(data, func(kind string, f []string) (err error) {
		switch kind {
		case "event":
			var e Entry
			e, err = parseEntry(f)
			entries = append(entries, e)
		case "preset":
			if len(f) < 3 {
				return errors.New("must have a name, a formula and native events")
			}
			presets = append(presets, Preset{Name: f[0], Formula: f[1], Natives: f[2:]})
		default:
			err = t.parseHeader(kind, f, &matches)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result, err := New(t, matches, entries, presets)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

// parseTop reads only what stands before the events: what it costs to find the table of a processor.
func parseTop(name string, data io.Reader) (t Table, err error) {
	t.Name = name
	err = eachLine(data, func(kind string, f []string) error {
		if kind == "event" || kind == "preset" {
			return io.EOF
		}
		return t.parseHeader(kind, f, &t.matches)
	})
	return t, err
}

// eachLine calls use with the fields of each line, until it returns an error; io.EOF ends it without one.
func eachLine(data io.Reader, use func(kind string, fields []string) error) error {
	lines := bufio.NewScanner(io.LimitReader(data, maxTable))
	lines.Buffer(nil, 1<<16)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if n == 1 && line != head {
			return fmt.Errorf("%w: line 1 is not %q", ErrTable, head)
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			return fmt.Errorf("%w: line %d: a control character in %q", ErrTable, n, line)
		}
		fields := strings.Split(line, "\t")
		if err := use(fields[0], fields[1:]); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%w: line %d: %s: %w", ErrTable, n, fields[0], err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrTable, err)
	}
	return nil
}

// headers is how many fields a line of each kind before the events has.
var headers = map[string]int{"title": 1, "pmu": 1, "source": 1, "licence": 1, "counters": 2, "match": 4}

// parseHeader reads a line that is neither an event nor a preset.
func (t *Table) parseHeader(kind string, f []string, matches *[]Match) (err error) {
	if n, known := headers[kind]; !known {
		return errors.New("unknown kind of line")
	} else if len(f) != n {
		return fmt.Errorf("%d fields, must have %d", len(f), n)
	}
	switch kind {
	case "title":
		t.Title = f[0]
	case "pmu":
		t.PMU = f[0]
	case "source":
		t.Source = f[0]
	case "licence":
		t.Licence = f[0]
	case "counters":
		t.Counters, err = strconv.Atoi(f[0])
		if err == nil {
			t.Fixed, err = strconv.Atoi(f[1])
		}
	case "match":
		var m Match
		m, err = parseMatch(f)
		*matches = append(*matches, m)
	}
	return err
}

// ParseMatch reads what [Match.String] writes: vendor, family, models and steppings, as in
// "GenuineIntel 6 0x8f,0xa0-0xaf *", where * is all. Without steppings all match.
func ParseMatch(text string) (Match, error) { return parseMatch(strings.Fields(text)) }

func parseMatch(f []string) (m Match, err error) {
	if len(f) != 3 && len(f) != 4 {
		return m, errors.New("must have vendor, family, models and steppings")
	}
	m.Vendor = f[0]
	if m.Family, err = strconv.Atoi(f[1]); err != nil {
		return m, err
	}
	if f[2] != "*" {
		for part := range strings.SplitSeq(f[2], ",") {
			r, err := parseRange(part)
			if err != nil {
				return m, err
			}
			m.Models = append(m.Models, r)
		}
	}
	if len(f) == 4 && f[3] != "*" {
		m.Steppings, err = parseRange(f[3])
	}
	return m, err
}

// parseRange reads a number or two with a - in between.
func parseRange(text string) (r [2]int, err error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	for i, part := range []string{low, high} {
		v, err := strconv.ParseInt(part, 0, 32)
		if err != nil {
			return r, err
		}
		r[i] = int(v)
	}
	return r, nil
}

// String is the form that [ParseMatch] reads.
func (m Match) String() string { return strings.Join(m.fields(), " ") }

// fields is what [Match.String] and a table have of it. A vendor may have spaces in its name.
func (m Match) fields() []string {
	var models []string
	for _, r := range m.Models {
		models = append(models, rangeText(r))
	}
	if models == nil {
		models = []string{"*"}
	}
	steppings := "*"
	if m.Steppings != [2]int{} {
		steppings = rangeText(m.Steppings)
	}
	return []string{m.Vendor, strconv.Itoa(m.Family), strings.Join(models, ","), steppings}
}

func rangeText(r [2]int) string {
	if r[0] == r[1] {
		return fmt.Sprintf("%#x", r[0])
	}
	return fmt.Sprintf("%#x-%#x", r[0], r[1])
}

// parseEntry reads name, PMU, encoding, constraints and description.
func parseEntry(f []string) (e Entry, err error) {
	if len(f) != 5 {
		return e, fmt.Errorf("%d fields, must have 5", len(f))
	}
	e = Entry{Name: f[0], PMU: f[1], Encoding: f[2], Description: f[4]}
	return e, e.SetConstraints(f[3])
}

// SetConstraints adds constraints in the form of a table: a mask of general counters (0xf), fixed=N, alone, groups=MASK; or - for
// none.
func (e *Entry) SetConstraints(text string) (err error) {
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "-":
		case "alone":
			e.Alone = true
		case "fixed":
			e.Fixed, err = strconv.Atoi(value)
		case "groups":
			e.Groups, err = strconv.ParseUint(value, 0, 64)
		default:
			e.Counters, err = strconv.ParseUint(key, 0, 64)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Append appends the table in the form that [Parse] reads.
func (t *Table) Append(to []byte) []byte {
	b := bytes.NewBuffer(to)
	fmt.Fprintf(b, "%s\ntitle\t%s\n", head, t.Title)
	for _, m := range t.matches {
		fmt.Fprintf(b, "match\t%s\n", strings.Join(m.fields(), "\t"))
	}
	fmt.Fprintf(b, "pmu\t%s\ncounters\t%d\t%d\nsource\t%s\nlicence\t%s\n", t.PMU, t.Counters, t.Fixed, t.Source, t.Licence)
	for _, e := range t.entries {
		fmt.Fprintf(b, "event\t%s\t%s\t%s\t%s\t%s\n", e.Name, e.PMU, e.Encoding, e.constraints(), e.Description)
	}
	for _, p := range t.presets {
		fmt.Fprintf(b, "preset\t%s\t%s\t%s\n", p.Name, p.Formula, strings.Join(p.Natives, "\t"))
	}
	return b.Bytes()
}

// constraints is the form of an entry's constraints that parseEntry reads.
func (e Entry) constraints() string {
	var words []string
	if e.Counters != 0 {
		words = append(words, fmt.Sprintf("%#x", e.Counters))
	}
	if e.Fixed != 0 {
		words = append(words, fmt.Sprintf("fixed=%d", e.Fixed))
	}
	if e.Alone {
		words = append(words, "alone")
	}
	if e.Groups != 0 {
		words = append(words, fmt.Sprintf("groups=%#x", e.Groups))
	}
	if words == nil {
		return "-"
	}
	return strings.Join(words, " ")
}
