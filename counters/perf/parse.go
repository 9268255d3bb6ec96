package perf

import (
	"fmt"
	"strconv"
	"strings"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
	"tracerec/trace/wire"
)

// maxName bounds the names that are looked at.
const maxName = 4096

func unknown(name, why string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", shown(name), substrate.ErrUnknownEvent, reason(why, args...))
}

// mistaken is for names of events that are known, and ask for what they do not have.
func mistaken(name, why string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", shown(name), substrate.ErrMistaken, reason(why, args...))
}

func unavailable(name, why string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", shown(name), substrate.ErrUnavailable, reason(why, args...))
}

// reason writes why; parts of names in it may be long.
func reason(why string, args ...any) string {
	const most = 600
	text := fmt.Sprintf(why, args...)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// shown makes a name fit for a message of one line.
func shown(name string) string {
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	if q := strconv.Quote(name); q != `"`+name+`"` || name == "" {
		return q
	}
	return name
}

// parse encodes a name.
func (c catalog) parse(name string) (Encoded, error) {
	if !supported {
		return Encoded{}, unavailable(name, "%v", errOpen)
	}
	if name == "" || len(name) > maxName || strings.ContainsAny(name, "\x00\n") {
		return Encoded{}, unknown(name, "not a name")
	}
	e, err := c.parseBase(name, name)
	if err != nil {
		base, flags, ok := cutModifiers(name)
		if !ok {
			if _, mods, found := strings.Cut(name, base+":"); found && c.isEvent(base) {
				return Encoded{}, mistaken(name, "modifiers are u, k and p, not %q", mods)
			}
			return Encoded{}, err
		}
		if e, err = c.parseBase(name, base); err != nil {
			return Encoded{}, err
		}
		e.Flags |= flags
	}
	e.Name = name
	if (e.NoExclude || e.clock) && e.Flags&excludesMode != 0 {
		return Encoded{}, fmt.Errorf("%s: %w: it counts user and kernel mode together: leave out :u and :k", name, substrate.ErrUnsupported)
	}
	if e.Kernel && e.Flags&perfevent.FlagExcludeKernel != 0 {
		return Encoded{}, fmt.Errorf("%s: %w: it happens inside the kernel: leave out :u", name, substrate.ErrUnsupported)
	}
	return e, nil
}

// isEvent reports whether there is an event of that name, without modifiers, that is not told by a colon itself.
func (c catalog) isEvent(name string) bool {
	if strings.Contains(name, ":") {
		return false
	}
	_, err := c.parseBase(name, name)
	return err == nil
}

// cutModifiers splits "cycles:u" into the name and the flags that the modifiers ask for.
func cutModifiers(name string) (base string, flags uint64, ok bool) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return name, 0, false
	}
	flags, ok = modifiers(name[i+1:])
	return name[:i], flags, ok
}

// modifiers returns the flags for letters u, k and p. Excluded are the modes that are not named.
func modifiers(letters string) (flags uint64, ok bool) {
	var user, kernel bool
	var precise uint64
	for _, l := range letters {
		switch l {
		case 'u':
			user = true
		case 'k':
			kernel = true
		case 'p':
			precise++
		default:
			return 0, false
		}
	}
	if letters == "" || precise > 3 {
		return 0, false
	}
	if user && !kernel {
		flags |= perfevent.FlagExcludeKernel
	}
	if kernel && !user {
		flags |= perfevent.FlagExcludeUser
	}
	return flags | precise<<perfevent.PreciseShift, true
}

// parseBase encodes a name without modifiers; full is the name for messages.
func (c catalog) parseBase(full, name string) (Encoded, error) {
	if n, ok := perfevent.Find(name); ok {
		e := Encoded{Event: n.Event(), clock: wire.CounterUnit(n.Name) == "ns"}
		if n.Type != perfevent.Software {
			e.pmu = "cpu"
		}
		return e, nil
	}
	if kind, rest, ok := strings.Cut(name, ":"); ok {
		switch kind {
		case "mem":
			return parseWatch(full, rest)
		case "uprobe", "uretprobe", "kprobe", "kretprobe":
			return c.parseProbe(full, kind, rest)
		}
	}
	if pmu, rest, ok := strings.Cut(name, "/"); ok {
		return c.parsePMU(full, pmu, rest)
	}
	if code, ok := strings.CutPrefix(name, "r"); ok && len(code) >= 1 {
		if v, err := strconv.ParseUint(code, 16, 64); err == nil {
			return Encoded{Event: perfevent.Event{Type: perfevent.Raw, Config: v}, pmu: "cpu"}, nil
		}
	}
	if entry, ok := c.table(name); ok {
		p := c.corePMU(entry.PMU)
		e := Encoded{Event: perfevent.Event{Type: p.Type}, pmu: "cpu"}
		err := c.terms(&e, p, full, entry.Encoding, false)
		return e, err
	}
	if system, event, ok := strings.Cut(name, ":"); ok {
		return c.parseTracepoint(full, system, event)
	}
	return Encoded{}, unknown(full, "no event of this kernel or processor has that name")
}

func (c catalog) parseTracepoint(full, system, event string) (Encoded, error) {
	if system == "" || event == "" || strings.ContainsAny(event, ":/") || strings.Trim(system+event, ".") == "" {
		return Encoded{}, unknown(full, "neither an event nor a tracepoint (system:event)")
	}
	if _, ok := modifiers(event); ok { // nonsense:u is no tracepoint
		return Encoded{}, unknown(full, "no event of this kernel or processor has that name")
	}
	id, found, mounted := c.tracepoint(system, event)
	switch {
	case found:
		return Encoded{Event: perfevent.Event{Type: perfevent.Tracepoint, Config: id, Kernel: true}}, nil
	case mounted:
		return Encoded{}, unknown(full, "the kernel has no such tracepoint, or its directory needs root to be read")
	}
	return Encoded{}, unavailable(full, "tracepoints cannot be looked up: mount -t tracefs tracefs /sys/kernel/tracing")
}

// parseWatch reads what follows "mem:": address, optional length, optional kinds of access, optional modifiers.
func parseWatch(full, s string) (Encoded, error) {
	place, access, _ := strings.Cut(s, ":")
	if _, mods, ok := strings.Cut(access, ":"); ok { // parse cuts good modifiers off and comes back
		return Encoded{}, mistaken(full, "modifiers are u, k and p, not %q", mods)
	}
	address, length, hasLength := strings.Cut(place, "/")
	e := Encoded{Event: perfevent.Event{Type: perfevent.Breakpoint, Config2: 8}}
	var err error
	if e.Config1, err = strconv.ParseUint(address, 0, 64); err != nil {
		if address != "" && strings.Trim(address[:1], "0123456789") != "" {
			return parseVariable(full, s)
		}
		return Encoded{}, mistaken(full, "%q is not an address", address)
	}
	for _, a := range access {
		bit, ok := map[rune]uint32{'r': 1, 'w': 2, 'x': 4}[a]
		if !ok || e.BPType&bit != 0 {
			return Encoded{}, mistaken(full, "the access is r, w, rw or x")
		}
		e.BPType |= bit
	}
	if access == "" {
		e.BPType = 3
	}
	if e.BPType&4 != 0 {
		if e.BPType != 4 {
			return Encoded{}, mistaken(full, "x cannot be watched together with r or w")
		}
		e.Config2 = 8 // sizeof(long): the kernel wants that for instructions
		if hasLength {
			return Encoded{}, mistaken(full, "an instruction is watched by its address, without a length")
		}
		return e, nil
	}
	if hasLength {
		if e.Config2, err = strconv.ParseUint(length, 0, 8); err != nil || e.Config2 == 0 || e.Config2 > 8 || e.Config2&(e.Config2-1) != 0 {
			return Encoded{}, mistaken(full, "the length must be 1, 2, 4 or 8")
		}
	}
	if e.Config1%e.Config2 != 0 {
		return Encoded{}, mistaken(full, "the address must be a multiple of the length, %d", e.Config2)
	}
	return e, nil
}

// parsePMU reads "terms/mods" of the named PMU.
func (c catalog) parsePMU(full, pmu, rest string) (Encoded, error) {
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return Encoded{}, unknown(full, "a / is missing at the end")
	}
	terms, mods := rest[:i], rest[i+1:]
	p, ok := c.pmu(pmu)
	if !ok {
		var known []string
		for _, p := range c.pmus() {
			known = append(known, p.Name)
		}
		return Encoded{}, unavailable(full, "there is no PMU %s (there are: %s)", shown(pmu), strings.Join(known, ", "))
	}
	e := Encoded{Event: perfevent.Event{Type: p.Type}, CPUs: p.CPUs, pmu: pmu}
	switch pmu {
	case "software", "tracepoint", "breakpoint", "uprobe", "kprobe":
		e.pmu = ""
	case "msr":
		e.pmu, e.NoExclude = "", true
	default:
		e.NoExclude = p.CPUs != nil
		if p.core {
			e.pmu = "cpu"
		}
	}
	if err := c.terms(&e, p, full, terms, true); err != nil {
		return Encoded{}, err
	}
	if mods != "" {
		flags, ok := modifiers(strings.TrimPrefix(mods, ":"))
		if !ok {
			return Encoded{}, mistaken(full, "modifiers are u, k and p, not %q", mods)
		}
		e.Flags = flags
	}
	return e, nil
}

// terms adds what a list of terms says to e. An alias is the name of a list in sysfs, which holds no further ones.
func (c catalog) terms(e *Encoded, p PMU, full, list string, alias bool) error {
	for term := range strings.SplitSeq(list, ",") {
		key, value, hasValue := strings.Cut(strings.TrimSpace(term), "=")
		if alias && !hasValue && isAlias(key) {
			if text, ok := c.entry(p, "events", key); ok {
				if err := c.terms(e, p, full, text, false); err != nil {
					return err
				}
				continue
			}
		}
		v := uint64(1)
		if hasValue {
			var err error
			if v, err = strconv.ParseUint(value, 0, 64); err != nil {
				return unknown(full, "%q of term %s is not a number", value, shown(key))
			}
		}
		format, ok := c.format(p, key)
		if !ok {
			return unknown(full, "the PMU %s has no term or event %s (terms: %s; events: %s)", p.Name, shown(key), some(c.list(p.Name, "format")), some(c.aliases(p)))
		}
		if err := e.set(format, v); err != nil {
			return unknown(full, "term %s: %v", shown(key), err)
		}
	}
	return nil
}

// some lists the first of many names.
func some(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// set stores v in the bits that a format of sysfs names: "config:0-7,32-35".
func (e *Encoded) set(format string, v uint64) error {
	field, ranges, _ := strings.Cut(format, ":")
	var into *uint64
	switch field {
	case "config":
		into = &e.Config
	case "config1":
		into = &e.Config1
	case "config2":
		into = &e.Config2
	default:
		return fmt.Errorf("its field %s is not supported", shown(field))
	}
	rest := v
	for _, r := range strings.Split(ranges, ",") {
		low, high, isRange := strings.Cut(r, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 8)
		b, err2 := strconv.ParseUint(high, 10, 8)
		if err1 != nil || err2 != nil || a > b || b > 63 {
			return fmt.Errorf("its format %s is unknown", shown(format))
		}
		width := b - a + 1
		mask := ^uint64(0) >> (64 - width)
		*into = *into&^(mask<<a) | rest&mask<<a
		if width == 64 {
			rest = 0
		} else {
			rest >>= width
		}
	}
	if rest != 0 {
		return fmt.Errorf("%d does not fit into its bits (%s)", v, format)
	}
	return nil
}

// describe says in words what an event is.
func (c catalog) describe(name string, e Encoded) string {
	base := name
	if b, _, ok := cutModifiers(name); ok {
		base = b
	}
	if n, ok := perfevent.Find(base); ok {
		return n.Description
	}
	if entry, ok := c.table(base); ok {
		return entry.Description
	}
	switch {
	case e.Type == perfevent.Breakpoint && e.BPType == 4:
		return fmt.Sprintf("times the instruction at %#x was executed", e.Config1)
	case e.Type == perfevent.Breakpoint:
		kind := map[uint32]string{1: "loads from", 2: "stores to", 3: "accesses to"}[e.BPType]
		return fmt.Sprintf("%s the %d bytes at %#x", kind, e.Config2, e.Config1)
	case e.Path != "":
		return "times the probe in " + e.Path + " was passed"
	case e.Type == perfevent.Tracepoint:
		return "times the tracepoint was passed"
	case e.Type == perfevent.Raw:
		return fmt.Sprintf("raw event %#x of the processor", e.Config)
	}
	return fmt.Sprintf("event %#x of PMU %s", e.Config, strings.SplitN(name, "/", 2)[0])
}
