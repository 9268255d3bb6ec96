package otf2test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracerec/exchange/otf2"
)

// WriteText writes an archive of the program that a text describes. A tick is 1 ns, and the trace begins at 0. # begins a comment, and names with blanks are quoted. Lines are
//
//	location NAME                    a process: rank 0 of MPI, then 1, …
//	location NAME of PROCESS         another thread of it
//	location NAME of PROCESS stream  a stream of its GPU
//	group NAME PROCESS…              some processes
//	comm NAME PROCESS…               a communicator; that of all is world, and one of nobody that of each process alone
//	team NAME THREAD…                a team of threads of OpenMP
//	window NAME COMM                 a window of one-sided communication
//	TIME EVENT VALUE…                an event of the location that was named last, as OTF2 names it
//
// Values are numbers, names of what they refer to, words of enumerations in any case, or none. Behind them, "on LOCATION" is the stream that the event is about, and "event N" which event of CUDA.
// What a region is follows from its name: MPI_…, omp_…, !$omp …, pthread_…, cu…, acc_…; others are the program's own. chunk is the size of the chunks that the events are in, 0 as usual.
func WriteText(name, text string, chunk uint64) error {
	w, err := otf2.Create(name, otf2.Anchor{EventChunk: chunk})
	if err != nil {
		return err
	}
	d := &described{numbers: map[otf2.Refers]map[string]uint64{}, global: map[string]*otf2.Spec{}, kinds: map[string]*otf2.Spec{}, w: w}
	for _, s := range otf2.Specs(otf2.Events) {
		d.kinds[s.Name] = s
	}
	for _, s := range otf2.Specs(otf2.Global) {
		d.global[s.Name] = s
	}
	for _, read := range []func([]string) error{d.names, d.line} {
		n := 0
		for line := range strings.Lines(text) {
			n++
			words, err := split(line)
			if err == nil && len(words) > 0 {
				err = read(words)
			}
			if err != nil {
				return fmt.Errorf("line %d: %q: %w", n, strings.TrimSpace(line), err)
			}
		}
	}
	return errors.Join(d.check(), d.write(), w.Close())
}

// described is what was read of a text.
type described struct {
	w             *otf2.Writer
	global, kinds map[string]*otf2.Spec
	numbers       map[otf2.Refers]map[string]uint64 // of what has a name
	locations     []*place
	together      [][]string // lines of groups, communicators, teams and windows
	strings       uint64
	groups        uint64
	last          uint64
}

// place is a location.
type place struct {
	process uint64
	stream  bool
	events  []otf2.Event
}

// split returns the words of a line.
func split(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			word, rest = strings.Trim(quoted, `"`), line[len(quoted):]
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

// lists are the kinds of lines that say who belongs together.
var lists = map[string]otf2.Refers{"group": otf2.Groups, "comm": otf2.Comms, "team": otf2.Comms, "window": otf2.RmaWins}

// names gives numbers to what a line names, so that lines before it can refer to it.
func (d *described) names(words []string) error {
	kind, list := lists[words[0]]
	if words[0] == "location" {
		kind, list = otf2.Locations, true
	}
	switch least := map[string]int{"window": 3}[words[0]]; {
	case list && len(words) < 2:
		return errors.New("has no name")
	case list && len(words) < least, kind == otf2.Locations && list && len(words) == 3:
		return errors.New("does not say of what")
	}
	if list {
		d.name(kind, words[1])
	}
	return nil
}

// line reads a line.
func (d *described) line(words []string) error {
	if words[0] == "location" {
		return d.location(words[1:])
	}
	if _, list := lists[words[0]]; list {
		d.together = append(d.together, words)
		return nil
	}
	return d.event(words)
}

// name gives a number to a name, unless it has one.
func (d *described) name(kind otf2.Refers, name string) uint64 {
	if d.numbers[kind] == nil {
		d.numbers[kind] = map[string]uint64{}
	}
	if kind == otf2.Comms && len(d.numbers[kind]) == 0 {
		d.numbers[kind]["world"] = world
	}
	n, known := d.numbers[kind][name]
	if !known {
		n = uint64(len(d.numbers[kind]))
		d.numbers[kind][name] = n
	}
	return n
}

func (d *described) location(words []string) error {
	n := d.name(otf2.Locations, words[0])
	if n != uint64(len(d.locations)) {
		return errors.New("there are two such locations")
	}
	x := &place{process: n, stream: len(words) == 4}
	if len(words) > 1 {
		of, known := d.numbers[otf2.Locations][words[2]]
		if !known {
			return errors.New("there is no such process")
		}
		x.process = of
	}
	d.locations = append(d.locations, x)
	return nil
}

// event reads an event.
func (d *described) event(words []string) error {
	if len(d.locations) == 0 || len(words) < 2 || d.kinds[words[1]] == nil {
		return errors.New("no event of a location")
	}
	e := otf2.Event{Record: otf2.Record{Spec: d.kinds[words[1]]}}
	at, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil {
		return err
	}
	e.Time, d.last, words = at, max(d.last, at), words[2:]
	for _, f := range e.Spec.Head {
		if len(words) == 0 {
			return fmt.Errorf("%s is missing", f.Name)
		}
		v, err := d.value(f, words[0])
		if err != nil {
			return err
		}
		e.Values, words = append(e.Values, v), words[1:]
	}
	for ; len(words) > 1; words = words[2:] {
		const ofLocation, ofEvent, number, reference = 0, 1, 4, 13 // attributes, and their types
		switch words[0] {
		case "on":
			v, err := d.value(otf2.Field{Refers: otf2.Locations}, words[1])
			if err != nil {
				return err
			}
			e.Attributes = append(e.Attributes, otf2.Attribute{ID: ofLocation, Type: reference, Value: v})
		case "event":
			v, err := strconv.ParseUint(words[1], 10, 64)
			if err != nil {
				return err
			}
			e.Attributes = append(e.Attributes, otf2.Attribute{ID: ofEvent, Type: number, Value: v})
		}
	}
	if len(words) > 0 {
		return fmt.Errorf("%s is too much", words[0])
	}
	x := d.locations[len(d.locations)-1]
	if n := len(x.events); n > 0 && x.events[n-1].Time > e.Time {
		return errors.New("is earlier than the event before")
	}
	x.events = append(x.events, e)
	return nil
}

// value returns what a word is the value of.
func (d *described) value(f otf2.Field, word string) (uint64, error) {
	if word == "none" {
		return undefined, nil
	}
	if f.Refers == otf2.Regions {
		return d.name(otf2.Regions, word), nil
	}
	if n, known := d.numbers[f.Refers][word]; known {
		return n, nil
	}
	if f.Refers == otf2.Comms && word == "world" {
		return d.name(otf2.Comms, word), nil
	}
	if i := slices.Index(f.Words, strings.ToUpper(word)); i >= 0 {
		return uint64(i), nil
	}
	if f.Refers != otf2.Nothing {
		return 0, fmt.Errorf("there is no %s", word)
	}
	return strconv.ParseUint(word, 10, 64)
}

// regionKind is what regions are whose names begin so.
type regionKind struct {
	prefix         string
	paradigm, role uint64
}

// The first one that fits.
var regionKinds = []regionKind{
	{"MPI_", mpi, 1}, {"omp_", openMP, 1}, {"!$omp parallel", openMP, 5}, {"!$omp do", openMP, 3}, {"!$omp implicit barrier", openMP, 16}, {"!$omp barrier", openMP, 15},
	{"!$omp critical", openMP, 12}, {"!$omp atomic", openMP, 14}, {"!$omp flush", openMP, 17}, {"!$omp ordered", openMP, 18}, {"!$omp taskwait", openMP, 22}, {"!$omp task", openMP, 20},
	{"pthread_", 7, 1}, {"cu", 5, 1}, {"acc_", 18, 1}, {"", userCode, 1},
}

func (d *described) define(kind string, values ...uint64) {
	d.w.Define(&otf2.Record{Spec: d.global[kind], Values: values})
}

func (d *described) text(s string) uint64 {
	d.w.Define(&otf2.Record{Spec: d.global["String"], Values: []uint64{d.strings}, Texts: []string{s}})
	d.strings++
	return d.strings - 1
}

// check returns what lists name that there is not.
func (d *described) check() error {
	for _, words := range d.together {
		kind := otf2.Locations
		if words[0] == "window" {
			kind = otf2.Comms
		}
		for _, name := range words[2:] {
			if _, known := d.numbers[kind][name]; !known && name != "world" {
				return fmt.Errorf("%s %s: there is no %s", words[0], words[1], name)
			}
		}
	}
	return nil
}

// write writes what was read.
func (d *described) write() (err error) {
	d.define("ClockProperties", 1e9, 0, d.last, 1<<64-1)
	none := d.text("")
	d.define("Attribute", 0, none, 13, none)
	d.define("Attribute", 1, d.text("CUDA_EVENT_REF"), 4, none)
	for _, name := range inOrder(d.numbers[otf2.Regions]) {
		kind := regionKinds[slices.IndexFunc(regionKinds, func(k regionKind) bool { return strings.HasPrefix(name, k.prefix) })]
		n := d.text(name)
		d.define("Region", d.name(otf2.Regions, name), n, none, 0, none, 0, 0, n, kind.role, kind.paradigm, 0)
	}
	names := inOrder(d.numbers[otf2.Locations])
	var processes, threads []uint64
	for i, x := range d.locations {
		n, kind, group := d.text(names[i]), uint64(1), x.process
		switch {
		case x.stream:
			kind, group = 2, uint64(i)
			d.define("LocationGroup", group, n, 2, undefined, x.process)
		case x.process == uint64(i):
			d.define("LocationGroup", group, n, 1, undefined, undefined)
			processes = append(processes, uint64(i))
		}
		if !x.stream {
			threads = append(threads, uint64(i))
		}
		d.define("Location", uint64(i), n, kind, uint64(len(x.events)), group)
		err = errors.Join(err, d.events(uint64(i), x))
	}
	d.belong(processes, threads)
	return err
}

func (d *described) events(location uint64, x *place) error {
	to, err := d.w.Events(location)
	if err != nil {
		return err
	}
	for i := range x.events {
		to.Write(&x.events[i])
	}
	return to.Close()
}

// belong defines who belongs together.
func (d *described) belong(processes, threads []uint64) {
	groups := d.numbers[otf2.Groups]
	d.groups = uint64(len(groups)) // those with names come first
	group := func(number, kind, paradigm uint64, members []uint64) uint64 {
		d.define("Group", slices.Concat([]uint64{number, 0, 0, uint64(len(members))}, members, []uint64{kind, paradigm, 0})...)
		return number
	}
	another := func(kind, paradigm uint64, members []uint64) uint64 {
		d.groups++
		return group(d.groups-1, kind, paradigm, members)
	}
	among := func(all []uint64, names []string) (members []uint64) {
		for _, name := range names {
			members = append(members, uint64(slices.Index(all, d.numbers[otf2.Locations][name])))
		}
		return members
	}
	ranks := func() (list []uint64) {
		for i := range processes {
			list = append(list, uint64(i))
		}
		return list
	}
	another(commLocations, mpi, processes)
	another(commLocations, openMP, threads)
	d.define("Comm", world, d.text("MPI_COMM_WORLD"), another(commGroup, mpi, ranks()), undefined, 0)
	for _, words := range d.together {
		name, members := words[1], words[2:]
		switch words[0] {
		case "group":
			group(groups[name], commGroup, mpi, among(processes, members))
		case "comm":
			if len(members) == 0 {
				d.define("Comm", d.name(otf2.Comms, name), d.text(name), another(commSelf, mpi, nil), undefined, 0)
				continue
			}
			d.define("Comm", d.name(otf2.Comms, name), d.text(name), another(commGroup, mpi, among(processes, members)), undefined, 0)
		case "team":
			d.define("Comm", d.name(otf2.Comms, name), d.text(name), another(commGroup, openMP, among(threads, members)), undefined, 0)
		case "window":
			d.define("RmaWin", d.name(otf2.RmaWins, name), d.text(name), d.name(otf2.Comms, members[0]), 0)
		}
	}
}

// inOrder returns names in the order of their numbers.
func inOrder(numbers map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(numbers), func(x, y string) int { return int(numbers[x]) - int(numbers[y]) })
}
