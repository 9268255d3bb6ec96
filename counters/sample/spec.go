package sample

import (
	"fmt"
	"strconv"
	"strings"

	"tracerec/internal/perfevent"
)

// Spec says how a counter is read: as a sum of kernel events, as a metric of the Go runtime, or by asking the simulator.
type Spec struct {
	Name      string
	Terms     []Term
	Metric    string // name in runtime/metrics
	Simulated bool   // an event of the simulator on which the program runs, see package simulator/guest
}

// Term is a kernel event of a sum.
type Term struct {
	Negative bool
	perfevent.Event
}

// separator stands between the name and the terms of a handed-down counter; no name of an event has it.
const separator = "|"

// callThrough stands for the terms of a counter of the simulator.
const callThrough = "call-through"

// String returns the counter as it is handed down: NAME|+type.config.config1.config2.bptype.flags.letters…, numbers
// hexadecimal, or NAME|/metric:unit, or NAME|call-through, or NAME alone if that says it all.
func (s Spec) String() string {
	switch {
	case s.Simulated:
		return s.Name + separator + callThrough
	case s.Metric != "":
		return s.Name + separator + s.Metric
	case len(s.Terms) == 0:
		return s.Name
	}
	var b strings.Builder
	b.WriteString(s.Name + separator)
	for _, t := range s.Terms {
		sign := "+"
		if t.Negative {
			sign = "-"
		}
		fmt.Fprintf(&b, "%s%x.%x.%x.%x.%x.%x.", sign, t.Type, t.Config, t.Config1, t.Config2, t.BPType, t.Flags)
		for _, l := range t.letters() {
			if *l.set {
				b.WriteString(l.letter)
			}
		}
	}
	return b.String()
}

type letter struct {
	letter string
	set    *bool
}

func (t *Term) letters() []letter {
	return []letter{{"k", &t.Kernel}, {"n", &t.NoExclude}}
}

// parseSpec reads what String wrote; a name without terms has to be one that all kernels know.
func parseSpec(text string) (Spec, error) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		if n, ok := perfevent.Find(text); ok {
			return Spec{Name: text, Terms: []Term{{Event: n.Event()}}}, nil
		}
		return Spec{Name: text}, fmt.Errorf("unknown counter %q", text)
	}
	s := Spec{Name: text[:at]}
	rest := text[at+1:]
	if rest == callThrough {
		s.Simulated = true
		return s, nil
	}
	if strings.HasPrefix(rest, "/") {
		s.Metric = rest
		return s, nil
	}
	for rest != "" {
		sign := rest[0]
		end := strings.IndexAny(rest[1:], "+-") + 1
		if end == 0 {
			end = len(rest)
		}
		t, err := parseTerm(rest[1:end])
		if err != nil || sign != '+' && sign != '-' || len(s.Terms) == MaxEvents {
			return Spec{Name: s.Name}, fmt.Errorf("counter %q: %q is not a list of at most %d kernel events", s.Name, text[at+1:], MaxEvents)
		}
		t.Negative = sign == '-'
		s.Terms = append(s.Terms, t)
		rest = rest[end:]
	}
	if len(s.Terms) == 0 {
		return s, fmt.Errorf("counter %q: nothing to count", s.Name)
	}
	return s, nil
}

func parseTerm(text string) (t Term, err error) {
	fields := strings.Split(text, ".")
	if len(fields) != 7 {
		return t, strconv.ErrSyntax
	}
	var n [6]uint64
	for i := range n {
		bits := 64
		if i == 0 || i == 4 {
			bits = 32
		}
		if n[i], err = strconv.ParseUint(fields[i], 16, bits); err != nil {
			return t, err
		}
	}
	t.Event = perfevent.Event{Type: uint32(n[0]), Config: n[1], Config1: n[2], Config2: n[3], BPType: uint32(n[4]), Flags: n[5]}
	rest := fields[6]
	for _, l := range t.letters() {
		rest, *l.set = strings.CutPrefix(rest, l.letter)
	}
	if rest != "" {
		return t, strconv.ErrSyntax
	}
	return t, nil
}
