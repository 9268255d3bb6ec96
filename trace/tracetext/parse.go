package tracetext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Write writes what text describes with w, each location in pieces of the given number of events (0: in
// one). Two ways to cut the same text must not make a difference to an analysis.
func Write(w *trace.Writer, text string, pieceEvents int) error {
	p := &parser{locations: map[string]*location{}, objects: map[string]*object{}, processes: map[string]*process{}}
	for i, line := range strings.Split(text, "\n") {
		if err := p.tokenize(i+1, line); err != nil {
			return err
		}
	}
	for _, t := range p.lines {
		p.tokens = t
		if err := p.line(); err != nil {
			return err
		}
	}
	for _, r := range p.refs {
		if p.last = r.at; r.from.process != r.to.process {
			return p.errorf("the location belongs to another process")
		}
	}
	return p.write(w, pieceEvents)
}

// token is a word of the text.
type token struct {
	line   int
	text   string
	quoted bool
}

// parser holds what was understood so far.
type parser struct {
	lines     [][]token
	tokens    []token // of the line, those not yet used
	last      token   // the one used last, for messages
	order     []*process
	processes map[string]*process
	locations map[string]*location
	objects   map[string]*object
	refs      []reference
	current   *process
	stream    *location
}

type process struct {
	info      trace.ProcessInfo
	defs      []wire.Def
	regions   map[region]uint32
	metrics   map[string]uint32
	nobjects  uint32
	locations []*location
	warnings  map[string]uint64
	cpu       int64
	exited    bool
	status    int
	end       uint64
}

type location struct {
	process *process
	number  uint64
	events  []rawEvent
	defined bool
}

type rawEvent struct {
	time  uint64
	kind  wire.Kind
	id    uint32
	words []uint64
	other *location // Create, Begin
}

type region struct {
	name, fn, file string
	line           uint32
}

// reference is the use of a location by name, to be checked when all are known.
type reference struct {
	at       token
	from, to *location
}

type object struct {
	process *process
	id      uint32
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %q: %s", p.last.line, p.last.text, fmt.Sprintf(format, args...))
}

// tokenize splits a line, and notes the names of locations, which may be used before their line.
func (p *parser) tokenize(n int, line string) error {
	var tokens []token
	for {
		line = strings.TrimLeftFunc(line, unicode.IsSpace)
		if line == "" || line[0] == '#' {
			break
		}
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return fmt.Errorf("line %d: %q: the quote is not closed", n, line)
			}
			text, _ := strconv.Unquote(q)
			tokens, line = append(tokens, token{n, text, true}), line[len(q):]
			continue
		}
		end := strings.IndexFunc(line, unicode.IsSpace)
		if end < 0 {
			end = len(line)
		}
		tokens, line = append(tokens, token{n, line[:end], false}), line[end:]
	}
	if len(tokens) > 0 {
		p.lines = append(p.lines, tokens)
	}
	if len(tokens) > 1 && tokens[0].text == "location" && p.locations[tokens[1].text] == nil {
		p.locations[tokens[1].text] = &location{}
	}
	return nil
}

// word takes the next token, which must be there.
func (p *parser) word(what string) (string, error) {
	if len(p.tokens) == 0 {
		return "", p.errorf("%s is missing after it", what)
	}
	p.last, p.tokens = p.tokens[0], p.tokens[1:]
	return p.last.text, nil
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if len(p.tokens) == 0 || p.tokens[0].text != text || p.tokens[0].quoted {
		return false
	}
	p.last, p.tokens = p.tokens[0], p.tokens[1:]
	return true
}

// number takes the next token as an integer; negative ones wrap.
func (p *parser) number(what string) (uint64, error) {
	text, err := p.word(what)
	if err != nil {
		return 0, err
	}
	v, ok := parseNumber(text)
	if !ok {
		return 0, p.errorf("%s must be a number", what)
	}
	return v, nil
}

// small takes a number of at most max.
func (p *parser) small(what string, max uint64) (uint32, error) {
	v, err := p.number(what)
	if err == nil && v > max {
		err = p.errorf("%s must be at most %d", what, max)
	}
	return uint32(v), err
}

func parseNumber(s string) (uint64, bool) {
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return uint64(v), true
	}
	v, err := strconv.ParseUint(s, 10, 64)
	return v, err == nil
}

// more says whether an optional number is next, rather than the time of the next event.
func (p *parser) more() bool {
	if len(p.tokens) == 0 {
		return false
	}
	if _, ok := parseNumber(p.tokens[0].text); !ok || p.tokens[0].quoted {
		return false
	}
	if len(p.tokens) == 1 {
		return true
	}
	_, ok := parseNumber(p.tokens[1].text)
	return ok
}

// line parses one line.
func (p *parser) line() error {
	first := p.tokens[0]
	if _, ok := parseNumber(first.text); ok && !first.quoted {
		if p.stream == nil {
			p.last = first
			return p.errorf("an event outside a location")
		}
		for len(p.tokens) > 0 {
			if err := p.event(); err != nil {
				return err
			}
		}
		return nil
	}
	p.last, p.tokens = first, p.tokens[1:]
	if first.text == "process" {
		if err := p.process(); err != nil {
			return err
		}
	} else {
		if p.current == nil {
			p.addProcess("main", 1)
		}
		if err := p.item(first.text); err != nil {
			return err
		}
	}
	if len(p.tokens) > 0 {
		p.last = p.tokens[0]
		return p.errorf("one word too many")
	}
	return nil
}

func (p *parser) addProcess(name string, pid int) {
	p.current = &process{regions: map[region]uint32{}, metrics: map[string]uint32{}}
	p.current.info = trace.ProcessInfo{PID: pid, Args: []string{name}, Clock: "ns", Frequency: 1e9}
	p.processes[name] = p.current
	p.order = append(p.order, p.current)
	p.stream = nil
}

// process parses NAME [parent NAME] [pid N] [start T] [cost PS] [cpu NS] [processors N].
func (p *parser) process() error {
	name, err := p.word("a name")
	if err != nil {
		return err
	}
	if p.processes[name] != nil {
		return p.errorf("a process of this name exists already")
	}
	p.addProcess(name, len(p.order)+1)
	q := p.current
	if p.accept("parent") {
		name, err := p.word("a process")
		if err != nil {
			return err
		}
		parent := p.processes[name]
		if parent == nil {
			return p.errorf("there is no such process")
		}
		q.info.Parent = parent.info.PID
	}
	if p.accept("pid") {
		pid, err := p.small("a process id", 1<<31-1)
		if err != nil {
			return err
		}
		q.info.PID = int(pid)
	}
	if p.accept("start") {
		t, err := p.time()
		if err != nil {
			return err
		}
		q.info.Start = trace.Stamp{Ticks: t, Mono: int64(t), Wall: int64(t)}
	}
	if p.accept("cost") {
		cost, err := p.small("a number of picoseconds", 1e9)
		if err != nil {
			return err
		}
		q.info.EventCost = uint64(cost)
	}
	if p.accept("recording") {
		t, err := p.time()
		if err != nil {
			return err
		}
		q.info.Cost = int64(t)
	}
	if p.accept("cpu") {
		cpu, err := p.time()
		if err != nil {
			return err
		}
		q.cpu = int64(cpu)
	}
	if p.accept("processors") {
		n, err := p.small("a number of processors", 1<<20)
		if err != nil {
			return err
		}
		q.info.Processors = int(n)
	}
	return nil
}

// time takes a time; the range is what an archive stores without loss.
func (p *parser) time() (uint64, error) {
	t, err := p.number("a time")
	if err == nil && t > 1<<59 {
		err = p.errorf("a time must be from 0 to 2^59 ns")
	}
	return t, err
}

// item parses a line that is neither an event nor a process.
func (p *parser) item(keyword string) error {
	q := p.current
	if kind := slices.Index(objectNames[:], keyword); kind >= 0 && keyword != "" {
		return p.object(wire.ObjectKind(kind))
	}
	switch keyword {
	case "location":
		return p.location()
	case "args":
		q.info.Args = p.rest()
		return nil
	case "counterset":
		q.defs = append(q.defs, wire.Def{Type: wire.DefCounters, Names: p.rest()})
		return nil
	case "metric":
		name, err := p.word("a name")
		if err != nil {
			return err
		}
		if q.metrics[name] != 0 {
			return p.errorf("the metric exists already")
		}
		unit := ""
		if p.accept("unit") {
			if unit, err = p.word("a unit"); err != nil {
				return err
			}
		}
		q.metric(name, unit)
		return nil
	case "warning":
		name, err := p.word("a name")
		if err != nil {
			return err
		}
		if q.warnings == nil {
			q.warnings = map[string]uint64{}
		}
		q.warnings[name], err = p.number("a count")
		return err
	case "exited":
		t, err := p.time()
		if err != nil {
			return err
		}
		status, err := p.number("an exit status")
		q.exited, q.end, q.status = true, t, int(int64(status))
		return err
	}
	return p.errorf("unknown word at the beginning of a line")
}

// rest takes all tokens of the line.
func (p *parser) rest() (s []string) {
	for _, t := range p.tokens {
		s = append(s, t.text)
	}
	p.tokens = nil
	return s
}

func (p *parser) object(kind wire.ObjectKind) error {
	name, err := p.word("a name")
	if err != nil {
		return err
	}
	if p.objects[name] != nil || name == "nil" || name == "none" {
		return p.errorf("the name is taken")
	}
	d := wire.Def{Type: wire.DefObject, Object: kind}
	switch {
	case kind.IsChannel() && p.accept("cap"), kind == wire.Barrier:
		if d.Size, err = p.number("a size"); err != nil {
			return err
		}
	}
	q := p.current
	q.nobjects++
	d.ID = q.nobjects
	if len(p.tokens) > 0 && strings.HasPrefix(p.tokens[0].text, "@") {
		if d.Region, err = p.region(objectNames[kind], ""); err != nil {
			return err
		}
	}
	p.objects[name] = &object{q, d.ID}
	q.defs = append(q.defs, d)
	return nil
}

func (p *parser) location() error {
	name, err := p.word("a name")
	if err != nil {
		return err
	}
	l := p.locations[name]
	if l.defined {
		return p.errorf("a location of this name exists already")
	}
	l.defined, l.process = true, p.current
	l.number = uint64(len(p.current.locations) + 1)
	p.current.locations = append(p.current.locations, l)
	p.stream = l
	return nil
}
